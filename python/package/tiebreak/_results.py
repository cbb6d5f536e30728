"""Results: as the command line prints them, by name, and shown in a notebook."""

from __future__ import annotations

import html
import json
from typing import Any

from tiebreak._table import rows_as_html


class Rows(list[dict[str, Any]]):
    """Rows of a small table; `pandas.DataFrame(rows)` is one line."""

    def _repr_html_(self) -> str:
        return rows_as_html(self, list(self[0]) if self else [])


class Found:
    """A result. It prints what the command prints; in a notebook it has a table and a plot."""

    def __init__(self, found: str, text: str, shown: str | None = None) -> None:
        self.json: dict[str, Any] = json.loads(found)
        """The document that the command prints with `--json`."""
        self._text = text
        self._html = shown

    def __getitem__(self, key: str) -> Any:
        return self.json[key]

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return self._html if self._html is not None else f"<pre>{html.escape(self._text)}</pre>"


class Ranking(Found):
    """Strengths, ranks that hold together, groups of systems without a proved difference, and the verdict."""

    @property
    def claim(self) -> dict[str, Any]:
        """The verdict: its systems, people, items, confidence and assumptions."""
        claim: dict[str, Any] = self.json["claim"]
        return claim

    @property
    def table(self) -> Rows:
        """A row a system, strongest first: strength with its interval, and possible ranks. A campaign has no intervals,
        and only the ranks that its verdict implies."""
        ranks = {one["system"]: one for one in self.json["ranks"]}
        unranked = {"rank_low": None, "rank_high": None}
        return Rows({**one, **unranked, **ranks.get(one["system"], {})} for one in self.json["strengths"])

    @property
    def new_annotators(self) -> dict[str, Any] | None:
        """Strengths, ranks, groups and verdict for new annotators like those who answered; None where there are
        none."""
        panel: dict[str, Any] | None = self.json.get("new_annotators")
        return panel

    @property
    def scores(self) -> dict[str, float | None]:
        """The strength of each system, strongest first."""
        return {row["system"]: row["strength"] for row in self.json["strengths"]}


class Estimates(Found):
    """Each system's mean judgment with its interval."""

    @property
    def table(self) -> Rows:
        """A row a system and criterion."""
        return Rows(self.json["estimates"])

    @property
    def new_annotators(self) -> Rows:
        """A row a system and criterion: its mean for new annotators like those who judged, with an interval."""
        rows = [row for row in self.table if row["new_annotators"] is not None]
        return Rows({"system": row["system"], "criterion": row["criterion"], **row["new_annotators"]} for row in rows)

    def differences(self) -> Rows:
        """Returns a row a pair of systems: how much better the first is, with an interval."""
        return Rows(self.json.get("differences", []))


class Gate(Found):
    """Whether a new system is good enough."""

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
