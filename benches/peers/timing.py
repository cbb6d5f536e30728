"""How long work takes, and tables of it."""

import resource
import statistics
import time


def wall():
    return time.perf_counter()


def cpu():
    """Of this process and of those it has waited for, such as Java's."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def timed(clock, work):
    begin = clock()
    work()
    return clock() - begin


def spread(values, form):
    middle, low, high = statistics.median(values), min(values), max(values)
    return f"{middle:{form}} [{low:{form}}, {high:{form}}]"


def table(header, rows):
    print("| " + " | ".join(header) + " |")
    print("| " + " | ".join("---" for _ in header) + " |")
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
