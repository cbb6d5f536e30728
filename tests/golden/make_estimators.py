"""Makes estimators/*.jsonl: intervals of ppi-python and confseq on inputs of our own.

    pip install ppi-python==0.2.3
    pip download confseq==0.0.11 --no-deps --no-binary :all:   # and unpack it: only its Python is needed
    PYTHONPATH=confseq-0.0.11/src python tests/golden/make_estimators.py
"""

import json
import pathlib
import sys
import types

import numpy as np

# confseq imports these for plots and processes, which nothing here needs.
for name in ("matplotlib", "matplotlib.pyplot", "multiprocess"):
    sys.modules.setdefault(name, types.ModuleType(name))
if not hasattr(np, "float_"):
    np.float_ = np.float64  # gone in numpy 2

from confseq import betting, misc, predmix  # noqa: E402
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate  # noqa: E402

HERE = pathlib.Path(__file__).parent / "estimators"
BREAKS = 4000
RNG = np.random.default_rng(7)


def write(name, tool, version, options, lines):
    head = {"tool": tool, "version": version, "options": options}
    with (HERE / f"{name}.jsonl").open("w", encoding="utf-8") as file:
        for line in [head, *lines]:
            file.write(json.dumps(line) + "\n")


def rounded(values):
    return [round(float(value), 6) for value in values]


def ppi():
    for n, outputs, slope, noise in [(12, 40, 1.0, 0.4), (30, 30, 0.5, 1.0), (25, 200, -0.7, 0.5), (20, 60, 3.0, 0.2)]:
        g = np.array(rounded(RNG.normal(2.0, 1.0, outputs)))
        judged = RNG.choice(outputs, n, replace=False)
        y = np.array(rounded(3.0 + slope * g[judged] + noise * RNG.normal(size=n)))
        for fixed in (None, 1.0, 0.3):
            for confidence in (0.8, 0.95):
                lower, upper = ppi_mean_ci(y, g[judged], g, alpha=1 - confidence, lam=fixed)
                estimate = ppi_mean_pointestimate(y, g[judged], g, lam=fixed)
                yield {
                    "g": g.tolist(), "judged": judged.tolist(), "y": y.tolist(), "lambda": fixed,
                    "confidence": confidence, "estimate": np.asarray(estimate).item(),
                    "lower": np.asarray(lower).item(), "upper": np.asarray(upper).item(),
                }


def bounded():
    """Values in [0, 1] as people give them, with the size of a finite population or None."""
    yield rounded(RNG.uniform(size=20)), None
    yield rounded(RNG.beta(0.3, 3.0, 60)), None
    yield rounded(RNG.binomial(1, 0.9, 45)), None
    yield rounded(RNG.integers(0, 3, 80) / 2), None
    yield [0.0] * 15, None
    yield [1.0] * 10, None
    yield [0.25], None
    yield rounded(RNG.beta(2.0, 1.0, 40)), 50
    yield rounded(RNG.binomial(1, 0.3, 60)), 100
    yield rounded(RNG.integers(0, 5, 30) / 4), 30


def bets():
    for x, outputs in bounded():
        x = np.array(x)
        for confidence in (0.8, 0.95):
            alpha = 1 - confidence
            with np.errstate(all="ignore"):
                fixed = betting.betting_ci(x, alpha=alpha, N=outputs, breaks=BREAKS)
                anytime = betting.hedged_cs(x, alpha=alpha, N=outputs, breaks=BREAKS)
            for kind, (lower, upper) in (("fixed", fixed), ("anytime", (anytime[0][-1], anytime[1][-1]))):
                yield {"x": x.tolist(), "outputs": outputs, "confidence": confidence, "kind": kind,
                       "lower": float(lower), "upper": float(upper)}


def bernstein():
    for x, outputs in bounded():
        x = np.array(x)
        for confidence in (0.8, 0.95):
            alpha = 1 - confidence
            with np.errstate(all="ignore"):
                fixed = predmix.predmix_empbern_ci(x, alpha=alpha, N=outputs)
                sequence = predmix.predmix_empbern_twosided_cs(x, alpha=alpha, N=outputs)
            anytime = misc.get_running_intersection(*sequence)
            for kind, (lower, upper) in (("fixed", fixed), ("anytime", (anytime[0][-1], anytime[1][-1]))):
                yield {"x": x.tolist(), "outputs": outputs, "confidence": confidence, "kind": kind,
                       "lower": float(lower), "upper": float(upper)}


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    write("ppi", "ppi-python", "0.2.3", "ppi_mean_pointestimate and ppi_mean_ci", ppi())
    options = f"betting_ci and hedged_cs with {BREAKS} breaks"
    write("betting", "confseq", "0.0.11", options, bets())
    options = "predmix_empbern_ci and the running intersection of predmix_empbern_twosided_cs"
    write("empirical_bernstein", "confseq", "0.0.11", options, bernstein())
