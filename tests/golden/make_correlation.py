"""Makes correlation.jsonl: metrics held against judgments, by scipy and nlpstats.

    pip install scipy==1.17.1 nlpstats==0.0.1
    python tests/golden/make_correlation.py

Accuracies and soft pairwise accuracy are computed here from their definitions, the latter with many
random permutations.
"""

import json
import pathlib

import nlpstats
import numpy as np
import scipy
from nlpstats.correlations.correlations import correlate
from nlpstats.correlations.permutation import permutation_test

HERE = pathlib.Path(__file__).parent
COEFFICIENTS = ["pearson", "spearman", "kendall"]
LEVELS = {"item": "input", "global": "global", "system": "system"}
TRIALS = 400
PERMUTATIONS = 50_000
# systems, items, levels of the human scale (0: none), share of outputs nobody judged
SHAPES = [(4, 12, 0, 0.0), (6, 15, 5, 0.0), (5, 14, 3, 0.2), (9, 12, 0, 0.1), (3, 20, 2, 0.0)]


def matrices(rng, systems, items, levels, holes):
    quality = rng.normal(size=(systems, 1))
    truth = quality + rng.normal(size=(systems, items))
    human = truth + 0.5 * rng.normal(size=truth.shape)
    if levels:
        human = np.clip(np.floor(human * levels / 4 + levels / 2), 0, levels - 1)
    metrics = [truth + noise * rng.normal(size=truth.shape) for noise in (0.8, 1.5)]
    metrics[1] = np.round(metrics[1] * 2) / 2
    hole = rng.random(truth.shape) < holes
    for matrix in [human, *metrics]:
        matrix[hole] = np.nan
    return human, metrics


def pairs(x, z):
    known = [i for i in range(len(x)) if not np.isnan(x[i])]
    return [(x[i] - x[j], z[i] - z[j]) for n, i in enumerate(known) for j in known[n + 1 :]]


def accuracy(groups, epsilon):
    agree = lambda dx, dz: (0 if abs(dx) <= epsilon else np.sign(dx)) == np.sign(dz)
    return float(np.mean([np.mean([agree(*pair) for pair in group]) for group in groups if group]))


def calibrated(groups):
    candidates = sorted({0.0} | {abs(dx) for group in groups for dx, _ in group})
    return max(accuracy(groups, epsilon) for epsilon in candidates)


def p_values(matrix, signs):
    found = []
    for i in range(len(matrix)):
        for j in range(i + 1, len(matrix)):
            d = matrix[i] - matrix[j]
            d = np.where(np.isnan(d), 0, d)
            sums, observed = signs @ d, d.sum()
            ties = np.abs(sums - observed) < 1e-9
            found.append(np.mean((sums > observed) & ~ties) + ties.mean() / 2)
    return np.array(found)


def values(x, z, signs):
    found = {level: {c: float(correlate(x, z, name, c)) for c in COEFFICIENTS} for level, name in LEVELS.items()}
    groups = [pairs(x[:, j], z[:, j]) for j in range(x.shape[1])]
    means = pairs(np.nanmean(x, axis=1), np.nanmean(z, axis=1))
    found["item"] |= {"accuracy": accuracy(groups, 0), "calibrated-accuracy": calibrated(groups)}
    found["system"]["accuracy"] = accuracy([means], 0)
    found["system"]["soft-pairwise-accuracy"] = float(1 - np.abs(p_values(x, signs) - p_values(z, signs)).mean())
    return found


def tests(metrics, z):
    def p(level, c):
        samples = permutation_test(*metrics, z, level, c, "both", n_resamples=TRIALS).samples
        observed = correlate(metrics[0], z, level, c) - correlate(metrics[1], z, level, c)
        # Its own p-value loses trials that equal the observed difference but for rounding.
        return np.mean(np.abs(samples) >= abs(observed) - 1e-9)

    return {level: {c: float(p(name, c)) for c in COEFFICIENTS} for level, name in LEVELS.items()}


def plain(matrix):
    return [[None if np.isnan(value) else float(value) for value in row] for row in matrix]


if __name__ == "__main__":
    rng = np.random.default_rng(5)
    np.random.seed(5)
    options = f"correlate; permutation_test, both, two-sided, {TRIALS} trials; {PERMUTATIONS} permutations"
    version = f"{scipy.__version__}, {nlpstats.__version__}"
    lines = [{"tool": "scipy, nlpstats", "version": version, "options": options}]
    for shape in SHAPES:
        human, metrics = matrices(rng, *shape)
        signs = rng.integers(0, 2, size=(PERMUTATIONS, shape[1])) * 2.0 - 1
        line = {"human": plain(human), "metrics": [plain(metric) for metric in metrics]}
        line["values"] = [values(metric, human, signs) for metric in metrics]
        line["p_values"] = tests(metrics, human)
        lines.append(line)
    with (HERE / "correlation.jsonl").open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line) + "\n")
