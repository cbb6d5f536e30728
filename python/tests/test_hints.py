"""Hints name what Python has: functions and arguments, and a command only where it is said to be one of a shell."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import TINY, outputs

import tiebreak as tb

COMMAND = re.compile(r"\btiebreak [a-z]|(?<![\w-])--[a-z]")
"""A command, or a flag."""

SHELL = re.compile(r"in a shell (`[^`]*`|tiebreak .*)")
"""A command that is said to be one of a shell."""


def wide(folder: Path) -> Path:
    return lines(folder / "wide.csv", "item,ant,bee", "1,x,y", "2,x,y")


def lines(path: Path, *rows: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def campaign(folder: Path) -> Path:
    """A campaign that nobody has answered."""
    tb.load(TINY, quiet=True).campaign(folder / "run", quiet=True)
    return folder / "run"


def moved(folder: Path) -> Path:
    """A campaign whose data set is elsewhere now."""
    tb.load(lines(folder / "o.csv", "item,system,output", "1,a,x", "1,b,y"), quiet=True).campaign(folder / "run")
    (folder / "o.csv").unlink()
    return folder / "run"


def verdicts(folder: Path) -> Path:
    row = {"item": "1", "system_a": "a", "system_b": "b", "outcome": "perhaps"}
    lines(folder / "set" / "outputs.csv", "item,system,output", "1,a,x", "1,b,y")
    return lines(folder / "set" / "comparisons.jsonl", json.dumps(row)).parent


RATED = [{"item": str(item), "system": system, "output": "x", "quality": item} for item in range(3) for system in "ab"]

MISTAKES: dict[str, Callable[[Path], Any]] = {
    "metric": lambda _: tb.load(TINY).score("chfr"),
    "no metric": lambda _: tb.load(TINY).score([]),
    "bandit": lambda _: tb.load(TINY).simulate(bandit="rmd"),
    "estimator": lambda _: tb.load(TINY).estimate(estimator="median"),
    "link": lambda folder: tb.load(TINY).fit("link", metric="chrf", link="btll", out=folder / "link.toml"),
    "no link": lambda folder: tb.load(TINY).fit("link", metric="chrf", out=folder / "link.toml"),
    "no key": lambda _: tb.plan(range=[1, 5]),
    "no pilot": lambda _: tb.plan(width=0.2),
    "no metric key": lambda _: tb.load(TINY).fit("link", link="btl"),
    "unknown key": lambda _: tb.plan(widht=0.2),  # type: ignore[call-arg]
    "taken": lambda folder: tb.load(TINY).correlate("chrf", out=lines(folder / "t.csv", "x")),
    "labels": lambda folder: tb.load(TINY).annotators(labels="mace", out=folder / "labels.csv"),
    "no verdicts": lambda _: tb.load(TINY).rank(verdicts=True),
    "wide": lambda folder: tb.load(wide(folder)).rank(),
    "items alone": lambda folder: tb.load(lines(folder / "x.jsonl", '{"item": 1, "source": "x"}')),
    "no columns": lambda folder: tb.load(lines(folder / "x.csv", "a,b", "1,2")).rank(),
    "text": lambda folder: tb.load(lines(folder / "x.txt", "a", "b")),
    "ratings": lambda folder: tb.load(RATED),
    "no ratings": lambda folder: tb.load([{**row, "quality": "good"} for row in RATED], criteria=["quality"]),
    "null": lambda folder: tb.load(lines(folder / "x.jsonl", '{"item": 1, "system": "a", "output": null}')),
    "words": lambda folder: tb.load(verdicts(folder)),
    "unanswered": lambda folder: tb.load(campaign(folder)).annotators(),
    "campaign": lambda folder: tb.load(campaign(folder)).rank(confidence=0.9),
    "moved": lambda folder: tb.load(moved(folder)).rank(),
    "panel": lambda folder: tb.load(TINY).campaign(folder / "run", panel=True),
    "new annotators": lambda folder: tb.load(TINY).campaign(folder / "run", people="new-annotators"),
    "a race": lambda folder: (tb.race("ab", "12", (0, 1), run=folder / "run"), tb.load(TINY).campaign(folder / "run")),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_hint_is_no_command(mistake: str, tmp_path: Path) -> None:
    with pytest.raises(tb.InputError) as caught:
        MISTAKES[mistake](tmp_path)
    assert not COMMAND.search(SHELL.sub("", str(caught.value))), caught.value
