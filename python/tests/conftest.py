"""What tests share: the data of the repository, and the program of the wheel."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).parents[2]
TINY = REPOSITORY / "data" / "tiny"
MT_BENCH = REPOSITORY / "data" / "mt-bench"


def needs(module: str) -> ModuleType:
    """A package that a test is about; where it is missing the test says so."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        print(f"\nSKIPPED: {module} is not there ({error})")
        pytest.skip(f"{module} is not there")


def program(*arguments: object, folder: Path | None = None) -> str:
    """What the program prints. `TIEBREAK_PROGRAM` names another one than the wheel's, to compare with."""
    given = os.environ.get("TIEBREAK_PROGRAM")
    command = [given] if given else [sys.executable, "-m", "tiebreak"]
    done = subprocess.run(
        [*command, *map(str, arguments), "--quiet"], capture_output=True, cwd=folder, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def outputs() -> list[dict[str, object]]:
    """The outputs of the tiny data set, each with what it was made from and what people wrote."""
    items = {row["item"]: row for row in rows(TINY / "items.jsonl")}
    return [{**row, **items[row["item"]]} for row in rows(TINY / "outputs.jsonl")]


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A copy of the tiny data set."""
    return Path(shutil.copytree(TINY, tmp_path / "tiny"))
