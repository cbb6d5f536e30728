"""Data sets and their commands."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from tiebreak import _native
from tiebreak._campaign import Campaign
from tiebreak._errors import InputError
from tiebreak._results import Estimates, Found, Gate, Ranking
from tiebreak._table import Table, as_arrow, package

Metrics: TypeAlias = str | Sequence[str]
"""`"chrf"`, `"chrf:word-order=2"`, or several."""

People: TypeAlias = Literal["these", "new-annotators", "both"]
"""The people that a result is about."""

Requirement: TypeAlias = Literal["no-regression", "not-worse", "equivalent", "better"]
"""What a new system must show."""

Items: TypeAlias = Literal["like-these", "these"]
"""The items that a result is about."""

TABLES = ("items", "outputs", "comparisons", "judgments")
"""The tables of a data set."""


def load(
    data: Any,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
    pick: Mapping[str, str] | None = None,
    seed: int | None = None,
    device: str | None = None,
    quiet: bool = False,
) -> Data:
    """Opens a data set.

    `data` is one of these:

    * a folder, a file, or files of another tool (`format` names the tool, `pick` chooses within);
    * a data frame or table of Arrow (pandas, polars, pyarrow, DuckDB, `datasets`); `pick={"split": "test"}` chooses a
      split;
    * rows as dicts (a list, a generator, a stream of `datasets`), or columns as a dict of lists;
    * several of these by name, `{"outputs": …, "comparisons": …}`.

    Columns are `item`, `system`, `output`, and optionally `source` and `references`. `columns` maps other names,
    `{"item": "segment_id"}`.
    """
    renamed = list((columns or {}).items())
    if isinstance(data, (str, os.PathLike)):
        chosen = list((pick or {}).items())
        return _opened("open", (os.fspath(data), renamed, chosen, format, seed, device, quiet), Path(data))
    tables = [(name, _given(_held(table))) for name, table in _named(_held(data, pick or {}), columns or {})]
    return _opened("of_tables", (tables, renamed, seed, device, quiet), None)


def _opened(how: str, given: tuple[Any, ...], path: Path | None) -> Data:
    """A data set as the extension opens it; the same again where it is unpickled."""
    return Data(getattr(_native.Data, how)(*given), path, (how, given))


def gate(
    base: Any,
    new: Any,
    *,
    criterion: str | Sequence[str] | None = None,
    require: Requirement = "no-regression",
    margin: float | None = None,
    confidence: float = 0.95,
    quiet: bool = False,
    **keys: Any,
) -> Gate:
    """Whether a new system is good enough beside the one that is there: `assert tb.gate("main.eval", "new.eval").passed`.

    `base` and `new` are logs of one system each: whatever `load` takes, or what it returned; rows need `item` and `score`
    alone. `criterion` names criteria of their scores, by default all. Further keys are those of the command `gate`:
    `range=[0, 1]`, `by="language"`, `over=50`, `undecided="pass"`."""
    given = _keys(**keys, criterion=criterion, require=require, margin=margin, confidence=confidence)
    one, other = (_log(data, name, quiet) for data, name in ((base, "base"), (new, "new")))
    return Gate(*one._native.gate(given, [other._native]))


def _log(data: Any, name: str, quiet: bool) -> Data:
    """A log of one system. Rows that do not name it, or a criterion, have one."""
    if isinstance(data, Data):
        return data
    data = _held(data)
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)) and data and isinstance(data[0], Mapping):
        data = {"judgments": [{"system": name, "criterion": "score", **row} for row in data]}
    return load(data, quiet=quiet)


class Data:
    """A data set: outputs of systems for items, and people's judgments of them."""

    def __init__(self, native: _native.Data, path: Path | None, origin: tuple[str, tuple[Any, ...]]) -> None:
        self._native = native
        self._path = path
        self._origin = origin

    def __reduce__(self) -> tuple[Any, ...]:
        return _opened, (*self._origin, self._path)

    def __deepcopy__(self, memo: object) -> Data:
        return self  # It never changes.

    @property
    def systems(self) -> list[str]:
        """The systems, by name."""
        return self._native.systems

    @property
    def items(self) -> int:
        """The number of items."""
        return self._native.items

    def check(self) -> Found:
        """Summarizes the data set: what it holds, and what can be run on it."""
        found, text = self._native.check()
        return Found(found, text)

    def score(self, metrics: Metrics, *, draws: int | None = None) -> Table:
        """Scores all outputs: columns `item`, `system`, `metric`, `score`, and with `draws` `std` and
        `draws`."""
        return Table(self._native.score(_keys(metric=metrics, draws=draws)))

    def system_scores(self, metrics: Metrics, *, corpus: bool = True) -> list[dict[str, Any]]:
        """Scores each system, with signatures: of the corpus, or the mean of its outputs' scores."""
        rows: list[dict[str, Any]] = json.loads(self._native.system_scores(_keys(metric=metrics), corpus))
        return rows

    def predict(
        self,
        model: str | None = None,
        *,
        draws: int | str | None = None,
        scores: Any = None,
        metric: str | None = None,
        link: str | None = None,
        **keys: Any,
    ) -> Table:
        """Predicts preferences between all pairs of outputs: columns `item`, `system_a`, `system_b`, `p`, `mean`,
        `bald`, `std`. A preference model predicts (by default the one inside), or with `scores`, `metric` and `link` a
        metric. Further keys are those of the command `predict`: `order="both"`, `keep_draws=True`."""
        given = _keys(model=model, draws=draws, metric=metric, link=link, **keys)
        return Table(self._native.predict(given, _beside(scores)))

    def rank(
        self,
        *,
        predictions: Any = None,
        verdicts: Any = None,
        style: bool = False,
        people: People = "these",
        items: Items = "like-these",
        confidence: float = 0.95,
        **keys: Any,
    ) -> Ranking:
        """Ranks all systems by the collected comparisons, each used once, about these annotators and items like these.
        `people` may be `"new-annotators"` or `"both"`, `items` may be `"these"`. Further keys are those of the
        command `rank`: `baseline="gpt-4"` with `style`, `by="language"` for slices of the items. With `verdicts` the
        ranking is a judge's: `True` takes the verdicts that the data set holds, a table of predictions those of the
        table."""
        own = True if verdicts is True else None
        given = _keys(style=style, people=people, items=items, confidence=confidence, verdicts=own, **keys)
        table = None if verdicts is True else _beside(verdicts)
        return Ranking(*self._native.rank(given, _beside(predictions), table))

    def estimate(
        self,
        criterion: str | None = None,
        *,
        scores: Any = None,
        metric: Metrics | None = None,
        estimator: str | None = None,
        people: People = "these",
        items: Items = "like-these",
        confidence: float = 0.95,
        **keys: Any,
    ) -> Estimates:
        """Estimates each system's mean human judgment, with an interval, and how systems differ, about these annotators
        and items like these. `people` may be `"new-annotators"` or `"both"`, `items` may be `"these"`. Further keys are
        those of the command `estimate`: `range=[1, 5]`, `target_width=0.2`, `by="language"` for slices of the
        items."""
        given = _keys(
            **{"differences": True, **keys},
            criterion=criterion,
            metric=metric,
            estimator=estimator,
            people=people,
            items=items,
            confidence=confidence,
        )
        return Estimates(*self._native.estimate(given, _beside(scores)))

    def gate(
        self,
        base: str,
        new: str | Sequence[str] | None = None,
        *,
        criterion: str | Sequence[str] | None = None,
        require: Requirement = "no-regression",
        margin: float | None = None,
        confidence: float = 0.95,
        **keys: Any,
    ) -> Gate:
        """Whether the system `new` of this data set is good enough beside `base`. Further keys are those of the command
        `gate`: `range=[0, 1]`, `by="language"`, `over=50`, `undecided="pass"`."""
        given = _keys(
            **keys, base=base, new=new, criterion=criterion, require=require, margin=margin, confidence=confidence
        )
        return Gate(*self._native.gate(given, []))

    def campaign(self, run: str | os.PathLike[str], *, predictions: Any = None, batch: int = 1, **keys: Any) -> Campaign:
        """Begins a campaign in the folder `run`, or continues the one there. Keys are those of the command `ask`:
        `confidence=0.95`, `mix="auto"` (the default with `predictions`), `seed=7`."""
        return Campaign(Path(run), self._path or Path(self._native.path), self._path is None, predictions, batch, keys)

    def __repr__(self) -> str:
        return f"Data({len(self.systems)} systems, {self.items} items)"

    def _repr_html_(self) -> str:
        return self.check()._repr_html_()


def _keys(**given: Any) -> str:
    """Returns the given keys of a stage as JSON."""
    return json.dumps({key.replace("_", "-"): value for key, value in given.items() if value is not None})


def _beside(table: Any) -> Any:
    """Returns a table of tiebreak as the extension knows it."""
    if isinstance(table, Table):
        return table._native
    return as_arrow(table)


def _held(data: Any, pick: Mapping[str, str] = MappingProxyType({})) -> Any:
    """Returns data in memory: a stream of rows as a list, a frame that cannot speak Arrow as rows, one of the splits."""
    if package(data) == "datasets" and isinstance(data, Mapping):
        split = pick.get("split", next(iter(data)) if len(data) == 1 else None)
        if split not in data:
            raise InputError(f"splits: {', '.join(map(str, data))}", 'choose one: `pick={"split": …}`')
        data = data[split]
    if package(data) == "pandas" and importlib.util.find_spec("pyarrow") is None:
        return data.astype(object).where(data.notna(), None).to_dict("records")
    if package(data) == "polars":
        return as_arrow(data)
    streams = package(data) == "datasets" and not hasattr(data, "data")
    return list(data) if streams or isinstance(data, Iterator) else data


def _named(data: Any, columns: Mapping[str, str]) -> Iterable[tuple[str, Any]]:
    """Returns tables by name. The columns of a single table say which it is."""
    if isinstance(data, Mapping) and data and set(data) <= set(TABLES):
        return list(data.items())
    names = _columns(data)
    own = {columns.get(name, name): name for name in ("outcome", "criterion")}
    told = {own[name] for name in names if name in own}
    name = "comparisons" if "outcome" in told else "judgments" if "criterion" in told else "outputs"
    return [(name, data)]


def _columns(data: Any) -> list[str]:
    if isinstance(data, Mapping):
        return list(data)
    if isinstance(data, Sequence):
        return list(data[0]) if data and isinstance(data[0], Mapping) else []
    names = getattr(data, "column_names", None)
    return [str(name) for name in (getattr(data, "columns", []) if names is None else names)]


def _given(table: Any) -> Any:
    """A table as the extension takes it: something that speaks Arrow, or JSON lines."""
    if isinstance(table, Mapping):
        lengths = {name: len(values) for name, values in table.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"columns of different lengths: {lengths}", "a row needs a value in each column")
        table = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    if isinstance(table, Sequence) and not isinstance(table, (str, bytes)):
        return "".join(json.dumps(row, default=_plain) + "\n" for row in table)
    return as_arrow(table)


def _plain(value: Any) -> Any:
    """A scalar or array of numpy."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise InputError(f"a value of {type(value).__name__}: {value!r}", "texts, numbers and lists of them make a row")
