"""Metrics, data sets and results travel: `copy` and `pickle` keep what they say."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from conftest import TINY, outputs
from test_dropins import FIRST, OUTPUTS

import tiebreak as tb


def pickled(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_metrics_travel(copied: Any) -> None:
    for metric in (tb.BLEU(lowercase=True), tb.CHRF(word_order=2), tb.TER(references=[FIRST])):
        expected = metric.corpus_score(OUTPUTS, [FIRST])
        other = copied(metric)
        assert str(other.corpus_score(OUTPUTS, [FIRST])) == str(expected) == str(copied(expected))
        assert str(other.get_signature()) == str(metric.get_signature())
    assert copied(tb.TER(references=[FIRST])).corpus_score(OUTPUTS, None).score == expected.score
    metric = tb.evaluate.load("gleu")
    metric.add(prediction="a b", reference="a c")
    assert copied(metric).compute() == metric.compute()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_data_and_results_travel(copied: Any) -> None:
    for data in (tb.load(outputs(), seed=3), tb.load(TINY)):
        other = copied(data)
        assert other.score("chrf").to_pylist() == data.score("chrf").to_pylist()
        assert copied(data.check()).json == data.check().json
    ranking = tb.load(TINY).rank()
    assert copied(ranking).table == ranking.table and str(copied(ranking)) == str(ranking)


def test_tables_are_copied() -> None:
    table = tb.load(TINY).score("chrf")
    for other in (copy.copy(table), copy.deepcopy({"table": table})["table"]):
        assert other.to_pylist() == table.to_pylist() and other.signature == table.signature
