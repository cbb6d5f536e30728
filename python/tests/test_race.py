"""Races by scores: what is asked and told is on disk, and losers leave."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from pathlib import Path

import pytest
from conftest import program

import tiebreak as tb

PROMPTS = ["plain", "polite", "terse", "rude"]
ITEMS = [{"question": number} for number in range(300)]


def score(item: dict[str, int], system: str) -> float:
    """A pass rate of a stub of a model, the same whenever it is asked."""
    rate = {"plain": 0.4, "polite": 0.9, "terse": 0.5, "rude": 0.1}[system]
    return float(random.Random(f"{item['question']} {system}").random() < rate)


def test_a_race_is_a_loop_that_drops_losers(tmp_path: Path) -> None:
    race = tb.race(PROMPTS, ITEMS, (0, 1), run=tmp_path / "race", seed=3)
    scored: Counter[str] = Counter()
    for item, systems in race:
        race.tell({system: score(item, system) for system in systems})
        scored.update(systems)
    assert race.is_over and race.claim["kind"] == "best" and race.claim["systems"] == ["polite"]
    assert race.verdict.startswith("polite is the best of the 4 systems") and "polite" in repr(race)
    assert scored["rude"] < scored["polite"] and sum(scored.values()) == race.status["received"] < 0.5 * 4 * 300
    assert list(race) == []
    again = tb.race(PROMPTS, ITEMS, (0, 1), run=tmp_path / "race", seed=3)
    assert again.status == race.status
    del race, again
    # The command line reads the same folder.
    assert "polite is the best of the 4 systems" in program("report", tmp_path / "race")


def test_a_race_goes_on_where_it_stopped(tmp_path: Path) -> None:
    def told(breaks: bool) -> list[tuple[int, str]]:
        seen = []
        for _ in range(500):
            race = tb.race(PROMPTS, ITEMS, (0, 1), run=tmp_path / f"race {breaks}", seed=3)
            for batch in race:
                first, *others = batch.systems
                batch.tell({first: score(batch.item, first)})
                seen.append((batch.item["question"], first))
                if breaks and len(seen) % 3 == 0:
                    break
                batch.tell({system: score(batch.item, system) for system in others})
                seen += [(batch.item["question"], system) for system in others]
            if race.is_over:
                return seen
        raise AssertionError("the race does not end")

    with_breaks, without = told(True), told(False)
    assert len(with_breaks) == len(set(with_breaks)) and sorted(with_breaks) == sorted(without)
    with pytest.raises(tb.InputError, match="other systems, items or settings"):
        tb.race(PROMPTS[1:], ITEMS, (0, 1), run=tmp_path / "race True", seed=3)


def test_coroutines_score_several_at_once() -> None:
    together, most = 0, 0

    async def ask(item: dict[str, int], system: str) -> float:
        nonlocal together, most
        together += 1
        most = max(most, together)
        await asyncio.sleep(random.random() * 0.002)
        together -= 1
        return score(item, system)

    async def breaks(item: dict[str, int], system: str) -> float:
        if (system, item["question"] % 7) == ("terse", 3):
            raise RuntimeError("no more credit")
        return await ask(item, system)

    races = [tb.race(PROMPTS, ITEMS, (0, 1), seed=5) for _ in range(2)]
    for race in races:
        with pytest.raises(RuntimeError, match="no more credit"):
            asyncio.run(race.run(breaks))
        assert race.status["asked"] > race.status["received"] > 0
        asyncio.run(race.run(ask))
        assert race.is_over and race.claim["systems"] == ["polite"]
    assert most >= 8 and races[0].status == races[1].status

    async def overshoots(item: dict[str, int], system: str) -> float:
        return 1.2 if system == "terse" else await ask(item, system)

    race = tb.race(PROMPTS, ITEMS, (0, 1), seed=5)
    with pytest.raises(tb.InputError, match="the score 1.2 of task"):
        asyncio.run(race.run(overshoots))
    assert race.status["received"] == 3 * race.status["asked"] // 4 > 0

    async def loop() -> str:
        race = tb.race(PROMPTS, ITEMS, (0, 1), top=2)
        async for batch in race:
            batch.tell({system: await ask(batch.item, system) for system in batch.systems})
        return str(race.claim["kind"])

    assert asyncio.run(loop()) == "top"


@pytest.mark.parametrize("bad", [1.2, float("nan"), "x"])
def test_a_score_that_is_none_does_not_lose_the_others(bad: object) -> None:
    calls = 0

    async def ask(item: dict[str, int], system: str) -> object:
        nonlocal calls
        calls += 1
        return bad if calls == 8 else score(item, system)

    race = tb.race(PROMPTS, ITEMS, (0, 1))
    with pytest.raises(ValueError):
        asyncio.run(race.run(ask, at_once=8))  # type: ignore[arg-type]
    assert (calls, race.status["received"]) == (8, 7)


def test_a_budget_grows_and_nothing_else_changes(tmp_path: Path) -> None:
    def scored(**settings: object) -> int:
        race = tb.race(PROMPTS, ITEMS, (0, 1), run=tmp_path / "race", **settings)
        for item, systems in race:
            race.tell({system: score(item, system) for system in systems})
        return int(race.status["received"])

    assert scored(budget=10) == 8 == scored() == scored(budget=10)
    assert scored(budget=20) == 20
    with pytest.raises(tb.InputError, match="budget.*it was 20, and a budget can only grow"):
        scored(budget=10)
    with pytest.raises(tb.InputError, match="other systems, items or settings"):
        scored(budget=30, confidence=0.9)


def test_mistakes_are_told() -> None:
    race = tb.race(PROMPTS, ITEMS, (0, 1))
    with pytest.raises(tb.InputError, match="no batch was asked for"):
        race.tell({"plain": 1})
    batch = next(iter(race))
    with pytest.raises(tb.InputError, match="'Plain' is not in this batch\nhint: its systems are plain, polite"):
        batch.tell({"Plain": 1})
    with pytest.raises(tb.InputError, match="the score 7 of task 0 is outside the range 0,1"):
        batch.tell({"plain": 7})
    batch.tell({"plain": None, "polite": 1})
    assert race.status["received"] == 1 and next(iter(race)).systems == ["terse", "rude"]
    for wrong, told in [
        ({"range": (1, 1)}, "range"),
        ({"range": (0, float("inf"))}, "range is inf, expected a number"),
        ({"range": (0, 1), "epsilon": float("nan")}, "epsilon is nan, expected a number"),
        ({"range": (0, 1), "top": 4}, "top 4 of 4 systems"),
        ({"range": (0, 1), "draws": "any"}, "unknown variant `any`"),
    ]:
        with pytest.raises(tb.InputError, match=told):
            tb.race(PROMPTS, ITEMS, **wrong)  # type: ignore[arg-type]
    numbered = tb.race([1, 2], ITEMS, (0, 1))  # type: ignore[list-item]
    next(iter(numbered)).tell({1: 0, 2: 1})  # type: ignore[dict-item]
    assert numbered.status["received"] == 2
    with pytest.raises(tb.InputError, match="system `a` is named twice"):
        tb.race(["a", "a"], ITEMS, (0, 1))


def test_another_score_is_refused_and_can_be_taken_back(tmp_path: Path) -> None:
    race = tb.race(["a", "b"], list(range(50)), (0, 1), run=tmp_path / "race")
    with pytest.raises(tb.InputError, match="no batch was asked for"):
        race.take_back("a")
    batch = next(iter(race))
    batch.tell({"a": 1, "b": 0})
    race.tell({"a": 1})
    with pytest.raises(tb.InputError, match=r"^the score of a on item `\d+` is 0, but it was 1 before\nhint: .*`take_back`"):
        race.tell({"b": 0, "a": 0})
    with pytest.raises(tb.InputError, match="is none, but it was 1 before"):
        race.tell({"a": None})
    with pytest.raises(tb.InputError, match="'c' is not in this batch"):
        batch.take_back("c")
    assert (race.status["leader"], race.status["received"]) == ("a", 2)
    batch.take_back("a", "b")
    assert race.status["received"] == 0
    # What was taken back is asked for again, first.
    again = next(iter(race))
    assert (again.item, again.systems) == (batch.item, batch.systems)
    again.tell({"a": 0, "b": 1})
    assert race.status["leader"] == "b"
    later = next(iter(race))
    later.tell({"a": 0, "b": 1})
    del race, batch, again, later
    race = tb.race(["a", "b"], list(range(50)), (0, 1), run=tmp_path / "race")
    assert race.status["leader"] == "b"
    # Of any batch, also where the race was opened again since.
    with pytest.raises(tb.InputError, match="no batch was asked for yet\nhint: .*`batches`"):
        race.take_back("b")
    first, second = race.batches
    first.take_back("b")
    assert race.status["received"] == 3 and first.item != second.item
    assert [(batch.item, batch.systems) for batch in race][0] == (first.item, ["b"])
