"""The program `tiebreak`, in this process: the wheel holds its code once."""

from __future__ import annotations

import signal
import sys

from tiebreak import _native


def main() -> None:
    """Runs the command line and ends the process."""
    # The program hears signals itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.main(["tiebreak", *sys.argv[1:]]))
