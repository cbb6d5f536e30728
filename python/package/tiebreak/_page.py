"""The page of a campaign, served by a process of its own."""

from __future__ import annotations

import html
import json
import os
import signal
import subprocess
import sys
import weakref
from pathlib import Path

from tiebreak._errors import InputError


class Page:
    """The page of a campaign while it is served."""

    links: dict[str, str]
    """The links of the annotators, by name."""
    admin: str
    """The link of the page for looking after the campaign."""

    def __init__(self, run: Path, keys: list[str]) -> None:
        command = [sys.executable, "-m", "tiebreak", "serve", os.fspath(run), "--print-links", "--quiet", *keys]
        # Of its own group: an interrupted cell does not end it.
        self._server = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        weakref.finalize(self, self._server.terminate)
        assert self._server.stdout is not None
        self.links = {}
        for line in self._server.stdout:
            found = json.loads(line)
            if "annotator" not in found:
                self.admin = found["url"]
                return
            self.links[found["annotator"]] = found["url"]
        what, _, hint = self._server.communicate()[1].strip().removeprefix("error: ").partition("\nhint: ")
        raise InputError(what, hint or None)

    def close(self) -> None:
        """Ends the server. What was answered is in the journal."""
        self._server.send_signal(signal.SIGINT)
        self._server.communicate()

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        link = html.escape(next(iter(self.links.values())))
        return f'<iframe src="{link}" width="100%" height="700" style="border: 0"></iframe>'
