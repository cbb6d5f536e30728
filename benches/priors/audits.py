"""What answers of a model save where people audit them, beside people alone and beside bets on the same predictions.

    python benches/priors/audits.py --program target/release/tiebreak --data ../shared/data SET...

Judges are a model as it is, one that answers as a coin falls (`useless`), and the model turned round (`hostile`).
Printed are people's judgments at the certificate (mean, the budget where there is none), beside those of people
alone, and how many of all runs ended with a certificate for a system that is not the best of the records; then the
geometric means. Confidence is 95 % everywhere."""

import argparse
import csv
import json
import math
import pathlib
import random
import subprocess

JUDGES = ["good", "useless", "hostile"]
WAYS = {
    "bets": [],
    "mix .5, audit .5": ["--mix", "0.5", "--audit", "0.5"],
    "mix .8, audit .1": ["--mix", "0.8", "--audit", "0.1"],
    "mix .8, neyman:.1": ["--mix", "0.8", "--audit", "neyman:0.1"],
    "mix auto": ["--mix", "auto"],
}


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


def judges(program, data, model, folder):
    """Tables of predictions, by judge."""
    table = folder / f"{data.name}.{model}.csv"
    if not table.exists():
        run(program, "predict", data, "--model", model, "--draws", 0, "--out", table, "--quiet", "--force")
    rows = list(csv.DictReader(table.open()))
    coin = random.Random(data.name)
    said = {"good": lambda p: p, "useless": lambda _: coin.random(), "hostile": lambda p: 1 - p}
    for judge in JUDGES:
        out = folder / f"{data.name}.{model}.{judge}.csv"
        write(out, ([row["item"], row["system_a"], row["system_b"], said[judge](float(row["p"]))] for row in rows))
        yield judge, out


def replay(given, data, *how):
    """People's judgments at the end, and the share of runs with a certificate that is wrong."""
    limits = ["--runs", given.runs, "--budget", given.budget, "--steps", 10 * given.budget]
    told = json.loads(run(given.program, "simulate", data, *limits, *how, "--json", "--quiet"))
    share, right = told["stopped"]["share"], told["stopped"]["correct"]
    # Of no runs that stopped none is wrong.
    return told["mean_annotations"], share * (1 - right) if share else 0


def main():
    flags = parser(budget=6000)
    flags.add_argument("--model", default="tiebreak-small")
    given = flags.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    found = {(judge, way): [] for judge in JUDGES for way in WAYS}
    for name in given.sets:
        data = given.data / name
        alone, wrong = replay(given, data)
        print(f"{name}: people alone {alone:.0f}, wrong {wrong:.1%}", flush=True)
        for judge, predictions in judges(given.program, data, given.model, given.folder):
            for way, how in WAYS.items():
                asked, wrong = replay(given, data, "--predictions", predictions, *how)
                found[judge, way].append(asked / alone)
                print(f"  {judge:8} {way:18} {asked:6.0f} {asked / alone:5.2f}  wrong {wrong:.1%}", flush=True)
    for (judge, way), ratios in found.items():
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{judge:8} {way:18} {mean:5.2f}, at worst {max(ratios):5.2f}")


if __name__ == "__main__":
    main()
