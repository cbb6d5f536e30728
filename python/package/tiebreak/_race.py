"""A race by scores: the best of many prompts, models or checkpoints, dropping losers on the way."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal
from weakref import WeakValueDictionary

from tiebreak import _native
from tiebreak._errors import InputError
from tiebreak._numbers import number_of
from tiebreak._together import together

Score = float | None
"""A score in the range of the race; None where there will be none."""

JOURNAL = "journal.jsonl"
"""The log of a race in its folder, as the command line has it."""


class _Log:
    """An open log, shared by all that continue its race here."""

    def __init__(self, path: Path, setup: str) -> None:
        self.native = _native.Race(path, setup)
        _LOGS[path] = self


_LOGS: WeakValueDictionary[Path, _Log] = WeakValueDictionary()


class Batch(tuple[Any, list[str]]):
    """An item with the systems to score on it: `item, systems = batch`."""

    _race: Race
    _tasks: dict[str, int]

    @property
    def item(self) -> Any:
        """The item, as it was given."""
        return self[0]

    @property
    def systems(self) -> list[str]:
        """The systems that are left."""
        return self[1]

    def tell(self, scores: Mapping[str, Score]) -> None:
        """Records scores by system; of the others they are still to come. They are on disk when this returns. Another score
        than a system has is an `InputError`."""
        self._race._told_of(self._tasks, scores)

    def take_back(self, *systems: str) -> None:
        """Takes back the scores of these systems, which were wrong: `tell` the right ones, or the next loop asks for them."""
        self._race._take_back(self._tasks, systems)


class Race:
    """A race. Iterate over it to get batches, and give each its scores by `batch.tell`, or `tell` for the latest. Stop at
    any time; the same call continues it."""

    def __init__(
        self,
        systems: Iterable[str],
        items: Iterable[Any],
        range: tuple[float, float],
        *,
        run: str | os.PathLike[str] | None = None,
        top: int = 1,
        epsilon: float = 0.0,
        draws: Literal["these", "like-these", "repeated"] = "these",
        confidence: float = 0.95,
        budget: int | None = None,
        seed: int = 42,
    ) -> None:
        self._systems, self._items = [str(system) for system in systems], list(items)
        low, high = (number_of("range", end) for end in range)
        setup = {
            "systems": self._systems,
            "items": [one if isinstance(one, str) else json.dumps(one, sort_keys=True, default=str) for one in self._items],
            "range": [float(low), float(high)],
            "top": number_of("top", top),
            "epsilon": number_of("epsilon", epsilon),
            "draws": draws,
            "confidence": number_of("confidence", confidence),
            "budget": None if budget is None else number_of("budget", budget),
            "seed": number_of("seed", seed),
        }
        self._kept = tempfile.TemporaryDirectory() if run is None else None
        folder = Path(self._kept.name if self._kept else os.fspath(run))  # type: ignore[arg-type]
        folder.mkdir(parents=True, exist_ok=True)
        # A cell of a notebook that runs again finds the race of its last run open.
        path = (folder / JOURNAL).resolve()
        self._log = _LOGS.get(path) or _Log(path, json.dumps(setup))
        self._native = self._log.native
        self._native.go_on(json.dumps(setup))
        # Not the batch, which holds the race: the log is to be closed with the last of them.
        self._latest: dict[str, int] = {}
        self._told = 0

    @property
    def status(self) -> dict[str, Any]:
        """The claim, the verdict, the leader (a guess), the numbers of scores, and by how much each system is below the best
        at most."""
        status: dict[str, Any] = json.loads(self._native.status())
        return status

    @property
    def claim(self) -> dict[str, Any]:
        """The verdict as data, with its assumptions."""
        claim: dict[str, Any] = self.status["claim"]
        return claim

    @property
    def verdict(self) -> str:
        """The verdict so far, in a sentence."""
        return str(self.status["verdict"])

    @property
    def batches(self) -> list[Batch]:
        """All batches that were asked for, the latest last: `race.batches[3].take_back("polite")`."""
        return self._rounds(self._native.tasks())

    @property
    def is_over(self) -> bool:
        """Whether the race is decided."""
        return bool(self.status["is_over"])

    def __iter__(self) -> Iterator[Batch]:
        """Yields what is open, then an item at a time, until the race is decided or nothing is left. It ends where a batch
        gets no score."""
        for batch in self._batches():
            self._latest, before = batch._tasks, self._told
            yield batch
            if self._told == before:
                return

    async def __aiter__(self) -> AsyncIterator[Batch]:
        """Yields the same batches."""
        for batch in self:
            yield batch

    def tell(self, scores: Mapping[str, Score]) -> None:
        """Records scores of the latest batch."""
        self._told_of(self._latest_tasks(), scores)

    def take_back(self, *systems: str) -> None:
        """Takes back the scores of these systems in the latest batch, which were wrong; `batches` has those before, each with
        a `take_back`."""
        self._take_back(self._latest_tasks(), systems)

    async def run(self, score: Callable[[Any, str], Awaitable[Score]], at_once: int = 8) -> None:
        """Gives items and systems to a coroutine function, about `at_once` together, and records the scores that it
        returns, until the race is decided. Scores are recorded in the order of asking, so their speed changes nothing. An
        error ends it once the other scores are recorded; its task stays open."""
        batches = self._batches()
        while True:
            calls: list[tuple[int, Awaitable[Score]]] = []
            for batch in batches:
                calls += [(task, score(batch.item, system)) for system, task in batch._tasks.items()]
                if len(calls) >= at_once:
                    break
            if not calls:
                return
            found: dict[int, Score] = {}
            try:
                await together(calls, found.__setitem__)
            finally:
                self._tell_each({task: found[task] for task, _ in calls if task in found})

    def _batches(self) -> Iterator[Batch]:
        tasks = self._native.open() or self._native.ask()
        while tasks:
            yield from self._rounds(tasks)
            tasks = self._native.ask()

    def _rounds(self, tasks: list[tuple[int, int, int]]) -> list[Batch]:
        """Returns tasks as batches, each of one item."""
        rounds: dict[int, list[tuple[int, int, int]]] = {}
        for task in tasks:
            rounds.setdefault(task[0] // len(self._systems), []).append(task)
        return [self._batch(tasks) for tasks in rounds.values()]

    def _batch(self, tasks: list[tuple[int, int, int]]) -> Batch:
        named = {self._systems[system]: task for task, system, _ in tasks}
        batch = Batch((self._items[tasks[0][2]], list(named)))
        batch._race, batch._tasks = self, named
        return batch

    def _latest_tasks(self) -> dict[str, int]:
        if not self._latest:
            raise InputError(
                "no batch was asked for yet",
                "iterate over the race, and tell scores of each batch; `batches` has those of earlier calls",
            )
        return self._latest

    def _told_of(self, tasks: Mapping[str, int], scores: Mapping[str, Score]) -> None:
        named = _tasks_of(tasks, scores)
        self._tell(dict(zip(named, scores.values(), strict=True)))

    def _take_back(self, tasks: Mapping[str, int], systems: Iterable[str]) -> None:
        self._native.take_back(_tasks_of(tasks, systems))

    def _tell(self, scores: Mapping[int, Score]) -> None:
        given = [(task, None if score is None else float(score)) for task, score in scores.items()]
        self._native.tell(given)
        self._told += len(given)

    def _tell_each(self, scores: Mapping[int, Score]) -> None:
        """Records each score that can be; then raises the first error of the others."""
        errors = []
        for task, score in scores.items():
            try:
                self._tell({task: score})
            except (InputError, TypeError, ValueError) as error:
                errors.append(error)
        if errors:
            raise errors[0]

    def __repr__(self) -> str:
        return f"Race({self.verdict})"


def _tasks_of(tasks: Mapping[str, int], systems: Iterable[Any]) -> list[int]:
    """Returns the tasks of these systems in a batch."""
    named = [str(system) for system in systems]
    unknown = [system for system in named if system not in tasks]
    if unknown:
        raise InputError(f"{unknown[0]!r} is not in this batch", f"its systems are {', '.join(tasks)}")
    return [tasks[system] for system in named]


def race(systems: Iterable[str], items: Iterable[Any], range: tuple[float, float], **settings: Any) -> Race:
    """Begins, or continues, a race of systems (prompts, models, checkpoints) by scores in a range: which is the best, with
    as few scores as prove it. `run` is its folder, `top` the number of best systems, `epsilon` a margin, `draws` how items
    are drawn (`these`, `like-these`, `repeated`), as `docs/race.md` has them. A `budget` may grow; without one it stays."""
    return Race(systems, items, range, **settings)
