"""Results: as the command line prints them, by name, and shown in a notebook."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tiebreak._table import rows_as_html

if TYPE_CHECKING:
    import tempfile

    import pandas
    import polars


class Rows(list[dict[str, Any]]):
    """Rows of a small table."""

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a data frame of pandas."""
        import pandas

        return pandas.DataFrame(list(self))

    def to_polars(self) -> polars.DataFrame:
        """Returns a data frame of polars."""
        import polars

        return polars.DataFrame(list(self), infer_schema_length=None)

    def _repr_html_(self) -> str:
        return rows_as_html(self, list(self[0]) if self else [])


class Plot:
    """The plots of a result as SVG. A notebook shows them; nothing else is needed to draw them."""

    def __init__(self, svgs: list[str]) -> None:
        self.svgs = svgs
        """A text of SVG for each plot."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the first plot to a file."""
        Path(path).write_text(self.svgs[0], encoding="utf-8")

    def _repr_html_(self) -> str:
        return "".join(self.svgs)


class Found:
    """A result. It prints what the command prints; in a notebook it has a table and a plot."""

    _rows: ClassVar[str | None] = None
    """The key of the rows in the document."""

    def __init__(self, found: str, text: str, shown: str | None = None) -> None:
        self.json: dict[str, Any] = json.loads(found)
        """The document that the command prints with `--json`."""
        self._text = text
        self._html = shown

    def __getitem__(self, key: str) -> Any:
        return self.json[key]

    @property
    def table(self) -> Rows:
        """The rows of the result; where it has none, its values in one row."""
        if self._rows:
            return Rows(self.json[self._rows])
        return Rows([{key: value for key, value in self.json.items() if not isinstance(value, (dict, list))}])

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the rows as a data frame of pandas."""
        return self.table.to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """Returns the rows as a data frame of polars."""
        return self.table.to_polars()

    def plot(self) -> Plot:
        """Returns the plots of the result."""
        svgs = re.findall(r"<svg.*?</svg>", self._html or "", flags=re.DOTALL)
        if not svgs:
            raise ValueError(f"{type(self).__name__} has no plot")
        return Plot(svgs)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return self._html if self._html is not None else f"<pre>{html.escape(self._text)}</pre>"


def _ranked(found: Mapping[str, Any]) -> Rows:
    """Returns strengths with ranks."""
    ranks = {one["system"]: one for one in found["ranks"]}
    unranked = {"rank_low": None, "rank_high": None}
    return Rows({**one, **unranked, **ranks.get(one["system"], {})} for one in found["strengths"])


class Ranking(Found):
    """Strengths, ranks that hold together, groups of systems without a proved difference, and the verdict."""

    @property
    def claim(self) -> dict[str, Any]:
        """The verdict about those asked for, of whom `people="new-annotators"` may know too few: its systems, people, items,
        confidence and assumptions."""
        claim: dict[str, Any] = self.json["claim"]
        if self.json.get("people") != "new-annotators":
            return claim
        nothing = {**claim, "kind": "undecided", "systems": [], "confidence": None, "assumes": [], "about": "panel"}
        new: dict[str, Any] = (self.json.get("new_annotators") or {}).get("claim", nothing)
        return new

    @property
    def table(self) -> Rows:
        """A row a system, strongest first: strength with its interval, and possible ranks, for these annotators, whoever was
        asked for; `new_annotators_table` is for new ones. A campaign has no intervals, and only the ranks that its verdict
        implies."""
        return _ranked(self.json)

    @property
    def new_annotators(self) -> dict[str, Any] | None:
        """Strengths, ranks, groups and verdict for new annotators like those who answered; None where there are
        none."""
        panel: dict[str, Any] | None = self.json.get("new_annotators")
        return panel

    @property
    def new_annotators_table(self) -> Rows:
        """The rows of `table`, for new annotators like those who answered; empty where nothing can be said of these."""
        return _ranked(self.new_annotators or {"strengths": [], "ranks": []})

    @property
    def scores(self) -> dict[str, float | None]:
        """The strength of each system, strongest first."""
        return {row["system"]: row["strength"] for row in self.json["strengths"]}


def _for_new(rows: Rows, names: Sequence[str]) -> Rows:
    """Returns what rows have about new annotators, with these of their columns."""
    about = ((row, row.get("new_annotators")) for row in rows)
    return Rows({**{name: row[name] for name in names}, **new} for row, new in about if new is not None)


class Estimates(Found):
    """Each system's mean judgment with its interval, a row a system and criterion, for these annotators."""

    _rows = "estimates"

    @property
    def new_annotators(self) -> Rows:
        """A row a system and criterion: its mean for new annotators like those who judged, with an interval."""
        return _for_new(self.table, ("system", "criterion"))

    def differences(self) -> Rows:
        """Returns a row a pair of systems: how much better the first is, with an interval, and whether it is `significant`,
        for these annotators, whoever was asked for; `new_annotators_differences` is for new ones."""
        return Rows(self.json.get("differences", []))

    def new_annotators_differences(self) -> Rows:
        """Returns a row a pair of systems and criterion: how much better the first is for new annotators like those who
        judged. Each interval is for one pair by itself. Pairs of which nothing can be said are left out."""
        return _for_new(self.differences(), ("system_a", "system_b", "criterion"))


class Gate(Found):
    """Whether a new system is good enough, a row a comparison."""

    _rows = "results"

    @property
    def passed(self) -> bool:
        """Whether the requirement is met, or undecided where that passes."""
        return bool(self.json["passed"])

    @property
    def decision(self) -> str:
        """`"met"`, `"not-met"` or `"undecided"`."""
        return str(self.json["decision"])

    @property
    def results(self) -> Rows:
        """A row a comparison: difference, interval, verdicts, the items needed and the smallest difference detectable."""
        return Rows(self.json["results"])

    def __bool__(self) -> bool:
        return self.passed


class Correlations(Found):
    """How well metrics agree with people, a row a metric, grouping and coefficient."""

    _rows = "correlations"

    def differences(self) -> Rows:
        """Returns a row a pair of metrics and a coefficient: which agrees better, and a test."""
        return Rows(self.json["differences"])


class Assessment(Found):
    """How good predictions are, a row a measure."""

    @property
    def table(self) -> Rows:
        """A row a measure: its value, with an interval."""
        measures = ((name, one) for name, one in self.json.items() if isinstance(one, dict) and "value" in one)
        return Rows({"measure": name, **one} for name, one in measures)

    @property
    def reliability(self) -> Rows:
        """A row a bin: how often what was predicted came true."""
        return Rows(self.json["reliability"])


class Annotators(Found):
    """Annotators compared with each other, a row an annotator and kind of answer."""

    _rows = "annotators"

    @property
    def agreement(self) -> Rows:
        """A row a kind of answer: alpha and kappa."""
        return Rows(self.json["agreement"])

    @property
    def findings(self) -> Rows:
        """A row a sign of careless answering."""
        return Rows(self.json["findings"])


class Simulation(Found):
    """Replays of recorded comparisons, a row a system."""

    _rows = "standings"


class Plan(Found):
    """How many judgments a study takes, a row a design."""

    _rows = "designs"


class Fitted(Found):
    """What was learned from comparisons: a file, or for a preference model a folder."""

    def __init__(self, found: str, path: Path, folder: tempfile.TemporaryDirectory[str]) -> None:
        document = json.loads(found)
        super().__init__(found, "\n".join(f"{key}: {value}" for key, value in document.items()))
        self.path = path
        """Where it lies."""
        self._folder = folder

    def __fspath__(self) -> str:
        return os.fspath(self.path)
