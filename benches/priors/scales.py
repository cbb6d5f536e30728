"""How far metrics err about systems, and whether those err less that tell items apart: `adaptive`'s prior, learnt over sets.

    python benches/priors/scales.py --program target/release/tiebreak --data ../shared/data

For every set with comparisons and every metric, the margins d over all comparisons are held against the margins
m that the metric predicts, by the likelihood of the model in `crates/decide/src/bandits/adaptive/prior.rs`

    d_ij = z b m_ij + s_i - s_j + e_ij + noise     b ~ N(0.8, 0.3^2), s ~ N(0, S^2), e ~ N(0, E^2)

on a grid of z, S and E. Printed are the weights of the mixture that fits best (EM), over all sets and with each
campaign left out in turn, for metrics that compare with references and for length, which does not. Then, over all
metrics, the same is fitted together with how scores and judgments correlate within pairs (`crates/decide/src/bandits/adaptive/trust.rs`):

    rho | t ~ N(m_t, v_t)     t: whether the metric tells items apart, with P(t, z) free

Needs numpy. Metrics are scored once into --folder."""

import argparse
import collections
import gzip
import json
import pathlib
import subprocess

import numpy

METRICS = ["chrf", "bleu", "rouge-l", "ter", "length"]
LOWER_IS_BETTER = {"ter"}
STRENGTHS = [0.003, 0.005, 0.01, 0.02, 0.03, 0.045, 0.06, 0.1, 0.15]
DEVIATIONS = [0.003, 0.01, 0.02, 0.04, 0.08, 0.12]
GRID = [(z, s, e) for z in (1, 0) for s in STRENGTHS for e in DEVIATIONS]
SLOPE, SLOPE_VARIANCE = 0.8, 0.3**2


def rows(path):
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else path.open()
    with opened as lines:
        return [json.loads(line) for line in lines]


def predicted_sets():
    """The flags of what holds tables of predictions, SET.MODEL.csv, against sets; by set both."""
    flags = argparse.ArgumentParser()
    flags.add_argument("--data", type=pathlib.Path, required=True)
    flags.add_argument("--predictions", type=pathlib.Path, required=True)
    flags.add_argument("--model", default="tiebreak-small")
    flags.add_argument("sets", nargs="+")
    given = flags.parse_args()
    return {name: (given.data / name, given.predictions / f"{name}.{given.model}.csv") for name in given.sets}


def judged(folder):
    """By pair the items whose outputs differ, with scores of judgments; and how many judgments there are in all."""
    texts = {(row["item"], row["system"]): row["output"] for row in rows(folder / "outputs.jsonl.gz")}
    scores, compared = collections.defaultdict(list), collections.Counter()
    for row in rows(folder / "comparisons.jsonl.gz"):
        pair, score = (row["system_a"], row["system_b"]), 2 * row["outcome"] - 1
        if pair[0] > pair[1]:
            pair, score = pair[::-1], -score
        compared[pair] += 1
        if texts.get((row["item"], pair[0])) != texts.get((row["item"], pair[1])):
            scores[pair].append((row["item"], score))
    return scores, compared


def truth(scores, compared):
    """d of each pair, and the variance of its noise."""
    margins = {}
    for pair, answers in scores.items():
        answers = [score for _, score in answers]
        share = len(answers) / compared[pair]
        variance = max(numpy.var(answers) / 4, 0.02) / len(answers)
        margins[pair] = (share * numpy.mean(answers) / 2, share**2 * variance)
    return margins


def scored(program, data, metric, folder):
    """By system the score of each item, larger for better; None where the metric does not apply."""
    out = folder / data.name / f"{metric}.jsonl"
    if not out.exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        command = [program, "score", data, "--metric", metric, "--out", out, "--quiet"]
        if subprocess.run(command, stderr=subprocess.DEVNULL).returncode:
            return None
    sign = -1 if metric in LOWER_IS_BETTER else 1
    by_system = collections.defaultdict(dict)
    for row in rows(out):
        by_system[row["system"]][row["item"]] = sign * row["score"]
    return by_system


def predicted(by_system):
    """m of every pair: the share of items on which one output scores higher, less one half."""

    def margin(a, b):
        common = by_system[a].keys() & by_system[b].keys()
        return numpy.mean([numpy.sign(by_system[a][i] - by_system[b][i]) for i in common]) / 2

    return margin


def correlation(scores, by_system):
    """Of what a metric says and people's scores within pairs, with the number of judgments."""
    within = []
    for (a, b), answers in scores.items():
        known = [(by_system[a][i] - by_system[b][i], s) for i, s in answers if i in by_system[a] and i in by_system[b]]
        if len(known) > 2:
            within.append(numpy.array(known, float) - numpy.mean(known, axis=0))
    within = numpy.concatenate(within)
    return numpy.corrcoef(within.T)[0, 1], len(within)


def likelihoods(margins, margin):
    pairs = sorted(margins)
    systems = sorted({system for pair in pairs for system in pair})
    d = numpy.array([margins[pair][0] for pair in pairs])
    noise = numpy.array([margins[pair][1] for pair in pairs])
    m = numpy.array([margin(*pair) for pair in pairs])
    x = numpy.array([[(s == a) * 1.0 - (s == b) for s in systems] for a, b in pairs])

    def one(z, strength, deviation):
        covariance = z * SLOPE_VARIANCE * numpy.outer(m, m) + strength**2 * x @ x.T
        factor = numpy.linalg.cholesky(covariance + numpy.diag(deviation**2 + noise))
        rest = numpy.linalg.solve(factor, d - z * SLOPE * m)
        return -rest @ rest / 2 - numpy.log(numpy.diag(factor)).sum()

    return [one(*scales) for scales in GRID]


def mixture(table, steps=400):
    table = numpy.array(table)
    each = numpy.exp(table - table.max(axis=1, keepdims=True))
    weights = numpy.full(len(GRID), 1 / len(GRID))
    for _ in range(steps):
        parts = each * weights
        weights = (parts / parts.sum(axis=1, keepdims=True)).mean(axis=0)
    return weights


def together(found, steps=800):
    """P(z, t), and mean and deviation of rho by t."""
    table = numpy.array([one["likelihoods"] for one in found])
    each = numpy.exp(table - table.max(axis=1, keepdims=True))
    half = len(GRID) // 2
    by_scale = [each[:, :half], each[:, half:]]
    weights = [numpy.full(half, 1 / half)] * 2
    rho, noise = numpy.array([(rho, 1 / n) for rho, n in (one["correlation"] for one in found)]).T[:, :, None]
    means, variances = numpy.array([0.3, 0.0]), numpy.array([0.01, 0.01])
    joint = numpy.full((2, 2), 0.25)
    for _ in range(steps):
        density = numpy.exp(-((rho - means) ** 2) / (variances + noise) / 2) / numpy.sqrt(variances + noise)
        likelihood = numpy.stack([part @ w for part, w in zip(by_scale, weights)], axis=1)
        parts = likelihood[:, :, None] * density[:, None, :] * joint
        parts /= parts.sum(axis=(1, 2), keepdims=True)
        joint = parts.mean(axis=0)
        for z in (0, 1):
            own = by_scale[z] * weights[z]
            own *= parts[:, z].sum(axis=1, keepdims=True) / own.sum(axis=1, keepdims=True)
            weights[z] = own.sum(axis=0) / own.sum()
        tells = parts.sum(axis=1)
        means = (tells * rho).sum(axis=0) / tells.sum(axis=0)
        variances = (tells * (rho - means) ** 2).sum(axis=0) / tells.sum(axis=0)
    return joint, means, numpy.sqrt(variances)


def tell_together(what, found):
    joint, means, deviations = together(found)
    (counts, not_counts), (tells, idle) = joint.sum(axis=1), joint.sum(axis=0)
    print(f"{what}: rho {means[0]:.3f} +- {deviations[0]:.3f} or {means[1]:.3f} +- {deviations[1]:.3f}")
    print(f"  P(z) {counts:.2f}  P(t | z) {joint[0, 0] / counts:.2f}  P(t | not z) {joint[1, 0] / not_counts:.2f}", end="")
    print(f"  P(z | t) {joint[0, 0] / tells:.2f}  P(z | not t) {joint[0, 1] / idle:.2f}")


def without_each(found):
    """What is left without each campaign in turn."""
    for campaign in sorted({one["set"].split("-")[0] for one in found}):
        yield campaign, [one for one in found if not one["set"].startswith(campaign)]


def tell(what, weights):
    print(f"{what}: predictions count with {weights[: len(GRID) // 2].sum():.2f}")
    for z in (1, 0):
        for name, place, values in (("S", 1, STRENGTHS), ("E", 2, DEVIATIONS)):
            shares = {v: sum(w for w, g in zip(weights, GRID) if g[0] == z and g[place] == v) for v in values}
            told = ", ".join(f"{v:g}: {share:.2f}" for v, share in shares.items() if share > 0.005)
            print(f"  z = {z}, {name}  {told}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("target/priors"))
    given = parser.parse_args()
    found = []
    for data in sorted(given.data.iterdir()):
        if not (data / "comparisons.jsonl.gz").exists() or not (data / "outputs.jsonl.gz").exists():
            continue
        scores, compared = judged(data)
        margins = truth(scores, compared)
        if len(margins) < 10:
            continue
        for metric in METRICS:
            by_system = scored(given.program, data, metric, given.folder)
            if by_system:
                one = {"set": data.name, "metric": metric, "correlation": correlation(scores, by_system)}
                found.append(one | {"likelihoods": likelihoods(margins, predicted(by_system))})
                print("{set} {metric}: rho {correlation[0]:.3f}".format(**one), flush=True)
    for kind in ("metrics", "length"):
        some = [one for one in found if (one["metric"] == "length") == (kind == "length")]
        tell(f"{kind}, {len(some)} tables", mixture([one["likelihoods"] for one in some]))
        for campaign, rest in without_each(some):
            tell(f"{kind} without {campaign}", mixture([one["likelihoods"] for one in rest]))
    tell_together(f"together, {len(found)} tables", found)
    for campaign, rest in without_each(found):
        tell_together(f"together without {campaign}", rest)


if __name__ == "__main__":
    main()
