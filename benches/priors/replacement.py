"""What it saves to draw no comparison twice, where a certificate need only be about the comparisons at hand.

    python benches/priors/replacement.py --program target/release/tiebreak --data ../shared/data SET...

`adaptive` alone and with the predictions of a model. Printed are judgments at the certificate (mean, the budget where
there is none) and the annotation complexity, without replacement beside with it, and how many of all runs ended
with a certificate for a system that is not the best of the records; then the geometric means of the ratios. Confidence is 95 %."""

import json
import math

from audits import parser, run

WITH, WITHOUT = [], ["--without-replacement"]


def replay(given, data, *how):
    """Mean judgments, the complexity (the budget where it is not reached), and the share of wrong certificates."""
    limits = ["--runs", given.runs, "--budget", given.budget, "--steps", 10 * given.budget]
    told = json.loads(run(given.program, "simulate", data, *limits, *how, "--json", "--quiet"))
    share, right = told["stopped"]["share"], told["stopped"]["correct"]
    complexity = told["annotation_complexity"]["value"]
    return told["mean_annotations"], complexity or given.budget, share * (1 - right) if share else 0


def main():
    flags = parser(budget=6000)
    flags.add_argument("--model", default="tiebreak-small")
    given = flags.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for name in given.sets:
        data = given.data / name
        table = given.folder / f"{name}.{given.model}.csv"
        if not table.exists():
            run(given.program, "predict", data, "--model", given.model, "--draws", 0, "--out", table, "--quiet", "--force")
        for which, start in [("alone", []), ("predictions", ["--predictions", table])]:
            told = [replay(given, data, *start, *how) for how in (WITH, WITHOUT)]
            for what, at in [("certificate", 0), ("complexity", 1)]:
                before, now = told[0][at], told[1][at]
                found.setdefault((which, what), []).append(now / before)
                print(f"{name:16} {which:12} {what:12} {before:6.0f} {now:6.0f} {now / before:5.2f}", flush=True)
            print(f"{name:16} {which:12} wrong        {told[0][2]:6.1%} {told[1][2]:6.1%}", flush=True)
    for (which, what), ratios in found.items():
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{which:12} {what:12} {mean:5.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main()
