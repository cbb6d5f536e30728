"""Tables of results."""

from __future__ import annotations

import html
import importlib.util
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tiebreak import _native
from tiebreak._errors import InputError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

SHOWN = 10
"""The number of rows that show of a longer table."""


class Table:
    """A table in memory, with Arrow's PyCapsule interface. So pandas, polars, pyarrow, DuckDB and others take it as it
    is (`polars.DataFrame(table)`, `pyarrow.table(table)`); none of them is needed."""

    def __init__(self, native: _native.Table) -> None:
        self._native = native

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._native.columns

    @property
    def metadata(self) -> Mapping[str, str]:
        """The metadata: signature, seed, digest of the data, parameters."""
        return self._native.metadata

    @property
    def signature(self) -> str | None:
        """The signature of its numbers, where known."""
        return self._native.metadata.get("signature")

    def __deepcopy__(self, memo: object) -> Table:
        return self  # It never changes.

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, column: str) -> list[Any]:
        """Returns the values of a column."""
        return self._native.column(column)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Iterates over its rows."""
        return iter(self.to_pylist())

    def to_pylist(self) -> list[dict[str, Any]]:
        """Returns its rows as dicts."""
        return self._native.rows()

    def to_pydict(self) -> dict[str, list[Any]]:
        """Returns its columns as lists."""
        return {name: self[name] for name in self.columns}

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a data frame of pandas."""
        return as_pandas(self._native)

    def to_polars(self) -> polars.DataFrame:
        """Returns a data frame of polars."""
        import polars

        return polars.DataFrame(self)

    def to_pyarrow(self) -> pyarrow.Table:
        """Returns a table of pyarrow."""
        import pyarrow

        return pyarrow.table(self)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file, by its ending: .parquet, .arrow, .jsonl, .csv or .tsv. The command line writes the same
        bytes."""
        self._native.write(os.fspath(path))

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        lines = ["\t".join(self.columns)]
        lines += ["\t".join(_cell(value) for value in row.values()) for row in self._native.rows(0, SHOWN)]
        if len(self) > SHOWN:
            lines.append(f"… {len(self)} rows")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        shown = rows_as_html(self._native.rows(0, SHOWN), self.columns)
        more = f"<p>{len(self)} rows</p>" if len(self) > SHOWN else ""
        return shown + more


def as_pandas(table: _native.Table) -> pandas.DataFrame:
    """Returns a data frame of any pandas, with pyarrow or without."""
    import pandas

    try:
        import pyarrow
    except ImportError:
        return pandas.DataFrame({name: table.column(name) for name in table.columns})
    return pyarrow.table(table).to_pandas()


def as_arrow(table: Any) -> Any:
    """Returns something that speaks Arrow. Tables of `datasets` have one inside; old frames of pandas need pyarrow."""
    if package(table) == "polars" and type(table).__name__ == "LazyFrame":
        return table.collect()
    if table is None or isinstance(table, (str, os.PathLike)) or hasattr(table, "__arrow_c_stream__"):
        return table
    if package(table) == "pandas":
        import pyarrow

        return pyarrow.table(table)
    inside = getattr(getattr(table, "data", None), "table", None)
    if inside is not None and getattr(table, "_indices", None) is not None:
        return table.flatten_indices().data.table
    return table if inside is None else inside


def splits_of(data: Any) -> list[str]:
    """Returns the names of the splits, where the data are several tables of `datasets`."""
    return list(map(str, data)) if package(data) == "datasets" and isinstance(data, Mapping) else []


def held(data: Any, pick: Mapping[str, str] = MappingProxyType({})) -> Any:
    """Returns data in memory: a stream of Arrow as a table, a stream of rows as a list, a frame that cannot speak Arrow as
    rows, one of the splits."""
    is_list = isinstance(data, Sequence) and not isinstance(data, (str, bytes))
    if getattr(data, "ndim", None) == 1 or (is_list and len(data) > 0 and not isinstance(data[0], Mapping)):
        what = f"a {type(data).__name__} of single values, expected rows with named columns"
        raise InputError(what, 'name each value, as in `[{"item": "1", "score": 0.5}]`')
    if splits_of(data):
        split = pick.get("split", next(iter(data)) if len(data) == 1 else None)
        if split not in data:
            raise InputError(f"splits: {', '.join(splits_of(data))}", 'choose one: `pick={"split": …}`')
        data = data[split]
    if package(data) == "pandas" and importlib.util.find_spec("pyarrow") is None:
        return frame_rows(data)
    if hasattr(data, "read_all"):
        return data.read_all()
    if package(data) == "polars":
        return as_arrow(data)
    if package(data) == "datasets" and not hasattr(data, "data"):
        features = (data.features or {}).items()
        # -1 is no class.
        classes = {column: dict(enumerate(one.names)) for column, one in features if hasattr(one, "names")}
        return [{**row, **{column: names.get(row[column]) for column, names in classes.items()}} for row in data]
    return list(data) if isinstance(data, Iterator) else data


def as_given(table: Any) -> Any:
    """Returns a table as the extension takes it: its own, something that speaks Arrow, or JSON lines."""
    if isinstance(table, Table):
        return table._native
    table = held(table)
    if isinstance(table, Mapping):
        lengths = {name: len(values) for name, values in table.items()}
        if len(set(lengths.values())) > 1:
            raise InputError(f"columns of different lengths: {lengths}", "a row needs a value in each column")
        table = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    if isinstance(table, Sequence) and not isinstance(table, (str, bytes)):
        return lines(table)
    return as_arrow(table)


def frame_rows(frame: Any) -> list[dict[str, Any]]:
    """Returns a frame of pandas as rows."""
    rows: list[dict[str, Any]] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return rows


def lines(rows: Sequence[Any]) -> str:
    """Returns rows as JSON lines."""
    return "".join(_line(number, row) + "\n" for number, row in enumerate(rows, 1))


def _line(number: int, row: Any) -> str:
    """Returns a row as a line; a value that cannot be one is an error with its place."""
    try:
        return json.dumps(row, default=plain)
    except InputError as error:
        for name, value in row.items() if isinstance(row, Mapping) else ():
            try:
                json.dumps(value, default=plain)
            except InputError:
                raise InputError(f"row {number}, column {name!r}: {error.what}", error.hint) from None
        raise


def mixed_lines(table: Any) -> str | None:
    """Returns a table that cannot speak Arrow as JSON lines, as of a frame of pandas in which a column mixes types."""
    return lines(frame_rows(table)) if package(table) == "pandas" else None


def plain(value: Any) -> Any:
    """Returns a scalar or array of numpy, a path or a time, as JSON has it."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "isoformat"):
        return value.isoformat() if value == value else None  # Pandas' missing time differs from itself.
    if hasattr(value, "tolist"):
        return value.tolist()
    what = f"a value of {type(value).__name__}: {value!r}"
    raise InputError(what, "texts, numbers, dates and lists of them make a row")


def package(thing: Any) -> str:
    """Returns the name of the package that a thing is from."""
    return type(thing).__module__.split(".")[0]


def rows_as_html(rows: list[dict[str, Any]], columns: list[str]) -> str:
    """Returns rows as a table of HTML."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(_cell(row.get(name)))}</td>" for name in columns) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
