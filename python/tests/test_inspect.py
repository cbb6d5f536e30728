"""Early stopping in Inspect: samples that are not needed are not run."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import needs

import tiebreak as tb


def test_a_task_ends_when_its_mean_is_known(tmp_path: Path) -> None:
    inspect = needs("inspect_ai")
    dataset, scorer, solver = needs("inspect_ai.dataset"), needs("inspect_ai.scorer"), needs("inspect_ai.solver")
    draw = random.Random(8)
    samples = [
        dataset.Sample(id=i, input=f"{i}", target="yes" if draw.random() < 0.95 else "no") for i in range(1500)
    ]

    @solver.solver
    def always_yes():  # type: ignore[no-untyped-def]
        async def solve(state, generate):  # type: ignore[no-untyped-def]
            state.output.completion = "yes"
            return state

        return solve

    hook = tb.inspect.EarlyStopping(width=0.15)
    task = inspect.Task(dataset=samples, solver=always_yes(), scorer=scorer.match(), early_stopping=hook)
    log = inspect.eval(task, model="mockllm/model", log_dir=str(tmp_path), display="none")[0]
    assert log.status == "success"
    truth = sum(sample.target == "yes" for sample in samples) / len(samples)
    lower, upper = hook.interval
    assert upper - lower <= 0.15 and lower <= truth <= upper
    assert len(log.samples) < 1000
    summary = log.results.early_stopping
    assert summary.manager == "tiebreak" and summary.metadata["skipped"] > 0


def run(values: list[float], shuffled: bool = False, **goal: float) -> tb.inspect.EarlyStopping:
    """Samples that end in their order, or in another one."""

    needs("inspect_ai")

    async def play() -> tb.inspect.EarlyStopping:
        hook = tb.inspect.EarlyStopping(**goal)
        samples = [SimpleNamespace(id=i) for i in range(len(values))]
        await hook.start_task(None, samples, 1)
        order = list(range(len(values)))
        if shuffled:
            order.sort(key=lambda i: values[i])
        for i in order:
            if hook.is_certain:
                break
            score = SimpleNamespace(score=SimpleNamespace(value=values[i]))
            await hook.complete_sample(i, 1, {"match": score})
        return hook

    return asyncio.run(play())


def test_the_interval_holds_however_often_one_looks() -> None:
    misses = 0
    for seed in range(60):
        draw = random.Random(seed)
        values = [float(draw.random() < 0.7) for _ in range(300)]
        lower, upper = run(values, width=0.2, confidence=0.9).interval
        misses += not lower <= sum(values) / len(values) <= upper
    # 10 % of 60, and two standard errors.
    assert misses <= 10, misses


def test_quick_samples_are_not_taken_for_all() -> None:
    # The easy ones end last: without a gap nothing is counted but the beginning.
    values = [float(i % 2) for i in range(400)]
    hook = run(values, shuffled=True, threshold=0.9)
    lower, upper = hook.interval
    assert lower <= 0.5 <= upper


def test_a_goal_must_be_named() -> None:
    with pytest.raises(tb.InputError, match="neither width nor threshold"):
        tb.inspect.EarlyStopping()
