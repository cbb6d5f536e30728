"""Progress of long work: a line on stderr, in a terminal and in a notebook."""

from __future__ import annotations

import sys
import time
import warnings

WIDTH = 30
"""Characters of the bar."""

PATIENCE = 0.5
"""Seconds before anything is shown: most work is done by then."""


class Bar:
    """A line that overwrites itself. Calls come from several threads, one at a time."""

    def __init__(self) -> None:
        self._what, self._total, self._done = "", 0, 0
        self._begun = 0.0
        self._shown = 0

    def begin(self, what: str, total: int) -> None:
        """Begins work of `total` units (0: unknown)."""
        self._what, self._total, self._done = what, total, 0
        self._begun = time.monotonic()

    def advance(self, done: int) -> None:
        """Shows that `done` units are finished."""
        self._done = max(self._done, done)
        self._show()

    def status(self, words: str) -> None:
        """Shows a state in words."""
        self._what = words
        self._show()

    def end(self) -> None:
        """Ends the line."""
        if self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            sys.stderr.flush()
            self._shown = 0

    def _show(self) -> None:
        if time.monotonic() - self._begun < PATIENCE:
            return
        line = self._what
        if self._total:
            full = min(WIDTH, WIDTH * self._done // self._total)
            line += f" [{'=' * full}{' ' * (WIDTH - full)}] {self._done}/{self._total}"
        sys.stderr.write("\r" + line.ljust(self._shown))
        sys.stderr.flush()
        self._shown = len(line)


def bar() -> Bar | None:
    """Returns a bar for a terminal or notebook, else None."""
    seen = sys.stderr is not None and (sys.stderr.isatty() or _in_notebook())
    return Bar() if seen else None


def note(message: str) -> None:
    """Warns of something that is not an error."""
    warnings.warn(message, stacklevel=2)


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    running = shell.get_ipython()
    return running is not None and "IPKernelApp" in running.config
