"""Kernels: the numbers of the command line from batches of any size and order."""

from __future__ import annotations

import pickle
import random
from typing import Any

import pytest
from conftest import TINY, needs, outputs

import tiebreak as tb

METRICS = ["chrf", "bleu", "ter", "rouge-l"]
MODEL = str(TINY.parents[1] / "models" / "tiny-electra")
KEY = ["item", "system", "metric"]


def cells(rows: Any) -> list[tuple[Any, ...]]:
    return sorted(tuple(row.values()) for row in rows)


def shuffled(seed: int) -> list[dict[str, object]]:
    rows = outputs()
    random.Random(seed).shuffle(rows)
    return rows


def parts(rows: list[Any], sizes: int) -> list[list[Any]]:
    return [rows[start : start + sizes] for start in range(0, len(rows), sizes)]


@pytest.mark.parametrize("size", [1, 37, 1000])
def test_scores_do_not_depend_on_batches(size: int) -> None:
    pyarrow = needs("pyarrow")
    kernel = tb.arrow.score(METRICS)
    found = []
    for part in parts(shuffled(size), size):
        found += kernel(pyarrow.RecordBatch.from_pylist(part)).to_pylist()
    assert cells(found) == cells(tb.load(TINY).score(METRICS))


def test_rows_keep_their_order() -> None:
    pyarrow = needs("pyarrow")
    rows = shuffled(4)
    found = tb.arrow.score(["chrf"])(pyarrow.Table.from_pylist(rows)).to_pylist()
    assert [(row["item"], row["system"]) for row in found] == [(row["item"], row["system"]) for row in rows]


@pytest.mark.parametrize("metric", ["cider-d", "cider", "gec-gleu"])
def test_counts_of_parts_are_those_of_the_whole(metric: str) -> None:
    pyarrow = needs("pyarrow")
    by_item: dict[object, list[Any]] = {}
    for row in shuffled(6):
        by_item.setdefault(row["item"], []).append(row)
    items = parts(list(by_item.values()), 7)
    count = tb.arrow.count([metric])
    counted = [count(pyarrow.Table.from_pylist([row for item in part for row in item])) for part in items]
    kernel = pickle.loads(pickle.dumps(tb.arrow.score([metric], counts=tb.arrow.merge(counted))))
    found = [row for part in parts(shuffled(7), 50) for row in kernel(pyarrow.Table.from_pylist(part)).to_pylist()]
    assert cells(found) == cells(tb.load(TINY).score([metric]))


def test_what_must_be_counted_first_says_so() -> None:
    pyarrow = needs("pyarrow")
    with pytest.raises(tb.InputError, match="counts over all items first"):
        tb.arrow.score(["cider"])(pyarrow.Table.from_pylist(outputs()))


def test_predictions_are_those_of_the_command_line() -> None:
    pyarrow = needs("pyarrow")
    kernel = pickle.loads(pickle.dumps(tb.arrow.Predict(MODEL, draws=3)))
    by_item: dict[object, list[Any]] = {}
    for row in shuffled(2):
        by_item.setdefault(row["item"], []).append(row)
    found, listed = [], []
    for part in parts(list(by_item.values()), 11):
        found += kernel(pyarrow.Table.from_pylist([row for item in part for row in item])).to_pylist()
        as_lists = [
            {
                "item": item[0]["item"],
                "source": item[0]["source"],
                "references": item[0]["references"],
                "systems": [row["system"] for row in item],
                "outputs": [row["output"] for row in item],
            }
            for item in part
        ]
        listed += kernel(pyarrow.Table.from_pylist(as_lists)).to_pylist()
    expected = cells(tb.load(TINY).predict(MODEL, draws=3))
    assert cells(found) == expected and cells(listed) == expected


def test_frames_come_back_as_frames() -> None:
    kernel = tb.arrow.score(["length"])
    pandas, polars, pyarrow = needs("pandas"), needs("polars"), needs("pyarrow")
    for made in (pandas.DataFrame(outputs()), polars.DataFrame(outputs()), pyarrow.Table.from_pylist(outputs())):
        assert type(kernel(made)) is type(made)
    batches = kernel(iter([pyarrow.RecordBatch.from_pylist(outputs())]))
    assert all(isinstance(batch, pyarrow.RecordBatch) for batch in batches)
    nothing = pyarrow.RecordBatch.from_pylist(outputs()).slice(0, 0)
    assert kernel(nothing).num_rows == 0 and kernel(nothing).schema.names == ["item", "system", "metric", "score"]


def test_a_wrong_row_is_told_by_its_number() -> None:
    pyarrow = needs("pyarrow")
    rows = outputs()[:3] + [{"item": "x", "system": "a", "output": None}]
    with pytest.raises(tb.InputError) as caught:
        tb.arrow.score(["length"])(pyarrow.Table.from_pylist(rows))
    assert caught.value.place == "batch: row 4" and "output" in str(caught.value)
    twice = outputs()[:1] * 2
    with pytest.raises(tb.InputError, match="two outputs"):
        tb.arrow.Predict(MODEL, draws=0)(pyarrow.Table.from_pylist(twice))
    with pytest.raises(tb.InputError, match="needs references|has no references"):
        tb.arrow.score(["bleu"])(pyarrow.Table.from_pylist([{"item": "1", "system": "a", "output": "x"}]))
