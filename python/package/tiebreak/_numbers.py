"""Numbers and columns of numbers, as Python, numpy and data frames have them."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping
from typing import Any, cast

from tiebreak._errors import InputError


def number_of(what: str, value: Any) -> int | float:
    """Returns a finite number as Python's own; numbers of numpy are ones too, and truth values are none."""
    is_truth = isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", None) == "b"
    if not is_truth and not isinstance(value, (str, bytes)):
        for read in (operator.index, float):
            try:
                number: int | float = read(value)
            except (TypeError, ValueError, OverflowError):
                continue
            if math.isfinite(number):
                return number
    raise InputError(f"{what} is {value!r}, expected a number")


def listed(column: Iterable[Any]) -> list[Any]:
    """Returns the values of an array or of a column as Python's own, which are faster to look up."""
    column = one_column(column)
    return cast("list[Any]", column.tolist() if hasattr(column, "tolist") else list(column))


def one_column(column: Any) -> Any:
    """Returns a column. Tables are refused: iterating over them would give names of columns."""
    if isinstance(column, Mapping) or len(getattr(column, "shape", ())) > 1:
        what = f"a {type(column).__name__} where one column is expected"
        raise InputError(what, "give a list, an array of one dimension, or one column of a table")
    return column


def rows_of(table: Any) -> Any:
    """Returns an array, or rows; those of a data frame hold its values, and not the names of its columns."""
    if hasattr(table, "__array__") and not hasattr(table, "dtype"):
        import numpy

        return numpy.asarray(table)
    rows = table if hasattr(table, "dtype") else list(table)
    if isinstance(table, Mapping) or any(isinstance(row, (str, bytes)) for row in rows):
        raise InputError(f"a {type(table).__name__} of texts, expected a row of answers for each annotator")
    return rows
