"""What can go wrong, with the place and what to do about it."""

from __future__ import annotations


class Error(Exception):
    """Something failed. The text says what was found and what was expected, and has the hint as its last line."""

    hint: str | None
    """What to do about it."""
    place: str | None
    """Where it is: a file, with its line or row where there is one."""

    def __init__(self, what: str, hint: str | None = None, place: str | None = None) -> None:
        super().__init__(what if hint is None else f"{what}\nhint: {hint}")
        self.what = what
        self.hint = hint
        self.place = place

    def __reduce__(self) -> tuple[type[Error], tuple[str, str | None, str | None]]:
        return (type(self), (self.what, self.hint, self.place))


class InputError(Error, ValueError):
    """Something that can be put right: data, names, keys."""
