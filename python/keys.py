"""The keys of commands as types of arguments: `python python/keys.py` writes `package/tiebreak/_keys.py` anew.

Keys, and what they say of themselves, are those of the command line, so that none can be forgotten.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path

from tiebreak._data import Data
from tiebreak._flags import commands

FILE = Path(__file__).parent / "package" / "tiebreak" / "_keys.py"

HEAD = '''"""The keys of commands, written by `python/keys.py`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeAlias, TypedDict

Key: TypeAlias = str | int | float | os.PathLike[str] | Sequence[str] | Sequence[float]
"""The value of a key: a name, a number, a path, or several of them."""

'''

TABLES = {"scores", "predictions", "pairs", "verdicts"}
"""Keys that name a table, which may be in memory."""

METHODS = {
    "annotators": "annotators",
    "ask": "campaign",
    "assess": "assess",
    "correlate": "correlate",
    "estimate": "estimate",
    "fit": "fit",
    "gate": "gate",
    "judge": "judge",
    "plan": "plan",
    "predict": "predict",
    "rank": "rank",
    "score": "score",
    "simulate": "simulate",
}
"""The methods of `Data` that are commands."""

OTHERS = {
    "check": "`Data.check` has no keys",
    "completions": "for a shell",
    "demo": "for a terminal",
    "export": "tables have `write`",
    "help": "for a terminal",
    "import": "`load` takes files of other tools",
    "list": "for a terminal",
    "man": "for a terminal",
    "people erase": "for those who keep a campaign",
    "people export": "for those who keep a campaign",
    "report": "results show themselves",
    "run": "a pipeline is a program's own",
    "serve": "it goes on until it is stopped",
    "tell": "`Campaign.tell` takes answers",
    "view": "its keys are those of `Data.view` itself",
}
"""Why a command is no method of `Data`."""

REASONS = {
    ("ask", "n"): "a loop asks for the next question",
    ("ask", "again"): "a loop begins with the open questions",
    ("ask", "page"): "a loop shows questions itself",
    ("ask", "as"): "a loop shows questions itself",
    ("ask", "annotator"): "`tell` says who answered",
    ("ask", "panel"): "each annotator of a panel needs a sheet",
    ("gate", "report"): "for a build system",
    ("judge", "cache"): "the same as `answers`",
    ("judge", "write-batch"): "the command line writes and reads batch files",
    ("judge", "read-batch"): "the command line writes and reads batch files",
    ("judge", "shard"): "parts are for several machines",
    ("predict", "shard"): "parts are for several machines",
    ("score", "corpus"): "`system_scores` has them",
    ("score", "paired-bs"): "tests of pairs of systems are the command line's",
    ("score", "paired-ar"): "tests of pairs of systems are the command line's",
    ("score", "baseline"): "tests of pairs of systems are the command line's",
    ("score", "cluster"): "tests of pairs of systems are the command line's",
    ("score", "resamples"): "tests of pairs of systems are the command line's",
    ("score", "trials"): "tests of pairs of systems are the command line's",
    ("score", "shard"): "parts are for several machines",
} | {
    ("score", key): "of sacrebleu's command line, whose functions `tiebreak.sacrebleu` has"
    for key in (
        "confidence",
        "encoding",
        "format",
        "input",
        "num-refs",
        "parameter",
        "reference",
        "score-only",
        "sentence-level",
        "short",
        "source",
        "width",
    )
}
"""Why a key of a command is not one of its method."""


def keys(command: str, method: str) -> dict[str, tuple[str, str]]:
    """Returns the type and the help of the keys of a command that its method does not name itself."""
    named = set(inspect.signature(getattr(Data, method)).parameters)
    found = {}
    for name, listed in commands().items():
        if name.split()[0] != command:
            continue
        for key in listed:
            argument = key["key"].replace("-", "_")
            if argument in named or (name, key["key"]) in REASONS:
                continue
            kind = "bool" if key["is_switch"] else "Any" if key["key"] in TABLES else "Key"
            found[argument] = (f"{kind} | None", key["help"])
    return found


def text() -> str:
    """Returns the file."""
    parts = [HEAD]
    for command, method in METHODS.items():
        if not any("Keys" in str(one.annotation) for one in inspect.signature(getattr(Data, method)).parameters.values()):
            continue
        parts.append(f"\nclass {command.title()}Keys(TypedDict, total=False):\n")
        parts.append(f'    """Keys of the command `{command}`."""\n\n')
        for name, (kind, help_) in keys(command, method).items():
            told = re.sub(r"--([a-z][a-z-]*)", lambda flag: f"`{flag[1].replace('-', '_')}=`", help_)
            lines = textwrap.wrap(told, 110)
            parts.append(f"    {name}: {kind}\n")
            parts.append(textwrap.indent('"""' + "\n".join(lines) + '"""\n', "    "))
        parts.append("\n")
    return "".join(parts)


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
