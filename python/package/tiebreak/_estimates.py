"""Comparisons and judgments in lists, by functions with the names of other packages."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, Literal

from tiebreak import _native
from tiebreak._errors import InputError
from tiebreak._numbers import listed, one_column, rows_of
from tiebreak._results import Ranking

_OUTCOMES = {"x": 1.0, "y": 0.0, "draw": 0.5, "tie": 0.5, "left": 1.0, "right": 0.0}
_NUMBERS = {0: 0.5, 1: 1.0, 2: 0.0}
"""The outcomes by evalica's numbers."""


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
    "draw", one of the two names, or evalica's numbers 0 (a draw), 1 and 2. Strengths (`.scores`) are log-odds of a
    Bradley-Terry model, a tie being half a win, with intervals, ranks that hold together, and a verdict. Annotators that
    are None or NaN are one person without a name."""
    first, second, given = listed(xs), listed(ys), listed(winners)
    if not len(first) == len(second) == len(given):
        lengths = f"{len(first)} xs, {len(second)} ys and {len(given)} winners"
        raise InputError(f"{lengths}, expected as many of each")
    names = _names("x", first), _names("y", second)
    _refuse_outcomes(given, {*first, *second})
    outcomes = [outcome_of(*one) for one in zip(given, first, second, strict=True)]
    on = None if items is None else _names("item", listed(items))
    by = None if annotators is None else [None if _is_missing(one) else str(one) for one in listed(annotators)]
    return Ranking(*_native.rank(*names, outcomes, on, by, confidence))


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
    y, g, unlabelled = one_column(Y), one_column(Yhat), one_column(Yhat_unlabeled)
    _, lower, upper = _native.estimate_mean(estimator, y, g, unlabelled, 1 - alpha)
    if lower is None or upper is None:
        raise InputError("no interval from fewer than two labels")
    return lower, upper


def krippendorff_alpha(
    reliability_data: Sequence[Iterable[Any]],
    level_of_measurement: Literal["nominal", "ordinal", "interval", "ratio"] = "interval",
) -> float:
    """Returns Krippendorff's alpha (2011), as the package krippendorff has it: 1 is perfect agreement, 0 is chance. There is a
    row for each annotator (of an array, or of a data frame), with a number for each question, NaN or None where they gave
    none; texts are categories. NaN is returned where all answers are the same, or no question has two."""
    rows: Any = rows_of(reliability_data)
    if hasattr(rows, "dtype") and rows.ndim == 2 and rows.dtype.kind in "fiub":
        answers = rows.astype("float64", copy=False)
    else:
        rows = [list(row) for row in rows]
        if len({len(row) for row in rows}) > 1:
            raise InputError("rows of different lengths, expected an answer or None for each question")
        given = [None if _is_missing(one) else one for row in rows for one in row]
        categories = given if level_of_measurement == "nominal" else []
        if not categories and any(isinstance(one, str) for one in given):
            raise InputError("answers are texts, which are categories", 'add `level_of_measurement="nominal"`')
        codes = {one: code for code, one in enumerate(categories)}
        answers = [math.nan if one is None else codes.get(one, one) for one in given]
    alpha = _native.krippendorff_alpha(answers, len(rows), level_of_measurement)
    return math.nan if alpha is None else alpha


def dawid_skene(questions: Iterable[Any], annotators: Iterable[Any], answers: Iterable[Any]) -> dict[Any, tuple[Any, float]]:
    """Returns the most probable right answer to each question, with its probability, by the model of Dawid and Skene (1979):
    each annotator errs in ways of their own. `answers[i]` is the category that `annotators[i]` gave to `questions[i]`, None
    or NaN where they gave none. A question that nobody answered has no result."""
    given = [listed(column) for column in (questions, annotators, answers)]
    if len({len(column) for column in given}) > 1:
        lengths = "{} questions, {} annotators and {} answers".format(*map(len, given))
        raise InputError(f"{lengths}, expected as many of each")
    _refuse_missing("question", given[0])
    # Each NaN is another key, and annotators without a name are one.
    given[1] = [None if _is_missing(one) else one for one in given[1]]
    answered = [not _is_missing(answer) for answer in given[2]]
    codes: list[dict[Any, int]] = [{}, {}, {}]
    columns = [
        [known.setdefault(one, len(known)) for one in itertools.compress(column, answered)]
        for known, column in zip(codes, given, strict=True)
    ]
    found = _native.dawid_skene(*columns)
    categories = list(codes[2])
    return {question: (categories[code], share) for question, (code, share) in zip(codes[0], found, strict=True)}


@functools.lru_cache(maxsize=1 << 16, typed=True)
def outcome_of(winner: Any, x: Any, y: Any) -> float:
    """Returns the outcome of the first of two. evalica's numbers are 0 for a draw, 1 and 2 for the two.

    A name that also is a word or number for another outcome is refused: nothing tells which is meant."""
    if _is_missing(winner):
        raise InputError(f"winner is {winner!r}", f'expected "x", "y", "draw", {x!r} or {y!r}')
    # Members of `Winner` equal numbers, and are no names.
    sides = () if isinstance(winner, Enum) else ((1.0, x), (0.0, y))
    named = [outcome for outcome, name in sides if _is_name(winner, name)]
    if isinstance(winner, str):
        known = _OUTCOMES.get(winner.lower())
    else:
        known = None if isinstance(winner, bool) else _NUMBERS.get(winner)
    if known is None and not named:
        raise InputError(f"winner is {winner!r}", f'expected "x", "y", "draw", {x!r} or {y!r}')
    if known is not None and named and known not in named:
        meant = {1.0: "the first", 0.0: "the second", 0.5: "a draw"}
        what = f"winner is {winner!r}, which names {meant[named[0]]} of {x!r} and {y!r}, and stands for {meant[known]}"
        raise InputError(what, "give systems other names, or winners as `tb.evalica.Winner`")
    return named[0] if known is None else known


def _refuse_outcomes(winners: list[Any], systems: set[Any]) -> None:
    """Refuses numbers that may as well be outcomes of the first, where 0 is a loss: evalica's 0 is a draw."""
    numbers = {one for one in winners if isinstance(one, int | float) and not isinstance(one, bool | Enum)}
    if numbers and numbers <= {0, 1} and not numbers & systems:
        what = "winners are 0 and 1 alone: in evalica a draw and a win of x, elsewhere a loss and a win"
        raise InputError(what, 'write "x", "y" and "draw", or `tb.evalica.Winner`')


def _is_name(winner: Any, name: Any) -> bool:
    """Whether a winner is the name of a system. True equals 1, and is not its name."""
    if isinstance(winner, str):
        return winner == str(name)
    return isinstance(winner, bool) == isinstance(name, bool) and bool(winner == name)


def _names(what: str, given: list[Any]) -> list[str]:
    """Returns names as texts."""
    _refuse_missing(what, given)
    return [str(one) for one in given]


def _refuse_missing(what: str, given: list[Any]) -> None:
    """Refuses names that are None, NaN or empty."""
    for place, one in enumerate(given, 1):
        if _is_missing(one) or one == "":
            raise InputError(f"{what} {place} is {one!r}, expected a name")


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or what pandas has in their place."""
    if value is None or isinstance(value, str):
        return value is None
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"  # It neither equals anything nor differs from it.

