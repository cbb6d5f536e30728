"""Comparisons and judgments in lists, by functions with the names of other packages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tiebreak import _native
from tiebreak._errors import InputError
from tiebreak._results import Ranking

_OUTCOMES = {"x": 1.0, "y": 0.0, "draw": 0.5, "tie": 0.5, "left": 1.0, "right": 0.0}


def bradley_terry(
    xs: Iterable[Any],
    ys: Iterable[Any],
    winners: Iterable[Any],
    *,
    items: Iterable[Any] | None = None,
    annotators: Iterable[Any] | None = None,
    confidence: float = 0.95,
) -> Ranking:
    """Ranks systems by comparisons. `winners[i]` says whether `xs[i]` or `ys[i]` won: evalica's `Winner`, "x", "y" or
    "draw", or one of the two names. Strengths (`.scores`) are log-odds of a Bradley-Terry model, a tie being half a
    win, with intervals, ranks that hold together, and a verdict."""
    firsts, seconds = [str(x) for x in xs], [str(y) for y in ys]
    given = list(winners)
    if not len(firsts) == len(seconds) == len(given):
        lengths = f"{len(firsts)} xs, {len(seconds)} ys and {len(given)} winners"
        raise InputError(f"{lengths}, expected as many of each")
    outcomes = [outcome_of(*one) for one in zip(given, firsts, seconds, strict=True)]
    return Ranking(*_native.rank(firsts, seconds, outcomes, _names(items), _names(annotators), confidence))


def ppi_mean_ci(
    Y: Iterable[float],
    Yhat: Iterable[float],
    Yhat_unlabeled: Iterable[float],
    alpha: float = 0.1,
    lam: float | None = None,
) -> tuple[float, float]:
    """Returns the prediction-powered confidence interval of a mean, with power tuning, as ppi-python's function of this
    name. With few labels it covers less than it says; intervals of `Data.estimate` do not."""
    estimator = "ppi++:interval=reference" + ("" if lam is None else f",lambda={float(lam)}")
    _, lower, upper = _native.estimate_mean(
        estimator, _numbers(Y), _numbers(Yhat), _numbers(Yhat_unlabeled), 1 - alpha
    )
    if lower is None or upper is None:
        raise InputError("no interval from fewer than two labels")
    return lower, upper


def outcome_of(winner: Any, x: Any, y: Any) -> float:
    """Returns the outcome of the first of two. evalica's numbers are 0 for a draw, 1 and 2 for the two."""
    if isinstance(winner, str):
        if winner == x or winner == y:
            return 1.0 if winner == x else 0.0
        known = _OUTCOMES.get(winner.lower())
    else:
        known = {0: 0.5, 1: 1.0, 2: 0.0}.get(winner)
    if known is None:
        raise InputError(f"winner is {winner!r}", f'expected "x", "y", "draw", {x!r} or {y!r}')
    return known


def _names(given: Iterable[Any] | None) -> list[str] | None:
    return None if given is None else [str(one) for one in given]


def _numbers(given: Iterable[float]) -> Sequence[float]:
    return [float(one) for one in given]
