"""The rows that are read are those that were meant, or an error says why not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import TINY, needs

import tiebreak as tb

OUTPUTS: list[dict[str, Any]] = [
    {"item": str(item), "system": system, "output": f"{system} {item}", "split": "test" if item < 10 else "train"}
    for item in range(30)
    for system in "AB"
]


def columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


@pytest.mark.parametrize("key", ["split", "nonsense"])
def test_a_pick_that_would_choose_nothing_is_refused(key: str, tmp_path: Path) -> None:
    pandas = needs("pandas")
    path = tmp_path / "outputs.csv"
    pandas.DataFrame(OUTPUTS).to_csv(path, index=False)
    votes = [{"item": "1", "system_a": "A", "system_b": "B", "outcome": 1, "split": "test"}]
    ways: list[Any] = [OUTPUTS, columns(OUTPUTS), pandas.DataFrame(OUTPUTS), {"outputs": OUTPUTS}, votes, path, tmp_path]
    for data in ways:
        with pytest.raises(tb.InputError, match=rf'pick=\{{"{key}": "test"\}}.*nothing can be picked of tables\n.*frame\[frame\["{key}"\]'):
            tb.load(data, pick={key: "test"})
        assert tb.load(data, quiet=True).items in (1, 30)


@pytest.mark.parametrize("data", [OUTPUTS, columns(OUTPUTS), {"outputs": OUTPUTS}])
def test_a_format_is_heeded(data: Any) -> None:
    with pytest.raises(tb.InputError, match="unknown format `nonsense`"):
        tb.load(data, format="nonsense")
    assert tb.load(data, format="tables").items == 30


def test_the_program_refuses_such_picks_too(tmp_path: Path) -> None:
    pandas = needs("pandas")
    path = tmp_path / "split.csv"
    pandas.DataFrame(OUTPUTS).to_csv(path, index=False)
    given = os.environ.get("TIEBREAK_PROGRAM")
    command = [given] if given else [sys.executable, "-m", "tiebreak"]
    for arguments in (["check", path], ["import", path, "--out", tmp_path / "out"]):
        done = subprocess.run([*command, *arguments, "--pick", "split=test"], capture_output=True, check=False, encoding="utf-8")
        assert done.returncode == 2 and "nothing can be picked of tables" in done.stderr, done.stderr


def test_ratings_in_columns_are_read_or_refused_as_in_a_file(tmp_path: Path) -> None:
    wide = [
        {"item": str(item), "system": system, "output": "t", "fluency": item + 1, "adequacy": 3}
        for item in range(4)
        for system in "AB"
    ]
    for data in (wide, columns(wide)):
        with pytest.raises(tb.InputError, match=r"outputs: columns of numbers next to the outputs: fluency, adequacy.*\n.*criteria="):
            tb.load(data)
    assert tb.load({"outputs": wide}).items == 4
    alone = [{name: value for name, value in row.items() if name != "output"} for row in wide]
    rated = tb.load(alone, quiet=True)
    assert [row["criterion"] for row in rated.check()["criteria"]] == ["adequacy", "fluency"]
    with pytest.raises(tb.InputError, match=r'no column `output`.*\n.*`columns=\{"output": "NAME"\}`'):
        tb.load([{"item": "1", "system": "A", "text": "t"}])


def test_a_campaign_of_rated_rows_goes_on(tmp_path: Path) -> None:
    rated = [{**row, "score": 1} for row in OUTPUTS]
    for count in (1, 2):
        campaign = tb.load(rated, quiet=True).campaign(tmp_path / "run", quiet=True)
        campaign.tell(next(iter(campaign)), "left")
        assert campaign.claim["n"] == count


def test_errors_at_rows_in_memory_name_no_temporary_file() -> None:
    pandas = needs("pandas")
    twice = OUTPUTS[:2] + OUTPUTS[:1]
    for data in (twice, pandas.DataFrame(twice), {"outputs": twice}):
        with pytest.raises(tb.InputError, match=r"outputs: row 3: system `A` already has an output for item `0` at outputs") as caught:
            tb.load(data)
        assert ".tiebreak-" not in str(caught.value)
    bare = [{"prompt": "Hi?", "text": "x"}]
    with pytest.raises(tb.InputError, match=r"no column `item`.*\n.*`columns=\{\"item\": \"NAME\"\}`") as caught:
        tb.load(bare)
    assert ".tiebreak-" not in str(caught.value)


def test_metrics_of_estimates_score_by_themselves() -> None:
    data = tb.load(TINY, quiet=True)
    given = data.estimate("adequacy", metric="chrf", scores=data.score("chrf"))
    assert data.estimate("adequacy", metric="chrf").table == given.table


def test_texts_have_no_order() -> None:
    texts = [["a", "b", "a"], ["a", "c", "a"]]
    for level in ("interval", "ordinal", "ratio"):
        with pytest.raises(tb.InputError, match=r'answers are texts.*\n.*level_of_measurement="nominal"'):
            tb.krippendorff_alpha(texts, level)  # type: ignore[arg-type]
    assert 0 < tb.krippendorff_alpha(texts, "nominal") < 1


def test_comparisons_without_outcomes_are_named() -> None:
    votes = [{"item": str(item), "system_a": "A", "system_b": "B", "outcome": None} for item in range(4)]
    with pytest.raises(tb.InputError, match=r"no row of `comparisons` has an outcome.*\n.*write 1, 0.5 or 0 in `outcome`"):
        tb.load(votes, quiet=True).rank()
