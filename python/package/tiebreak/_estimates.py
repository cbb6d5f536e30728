"""Comparisons and judgments in lists, by functions with the names of other packages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal

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
    _, lower, upper = _native.estimate_mean(estimator, Y, Yhat, Yhat_unlabeled, 1 - alpha)
    if lower is None or upper is None:
        raise InputError("no interval from fewer than two labels")
    return lower, upper


def krippendorff_alpha(
    reliability_data: Sequence[Iterable[Any]], level_of_measurement: Literal["nominal", "ordinal", "interval"] = "interval"
) -> float:
    """Returns Krippendorff's alpha (2011), as the package krippendorff has it: 1 is perfect agreement, 0 is chance. There is a
    row for each annotator, with a number for each question, NaN or None where they gave none; texts are categories. NaN is
    returned where all answers are the same, or no question has two."""
    rows: Any = reliability_data
    if hasattr(rows, "dtype") and rows.ndim == 2 and rows.dtype.kind in "fiub":
        answers = rows.astype("float64", copy=False)
    else:
        rows = [list(row) for row in rows]
        if len({len(row) for row in rows}) > 1:
            raise InputError("rows of different lengths, expected an answer or None for each question")
        given = [None if one != one else one for row in rows for one in row]
        categories = given if level_of_measurement == "nominal" else []
        codes = {one: code for code, one in enumerate(categories)}
        answers = [math.nan if one is None else codes.get(one, one) for one in given]
    alpha = _native.krippendorff_alpha(answers, len(rows), level_of_measurement)
    return math.nan if alpha is None else alpha


def dawid_skene(questions: Iterable[Any], annotators: Iterable[Any], answers: Iterable[Any]) -> dict[Any, tuple[Any, float]]:
    """Returns the most probable right answer to each question, with its probability, by the model of Dawid and Skene (1979):
    each annotator errs in ways of their own. `answers[i]` is the category that `annotators[i]` gave to `questions[i]`."""
    codes: list[dict[Any, int]] = [{}, {}, {}]
    columns = [
        [known.setdefault(one, len(known)) for one in _listed(column)]
        for known, column in zip(codes, (questions, annotators, answers), strict=True)
    ]
    if len({len(column) for column in columns}) > 1:
        lengths = "{} questions, {} annotators and {} answers".format(*map(len, columns))
        raise InputError(f"{lengths}, expected as many of each")
    found = _native.dawid_skene(*columns)
    categories = list(codes[2])
    return {question: (categories[code], share) for question, (code, share) in zip(codes[0], found, strict=True)}


def _listed(column: Iterable[Any]) -> Iterable[Any]:
    """Returns the values of an array or of a column as Python's own, which are faster to look up."""
    tolist = getattr(column, "tolist", None)
    values: Iterable[Any] = column if tolist is None else tolist()
    return values


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

