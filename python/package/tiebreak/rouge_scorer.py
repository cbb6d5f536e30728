"""ROUGE as rouge-score has it: `rouge_scorer.RougeScorer(["rouge1", "rougeL"]).score(target, prediction)`.

`from tiebreak import rouge_scorer` takes the place of `from rouge_score import rouge_scorer`. Not here: `rouge5` and longer
n-grams, other tokenizers, and `split_summaries`, for which each sentence is put on a line of its own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from tiebreak import _native
from tiebreak._errors import InputError

__all__ = ["RougeScorer", "Score"]

KNOWN = {
    "rouge1": "rouge-1",
    "rouge2": "rouge-2",
    "rouge3": "rouge-3",
    "rouge4": "rouge-4",
    "rougeL": "rouge-l",
    "rougeLsum": "rouge-lsum",
}
"""The types, by their names in rouge-score."""


class Score(NamedTuple):
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    fmeasure: float


class RougeScorer:
    """A scorer of some types: `rouge1` to `rouge4`, `rougeL`, `rougeLsum`."""

    def __init__(
        self,
        rouge_types: Sequence[str],
        use_stemmer: bool = False,
        split_summaries: bool = False,
        tokenizer: Any = None,
    ) -> None:
        for given, name in [(split_summaries, "split_summaries"), (tokenizer, "tokenizer")]:
            if given:
                raise InputError(f"{name}: not here", "put each sentence on a line of its own, and leave it out")
        unknown = [kind for kind in rouge_types if kind not in KNOWN]
        if unknown:
            raise InputError(f"rouge type `{unknown[0]}` is not here", f"types are {', '.join(KNOWN)}")
        self.rouge_types = list(rouge_types)
        self._use_stemmer = use_stemmer
        self._metrics = self._made()

    def _made(self) -> list[_native.Metric]:
        """Three metrics a type."""
        each = [(KNOWN[kind], measure) for kind in self.rouge_types for measure in Score._fields]
        parameters = {"use-stemmer": self._use_stemmer}
        return [_native.Metric(json.dumps({"name": name, "measure": one, **parameters})) for name, one in each]

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_metrics"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._metrics = self._made()

    def score(self, target: str, prediction: str) -> dict[str, Score]:
        """The scores of a prediction by a target."""
        return self.score_multi([target], prediction)

    def score_multi(self, targets: Sequence[str], prediction: str) -> dict[str, Score]:
        """The scores of a prediction, each by the target with the highest F measure."""
        found = [scores[0] for scores in _native.Metric.segments_of_each(self._metrics, [prediction], [list(targets)])]
        return {kind: Score(*found[3 * place : 3 * place + 3]) for place, kind in enumerate(self.rouge_types)}
