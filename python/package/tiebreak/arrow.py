"""Scores and predictions of batches of rows, for engines: Spark, Sail, Ray, Dask.

A result depends on the row (or its item's rows) alone. So the numbers are those of the command line, whatever the
partitions, and however often a worker dies and its work is repeated. Kernels travel to workers by pickle and load their
model once in each process.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from tiebreak import _native
from tiebreak._score import Metrics, named_each
from tiebreak._table import Table, as_arrow, as_pandas, package

SCORES = "item string, system string, metric string, score double"
"""The columns of scores, as Spark writes schemas."""

PREDICTIONS = (
    "item string, system_a string, system_b string, p double, mean double, bald double, std double"
)
"""The columns of predictions."""

JUDGED = f"{PREDICTIONS}, position double, answer string"
"""The columns of predictions by a language model that is asked."""

COUNTS = "metric string, term string, documents long"
"""The columns of counts."""


class _Kernel:
    """A callable that takes rows and returns rows of the same kind: a batch or table of pyarrow, or a data frame of
    pandas or polars. Other data with an Arrow interface give a `Table`, an iterator gives a batch for each of its
    own."""

    def _apply(self, rows: Any) -> _native.Table:
        raise NotImplementedError

    def __call__(self, rows: Any) -> Any:
        if isinstance(rows, Iterator):
            return self._batches(rows)
        return _as(rows, self._apply(as_arrow(rows)))

    def _batches(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yields batches of pyarrow for batches, as `mapInArrow` needs."""
        import pyarrow

        for batch in batches:
            yield from pyarrow.table(self._apply(batch)).to_batches()


class Score(_Kernel):
    """Scores rows with `item`, `system`, `output` and, where the metrics need them, `references` and `source`."""

    def __init__(self, metrics: Metrics, *, counts: Any = None, device: str | None = None) -> None:
        self._keys = json.dumps({"metric": named_each(metrics)})
        # As they travel.
        self._counts = None if counts is None else _rows(counts)
        self._device = device

    def _apply(self, rows: Any) -> _native.Table:
        return _scorer(self._keys, self._counts, self._device).score(rows)


class Count(_Kernel):
    """Counts what metrics with document frequencies, such as CIDEr, need of all items before they score any. Keep all
    rows of an item in one batch. `merge` adds the counts of all batches."""

    def __init__(self, metrics: Metrics, *, device: str | None = None) -> None:
        self._keys = json.dumps({"metric": named_each(metrics)})
        self._device = device

    def _apply(self, rows: Any) -> _native.Table:
        return _scorer(self._keys, None, self._device).count(rows)


class Predict(_Kernel):
    """Predicts all pairs of outputs of each item. Keep all rows of an item in one batch, or give a row for each item
    with lists `systems` and `outputs`."""

    def __init__(
        self, model: str | None = None, *, draws: int | str | None = None, seed: int | None = None,
        device: str | None = None, **keys: Any,
    ) -> None:
        given = {"model": model, "draws": draws, **keys}
        told = {key.replace("_", "-"): value for key, value in given.items() if value is not None}
        self._keys = json.dumps(told)
        self._seed = seed
        self._device = device

    def _apply(self, rows: Any) -> _native.Table:
        return _predictor(self._keys, self._seed, self._device).predict(rows)


def score(metrics: Metrics, *, counts: Any = None, device: str | None = None) -> Score:
    """Returns a kernel that scores rows: `df.mapInArrow(tb.arrow.score(["chrf", "bleu"]), tb.arrow.SCORES)`."""
    return Score(metrics, counts=counts, device=device)


def count(metrics: Metrics, *, device: str | None = None) -> Count:
    """Returns a kernel that counts items before `score(…, counts=merge(…))`."""
    return Count(metrics, device=device)


def predict(model: str | None = None, **keys: Any) -> Predict:
    """Returns a kernel that predicts preferences."""
    return Predict(model, **keys)


def merge(tables: Iterable[Any]) -> Table:
    """Adds the counts of several batches."""
    return Table(_native.merge_counts([getattr(table, "_native", table) for table in tables]))


@lru_cache(maxsize=4)
def _scorer(keys: str, counts: tuple[tuple[str, str, int], ...] | None, device: str | None) -> _native.Scorer:
    """Returns metrics, loaded once a process."""
    return _native.Scorer(keys, None if counts is None else list(counts), device)


@lru_cache(maxsize=2)
def _predictor(keys: str, seed: int | None, device: str | None) -> _native.Predictor:
    """Returns a model, loaded once a process."""
    return _native.Predictor(keys, seed, device)


def _rows(counts: Any) -> tuple[tuple[str, str, int], ...]:
    table = counts if isinstance(counts, Table) else merge([counts])
    return tuple(zip(table["metric"], table["term"], table["documents"], strict=True))


def _as(rows: Any, made: _native.Table) -> Any:
    """Returns a table of the same kind as the rows."""
    kind = package(rows)
    if kind == "pandas":
        return as_pandas(made)
    if kind == "polars":
        import polars

        return polars.DataFrame(made)
    if kind == "pyarrow":
        import pyarrow

        table = pyarrow.table(made)
        if type(rows).__name__ != "RecordBatch":
            return table
        whole = table.combine_chunks().to_batches()
        return whole[0] if whole else pyarrow.RecordBatch.from_pylist([], schema=table.schema)
    return Table(made)
