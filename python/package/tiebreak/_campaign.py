"""A campaign as a loop: questions out, answers in, each in the journal."""

from __future__ import annotations

import asyncio
import filecmp
import json
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tiebreak import _native
from tiebreak._errors import InputError
from tiebreak._flags import flags, is_table, written
from tiebreak._numbers import number_of
from tiebreak._page import Page
from tiebreak._results import Ranking
from tiebreak._table import as_given
from tiebreak._together import together

Answer = Literal["left", "right", "1", "2", "tie", "both bad", "skip"]
"""Which text is better, or that neither is; `skip` leaves it unanswered."""

PREDICTIONS = ".predictions"
"""The ending of the name of the file of predictions from memory, which has the name of the run's folder."""

DATA = ".data"
"""The ending of the folder of a data set from memory."""

TEXTS = ("items", "outputs", "dataset")
"""The names of what a campaign reads of a data set: its answers are its own."""

BEGUN = "campaign.toml"
"""The file that a campaign which was begun has in its folder."""


@dataclass(frozen=True)
class Question:
    """A question about texts. It names no system."""

    question: str
    """The name of the question in the campaign."""
    source: str | None
    """The input of the systems."""
    references: list[str] = field(repr=False)
    """Texts by people for the item."""
    prompt: str = field(repr=False)
    """What is asked."""
    annotator: str | None
    """The annotator who gets the question, where annotators are listed."""


@dataclass(frozen=True)
class Duel(Question):
    """Which of two texts is better? Sides are random."""

    left: str
    """The first text."""
    right: str
    """The second text."""


@dataclass(frozen=True)
class Rating(Question):
    """How good is a text? With `writes` it is also to be edited, or the words of the source are to be named that show the
    answer."""

    text: str
    """The text."""
    criteria: dict[str, str]
    """The criteria with their scales."""
    writes: str | None
    """What is to be written: `post_edit`, `evidence` or nothing."""


class Campaign:
    """A campaign. Iterate over it to get questions, and give answers to `tell`. Stop at any time; the same call
    continues it. Its data and its run stay open, and between two calls other programs may use its folder."""

    def __init__(
        self,
        run: Path,
        data: tuple[Path, object],
        predictions: Any,
        batch: int,
        keys: dict[str, Any],
        quiet: bool = False,
    ) -> None:
        self._run = run
        self._data = data
        self._batch = _at_least_one("batch", batch)
        self._keys = keys if predictions is None else {"predictions": predictions, "mix": "auto", **keys}
        self._quiet = quiet
        self._answered = 0
        self._session: _native.Session | None = None
        self._process = 0
        self._status: dict[str, Any] | None = None
        self._asking = 0
        self._open()

    @property
    def status(self) -> dict[str, Any]:
        """The state of the campaign, as `ask --json` prints it."""
        status = self._status
        if status is None:
            status = self._status = json.loads(self._open().status())
        return status

    @property
    def verdict(self) -> str:
        """The verdict so far, in a sentence."""
        return str(self.status["verdict"])

    @property
    def claim(self) -> dict[str, Any]:
        """The verdict as data. A campaign of ratings has none, which is an `InputError`."""
        claim: dict[str, Any] | None = self.status.get("claim")
        if claim is None:
            hint = f"its means and differences are those of `tb.load({os.fspath(self._run)!r}).estimate()`"
            raise InputError("a campaign of ratings has no claim", hint)
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

    def __iter__(self) -> Iterator[Any]:
        """Yields open questions, then `batch` new ones at a time, until the campaign is over: a `Duel`, or a `Rating`. A
        question without an answer stays open; the loop ends where none of a batch is answered."""
        return (question for batch in self._batches(self._batch) for question in batch)

    async def __aiter__(self) -> AsyncIterator[Any]:
        """Yields the same questions, and waits for them without holding up the event loop."""
        questions = iter(self)
        while (question := await asyncio.to_thread(next, questions, None)) is not None:
            yield question

    async def answer(
        self, judge: Callable[[Any], Awaitable[Any]], at_once: int = 8, *, annotator: str | None = None
    ) -> None:
        """Gives questions to a coroutine function, `at_once` together, and records what it returns, as `tell` takes it,
        until the campaign is over. Answers are recorded in the order of the questions, so their speed changes nothing. An
        error ends it once the other answers are recorded; its question stays open."""
        batches = self._batches(_at_least_one("at_once", at_once))
        while (batch := await asyncio.to_thread(next, batches, None)) is not None:
            calls = [(question, judge(question)) for question in batch]
            await together(calls, lambda question, given: self.tell(question, given, annotator=annotator))

    def serve(self, **keys: Any) -> Page:
        """Serves the campaign's page, with the keys of `tiebreak serve`, until the page is closed. The last value of a
        notebook's cell shows it there. The campaign itself has to wait until then."""
        self._open()
        self._session = None
        return Page(self._run, flags("serve", keys, self._run.parent))

    def _batches(self, size: int) -> Iterator[list[Question]]:
        """Yields what is open and was not given yet, or else as many new questions as a batch has."""
        session = self._open()
        seen: set[str] = set()
        self._asking += 1
        try:
            waiting = json.loads(session.ask(0))
            while True:
                new = [row for row in waiting if row["question"] not in seen]
                if not new:
                    new = [row for row in json.loads(session.ask(size)) if row["question"] not in seen]
                if not new:
                    return
                before = self._answered
                seen.update(row["question"] for row in new)
                yield [_question(row) for row in new]
                if self._answered == before:
                    return
                waiting = []
        finally:
            self._asking -= 1
            # Results are stored once the loop is over, for `report`.
            self._status = json.loads(session.status())

    def tell(
        self,
        question: Question,
        answer: Answer | int | float | str | Mapping[str, float] | None,
        *,
        text: str | None = None,
        annotator: str | None = None,
        seconds: float | None = None,
    ) -> None:
        """Records an answer. Of two texts it is `left`, `right`, `tie` or `both bad`; of one text a score, or scores by
        criterion; with `text` the edited text, or the words that show it. `skip` (or None) leaves it unanswered. The answer
        is on disk when this returns. Where annotators are not listed (`annotators=`), comparisons are one person's: a second
        name is an `InputError`, and nothing is recorded."""
        if not isinstance(question, Question):
            raise InputError(f"question is {question!r}, expected one that the loop over the campaign gave")
        row: dict[str, Any] = {
            "question": question.question,
            "annotator": annotator or question.annotator,
            "seconds": None if seconds is None else number_of("seconds", seconds),
            "text": text,
        }
        if answer is None or answer == "skip":
            row["answer"] = "skip"
        elif isinstance(question, Duel):
            row["answer"] = str(answer)
        elif isinstance(question, Rating):
            row.update(_rated(question, answer, text))
        self._open().tell(json.dumps(row))
        self._answered += 1
        self._status = None
        if not self._asking:
            self._status = json.loads(self._open().status())

    def _open(self) -> _native.Session:
        """Returns the open campaign; begun by the first call. What was begun is undone where that fails."""
        if self._session is None or self._process != os.getpid():
            begun, there = (self._run / BEGUN).exists(), self._run.exists()
            made: list[Path] = []
            try:
                session = _native.Session(self._arguments(made), self._quiet)
                session.ask(0)
            except BaseException:
                if not begun and not (self._run / BEGUN).exists():
                    for path in made + ([] if there else [self._run]):
                        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
                raise
            self._session, self._process = session, os.getpid()
        return self._session

    def _arguments(self, made: list[Path]) -> list[str]:
        """Returns the arguments of the command `ask`; `made` gets the files that are written for it."""
        data, memory = self._data
        keys = dict(self._keys)
        self._run.parent.mkdir(parents=True, exist_ok=True)
        if memory is not None:
            data = _kept(data, _beside(self._run, DATA), made)
        if is_table(keys.get("predictions")):
            place = _beside(self._run, PREDICTIONS)
            before = set(place.parent.glob(f"{place.name}.*"))
            keys["predictions"] = written(as_given(keys["predictions"]), place)
            made += {keys["predictions"]} - before
        return [os.fspath(self._run), os.fspath(data), *flags("ask", keys, self._run.parent)]

    def __repr__(self) -> str:
        return f"Campaign({os.fspath(self._run)!r}: {self.verdict})"


def _question(row: dict[str, Any]) -> Question:
    shared = {name: row[name] for name in ("question", "source", "references", "prompt", "annotator")}
    if len(row["texts"]) == 2:
        return Duel(**shared, left=row["texts"][0], right=row["texts"][1])
    return Rating(**shared, text=row["texts"][0], criteria=dict(row["criteria"]), writes=row["writes"])


def _rated(question: Rating, answer: Any, text: str | None) -> dict[str, Any]:
    """Returns scores by criterion, and a text that was given in the place of them."""
    if isinstance(answer, Mapping):
        return {"scores": {name: number_of(str(name), score) for name, score in answer.items()}}
    if isinstance(answer, str) and question.writes and text is None:
        return {"text": answer}
    if len(question.criteria) == 1 and not isinstance(answer, str):
        return {"scores": {name: number_of(name, answer) for name in question.criteria}}
    expected = ", ".join(f'"{name}": {scale}' for name, scale in question.criteria.items()) or "a text"
    raise InputError(f"answer is {answer!r}, expected {{{expected}}}")


def _at_least_one(name: str, number: int) -> int:
    if number < 1:
        raise InputError(f"{name} is {number}, expected 1 or more")
    return number


def _beside(run: Path, ending: str) -> Path:
    return run.with_name(run.name + ending)


def _kept(data: Path, place: Path, made: list[Path]) -> Path:
    """Copies the texts of a data set to a folder, and returns it, or the file in it that was read alone."""
    is_file = data.is_file()
    files = [data] if is_file else [path for path in data.iterdir() if path.name.split(".")[0] in TEXTS]
    if not place.exists():
        made.append(place)
        place.mkdir()
        for path in files:
            shutil.copy(path, place)
    names = [path.name for path in files]
    _, other, missing = filecmp.cmpfiles(files[0].parent, place, names, shallow=False)
    if other or missing:
        raise InputError(
            f"{place}: holds other data than these, with which the campaign was begun",
            f"to continue it open its data, tb.load({os.fspath(place)!r}); else begin another in a folder of its own",
            os.fspath(place),
        )
    return place / data.name if is_file else place
