"""What could be saved if the items of a pair were drawn by what they tell, rather than all alike.

    python benches/priors/items.py --data ../shared/data --predictions target/priors SET...

Bets take off a score S what the prediction h of its item says, a(h - mean h). Drawn with probabilities in
proportion to how much is left in the mean of such items, sd(h), a pair needs (E sd)^2/E var of the judgments (Neyman,
1934). Here sd is told by tenths of |h|, after all answers: the most there is to be had, before what unequal weights
cost bets by their reach. --predictions holds SET.MODEL.csv, as benches/priors/audits.py leaves them there. Identical
outputs, which nobody is asked about, are left out. Needs numpy."""

import collections
import csv

import numpy

from scales import predicted_sets, rows

TENTHS = 10


def scored(data, predictions):
    """By pair, rows of (h, S)."""
    with predictions.open() as lines:
        said = {(row["item"], row["system_a"], row["system_b"]): 2 * float(row["p"]) - 1 for row in csv.DictReader(lines)}
    texts = {(row["item"], row["system"]): row["output"] for row in rows(data / "outputs.jsonl.gz")}
    found = collections.defaultdict(list)
    for row in rows(data / "comparisons.jsonl.gz"):
        item, a, b = row["item"], row["system_a"], row["system_b"]
        score = 2 * row["outcome"] - 1
        if (item, a, b) not in said:
            a, b, score = b, a, -score
        if (item, a, b) in said and texts.get((item, a)) != texts.get((item, b)):
            found[a, b].append((said[item, a, b], score))
    return [numpy.array(answers) for answers in found.values() if len(answers) > 4]


def main():
    for name, (data, predictions) in predicted_sets().items():
        pairs = scored(data, predictions)
        sure = numpy.concatenate([abs(pair[:, 0]) for pair in pairs])
        # Pairs have means of their own, of h and of S; what is left is about them.
        about = numpy.concatenate([(pair - pair.mean(0)) * (len(pair) / (len(pair) - 1)) ** 0.5 for pair in pairs])
        slope = about[:, 0] @ about[:, 1] / (about[:, 0] @ about[:, 0])
        left = (about[:, 1] - slope * about[:, 0]) ** 2
        variances = [tenth.mean() for tenth in numpy.array_split(left[sure.argsort()], TENTHS)]
        share = numpy.mean(numpy.sqrt(variances)) ** 2 / numpy.mean(variances)
        spread = f"{variances[0]:.2f} where the model is least sure, {variances[-1]:.2f} where most"
        print(f"{name}: slope {slope:.2f}, variance left {spread}: {share:.3f} of the judgments")


if __name__ == "__main__":
    main()
