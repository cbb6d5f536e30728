"""Scores of lists of texts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from typing import TypeAlias, overload

from tiebreak import _native
from tiebreak.sacrebleu import BLEU, CHRF, TER, References, Score, paired, streams

Metric: TypeAlias = str | BLEU | CHRF | TER
"""`"chrf"`, `"chrf:word-order=2"`, or a metric such as `tb.CHRF(word_order=2)`."""

Metrics: TypeAlias = Metric | Sequence[Metric]
"""A metric, or several."""


class MetricScore(Score):
    """The score of all outputs together: `float(score)` is its number. Metrics without such a score have the mean of their
    outputs' scores."""

    def __init__(
        self, metric: str, outputs: list[str], references: list[list[str]], sources: list[str] | None
    ) -> None:
        self._given = (metric, outputs, references, sources)
        native = _native.Metric(json.dumps(metric))
        found, self.statistics, self.signature = native.corpus(outputs, streams(references) if references else [], sources)
        super().__init__(metric, found)

    @cached_property
    def segments(self) -> list[float]:
        """The score of each output."""
        metric, outputs, references, sources = self._given
        return _native.Metric(json.dumps(metric)).segments(outputs, references or [[]] * len(outputs), sources)


@overload
def score(  # type: ignore[overload-overlap] # a text is a sequence of texts too
    outputs: str | Sequence[str],
    references: str | References | None = None,
    metrics: Metric = "chrf",
    *,
    sources: str | Sequence[str] | None = None,
) -> MetricScore: ...


@overload
def score(
    outputs: str | Sequence[str],
    references: str | References | None,
    metrics: Sequence[Metric],
    *,
    sources: str | Sequence[str] | None = None,
) -> dict[str, MetricScore]: ...


def score(
    outputs: str | Sequence[str],
    references: str | References | None = None,
    metrics: Metrics = "chrf",
    *,
    sources: str | Sequence[str] | None = None,
) -> MetricScore | dict[str, MetricScore]:
    """Scores outputs by a metric, or several: `tb.score(outputs, references, "chrf")`, `["bleu", tb.CHRF(word_order=2)]`.

    `references` has a text, or a list of texts, for each output; `sources` has what the outputs were made from, for
    metrics that need it. Of several metrics the result is a dict by name."""
    expected: list[list[str]]
    if references is None:
        texts, expected = [outputs] if isinstance(outputs, str) else list(outputs), []
    else:
        texts, expected = paired(outputs, references)
    made_from = [sources] if isinstance(sources, str) else None if sources is None else list(sources)
    if isinstance(metrics, (str, BLEU, CHRF, TER)):
        return MetricScore(named(metrics), texts, expected, made_from)
    return {name: MetricScore(name, texts, expected, made_from) for name in map(named, metrics)}


def named(metric: Metric) -> str:
    """Returns a metric as keys of a stage have it."""
    if isinstance(metric, str):
        return metric
    if isinstance(metric, (BLEU, CHRF, TER)):
        return metric.named
    raise TypeError(f"metric is {metric!r}, expected a name, or a metric such as tb.BLEU()")


def named_each(metrics: Metrics | None) -> str | list[str] | None:
    """Returns a metric, or several, as keys of a stage have them."""
    if metrics is None or isinstance(metrics, (str, BLEU, CHRF, TER)):
        return None if metrics is None else named(metrics)
    return [named(metric) for metric in metrics]
