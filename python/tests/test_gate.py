"""Gates: the numbers of the command line, for tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, needs

import tiebreak as tb

BASE = [{"item": f"i{at}", "score": float(at % 10 < 8)} for at in range(200)]
NEW = [{"item": f"i{at}", "score": float(at % 10 < 5)} for at in range(200)]


def log(path: Path, rows: list[dict[str, Any]], system: str) -> Path:
    path.mkdir()
    lines = (json.dumps({"system": system, "criterion": "score", **row}) + "\n" for row in rows)
    (path / "judgments.jsonl").write_text("".join(lines), encoding="utf-8")
    return path


def test_a_gate_of_rows_of_files_and_of_one_data_set_is_the_command_lines(tmp_path: Path) -> None:
    base, new = log(tmp_path / "main", BASE, "base"), log(tmp_path / "pull", NEW, "new")
    given = os.environ.get("TIEBREAK_PROGRAM")
    command = [given] if given else [sys.executable, "-m", "tiebreak"]
    done = subprocess.run(
        [*command, "gate", base, new, "--json", "--quiet"], capture_output=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 3, done.stderr
    expected = json.loads(done.stdout)["results"]
    of_rows, of_files = tb.gate(BASE, NEW, quiet=True), tb.gate(base, new, quiet=True)
    both = [{"system": name, "criterion": "score", **row} for name, rows in (("base", BASE), ("new", NEW)) for row in rows]
    of_one = tb.load({"judgments": both}, quiet=True).gate("base", "new")
    assert of_rows.results == of_files.results == of_one.results == expected
    columns = ({name: [row[name] for row in rows] for name in ("item", "score")} for rows in (BASE, NEW))
    assert tb.gate(*columns, quiet=True).results == expected
    pandas = needs("pandas")
    assert tb.gate(pandas.DataFrame(BASE), pandas.DataFrame(NEW), quiet=True).results == expected
    row = of_rows.results[0]
    assert row["verdicts"] == ["worse"] and row["difference"] == pytest.approx(-0.3) and row["n"] == 200
    assert not of_rows.passed and of_rows.decision == "not-met" and str(of_rows).startswith("Failed")


def test_logs_may_have_the_criterion_as_a_column(tmp_path: Path) -> None:
    for name, rows in (("main", BASE), ("new", NEW)):
        lines = ({"system": name, "output": "text", "item": row["item"], "accuracy": row["score"]} for row in rows)
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lines), encoding="utf-8")
    gate = tb.gate(tmp_path / "main.jsonl", tmp_path / "new.jsonl", criterion="accuracy", quiet=True)
    assert gate.results[0]["difference"] == pytest.approx(-0.3)
    logs = (tmp_path / "main.jsonl", tmp_path / "new.jsonl")
    rows = [[json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] for log in logs]
    in_memory = tb.gate(*rows, criterion="accuracy", quiet=True)
    assert in_memory.results[0]["difference"] == pytest.approx(-0.3)
    frames = [needs("pandas").DataFrame(one).drop(columns="system") for one in rows]
    unnamed = tb.gate(*frames, criterion="accuracy", quiet=True).results[0]
    assert [unnamed[key] for key in ("base", "new", "lower")] == ["base", "new", in_memory.results[0]["lower"]]
    for data in (logs, rows, frames):
        with pytest.raises(tb.InputError, match=r'are they ratings\?\nhint: say which: `criterion="accuracy"`$'):
            tb.gate(*data, quiet=True)
        with pytest.raises(tb.InputError, match=r"no column of numbers `accurcy`.*\nhint: did you mean `accuracy`\?"):
            tb.gate(*data, criterion="accurcy", quiet=True)
        with pytest.raises(tb.InputError, match=r"unknown key `criteria`\nhint: did you mean `criterion`\?"):
            tb.gate(*data, criteria=["accuracy"])  # type: ignore[call-arg]


def test_requirements_margins_and_mistakes() -> None:
    assert tb.gate(BASE, BASE, quiet=True).passed
    same = tb.gate(BASE, BASE, require="not-worse", margin=0.05, quiet=True)
    assert same.passed and same.results[0]["verdicts"] == ["not-worse", "equivalent"]
    undecided = tb.gate(BASE, BASE, require="better", quiet=True)
    assert not undecided and undecided.decision == "undecided"
    with pytest.raises(tb.InputError, match="margin"):
        tb.gate(BASE, BASE, require="equivalent", quiet=True)


def test_the_workflow_of_the_guide_is_one() -> None:
    guide = (REPOSITORY / "docs" / "gate.md").read_text(encoding="utf-8")
    block = guide.split("```yaml\n")[1].split("```")[0]
    workflow = needs("yaml").safe_load(block)
    steps = workflow["jobs"]["gate"]["steps"]
    commands = [step["run"] for step in steps if "run" in step]
    assert sum("tiebreak gate" in command for command in commands) == 2
    assert all(set(step) <= {"uses", "run", "if"} for step in steps)


def test_logs_in_memory_are_called_base_and_new() -> None:
    pandas = needs("pandas")
    for form in (list, pandas.DataFrame):
        base, new = (form([{"system": "v1", **row} for row in rows]) for rows in (BASE, NEW))
        gate = tb.gate(base, new, quiet=True)
        assert [gate.results[0][side] for side in ("base", "new")] == ["base", "new"]
        assert ".tiebreak-" not in str(gate) + str(gate.json)
    both = [{"system": name, **row} for name in ("v1", "v2") for row in NEW]
    with pytest.raises(tb.InputError, match=r"^new: 2 systems, expected one"):
        tb.gate(BASE, both, quiet=True)


def test_columns_without_names_are_refused() -> None:
    pandas = needs("pandas")
    for data in (pandas.Series([1, 0]), [0.63, 0.5]):
        with pytest.raises(tb.InputError, match="of single values, expected rows with named columns"):
            tb.gate(data, data)
