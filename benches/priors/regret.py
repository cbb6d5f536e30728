"""What predictions save where they are right, and cost where they are wrong.

    python benches/priors/regret.py --program target/release/tiebreak --data ../shared/data --metric chrf SET...

Every set is replayed without predictions, with those of a metric as they are, and with the same predictions
turned round (`reversed`), of systems dealt their names anew (`permuted`), and with the two systems that they rank
highest taken for each other (`swapped`). Printed are judgments until 95 % of the runs are right for good, and
those until the certificate (mean, the budget where there is none), each beside those without predictions; then the
geometric means, and the worst. `--with 'adaptive:controls=false'` names another bandit."""

import argparse
import csv
import itertools
import json
import math
import pathlib
import random
import subprocess

KINDS = ["as they are", "reversed", "permuted", "swapped"]


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def write(out, predictions):
    with out.open("w") as file:
        table = csv.writer(file)
        table.writerow(["item", "system_a", "system_b", "p"])
        table.writerows(predictions)


def parser(budget):
    """The flags of what replays sets."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--runs", default=200)
    parser.add_argument("--budget", type=int, default=budget)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("target/priors"))
    parser.add_argument("sets", nargs="+")
    return parser


def renamed(kind, names, wins):
    """By which name each system's predictions go."""
    order = sorted(names, key=lambda name: -wins[name])
    if kind == "swapped":
        return {**dict(zip(names, names)), order[0]: order[1], order[1]: order[0]}
    if kind == "permuted":
        for seed in itertools.count(7):
            dealt = names[:]
            random.Random(seed).shuffle(dealt)
            if dealt[names.index(order[0])] != order[0]:
                return dict(zip(names, dealt))
    return dict(zip(names, names))


def variants(program, data, metric, folder):
    """Tables of predictions, by kind."""
    scores, table = folder / f"{data.name}.{metric}.scores.csv", folder / f"{data.name}.{metric}.csv"
    if not table.exists():
        run(program, "score", data, "--metric", metric, "--out", scores, "--quiet", "--force")
        link = ["--scores", scores, "--metric", metric, "--link", "linear"]
        run(program, "predict", data, *link, "--out", table, "--quiet", "--force")
    rows = list(csv.DictReader(table.open()))
    wins = dict.fromkeys(sorted({row[side] for row in rows for side in ("system_a", "system_b")}), 0)
    for row in rows:
        p = float(row["p"])
        wins[row["system_a"]] += p > 0.5
        wins[row["system_b"]] += p < 0.5
    for kind in KINDS:
        out = folder / f"{data.name}.{metric}.{kind.replace(' ', '-')}.csv"
        names = renamed(kind, list(wins), wins)
        turned = lambda p: 1 - float(p) if kind == "reversed" else p
        write(out, ([row["item"], names[row["system_a"]], names[row["system_b"]], turned(row["p"])] for row in rows))
        yield kind, out


def replay(given, data, predictions):
    hint = ["--predictions", predictions] if predictions else []
    limits = ["--runs", given.runs, "--budget", given.budget, "--steps", given.budget]
    told = json.loads(run(given.program, "simulate", data, "--bandit", given.bandit, *limits, *hint, "--json", "-q"))
    complexity = (told["annotation_complexity"] or {}).get("value")
    return complexity or given.budget, told["mean_annotations"]


def main():
    flags = parser(budget=4000)
    flags.add_argument("--metric", default="chrf")
    flags.add_argument("--with", dest="bandit", default="adaptive")
    given = flags.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    ratios = {kind: [] for kind in KINDS}
    for name in given.sets:
        data = given.data / name
        alone = replay(given, data, None)
        print(f"{name}: alone {alone[0]} to be right, {alone[1]:.0f} to the certificate", flush=True)
        for kind, predictions in variants(given.program, data, given.metric, given.folder):
            found = replay(given, data, predictions)
            # A run may be right before the first answer.
            both = [max(a, 1) / b for a, b in zip(found, alone)]
            ratios[kind].append(both)
            print(f"  {kind:12} {found[0]:6} {found[1]:6.0f}   {both[0]:5.2f} {both[1]:5.2f}", flush=True)
    for kind, each in ratios.items():
        told = [math.exp(sum(math.log(one[i]) for one in each) / len(each)) for i in (0, 1)]
        worst = [max(one[i] for one in each) for i in (0, 1)]
        print(f"{kind:12} {told[0]:5.2f} {told[1]:5.2f}, at worst {worst[0]:5.2f} {worst[1]:5.2f}")


if __name__ == "__main__":
    main()
