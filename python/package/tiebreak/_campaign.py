"""A campaign as a loop: questions out, answers in, each in the journal."""

from __future__ import annotations

import filecmp
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tiebreak import _native
from tiebreak._errors import InputError
from tiebreak._results import Ranking
from tiebreak._table import Table

Answer = Literal["left", "right", "1", "2", "tie", "both bad", "skip"]
"""Which text is better, or that neither is; `skip` leaves it unanswered."""

SHEET = "questions.jsonl"
"""The file of open questions in the folder of the run."""

PREDICTIONS = ".predictions.arrow"
"""The ending of the file of predictions from memory, which has the name of the run's folder."""

DATA = ".data"
"""The ending of the folder of a data set from memory."""


@dataclass(frozen=True)
class Duel:
    """A question: which of two texts is better? It names no system, and sides are random."""

    question: str
    """The name of the question in the campaign."""
    source: str | None
    """The input of the systems."""
    left: str
    """The first text."""
    right: str
    """The second text."""
    annotator: str | None = None
    """The annotator who gets the question, where annotators are listed."""


class Campaign:
    """A campaign. Iterate over it to get questions, and give answers to `tell`. Stop at any time; the same call
    continues it."""

    def __init__(
        self, run: Path, data: Path, in_memory: bool, predictions: Any, batch: int, keys: dict[str, Any]
    ) -> None:
        if batch < 1:
            raise InputError(f"batch is {batch}, expected 1 or more")
        self._run = run
        self._data = _kept(data, _beside(run, DATA)) if in_memory else data
        self._batch = batch
        self._flags = self._as_flags(predictions, keys)
        self._status: dict[str, Any] | None = None
        self._told = 0

    @property
    def status(self) -> dict[str, Any]:
        """The state of the campaign, as `ask --json` prints it."""
        if self._status is None:
            self._status = self._ask(0)[0]
        return self._status

    @property
    def verdict(self) -> str:
        """The verdict so far, in a sentence."""
        return str(self.status["verdict"])

    @property
    def claim(self) -> dict[str, Any]:
        """The verdict as data."""
        claim: dict[str, Any] = self.status["claim"]
        return claim

    @property
    def is_over(self) -> bool:
        """Whether the campaign is over."""
        return self.status["stopped"] is not None

    def rank(self) -> Ranking:
        """Ranks all systems by the campaign's own evidence."""
        found = _native.command(["rank", os.fspath(self._run), "--json"])
        text = _native.command(["rank", os.fspath(self._run)])
        return Ranking(found, text)

    def __iter__(self) -> Iterator[Duel]:
        """Yields open questions, then new ones, until the campaign is over. A question without an answer stays open."""
        self._status, duels = self._ask(0)
        seen: set[str] = set()
        while True:
            if not duels:
                self._status, duels = self._ask(self._batch)
            new = [duel for duel in duels if duel.question not in seen]
            if not new:
                return
            for duel in new:
                seen.add(duel.question)
                yield duel
            duels = []

    def tell(
        self, duel: Duel, answer: Answer | int | None, *, annotator: str | None = None, seconds: float | None = None
    ) -> None:
        """Records an answer: `left`, `right`, `tie`, `both bad`, or `skip` (or None). It is on disk when this
        returns."""
        row: dict[str, Any] = {"question": duel.question, "answer": "skip" if answer is None else str(answer)}
        row["annotator"] = annotator or duel.annotator
        row["seconds"] = seconds
        with tempfile.TemporaryDirectory() as folder:
            sheet = Path(folder) / SHEET
            sheet.write_text(json.dumps({key: value for key, value in row.items() if value is not None}) + "\n")
            self._status = json.loads(
                _native.command(["tell", os.fspath(self._run), os.fspath(sheet), "--json"], quiet=True)
            )

    def _ask(self, new: int) -> tuple[dict[str, Any], list[Duel]]:
        """Returns the open questions, or this many new ones."""
        sheet = self._run / SHEET
        # It is written anew: what is open is in the journal.
        sheet.unlink(missing_ok=True)
        what = ["--n", str(new)] if new else ["--again"]
        command = ["ask", os.fspath(self._run), os.fspath(self._data), *what, "--out", os.fspath(sheet), "--json"]
        status = json.loads(_native.command(command + self._flags, quiet=True))
        if not sheet.exists():
            return status, []
        rows = [json.loads(line) for line in sheet.read_text(encoding="utf-8").splitlines()]
        duels = [
            Duel(row["question"], row.get("source"), row["text_1"], row["text_2"], row.get("annotator") or None)
            for row in rows
        ]
        return status, duels

    def _as_flags(self, predictions: Any, keys: dict[str, Any]) -> list[str]:
        given = dict(keys)
        if predictions is not None:
            if isinstance(predictions, Table):
                self._run.parent.mkdir(parents=True, exist_ok=True)
                path = _beside(self._run, PREDICTIONS)
                predictions.write(path)
                predictions = path
            given = {"predictions": os.fspath(predictions), "mix": "auto", **given}
        flags: list[str] = []
        for key, value in given.items():
            name = "--" + key.replace("_", "-")
            if value is True:
                flags.append(name)
            elif isinstance(value, (list, tuple)):
                flags += [name, ",".join(str(one) for one in value)]
            elif value is not None and value is not False:
                flags += [name, str(value)]
        return flags

    def __repr__(self) -> str:
        return f"Campaign({os.fspath(self._run)!r}: {self.verdict})"


def _beside(run: Path, ending: str) -> Path:
    return run.with_name(run.name + ending)


def _kept(data: Path, place: Path) -> Path:
    """Writes a data set from memory to a folder, and returns it."""
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(data, place)
    names = [path.name for path in data.iterdir()]
    _, other, missing = filecmp.cmpfiles(data, place, names, shallow=False)
    if other or missing:
        raise InputError(
            f"{place}: holds other data than these, with which the campaign was begun",
            "begin another campaign in a folder of its own",
            os.fspath(place),
        )
    return place
