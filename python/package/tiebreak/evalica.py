"""Rankings as evalica has them: the same functions, arguments and scales.

`from tiebreak import evalica` takes the place of `import evalica` for the functions below. Scores are point estimates;
`tb.rank` and `tb.bradley_terry` have intervals and a verdict. Not here: `alpha`, `bootstrap`, `indexing`, `matrices` and
`pairwise_frame`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from tiebreak import _native
from tiebreak._errors import InputError
from tiebreak._estimates import outcome_of
from tiebreak._numbers import listed, one_column

__all__ = [
    "Result",
    "Winner",
    "average_win_rate",
    "bradley_terry",
    "counting",
    "eigen",
    "elo",
    "newman",
    "pagerank",
    "pairwise_scores",
]

TOLERANCE = 1e-6
"""A change of all scores below which iterations end; it also stands for what is not a number."""

LIMIT = 100
"""The most iterations."""

Matrix = list[list[float]]


class Winner(IntEnum):
    """The outcome of a comparison."""

    Draw = 0
    X = 1
    Y = 2


@dataclass(frozen=True)
class Result:
    """Scores, the best first."""

    scores: Any
    """A series of pandas by system; without pandas a dict."""
    index: Any
    """The systems in the order in which they came up, all of the first side before those of the second."""
    iterations: int = 0
    """The number of iterations, of methods that have any."""
    v: float | None = None
    """The tendency to ties, which `newman` estimates."""


@dataclass(frozen=True)
class _Votes:
    systems: list[Any]
    cells: list[tuple[int, int, float]]
    """The different votes: two systems, and the outcome of the first (1, 0.5 or 0)."""
    places: _native.Numbers
    """The cell of each vote."""
    weights: list[float] | None
    """The weight of each vote, where they do not count alike."""

    @property
    def rows(self) -> list[tuple[int, int, float, float]]:
        """The different votes, each with the sum of its weights."""
        sums = _native.cell_weights(self.places, len(self.cells), self.weights)
        return [(*cell, weight) for cell, weight in zip(self.cells, sums, strict=True)]

    def matrices(self) -> tuple[Matrix, Matrix]:
        """Weights of wins of the row's system over the column's; weights of ties."""
        wins, ties = self._empty(), self._empty()
        for x, y, outcome, weight in self.rows:
            if outcome == 0.5:
                ties[x][y] += weight
                ties[y][x] += weight
            elif outcome == 1:
                wins[x][y] += weight
            else:
                wins[y][x] += weight
        return wins, ties

    def matrix(self, win: float, tie: float) -> Matrix:
        """What the row's system gained from the column's."""
        wins, ties = self.matrices()
        return [[win * one + tie * other for one, other in zip(*rows, strict=True)] for rows in zip(wins, ties, strict=True)]

    def result(self, name: str, scores: Sequence[float], iterations: int = 0, v: float | None = None) -> Result:
        """The scores by system, the best first; equal ones in the order of the systems."""
        best = sorted(zip(self.systems, scores, strict=True), key=lambda one: -one[1])
        try:
            import pandas
        except ImportError:
            return Result(dict(best), self.systems, iterations, v)
        systems, values = [one for one, _ in best], [value for _, value in best]
        series = pandas.Series(values, index=pandas.Index(systems), name=name, dtype=float)
        return Result(series, pandas.Index(self.systems), iterations, v)

    def _empty(self) -> Matrix:
        return [[0.0] * len(self.systems) for _ in self.systems]


def counting(
    xs: Iterable[Any],
    ys: Iterable[Any],
    winners: Iterable[Any],
    index: Iterable[Any] | None = None,
    weights: Iterable[float] | None = None,
    win_weight: float = 1.0,
    tie_weight: float = 0.5,
) -> Result:
    """Counts wins and ties."""
    votes = _votes(xs, ys, winners, index, weights)
    scores = [0.0] * len(votes.systems)
    for x, y, outcome, weight in votes.rows:
        if outcome == 0.5:
            scores[x] += weight * tie_weight
            scores[y] += weight * tie_weight
        else:
            scores[x if outcome == 1 else y] += weight * win_weight
    return votes.result("counting", scores)


def average_win_rate(
    xs: Iterable[Any],
    ys: Iterable[Any],
    winners: Iterable[Any],
    index: Iterable[Any] | None = None,
    weights: Iterable[float] | None = None,
    win_weight: float = 1.0,
    tie_weight: float = 0.5,
) -> Result:
    """Averages each system's win rates against those that it was compared with."""
    votes = _votes(xs, ys, winners, index, weights)
    gained = votes.matrix(win_weight, tie_weight)

    def mean(one: int) -> float:
        others = [(gained[one][other], gained[other][one]) for other in range(len(gained))]
        rates = [won / (won + lost) for won, lost in others if won + lost != 0]
        return sum(rates) / len(rates) if rates else 0.0

    return votes.result("average_win_rate", [mean(one) for one in range(len(gained))])


def bradley_terry(
    xs: Iterable[Any],
    ys: Iterable[Any],
    winners: Iterable[Any],
    index: Iterable[Any] | None = None,
    weights: Iterable[float] | None = None,
    win_weight: float = 1.0,
    tie_weight: float = 0.5,
    tolerance: float = TOLERANCE,
    limit: int = LIMIT,
) -> Result:
    """Strengths of a Bradley-Terry model (1952) by Newman's iteration (JMLR 2023, equation 27): their geometric mean is
    1."""
    votes = _votes(xs, ys, winners, index, weights)
    gained = votes.matrix(win_weight, tie_weight)
    systems = range(len(gained))

    def step(scores: list[float]) -> list[float]:
        new = list(scores)
        for one in systems:
            won = sum(_over(gained[one][other] * new[other], new[one] + new[other]) for other in systems)
            lost = sum(_over(gained[other][one], new[one] + new[other]) for other in systems)
            new[one] = _over(won, lost)
        mean = math.exp(min(sum(_log(score) for score in new) / len(new), 709.0)) if new else 1.0
        return [_number(_over(score, mean), tolerance) for score in new]

    return votes.result("bradley_terry", *_iterated(step, [1.0] * len(gained), tolerance, limit))


def newman(
    xs: Iterable[Any],
    ys: Iterable[Any],
    winners: Iterable[Any],
    index: Iterable[Any] | None = None,
    v_init: float = 0.5,
    weights: Iterable[float] | None = None,
    win_weight: float = 1.0,
    tie_weight: float = 1.0,
    tolerance: float = TOLERANCE,
    limit: int = LIMIT,
) -> Result:
    """Strengths of a Bradley-Terry model with ties (Davidson 1970) by Newman's iteration (JMLR 2023, section 5)."""
    votes = _votes(xs, ys, winners, index, weights)
    wins, ties = votes.matrices()
    wins = [[win_weight * one for one in row] for row in wins]
    ties = [[tie_weight * one for one in row] for row in ties]
    systems = range(len(wins))
    tendency = [v_init, v_init]

    def step(scores: list[float]) -> list[float]:
        tendency[0] = v = _number(tendency[1], tolerance)
        new, tied, untied = [], 0.0, 0.0
        for one in systems:
            up = down = 0.0
            for other in systems:
                root = math.sqrt(scores[one] * scores[other])
                total = scores[one] + scores[other] + 2 * v * root
                half = ties[one][other] / 2
                up += _over((wins[one][other] + half) * (scores[other] + v * root), total)
                lost = wins[other][one] + ties[other][one] / 2
                down += _over(lost * (1 + v * math.sqrt(_over(scores[other], scores[one]))), total)
                tied += _over(ties[one][other] * (scores[one] + scores[other]), total) / 2
                untied += _over(wins[one][other] * root, total) * 2
            new.append(_number(_over(up, down), tolerance))
        tendency[1] = _over(tied, untied)
        return new

    scores, iterations = _iterated(step, [1.0] * len(wins), tolerance, limit)
    return votes.result("newman", scores, iterations, tendency[0])


def elo(
    xs: Iterable[Any],
    ys: Iterable[Any],
    winners: Iterable[Any],
    index: Iterable[Any] | None = None,
    initial: float = 1000.0,
    base: float = 10.0,
    scale: float = 400.0,
    k: float = 4.0,
    weights: Iterable[float] | None = None,
    win_weight: float = 1.0,
    tie_weight: float = 0.5,
) -> Result:
    """Ratings of Elo (1978), which depend on the order of the comparisons."""
    votes = _votes(xs, ys, winners, index, weights)
    gains = {1.0: (win_weight, 0.0), 0.5: (tie_weight, tie_weight), 0.0: (0.0, win_weight)}
    cells = [((x, y), gains[outcome]) for x, y, outcome in votes.cells]
    scores = _native.elo(votes.places, cells, votes.weights, [initial] * len(votes.systems), (base, scale, k))
    return votes.result("elo", scores)


def eigen(
    xs: Iterable[Any],
    ys: Iterable[Any],
    winners: Iterable[Any],
    index: Iterable[Any] | None = None,
    weights: Iterable[float] | None = None,
    win_weight: float = 1.0,
    tie_weight: float = 0.5,
    tolerance: float = TOLERANCE,
    limit: int = LIMIT,
) -> Result:
    """The leading eigenvector of what systems gained, of length 1."""
    votes = _votes(xs, ys, winners, index, weights)
    matrix = votes.matrix(win_weight, tie_weight)
    return votes.result("eigen", *_eigenvector(matrix, tolerance, limit))


def pagerank(
    xs: Iterable[Any],
    ys: Iterable[Any],
    winners: Iterable[Any],
    index: Iterable[Any] | None = None,
    damping: float = 0.85,
    weights: Iterable[float] | None = None,
    win_weight: float = 1.0,
    tie_weight: float = 0.5,
    tolerance: float = TOLERANCE,
    limit: int = LIMIT,
) -> Result:
    """The shares of PageRank (Brin and Page 1998), with a link from each system to those that won against it."""
    votes = _votes(xs, ys, winners, index, weights)
    gained = votes.matrix(win_weight, tie_weight)
    share = 1 / len(gained) if gained else 0.0
    links = [[row[one] for row in gained] for one in range(len(gained))]
    links = [[_over(one, sum(row)) for one in row] if sum(row) else [share] * len(row) for row in links]
    links = [[damping * one + (1 - damping) * share for one in row] for row in links]
    scores, iterations = _eigenvector(links, tolerance, limit)
    total = sum(map(abs, scores))
    return votes.result("pagerank", [score / total for score in scores], iterations)


def pairwise_scores(scores: Iterable[float]) -> list[list[float]]:
    """The probabilities that the row's system wins against the column's, by strengths such as those of `bradley_terry`."""
    strengths = [float(score) for score in one_column(scores)]
    return [[_number(_over(one, one + other), 0.0) for other in strengths] for one in strengths]


def _votes(
    xs: Iterable[Any],
    ys: Iterable[Any],
    winners: Iterable[Any],
    index: Iterable[Any] | None,
    weights: Iterable[float] | None,
) -> _Votes:
    """Returns votes with systems by their places."""
    firsts, seconds, given = listed(xs), listed(ys), listed(winners)
    counted = None if weights is None else [float(weight) for weight in one_column(weights)]
    lengths = [len(firsts), len(seconds), len(given)] + ([] if counted is None else [len(counted)])
    if len(set(lengths)) > 1:
        named = ", ".join(f"{n} {name}" for n, name in zip(lengths, ("xs", "ys", "winners", "weights"), strict=False))
        raise InputError(f"{named}, expected as many of each")
    if counted is not None and not all(map(math.isfinite, counted)):
        raise InputError("weights: expected numbers that are finite")
    systems = {} if index is None else {system: place for place, system in enumerate(index)}
    kinds: dict[Any, int] = {}
    try:
        x, y = (_native.number(side, systems, index is None) for side in (firsts, seconds))
    except KeyError as error:
        raise TypeError(f"index: {error.args[0]!r} is not in it") from None
    places, cells = _native.cells(x, y, _native.number(given, kinds, True))
    names = list(systems)
    # As in evalica, numbers are outcomes, whatever systems are called.
    winner = {number: Winner(number) for number in (0, 1, 2)}
    outcomes = [winner.get(one, one) for one in kinds]
    rows = [(x, y, outcome_of(outcomes[kind], names[x], names[y])) for x, y, kind in cells]
    return _Votes(names, rows, places, counted)


def _iterated(
    step: Callable[[list[float]], list[float]], scores: list[float], tolerance: float, limit: int
) -> tuple[list[float], int]:
    """The scores after steps that still change them, and the number of steps."""
    for iteration in range(1, limit + 1 if scores else 1):
        new = step(scores)
        change = math.dist(new, scores)
        scores = new
        if change < tolerance:
            return scores, iteration
    return scores, limit if scores else 0


def _eigenvector(matrix: Matrix, tolerance: float, limit: int) -> tuple[list[float], int]:
    """The leading eigenvector of a transposed matrix, of length 1, by power iteration."""

    def step(scores: list[float]) -> list[float]:
        new = [sum(row[one] * score for row, score in zip(matrix, scores, strict=True)) for one in range(len(matrix))]
        length = math.hypot(*new) or 1.0
        return [_number(one / length, tolerance) for one in new]

    return _iterated(step, [1 / len(matrix) for _ in matrix], tolerance, limit)


def _over(one: float, other: float) -> float:
    """A quotient as floating point numbers have it, by zero too."""
    if other:
        return one / other
    return math.nan if one == 0 or math.isnan(one) else math.copysign(math.inf, one)


def _log(number: float) -> float:
    return math.log(number) if number > 0 else -math.inf if number == 0 else math.nan


def _number(value: float, instead: float) -> float:
    """A number that is finite."""
    if math.isnan(value):
        return instead
    return math.copysign(1.7976931348623157e308, value) if math.isinf(value) else value
