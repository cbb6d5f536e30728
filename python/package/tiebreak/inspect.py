"""Early stopping for Inspect: a task ends as soon as its mean score is known well enough.

`Task(…, early_stopping=EarlyStopping(width=0.1))` runs samples until the interval for the mean of all samples is as
narrow as `width`. The interval holds however often one looks. It assumes that samples come in random order
(`--sample-shuffle`). Quick samples end first, so only an unbroken beginning of the task counts, each sample once all
its epochs are scored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tiebreak import _native
from tiebreak._errors import InputError

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalSpec
    from inspect_ai.scorer import SampleScore

NAME = "tiebreak"

ESTIMATOR = "betting:anytime=true,population=finite"
"""An estimator that is valid however often one looks, for samples without replacement from the whole task."""


class EarlyStopping:
    """Stops a task once the interval of its mean score is as narrow as `width`, or lies wholly above or below
    `threshold`. Scores lie in `range`; `scorer` names one where a task has several."""

    def __init__(
        self,
        width: float | None = None,
        *,
        threshold: float | None = None,
        confidence: float = 0.95,
        range: tuple[float, float] = (0.0, 1.0),
        scorer: str | None = None,
    ) -> None:
        if width is None and threshold is None:
            raise InputError("neither width nor threshold", "say when a task may stop: width=0.1")
        self._goal = (width, threshold)
        self._confidence = confidence
        self._range = range
        self._scorer = scorer
        self._order: list[str | int] = []
        self._epochs = 1
        self._scores: dict[str | int, list[float]] = {}
        self._interval: tuple[float, float] | None = None
        self._counted = 0
        self._skipped = 0

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        """Begins a task."""
        self._order = [place if sample.id is None else sample.id for place, sample in enumerate(samples, 1)]
        self._epochs = epochs
        self._scores, self._interval, self._counted, self._skipped = {}, None, 0, 0
        return NAME

    async def schedule_sample(self, id: str | int, epoch: int) -> Any:
        """Whether a sample is still needed."""
        if not self.is_certain:
            return None
        from inspect_ai.util import EarlyStop

        self._skipped += 1
        return EarlyStop(id=id, epoch=epoch, reason=self.reason)

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, SampleScore]) -> None:
        """Takes the score of a sample."""
        if not scores:
            return
        name = self._scorer or next(iter(scores))
        if name not in scores:
            raise InputError(f"no scorer `{name}`", f"scorers are {', '.join(scores)}")
        from inspect_ai.scorer import value_to_float

        self._scores.setdefault(id, []).append(value_to_float()(scores[name].score.value))
        self._interval = self._estimate()

    async def complete_task(self) -> dict[str, Any]:
        """Returns the result at the end."""
        found: dict[str, Any] = {"samples": self._counted, "skipped": self._skipped}
        if self._interval is not None:
            found["lower"], found["upper"] = self._interval
            found["confidence"] = self._confidence
            found["assumes"] = "samples in random order"
        return found

    @property
    def interval(self) -> tuple[float, float] | None:
        """Returns the interval of the mean of all samples."""
        return self._interval

    @property
    def is_certain(self) -> bool:
        """Whether the task may stop."""
        if self._interval is None:
            return False
        (lower, upper), (width, threshold) = self._interval, self._goal
        narrow = width is not None and upper - lower <= width
        decided = threshold is not None and not lower <= threshold <= upper
        return narrow or decided

    @property
    def reason(self) -> str:
        """Returns the reason why a sample is not run."""
        lower, upper = self._interval or self._range
        return f"the mean score is between {lower:.3f} and {upper:.3f} (confidence {self._confidence})"

    def _estimate(self) -> tuple[float, float] | None:
        """Returns the interval so far."""
        values: list[float] = []
        for id in self._order:
            scores = self._scores.get(id, [])
            if len(scores) < self._epochs:
                break
            values.append(sum(scores) / len(scores))
        if len(values) == self._counted:
            return self._interval
        self._counted = len(values)
        _, lower, upper = _native.estimate_scores(ESTIMATOR, values, len(self._order), self._range, self._confidence)
        if lower is None or upper is None:
            return self._interval
        # It holds at all times together, so what was once left out stays out.
        before = self._interval or self._range
        return max(lower, before[0]), min(upper, before[1])
