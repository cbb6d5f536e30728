"""What could be saved if the items of a pair were drawn by what they tell, rather than all alike.

    python benches/priors/items.py --data ../shared/data --predictions target/priors SET...

Where an item is drawn with pi times the probability that it has in an even draw, its score is divided by pi. Then a
pair needs E[v/pi]/E v of the judgments, with v the mean of the squared score. The best pi is in proportion to sqrt(v),
and leaves (E sqrt(v))^2/E v (Neyman, 1934). Printed is what is saved, before unequal weights limit the bets:

  ties       where the recorded ties are known: their share
  at most    where the probability of a tie is known for each item: 1 - (E v)^2/E v^2 (Hölder)
  likely     the same if v has the beta distribution of these two moments
  predicted  by the prediction's |h|, with v on a line fitted to the other half of the items, and pi at least FLOOR
  left       the same with the scores S - a(h - mean h), which `adaptive` uses

E v and E v^2 are those of two annotators' judgments of the same item. Where there are none, both are the share of ties.
Pairs are those of the best system, each by the judgments that a proof takes, at most LIMIT. Identical outputs, which
are never asked about, are left out. --predictions holds SET.MODEL.csv, as audits.py leaves them. Needs numpy."""

import collections
import csv
import math
import zlib

import numpy

from scales import predicted_sets, rows

FLOOR = 0.1
LEAST = 0.01
LIMIT = 6000


def judged_pairs(data):
    """By pair (item, annotator, score) of different outputs, and the weights of the best system's pairs."""
    texts = {(row["item"], row["system"]): row["output"] for row in rows(data / "outputs.jsonl.gz")}
    pairs, margins = collections.defaultdict(list), collections.Counter()
    for row in rows(data / "comparisons.jsonl.gz"):
        item, a, b, score = row["item"], row["system_a"], row["system_b"], 2 * row["outcome"] - 1
        if a > b:
            a, b, score = b, a, -score
        margins[a, b] += score
        if texts[item, a] != texts[item, b]:
            pairs[a, b].append((item, row.get("annotator"), score))
    beaten = {b if margin > 0 else a for (a, b), margin in margins.items()}
    (best,) = {system for pair in margins for system in pair} - beaten
    weights = {}
    for pair in pairs:
        scores = numpy.array([score for _, _, score in pairs[pair]])
        proof = 2 * math.log(20) * len(scores) * (scores @ scores) / max(abs(scores.sum()), 1) ** 2
        if best in pair:
            weights[pair] = min(proof, LIMIT)
    return pairs, weights


def known(pairs, weights):
    """What is saved where the probability of a tie is known: at most, and likely."""
    sums = numpy.zeros(4)
    for pair, weight in weights.items():
        by_item = collections.defaultdict(dict)
        for item, annotator, score in pairs[pair]:
            by_item[item].setdefault(annotator, score != 0)
        several = [(len(answers), sum(answers.values())) for answers in by_item.values() if len(answers) > 1]
        if len(several) > 2:
            n, decided = numpy.array(several).T
            v, both = decided / n, decided * (decided - 1) / (n * (n - 1))
            # Products of different items estimate (E v)^2 without bias; the square of a mean would not.
            square = (v.sum() ** 2 - (v**2).sum()) / (len(v) * (len(v) - 1))
            sums += weight * numpy.array([1, v.mean(), both.mean(), square])
    if not sums[0]:
        return None
    mean, both, square = sums[1:] / sums[0]
    variance = max(both - square, 1e-9)
    a, b = numpy.array([mean, 1 - mean]) * max(mean * (1 - mean) / variance - 1, 1e-9)
    root = math.lgamma(a + 0.5) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(a + b + 0.5)
    return variance / (square + variance), 1 - math.exp(2 * root) / mean


def draw(v):
    """pi in proportion to sqrt(v), at least FLOOR, with mean 1."""
    low, high = 0.0, 1e3
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if numpy.maximum(FLOOR, middle * v**0.5).mean() > 1 else (middle, high)
    return numpy.maximum(FLOOR, low * v**0.5)


def predicted(pairs, weights, said):
    """What drawing by |h| saves, of scores as they are and of what h leaves of them."""
    table = [
        (at, zlib.crc32(item.encode()) % 2, said[item, *pair], score)
        for at, pair in enumerate(weights)
        for item, _, score in pairs[pair]
        if (item, *pair) in said
    ]
    of_pair, half, h, score = numpy.array(table).T
    of_pair = of_pair.astype(int)
    counts = numpy.maximum(numpy.bincount(of_pair), 1)
    centred, about = (each - (numpy.bincount(of_pair, each) / counts)[of_pair] for each in (h, score))
    for square in (score**2, (score - centred @ about / (centred @ centred) * centred) ** 2):
        v = numpy.empty(len(square))
        for one in (0, 1):
            line = numpy.polyfit(abs(h[half != one]), square[half != one], 1)
            v[half == one] = numpy.polyval(line, abs(h[half == one])).clip(LEAST)
        needed = total = 0
        for at, weight in enumerate(weights.values()):
            mine = of_pair == at
            if square[mine].any():
                needed += weight * (square[mine] / draw(v[mine])).mean() / square[mine].mean()
                total += weight
        yield 1 - needed / total


def main():
    print(f"{'':20}", *(f"{kind:>9}" for kind in ("ties", "at most", "likely", "predicted", "left")))
    found = []
    for name, (data, predictions) in predicted_sets().items():
        pairs, weights = judged_pairs(data)
        said = {}
        for row in csv.DictReader(predictions.open()):
            a, b, h = row["system_a"], row["system_b"], 2 * float(row["p"]) - 1
            said[row["item"], min(a, b), max(a, b)] = h if a < b else -h
        shares = [numpy.mean([score == 0 for _, _, score in pairs[pair]]) for pair in weights]
        ties = numpy.average(shares, weights=[*weights.values()])
        found.append([ties, *(known(pairs, weights) or (ties, ties)), *predicted(pairs, weights, said)])
        print(f"{name:20}", *(f"{round(saved, 3) + 0:9.1%}" for saved in found[-1]), flush=True)
    means = 1 - numpy.exp(numpy.log(1 - numpy.array(found)).mean(axis=0))
    print(f"{'geometric mean':20}", *(f"{round(saved, 3) + 0:9.1%}" for saved in means))


if __name__ == "__main__":
    main()
