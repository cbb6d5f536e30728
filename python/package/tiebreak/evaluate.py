"""Metrics as `evaluate` has them: `load("rouge").compute(predictions=…, references=…)`, with the same results."""

from __future__ import annotations

import json
import math
import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

from tiebreak import _native, sacrebleu
from tiebreak._errors import InputError
from tiebreak._numbers import listed
from tiebreak.sacrebleu import References, lists, streams

__all__ = ["Combined", "Metric", "combine", "load"]


class _Batches:
    """Predictions and references that wait for `compute`."""

    def __init__(self) -> None:
        self._predictions: list[str] = []
        self._references: list[Any] = []

    def add(self, *, prediction: str, reference: str | Sequence[str]) -> None:
        """Adds a prediction with its reference, or a list of them."""
        self.add_batch(predictions=[prediction], references=[reference])

    def add_batch(self, *, predictions: Sequence[str], references: References) -> None:
        """Adds predictions with their references."""
        for what, given in (("predictions", predictions), ("references", references)):
            if isinstance(given, str):
                raise InputError(f"{what} are one text, expected a list of texts")
        texts, expected = listed(predictions), list(references)
        if len(texts) != len(expected):
            raise InputError(f"{len(texts)} predictions with {len(expected)} references")
        self._predictions += texts
        self._references += expected

    def _take(self, predictions: Sequence[str] | None, references: References | None) -> tuple[list[str], list[Any]]:
        """Everything that was added, these included; nothing waits afterwards."""
        if predictions is not None or references is not None:
            self.add_batch(
                predictions=[] if predictions is None else predictions,
                references=[] if references is None else references,
            )
        taken = self._predictions, self._references
        if not taken[0]:
            raise InputError("no predictions", "give them here, or by `add` or `add_batch`")
        self._predictions, self._references = [], []
        return taken


class Metric(_Batches):
    """A metric by its name in `evaluate`; `compute` takes its options too. Results have its keys and its scale."""

    def __init__(self, name: str, compute: Callable[..., Any]) -> None:
        super().__init__()
        self.name = name
        self._compute = compute

    def compute(
        self, *, predictions: Sequence[str] | None = None, references: References | None = None, **options: Any
    ) -> Any:
        """The scores of all predictions, those of `add` and `add_batch` included: a dict, for `wer` a number."""
        texts, expected = self._take(predictions, references)
        return self._compute(texts, lists(expected), **options)


class Combined(_Batches):
    """Several metrics of the same predictions."""

    def __init__(self, metrics: Sequence[Metric], force_prefix: bool = False) -> None:
        super().__init__()
        self._metrics = list(metrics)
        self._force_prefix = force_prefix

    def compute(
        self, *, predictions: Sequence[str] | None = None, references: References | None = None
    ) -> dict[str, Any]:
        """The scores of all metrics in one dict. A key that several have gets the name of its metric in front."""
        texts, expected = self._take(predictions, references)
        found = []
        for metric in self._metrics:
            scores = metric.compute(predictions=texts, references=expected)
            found.append((metric.name, scores if isinstance(scores, dict) else {metric.name: scores}))
        times = Counter(key for _, scores in found for key in scores)
        return {
            f"{name}_{key}" if self._force_prefix or times[key] > 1 else key: value
            for name, scores in found
            for key, value in scores.items()
        }


def load(name: str) -> Metric:
    """A metric: `bleu`, `sacrebleu`, `chrf`, `ter`, `rouge`, `wer` or `exact_match`; any other name of
    `tiebreak list metrics` gives the mean and the score of each prediction."""
    if name in _KNOWN:
        return Metric(name, _KNOWN[name])
    _metric(name)
    return Metric(name, partial(_any, name))


def combine(metrics: Sequence[str | Metric], force_prefix: bool = False) -> Combined:
    """Several metrics as one, by name or from `load`."""
    return Combined([load(one) if isinstance(one, str) else one for one in metrics], force_prefix)


def _bleu(
    predictions: Sequence[str],
    references: list[list[str]],
    tokenizer: Callable[[str], Sequence[str]] | None = None,
    max_order: int = 4,
    smooth: bool = False,
) -> dict[str, Any]:
    """BLEU from 0 to 1. Its brevity penalty takes the shortest reference of each prediction."""
    if tokenizer is not None:
        predictions = [" ".join(tokenizer(text)) for text in predictions]
        references = [[" ".join(tokenizer(text)) for text in texts] for texts in references]
    metric = sacrebleu.BLEU(
        tokenize="none" if tokenizer else None, smooth_method="none", max_ngram_order=max_order
    )
    found = metric.corpus_score(predictions, streams(references))
    length = found.ref_len
    if any(len(texts) > 1 for texts in references):
        length = sum(min(metric.corpus_score([""], [[text]]).ref_len for text in texts) for texts in references)
    precisions = [
        (count + smooth) / (total + smooth) if total + smooth else 0.0
        for count, total in zip(found.counts, found.totals, strict=True)
    ]
    mean = math.prod(precisions) ** (1 / max_order)
    ratio = found.sys_len / length if length else math.inf
    penalty = 1.0 if ratio > 1 else math.exp(1 - 1 / ratio) if ratio else 0.0
    return {
        "bleu": mean * penalty,
        "precisions": precisions,
        "brevity_penalty": penalty,
        "length_ratio": ratio,
        "translation_length": found.sys_len,
        "reference_length": length,
    }


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
        predictions, streams(references), smooth_method, smooth_value, force, lowercase, tokenize, use_effective_order
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
    found = metric.corpus_score(predictions, streams(references))
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
    found = metric.corpus_score(predictions, streams(references))
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


def _wer(predictions: Sequence[str], references: list[list[str]], concatenate_texts: bool = False) -> float:
    """The edits by the words of the references, as jiwer counts them: from 0, and above 1 where outputs are long. Without
    any words in the references it is the number of words inserted."""
    texts = _only("wer", references)
    if concatenate_texts:
        predictions, texts = [" ".join(predictions)], [" ".join(texts)]
    _, (edits, words), _ = _metric("wer", "jiwer").corpus(predictions, [texts])
    return edits / max(words, 1)


def _exact_match(
    predictions: Sequence[str],
    references: list[list[str]],
    regexes_to_ignore: Sequence[str] | None = None,
    ignore_case: bool = False,
    ignore_punctuation: bool = False,
    ignore_numbers: bool = False,
) -> dict[str, Any]:
    """The share of predictions that are their reference."""
    ignored = str.maketrans("", "", string.punctuation * ignore_punctuation + string.digits * ignore_numbers)

    def kept(text: str) -> str:
        for pattern in regexes_to_ignore or ():
            text = re.sub(pattern, "", text)
        return (text.lower() if ignore_case else text).translate(ignored)

    pairs = zip(predictions, _only("exact_match", references), strict=True)
    return {"exact_match": sum(kept(text) == kept(reference) for text, reference in pairs) / len(predictions)}


_KNOWN: dict[str, Callable[..., Any]] = {
    "bleu": _bleu,
    "exact_match": _exact_match,
    "sacrebleu": _sacrebleu,
    "chrf": _chrf,
    "ter": _ter,
    "rouge": _rouge,
    "wer": _wer,
}


@lru_cache(maxsize=4)
def _metric(name: str, implementation: str | None = None) -> _native.Metric:
    """A metric by its name, loaded once."""
    followed = {"implementation": implementation} if implementation else {}
    return _native.Metric(json.dumps({"name": name, **followed}))


def _any(name: str, predictions: Sequence[str], references: list[list[str]]) -> dict[str, Any]:
    scores = _metric(name).segments(predictions, references)
    return {name: sum(scores) / len(scores), "scores": scores}


def _only(name: str, references: list[list[str]]) -> list[str]:
    """The reference of each prediction, for metrics that take one."""
    if any(len(texts) != 1 for texts in references):
        raise InputError(f"{name} takes one reference for each prediction")
    return [texts[0] for texts in references]
