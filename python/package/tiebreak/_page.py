"""Pages that a process of its own serves: of a campaign, and of a data set."""

from __future__ import annotations

import html
import json
import os
import signal
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any, Self

from tiebreak._errors import InputError


class _Served:
    """A page while it is served."""

    _shown: str

    def __init__(self, command: list[str], keys: list[str]) -> None:
        # Of its own group: an interrupted cell does not end it.
        self._server = subprocess.Popen(
            [sys.executable, "-m", "tiebreak", *command, "--print-links", "--quiet", *keys],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        weakref.finalize(self, self._server.terminate)

    def _links(self) -> list[dict[str, Any]]:
        """Returns the links as they are printed; the one that is no annotator's is the last."""
        assert self._server.stdout is not None
        found = []
        for line in self._server.stdout:
            found.append(json.loads(line))
            if "annotator" not in found[-1]:
                return found
        what, _, hint = self._server.communicate()[1].strip().removeprefix("error: ").partition("\nhint: ")
        raise InputError(what, hint or None)

    def close(self) -> None:
        """Ends the server. What was answered in a campaign is in its journal."""
        self._server.send_signal(signal.SIGINT)
        self._server.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        return f'<iframe src="{html.escape(self._shown)}" width="100%" height="700" style="border: 0"></iframe>'


class Page(_Served):
    """The page of a campaign while it is served."""

    links: dict[str, str]
    """The links of the annotators, by name."""
    admin: str
    """The link of the page for looking after the campaign."""

    def __init__(self, run: Path, keys: list[str]) -> None:
        super().__init__(["serve", os.fspath(run)], keys)
        *people, admin = self._links()
        self.links = {one["annotator"]: one["url"] for one in people}
        self.admin = admin["url"]
        self._shown = next(iter(self.links.values()), self.admin)


class View(_Served):
    """The page for looking at a data set while it is served."""

    url: str
    """Its link."""

    def __init__(self, data: str, keys: list[str]) -> None:
        super().__init__(["view", data], keys)
        self.url = self._shown = self._links()[-1]["url"]
