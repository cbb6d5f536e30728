"""Keys as flags of a command."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tiebreak import _native
from tiebreak._table import Table, as_arrow


def flags(command: str, keys: Mapping[str, Any], folder: Path) -> list[str]:
    """Returns keys as flags of a command; tables in memory lie in `folder` as long as it is there."""
    found: list[str] = []
    for key, value in keys.items():
        name = key.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            found.append(f"--{name}")
        elif isinstance(value, (list, tuple)) and name in _lists(command):
            found += [f"--{name}={_text(one)}" for one in value]
        elif isinstance(value, (list, tuple)):
            found.append(f"--{name}={','.join(map(_text, value))}")
        elif is_table(value):
            path = folder / f"{key}.arrow"
            table = value if isinstance(value, Table) else Table(_native.Table.of(as_arrow(value)))
            table.write(path)
            found.append(f"--{name}={path}")
        else:
            found.append(f"--{name}={_text(value)}")
    return found


def is_table(value: Any) -> bool:
    """Whether a key's value is a table in memory."""
    plain = value is None or isinstance(value, (str, bytes, bool, int, float, os.PathLike, Mapping))
    return not plain and not isinstance(value, Sequence) and not hasattr(value, "tolist")


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
    return frozenset(listed | {"column"})
