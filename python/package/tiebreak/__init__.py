"""Find out which text-generation system is best, and how good each one is, with few human judgments.

    import tiebreak as tb
    data = tb.load("mine")
    print(data.rank())

`load` opens a data set. Its methods are the commands of these names, with the same keys and numbers; `campaign` asks
people. `tb.score(outputs, references, "chrf")` and `tb.rank(rows)` need no data set. `tb.gate(base, new).passed` is for
tests. `tb.sacrebleu`, `tb.evaluate`, `tb.rouge_scorer` and `tb.evalica` replace the packages of these names, `tb.bleu`,
`tb.chrf` and `tb.ter` are metrics. `tb.arrow` is for clusters, `tb.inspect` for Inspect.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tiebreak._errors import Error, InputError
from tiebreak._native import __version__

if TYPE_CHECKING:
    from tiebreak import arrow, evalica, evaluate, inspect, rouge_scorer, sacrebleu
    from tiebreak._campaign import Campaign, Duel, Rating
    from tiebreak._data import Data, gate, load, plan, rank
    from tiebreak._estimates import bradley_terry, dawid_skene, krippendorff_alpha, ppi_mean_ci
    from tiebreak._race import Race, race
    from tiebreak._results import Estimates, Gate, Ranking
    from tiebreak._score import MetricScore, score
    from tiebreak._table import Table
    from tiebreak.rouge_scorer import RougeScorer
    from tiebreak.sacrebleu import BLEU, CHRF, TER

    bleu: BLEU
    chrf: CHRF
    ter: TER

__all__ = [
    "BLEU",
    "CHRF",
    "TER",
    "Campaign",
    "Data",
    "Duel",
    "Error",
    "Estimates",
    "Gate",
    "InputError",
    "MetricScore",
    "Race",
    "Ranking",
    "Rating",
    "RougeScorer",
    "Table",
    "__version__",
    "arrow",
    "bleu",
    "bradley_terry",
    "chrf",
    "dawid_skene",
    "evalica",
    "evaluate",
    "gate",
    "inspect",
    "krippendorff_alpha",
    "load",
    "plan",
    "ppi_mean_ci",
    "race",
    "rank",
    "rouge_scorer",
    "sacrebleu",
    "score",
    "ter",
]

# Loaded when they are first asked for: an import costs next to nothing.
_MODULES = ("arrow", "evalica", "evaluate", "inspect", "rouge_scorer", "sacrebleu")
_NAMES = {
    "Campaign": "_campaign",
    "Duel": "_campaign",
    "Rating": "_campaign",
    "Data": "_data",
    "gate": "_data",
    "load": "_data",
    "plan": "_data",
    "rank": "_data",
    "bradley_terry": "_estimates",
    "dawid_skene": "_estimates",
    "krippendorff_alpha": "_estimates",
    "ppi_mean_ci": "_estimates",
    "Race": "_race",
    "race": "_race",
    "Estimates": "_results",
    "Gate": "_results",
    "Ranking": "_results",
    "RougeScorer": "rouge_scorer",
    "MetricScore": "_score",
    "score": "_score",
    "Table": "_table",
    "BLEU": "sacrebleu",
    "CHRF": "sacrebleu",
    "TER": "sacrebleu",
}
_METRICS = {"bleu": "BLEU", "chrf": "CHRF", "ter": "TER"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"tiebreak.{name}")
    if name in _NAMES:
        value = getattr(importlib.import_module(f"tiebreak.{_NAMES[name]}"), name)
    elif name in _METRICS:
        value = getattr(importlib.import_module("tiebreak.sacrebleu"), _METRICS[name])()
    else:
        raise AttributeError(f"module 'tiebreak' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
