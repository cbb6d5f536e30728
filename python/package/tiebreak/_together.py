"""Several coroutines at once, with results in the order of the calls."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

Named = TypeVar("Named")
Found = TypeVar("Found")


async def together(calls: Iterable[tuple[Named, Awaitable[Found]]], record: Callable[[Named, Found], object]) -> None:
    """Awaits all calls together and records each result, in the order of the calls, so that their speed changes nothing.
    The first error is raised once the others are recorded. Cancelled, it cancels the calls."""
    running = [(name, asyncio.ensure_future(call)) for name, call in calls]
    failures: list[Exception] = []
    try:
        for name, call in running:
            try:
                record(name, await call)
            except Exception as error:
                failures.append(error)
    finally:
        for _, call in running:
            call.cancel()
    if failures:
        raise failures[0]
