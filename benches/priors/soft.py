"""Whether what a model says of systems is rather how often it prefers one, or by how much.

    python benches/priors/soft.py --data ../shared/data --predictions target/priors SET...

For every set and every pair of systems the margin over all comparisons is held against two margins by the predictions
of all items: the share on which p exceeds one half, less one half (`signs`), and the mean of p - 1/2 (`soft`). Printed
are the slope through the origin that fits best, what is left (root mean square, pairs weighted by their comparisons)
with the set's own slope and with that of the other sets, the correlation; then the geometric means. Tables are those
of `audits.py`, SET.MODEL.csv. Needs numpy."""

import collections
import csv

import numpy

from scales import judged, predicted_sets, truth

KINDS = {"signs": lambda p: numpy.sign(p - 0.5) / 2, "soft": lambda p: p - 0.5}


def predicted(table):
    """p of all items, by pair."""
    found = collections.defaultdict(list)
    for row in csv.DictReader(table.open()):
        pair, p = (row["system_a"], row["system_b"]), float(row["p"])
        found[tuple(sorted(pair))].append(p if pair[0] < pair[1] else 1 - p)
    return {pair: numpy.array(each) for pair, each in found.items()}


def read(data, table):
    """Shares of the comparisons, margins over these, and margins by kind, of every pair."""
    scores, compared = judged(data)
    margins, said = truth(scores, compared), predicted(table)
    pairs = sorted(margins)
    weights = numpy.array([compared[pair] for pair in pairs])
    by_kind = {kind: numpy.array([each(said[pair]).mean() for pair in pairs]) for kind, each in KINDS.items()}
    return weights / weights.sum(), numpy.array([margins[pair][0] for pair in pairs]), by_kind


def slope(sets, kind):
    """The best one through the origin, every set counting as one."""
    return sum((w * d) @ m[kind] for w, d, m in sets) / sum((w * m[kind]) @ m[kind] for w, d, m in sets)


def tell(kind, found):
    left = []
    for name, (weights, d, m) in found.items():
        others = [each for other, each in found.items() if other != name]
        own, theirs = slope([found[name]], kind), slope(others, kind)
        rest = [numpy.sqrt(weights @ (d - beta * m[kind]) ** 2) for beta in (own, theirs)]
        correlation = own * numpy.sqrt(weights @ m[kind] ** 2 / (weights @ d**2))
        told = f"slope {own:.2f} ({theirs:.2f} of others), left {rest[0]:.4f} ({rest[1]:.4f})"
        print(f"{kind:6} {name:16} {told}, correlation {correlation:.3f}")
        left.append(rest)
    own, theirs = numpy.exp(numpy.log(left).mean(axis=0))
    print(f"{kind:6} geometric means {own:.4f} ({theirs:.4f})")


def main():
    found = {name: read(*both) for name, both in predicted_sets().items()}
    for kind in KINDS:
        tell(kind, found)


if __name__ == "__main__":
    main()
