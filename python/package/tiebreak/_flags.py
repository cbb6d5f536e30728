"""Keys as flags of a command."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tiebreak import _native
from tiebreak._table import Table, as_given


def flags(command: str, keys: Mapping[str, Any], folder: Path) -> list[str]:
    """Returns keys as flags of a command; tables in memory lie in `folder` as long as it is there."""
    found: list[str] = []
    for key, value in keys.items():
        name = key.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            found.append(f"--{name}")
        elif is_table(value):
            found.append(f"--{name}={written(as_given(value), folder / key)}")
        elif isinstance(value, (list, tuple)) and name in _lists(command):
            found += [f"--{name}={_text(one)}" for one in value]
        elif isinstance(value, (list, tuple)):
            found.append(f"--{name}={','.join(map(_text, value))}")
        else:
            found.append(f"--{name}={_text(value)}")
    return found


def is_table(value: Any) -> bool:
    """Whether a key's value is a table in memory."""
    if isinstance(value, Sequence):
        return not isinstance(value, (str, bytes)) and len(value) > 0 and isinstance(value[0], Mapping)
    plain = value is None or isinstance(value, (bool, int, float, os.PathLike, Mapping))
    return not plain and not hasattr(value, "tolist")


def written(table: Any, place: Path) -> Path:
    """Writes a table to a file, and returns its path."""
    ending = ".jsonl" if isinstance(table, str) else ".arrow"
    path = place.with_name(place.name + ending)
    if isinstance(table, str):
        path.write_text(table, encoding="utf-8")
        return path
    Table(table if isinstance(table, _native.Table) else _native.Table.of(table)).write(path)
    return path


def _text(value: Any) -> str:
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


@lru_cache(maxsize=1)
def commands() -> dict[str, list[dict[str, Any]]]:
    """Returns the keys of all commands."""
    found: dict[str, list[dict[str, Any]]] = json.loads(_native.commands())
    return found


@lru_cache(maxsize=8)
def _lists(command: str) -> frozenset[str]:
    """Returns the keys of a command that may be given several times."""
    listed = {key["key"] for key in commands().get(command, []) if key["is_list"]}
    return frozenset(listed | {"column", "pick"})
