"""Metrics as `evaluate` has them: `load("rouge").compute(predictions=…, references=…)`, with the same results."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from tiebreak import _native, sacrebleu
from tiebreak._errors import InputError

__all__ = ["Metric", "load"]

References = Sequence[str] | Sequence[Sequence[str]]
"""For each prediction a text, or a list of texts."""


class Metric:
    """A metric by its name in `evaluate`; `compute` takes its options too. Results have its keys."""

    def __init__(self, name: str, compute: Callable[..., dict[str, Any]]) -> None:
        self.name = name
        self._compute = compute

    def compute(
        self, *, predictions: Sequence[str], references: References, **options: Any
    ) -> dict[str, Any]:
        """The scores of all predictions."""
        return self._compute(predictions, _lists(references), **options)


def load(name: str) -> Metric:
    """A metric: `sacrebleu`, `chrf`, `ter`, `rouge` or `wer`; any other name of `tiebreak list metrics` gives the mean
    and the score of each prediction."""
    if name in _KNOWN:
        return Metric(name, _KNOWN[name])
    metric = _native.Metric(json.dumps({"name": name}))
    return Metric(name, lambda predictions, references: _any(name, metric, predictions, references))


def _sacrebleu(
    predictions: Sequence[str],
    references: list[list[str]],
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str = "13a",
    use_effective_order: bool = False,
) -> dict[str, Any]:
    found = sacrebleu.corpus_bleu(
        predictions, _streams(references), smooth_method, smooth_value, force, lowercase, tokenize, use_effective_order
    )
    keys = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
    return {key: getattr(found, key) for key in keys}


def _chrf(
    predictions: Sequence[str],
    references: list[list[str]],
    char_order: int = 6,
    word_order: int = 0,
    beta: int = 2,
    lowercase: bool = False,
    whitespace: bool = False,
    eps_smoothing: bool = False,
) -> dict[str, Any]:
    metric = sacrebleu.CHRF(char_order, word_order, beta, lowercase, whitespace, eps_smoothing)
    found = metric.corpus_score(predictions, _streams(references))
    return {key: getattr(found, key) for key in ("score", "char_order", "word_order", "beta")}


def _ter(
    predictions: Sequence[str],
    references: list[list[str]],
    normalized: bool = False,
    ignore_punct: bool = False,
    support_zh_ja_chars: bool = False,
    case_sensitive: bool = False,
) -> dict[str, Any]:
    metric = sacrebleu.TER(normalized, ignore_punct, support_zh_ja_chars, case_sensitive)
    found = metric.corpus_score(predictions, _streams(references))
    return {key: getattr(found, key) for key in ("score", "num_edits", "ref_length")}


def _rouge(
    predictions: Sequence[str],
    references: list[list[str]],
    rouge_types: Sequence[str] = ("rouge1", "rouge2", "rougeL", "rougeLsum"),
    use_aggregator: bool = True,
    use_stemmer: bool = False,
) -> dict[str, Any]:
    names = ["rouge-" + kind.removeprefix("rouge").lower() for kind in rouge_types]
    metrics = [_native.Metric(json.dumps({"name": name, "use-stemmer": use_stemmer})) for name in names]
    each = _native.Metric.segments_of_each(metrics, predictions, references)
    pairs = zip(rouge_types, each, strict=True)
    return {kind: sum(scores) / len(scores) if use_aggregator else scores for kind, scores in pairs}


def _wer(predictions: Sequence[str], references: list[list[str]]) -> dict[str, Any]:
    score, _, _ = _native.Metric(json.dumps({"name": "wer"})).corpus(predictions, _streams(references))
    return {"wer": score}


_KNOWN: dict[str, Callable[..., dict[str, Any]]] = {
    "sacrebleu": _sacrebleu,
    "chrf": _chrf,
    "ter": _ter,
    "rouge": _rouge,
    "wer": _wer,
}


def _any(
    name: str, metric: _native.Metric, predictions: Sequence[str], references: list[list[str]]
) -> dict[str, Any]:
    scores = metric.segments(predictions, references)
    return {name: sum(scores) / len(scores), "scores": scores}


def _lists(references: References) -> list[list[str]]:
    return [[one] if isinstance(one, str) else list(one) for one in references]


def _streams(references: list[list[str]]) -> list[list[str | None]]:
    """Lists of references by prediction as streams of one for each; `evaluate` wants as many for each."""
    most = max((len(one) for one in references), default=0)
    if not most:
        raise InputError("no references", "each prediction needs one, or a list of them")
    return [[one[place] if place < len(one) else None for one in references] for place in range(most)]
