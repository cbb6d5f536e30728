"""Data sets and their commands."""

from __future__ import annotations

import json
import os
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack, cast

from tiebreak import _native
from tiebreak._campaign import BEGUN, Campaign
from tiebreak._errors import InputError
from tiebreak._flags import flags, is_table
from tiebreak._page import View
from tiebreak._results import (
    Annotators,
    Assessment,
    Correlations,
    Estimates,
    Fitted,
    Found,
    Gate,
    Plan,
    Ranking,
    Simulation,
)
from tiebreak._score import Metric, Metrics, named_each
from tiebreak._table import Table, as_given, held, plain, splits_of

People: TypeAlias = Literal["these", "new-annotators", "both"]
"""The people that a result is about."""

if TYPE_CHECKING:
    from tiebreak._keys import (
        AnnotatorsKeys,
        AskKeys,
        AssessKeys,
        CorrelateKeys,
        EstimateKeys,
        FitKeys,
        GateKeys,
        JudgeKeys,
        PlanKeys,
        PredictKeys,
        RankKeys,
        SimulateKeys,
    )

Path_: TypeAlias = str | os.PathLike[str]

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
    criteria: Sequence[str] | None = None,
    outcomes: Mapping[Any, Any] | None = None,
    seed: int | None = None,
    device: str | None = None,
    quiet: bool = False,
) -> Data:
    """Opens a data set.

    `data` is one of these:

    * a folder, a file, or files of another tool (`format` names the tool, `pick` chooses within);
    * a data frame or table of Arrow (pandas, polars, pyarrow, DuckDB, `datasets`); `pick={"split": "test"}` chooses a
      split of a `DatasetDict`, and `format` names the tool whose rows they are; a pick that would choose nothing is an
      `InputError`;
    * rows as dicts (a list, a generator, a stream of `datasets`), or columns as a dict of lists;
    * several of these by name, `{"outputs": …, "comparisons": …}`.

    Columns are `item`, `system`, `output`, and optionally `source` and `references`. `columns` maps other names,
    `{"item": "segment_id"}`. `criteria` names the columns or metrics that are criteria of judgments. `outcomes` says
    what words or numbers in a column of outcomes mean: 1 (the first system is better), 0.5 (a tie), 0, `"none"` (left
    out) or `"name"` (it names the better system), `{"yes": 1, "no": 0}`.
    """
    renamed = list((columns or {}).items())
    chosen = list((pick or {}).items())
    words = [(_word(word), str(meaning)) for word, meaning in (outcomes or {}).items()]
    named_criteria = None if criteria is None else [criteria] if isinstance(criteria, str) else list(criteria)
    common = (named_criteria, words, seed, device, quiet)
    if isinstance(data, (str, os.PathLike)):
        return _opened("open", (os.fspath(data), renamed, chosen, format, None, *common), Path(data))
    if splits_of(data):
        chosen = [(key, value) for key, value in chosen if key != "split"]
    named = list(_named(held(data, pick or {}), columns or {}))
    # As in a file of outputs: one reference of each item.
    given = {name for _, table in named for name in _columns(table)}
    if "reference" in given and "references" not in given and not {"references", "reference"} & {*sum(renamed, ())}:
        renamed.append(("references", "reference"))
    tables = [(name, as_given(table)) for name, table in named]
    if isinstance(data, Mapping) and set(data) <= set(TABLES):
        return _opened("of_tables", (tables, renamed, chosen, format, *common), None)
    return _opened("of_table", (tables[0], renamed, chosen, format, None, *common), None)


def _word(word: Any) -> str:
    """A word of outcomes as a cell has it."""
    return str(word).lower() if isinstance(word, bool) else str(word)


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
    **keys: Unpack[GateKeys],
) -> Gate:
    """Whether a new system is good enough beside the one that is there: `assert tb.gate("main.eval", "new.eval").passed`.

    `base` and `new` are logs of one system each: whatever `load` takes, or what it returned; rows need `item` and `score`
    alone. `criterion` names criteria of their scores, by default all. Further keys are those of the command `gate`:
    `range=[0, 1]`, `by="language"`, `over=50`, `undecided="pass"`."""
    given = _json(**keys, criterion=criterion, require=require, margin=margin, confidence=confidence)
    _native.Data.check_gate(given)
    asked = [criterion] if isinstance(criterion, str) else list(criterion or ())
    one, other = (_log(data, name, asked, quiet) for data, name in ((base, "base"), (new, "new")))
    return Gate(*one._native.gate(given, [other._native]))


def rank(comparisons: Any, **keys: Any) -> Ranking:
    """Ranks systems by comparisons: rows with `system_a`, `system_b` and `outcome`, a frame of them, or whatever `load`
    takes. Without a column `item` each row is about an item of its own. Keys are those of `Data.rank`, and `columns`,
    `outcomes`, `seed` and `quiet` of `load`."""
    if isinstance(comparisons, Data):
        return comparisons.rank(**keys)
    opening = {key: keys.pop(key) for key in ("columns", "outcomes", "seed", "quiet") if key in keys}
    if not isinstance(comparisons, (str, os.PathLike)):
        comparisons = held(comparisons)
        if not (isinstance(comparisons, Mapping) and set(comparisons) <= set(TABLES)):
            columns, names = opening.get("columns") or {}, {*_columns(comparisons)}
            is_voted = _is_voted(names, columns)
            if not is_voted or "system_a" in names:
                comparisons = _with_items(comparisons, columns)
            comparisons = comparisons if is_voted else {"comparisons": comparisons}
    return load(comparisons, **opening).rank(**keys)


def _with_items(comparisons: Any, columns: Mapping[str, str]) -> Any:
    """Returns comparisons, with an item for each where they have none."""
    names = _columns(comparisons)
    if not names or columns.get("item", "item") in names:
        return comparisons
    return [{"item": str(number), **row} for number, row in enumerate(_rows(comparisons), 1)]


def _rows(table: Any) -> Iterable[Mapping[str, Any]]:
    """Returns a table as rows."""
    if isinstance(table, Mapping):
        return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    for method, given in (("to_dicts", ()), ("to_pylist", ()), ("to_list", ()), ("to_dict", ("records",))):
        if hasattr(table, method):
            return cast("list[Mapping[str, Any]]", getattr(table, method)(*given))
    return cast("Iterable[Mapping[str, Any]]", table)


def _log(data: Any, name: str, asked: list[str], quiet: bool) -> Data:
    """A log of one system, read for the criteria asked for. Rows that do not name it, or a criterion, have one."""
    if isinstance(data, Data):
        return data
    if isinstance(data, (str, os.PathLike)):
        return _opened("open", (os.fspath(data), [], [], None, asked, None, [], None, None, quiet), Path(data))
    data = held(data)
    is_named = isinstance(data, Mapping) and set(data) <= set(TABLES)
    names = set() if is_named else set(_columns(data))
    if "output" in names and "score" not in names:
        # As in a file of outputs, a column of numbers may be a criterion.
        outputs = as_given([{"system": name, **row} for row in _rows(data)])
        return _opened("of_table", (("outputs", outputs), [], [], None, asked, None, [], None, None, quiet), None)
    if names and not {"system", "criterion"} <= names:
        data = {"judgments": [{"system": name, "criterion": "score", **row} for row in _rows(data)]}
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

    def view(self, *, scores: Any = None, predictions: Any = None, query: str = "") -> View:
        """Serves a page for looking at items, outputs, scores, judgments and verdicts, until it is closed. The last value of a
        notebook's cell shows it there. `scores` and `predictions` are tables or their files, `query` is what stands after `?`
        in a link of the page."""
        folder = tempfile.TemporaryDirectory()
        keys = {"scores": scores, "predictions": predictions, "query": query or None}
        page = View(*self._arguments(["view"], keys, Path(folder.name)))
        weakref.finalize(page, folder.cleanup)
        return page

    def score(self, metrics: Metrics, *, draws: int | None = None) -> Table:
        """Scores all outputs: columns `item`, `system`, `metric`, `score`, and with `draws` `std` and
        `draws`."""
        return Table(self._native.score(_json(metric=named_each(metrics), draws=draws)))

    def system_scores(self, metrics: Metrics, *, corpus: bool = True) -> list[dict[str, Any]]:
        """Scores each system, with signatures: of the corpus, or the mean of its outputs' scores."""
        rows: list[dict[str, Any]] = json.loads(self._native.system_scores(_json(metric=named_each(metrics)), corpus))
        return rows

    def predict(
        self,
        model: str | None = None,
        *,
        draws: int | str | None = None,
        scores: Any = None,
        metric: Metric | None = None,
        link: str | None = None,
        **keys: Unpack[PredictKeys],
    ) -> Table:
        """Predicts preferences between all pairs of outputs: columns `item`, `system_a`, `system_b`, `p`, `mean`,
        `bald`, `std`. A preference model predicts (by default the one inside), or with `scores`, `metric` and `link` a
        metric. Further keys are those of the command `predict`: `order="both"`, `keep_draws=True`."""
        return self._predicted(
            model=model, draws=draws, scores=scores, metric=named_each(metric), link=link, **keys
        )

    def judge(self, model: str, **keys: Unpack[JudgeKeys]) -> Table:
        """Asks a language model which of two outputs is better; the result is a table as that of `predict`. `model` is a
        descriptor (`judge.toml`) or its name, with `endpoint` the name there, else the folder or hub id of a model. Further
        keys are those of the command `judge`: `endpoint="http://127.0.0.1:8000/v1"`, `samples=3`, `max_cost=5`."""
        return self._predicted(model=model, **keys)

    def _predicted(self, **keys: Any) -> Table:
        return Table(self._native.predict(*_split(keys)))

    def rank(
        self,
        *,
        predictions: Any = None,
        verdicts: Any = None,
        style: bool = False,
        people: People = "these",
        items: Items = "like-these",
        confidence: float | None = None,
        **keys: Unpack[RankKeys],
    ) -> Ranking:
        """Ranks all systems by the collected comparisons, each used once, about these annotators and items like these,
        with a confidence of 0.95 unless another is given.
        `people` may be `"new-annotators"` or `"both"`, `items` may be `"these"`. Further keys are those of the
        command `rank`: `baseline="gpt-4"` with `style`, `by="language"` for slices of the items. With `verdicts` the
        ranking is a judge's: `True` takes the verdicts that the data set holds, a table of predictions those of the
        table. The folder of a campaign is ranked by what the campaign has proved, without keys."""
        about: dict[str, Any] = {"people": people, "items": items, "confidence": confidence}
        given = {"predictions": predictions, "verdicts": verdicts, "style": style, **about, **keys}
        if self._path and (self._path / BEGUN).exists():
            return Ranking(*self._printed("rank", given))
        return Ranking(*self._found("rank", **given))

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
        **keys: Unpack[EstimateKeys],
    ) -> Estimates:
        """Estimates each system's mean human judgment, with an interval, and how systems differ, about these annotators
        and items like these. `people` may be `"new-annotators"` or `"both"`, `items` may be `"these"`. Further keys are
        those of the command `estimate`: `range=[1, 5]`, `target_width=0.2`, `by="language"` for slices of the
        items. With `metric` and without `scores` the outputs are scored now."""
        if metric is not None and scores is None:
            scores = self.score(metric)
        about = {"people": people, "items": items, "confidence": confidence, "differences": True}
        given = {"criterion": criterion, "scores": scores, "metric": named_each(metric), "estimator": estimator}
        return Estimates(*self._found("estimate", **{**about, **given, **keys}))

    def correlate(
        self, metric: Metrics, *, scores: Any = None, out: Path_ | None = None, **keys: Unpack[CorrelateKeys]
    ) -> Correlations:
        """Compares metrics with people: correlations with intervals, and tests between metrics. `scores` are a table of
        scores or its file; without them the metrics score the outputs now. `out` is a file for the table. Further keys are
        those of the command `correlate`: `criterion="fluency"`, `level="system"`, `resamples=2000`."""
        scores = self.score(metric) if scores is None else scores
        return Correlations(*self._found("correlate", out, metric=named_each(metric), scores=scores, **keys))

    def assess(self, predictions: Any, *, out: Path_ | None = None, **keys: Unpack[AssessKeys]) -> Assessment:
        """Measures how good predictions are by the comparisons, and what their uncertainty is worth. `predictions` are a
        table or its file, `out` is a folder for tables and plots. Further keys are those of the command `assess`:
        `thresholds=[0.4, 0.6]`, `bins=20`."""
        return Assessment(*self._found("assess", out, predictions=predictions, **keys))

    def annotators(self, *, out: Path_ | None = None, **keys: Unpack[AnnotatorsKeys]) -> Annotators:
        """Compares annotators with each other: agreement, bias, noise, who stands out. `out` is a file for the table, or a
        folder. Keys are those of the command `annotators`: `criterion="fluency"`; `labels="mace"` makes one label of all
        answers to a question, in the data set `out`."""
        if keys.get("labels") is not None and out is None:
            raise InputError("labels: they are written as a data set, and no folder is named", 'add `out="labelled"`')
        return Annotators(*self._found("annotators", out, **keys))

    def simulate(
        self, *, predictions: Any = None, runs: int = 1, out: Path_ | None = None, **keys: Unpack[SimulateKeys]
    ) -> Simulation:
        """Replays the recorded comparisons: how many judgments would have been enough? `predictions` are a hint: a table or
        its file. `out` is a folder for the runs; an interrupted call continues there. Further keys are those of the command
        `simulate`: `bandit="rmed"`, `budget=500`, `mix="auto"`. With `criterion=`, or `scores=` and `metric=`, a race by those
        scores is replayed."""
        return Simulation(*self._found("simulate", out, predictions=predictions, runs=runs, **keys))

    def fit(
        self,
        what: Literal["link", "pairwise", "calibration"],
        *,
        metric: Metric | None = None,
        out: Path_ | None = None,
        **keys: Unpack[FitKeys],
    ) -> Fitted:
        """Learns from comparisons: a `link` from scores to preferences (`metric`, `link`, and `scores`, without which the
        metric scores the outputs now), a preference model (`pairwise`, `base`), or a `calibration` of `predictions`. The
        result lies in `out`, or exists as long as the object that is returned. Give that to `predict`: `calibration=fitted`,
        or `model=str(fitted.path)`. Further keys are those of the command `fit`."""
        given: dict[str, Any] = {"metric": named_each(metric), **keys}
        if what == "link" and metric is not None and given.get("scores") is None:
            given["scores"] = self.score(metric)
        folder = tempfile.TemporaryDirectory()
        made = Path(folder.name) / {"pairwise": "model"}.get(what, f"{what}.toml") if out is None else Path(out)
        found = self._command(["fit", what], {**given, "out": made}, Path(folder.name))
        return Fitted(found, made, folder)

    def plan(self, criterion: str, **keys: Unpack[PlanKeys]) -> Plan:
        """Computes how many judgments an interval of some `width`, or detecting some `difference`, takes, with this data set
        as the pilot. Further keys are those of the command `plan`: `power=0.8`, `annotators=5`, `repeats=[1, 2]`."""
        given: dict[str, Any] = {"criterion": criterion, **keys}
        return Plan(*self._printed("plan", given))

    def gate(
        self,
        base: str,
        new: str | Sequence[str] | None = None,
        *,
        criterion: str | Sequence[str] | None = None,
        require: Requirement = "no-regression",
        margin: float | None = None,
        confidence: float = 0.95,
        **keys: Unpack[GateKeys],
    ) -> Gate:
        """Whether the system `new` of this data set is good enough beside `base`. Further keys are those of the command
        `gate`: `range=[0, 1]`, `by="language"`, `over=50`, `undecided="pass"`."""
        given = _json(
            **keys, base=base, new=new, criterion=criterion, require=require, margin=margin, confidence=confidence
        )
        return Gate(*self._native.gate(given, []))

    def campaign(
        self,
        run: Path_,
        *,
        predictions: Any = None,
        batch: int = 1,
        seed: int | None = None,
        quiet: bool = False,
        **keys: Unpack[AskKeys],
    ) -> Campaign:
        """Begins a campaign in the folder `run`, or continues the one there; `batch` questions are asked before their
        answers are used. Keys are those of the command `ask`: `confidence=0.95`, `task="rating:fluency=1..5"`,
        `mix="auto"` (the default with `predictions`)."""
        place, reading = self._reading()
        # `ask` knows no words of outcomes. What is not read from its place lies in a folder that is there as long as the
        # extension has it.
        is_read_there = place == self._path and not reading["outcome"]
        device = self._origin[1][-2]
        given: dict[str, Any] = {"column": reading["column"], "seed": seed, "device": device, **keys}
        data = (place, None if is_read_there else self._native)
        return Campaign(Path(run), data, predictions, batch, given, quiet)

    def _found(self, stage: str, out: Path_ | None = None, **keys: Any) -> tuple[str, str, str]:
        """Returns what a stage finds: JSON, text, HTML."""
        return self._native.stage(stage, *_split(keys), None if out is None else os.fspath(out))

    def _command(
        self, names: list[str], keys: Mapping[str, Any], folder: Path, how: Sequence[str] = ("--json",)
    ) -> str:
        """Returns what a command prints that has the data set as its argument."""
        path, given = self._arguments(names, keys, folder)
        return self._native.command([*names, path, *given, *how])

    def _arguments(self, names: list[str], keys: Mapping[str, Any], folder: Path) -> tuple[str, list[str]]:
        """Returns the data set as the argument of a command, and the flags by which it was opened with keys as flags."""
        place, reading = self._reading()
        _, seed, device, _ = self._origin[1][-4:]
        return os.fspath(place), flags(" ".join(names), {**reading, "seed": seed, "device": device, **keys}, folder)

    def _printed(self, command: str, keys: Mapping[str, Any]) -> tuple[str, str]:
        """Returns what a command prints that has the data set as its argument, as JSON and as text."""
        with tempfile.TemporaryDirectory() as folder:
            found, text = (self._command([command], keys, Path(folder), how) for how in (["--json"], []))
        return found, text

    def _reading(self) -> tuple[Path, dict[str, list[str] | None]]:
        """Returns where a command reads the data set, and the columns and outcomes with other names, as flags have them. Where
        it was imported as no flags say, these are the tables that the import made."""
        _, _, chosen, format, *_ = given = self._origin[1]
        criteria, words = given[-5:-3]
        tables = self._native.imported
        if tables and (chosen or format or criteria is not None or words):
            return Path(tables), {"column": None, "outcome": None}
        columns = [f"{own}={other}" for own, other in given[1]]
        outcomes = [f"{word}={meaning}" for word, meaning in words]
        return self._path or Path(self._native.path), {"column": columns, "outcome": outcomes or None}

    def __repr__(self) -> str:
        return f"Data({len(self.systems)} systems, {self.items} items)"

    def _repr_html_(self) -> str:
        return self.check()._repr_html_()


def plan(**keys: Unpack[PlanKeys]) -> Plan:
    """Computes how many judgments a study takes before there are any: `tb.plan(width=0.2, range=[1, 5])`. Keys are those of
    the command `plan`; `Data.plan` plans from a pilot."""
    given = flags("plan", keys, Path())
    return Plan(_native.command(["plan", *given, "--json"]), _native.command(["plan", *given]))


def _json(**given: Any) -> str:
    """Returns the given keys of a stage as JSON."""
    return _split(given)[0]


def _split(given: Mapping[str, Any]) -> tuple[str, list[tuple[str, Any]]]:
    """Returns the given keys of a stage as JSON, and apart from them those that are tables in memory."""
    keys = {key.replace("_", "-"): value for key, value in given.items() if value is not None}
    tables = [(key, as_given(value)) for key, value in keys.items() if is_table(value)]
    others = {key: value for key, value in keys.items() if not is_table(value)}
    return json.dumps(others, default=plain), tables


def _named(data: Any, columns: Mapping[str, str]) -> Iterable[tuple[str, Any]]:
    """Returns tables by name. The columns of a single table say which it is."""
    if isinstance(data, Mapping) and data and set(data) <= set(TABLES):
        return list(data.items())
    names = _columns(data)
    own = {columns.get(name, name): name for name in ("outcome", "criterion")}
    told = {own[name] for name in names if name in own}
    name = "comparisons" if "outcome" in told else "judgments" if "criterion" in told else "outputs"
    return [(name, data)]


def _is_voted(names: set[str], columns: Mapping[str, str]) -> bool:
    """Whether a table has votes as files of other tools have them, with a `winner` and no `outcome`."""
    has_outcome = "outcome" in names or "outcome" in columns
    return "winner" in names and not has_outcome and bool({"model_a", "system_a"} & names)


def _columns(data: Any) -> list[str]:
    if isinstance(data, Mapping):
        return list(data)
    if isinstance(data, Sequence):
        return list(data[0]) if data and isinstance(data[0], Mapping) else []
    names = getattr(data, "column_names", None)
    return [str(name) for name in (getattr(data, "columns", []) if names is None else names)]
