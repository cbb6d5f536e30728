"""The package itself: imports in no time, typed, with the program and the model inside."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY, TINY, needs, program

import tiebreak as tb

PYTHON = Path(__file__).parents[1]


def test_an_import_takes_no_time() -> None:
    # Of the processor: other programs are none of its business.
    timed = "import time; t = time.process_time(); import tiebreak; print(time.process_time() - t)"
    seconds = min(float(run(timed)) for _ in range(5))
    assert seconds < 0.1, seconds
    needed = run("import sys, tiebreak; tiebreak.load; print([m for m in ('numpy', 'pandas', 'pyarrow') if m in sys.modules])")
    assert needed.strip() == "[]"


def test_all_names_are_there() -> None:
    for name in tb.__all__:
        assert getattr(tb, name) is not None, name
    assert set(tb.__all__) <= set(dir(tb))


def test_types_are_strict(tmp_path: Path) -> None:
    needs("mypy")
    user = "import tiebreak as tb\ndata = tb.load('x')\nreveal_type(data.score('chrf'))\nreveal_type(tb.chrf)\n"
    # Of what is installed mypy would say nothing.
    shutil.copytree(PYTHON / "package" / "tiebreak", tmp_path / "tiebreak")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", str(PYTHON / "pyproject.toml"), "-p", "tiebreak"],
        capture_output=True, encoding="utf-8", check=False, cwd=tmp_path,
        env={**os.environ, "MYPY_CACHE_DIR": os.devnull},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "-c", user],
        capture_output=True, encoding="utf-8", check=False, env={**os.environ, "MYPY_CACHE_DIR": os.devnull},
    )
    assert "tiebreak._table.Table" in done.stdout and "CHRF" in done.stdout, done.stdout


def test_the_program_is_inside() -> None:
    assert program("--version").startswith(f"tiebreak {tb.__version__}")
    assert "tiebreak-small" in program("list", "models", folder=Path("/"))
    assert "  tiebreak demo " in program("help", folder=Path("/"))
    wrong = subprocess.run(
        [sys.executable, "-m", "tiebreak", "score", TINY, "--metric", "chfr"], capture_output=True, encoding="utf-8", check=False
    )
    assert wrong.returncode == 2 and "did you mean" in wrong.stderr


def test_the_model_is_inside(tmp_path: Path) -> None:
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        rows = [{"item": "1", "system": s, "output": text} for s, text in [("a", "He sings."), ("b", "sings He")]]
        found = list(tb.load(rows, quiet=True).predict(draws=3))
    finally:
        os.chdir(here)
    assert 0 <= found[0]["p"] <= 1 and found[0]["bald"] is not None


def blocks(page: str) -> list[tuple[str, str | None]]:
    """The programs of a page, each with what is printed below it."""
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    found = re.findall(r"```python\n(.*?)```(?:\s*```text\n(.*?)```)?", text, flags=re.DOTALL)
    assert found, page
    return [(code, printed or None) for code, printed in found]


@pytest.mark.parametrize("page", ["python/README.md", "README.md", "docs/clusters.md", "docs/race.md"])
def test_what_pages_say_works(page: str, tmp_path: Path) -> None:
    for name in ("data", "models"):
        (tmp_path / name).symlink_to(REPOSITORY / name)
    before, skipped = "", 0
    for code, expected in blocks(page):
        # The front page is one program.
        before = before + code if page == "python/README.md" else code
        # Of a file, as people would: some packages want to know where a program lies.
        file = tmp_path / "program.py"
        file.write_text(before, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, file], capture_output=True, cwd=tmp_path, encoding="utf-8", check=False
        )
        missing = re.search(r"^ModuleNotFoundError: .*", done.stderr, flags=re.MULTILINE)
        if missing:
            print(f"\nSKIPPED: a program of {page}: {missing[0]}")
            skipped += 1
            continue
        assert done.returncode == 0, done.stderr
        assert expected is None or done.stdout.splitlines() == expected.splitlines(), done.stdout
    if skipped == len(blocks(page)):
        pytest.skip(f"nothing that {page} needs is there")


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True).stdout
