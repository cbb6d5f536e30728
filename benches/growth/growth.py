"""How the processor time and the peak of memory of each command grow with a data set, as tables of ratios.

Along an axis one number of a data set becomes ten times as large and the others stay. Each command runs in a process
of its own; the median of the rounds counts, less the time of a program that only starts. Indexes are not kept, so
every command reads all there is.
"""

import argparse
import dataclasses
import itertools
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys

WORDS = [f"word{number}" for number in range(2000)]


@dataclasses.dataclass(frozen=True)
class Size:
    items: int
    systems: int
    judgments: int
    annotators: int


# What grows, from which size to which, and for which commands.
AXES = {
    "items": (Size(2_000, 10, 20_000, 10), "items", ["check", "score", "predict", "rank", "simulate", "estimate", "correlate", "annotators", "ask"]),
    "judgments": (Size(2_000, 10, 20_000, 10), "judgments", ["check", "rank", "simulate", "estimate", "correlate", "annotators", "ask"]),
    "annotators": (Size(2_000, 10, 100_000, 10), "annotators", ["check", "rank", "estimate", "annotators"]),
    "systems": (Size(50, 20, 20_000, 10), "systems", ["check", "score", "predict", "rank", "simulate", "estimate", "correlate", "report", "ask"]),
    "many systems": (Size(4, 500, 20_000, 10), "systems", ["check", "score", "estimate", "ask"]),
}

# What each runs on DATA, with tables of scores and a run made before, into OUT.
COMMANDS = {
    "check": "check DATA",
    "score": "score DATA --metric chrf --out OUT.csv",
    "predict": "predict DATA --scores SCORES --metric chrf --link linear --out OUT",
    "rank": "rank DATA --out OUT",
    "simulate": "simulate DATA --runs 10 --budget 500 --out OUT",
    "estimate": "estimate DATA --criterion quality --estimator mean --out OUT.csv",
    "correlate": "correlate DATA --scores SCORES --metric chrf --out OUT.csv",
    "annotators": "annotators DATA --out OUT",
    "ask": "ask OUT DATA --n 10 --out OUT.csv",
    "report": "report RUN",
}


def write(folder, size):
    """A data set in which later systems are better and annotators noisy; once."""
    if folder.exists():
        return
    part = pathlib.Path(f"{folder}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    chance = random.Random(42)
    quality = [system / size.systems for system in range(size.systems)]
    name = lambda system: f"s{system:05}"
    with open(part / "outputs.jsonl", "w") as file:
        for item in range(size.items):
            reference = chance.choices(WORDS, k=15)
            for system in range(size.systems):
                text = [word if chance.random() < quality[system] else chance.choice(WORDS) for word in reference]
                row = {"item": str(item), "system": name(system), "output": " ".join(text), "references": [" ".join(reference)]}
                file.write(json.dumps(row) + "\n")
    with open(part / "comparisons.jsonl", "w") as one, open(part / "judgments.jsonl", "w") as other:
        # Every pair once, where there are comparisons enough: what replays them needs that.
        pairs = list(itertools.combinations(range(size.systems), 2))
        pairs = chance.sample(pairs, len(pairs)) if len(pairs) <= size.judgments else []
        for _ in range(size.judgments):
            item, annotator = str(chance.randrange(size.items)), f"a{chance.randrange(size.annotators)}"
            a, b = pairs.pop() if pairs else chance.sample(range(size.systems), 2)
            won = float(chance.random() < 0.5 + 0.45 * (quality[a] - quality[b]))
            row = {"item": item, "system_a": name(a), "system_b": name(b), "outcome": won, "annotator": annotator}
            one.write(json.dumps(row) + "\n")
            score = round(min(max(quality[a] + chance.gauss(0, 0.3), 0), 1), 2)
            row = {"item": item, "system": name(a), "criterion": "quality", "score": score, "annotator": annotator}
            other.write(json.dumps(row) + "\n")
    part.rename(folder)


def measured(command, limit):
    """Processor seconds and the peak of memory in MiB; `None` where it takes longer than the limit."""
    script = f"ulimit -t {limit}; exec \"$@\""
    process = subprocess.Popen(["bash", "-c", script, "bash", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if os.WIFSIGNALED(status):
        return None
    if status:
        sys.exit(f"{' '.join(command)}: {message}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


class Bench:
    def __init__(self, args):
        self.args = args
        self.program = [str(args.program.resolve()), "--quiet"]
        self.start = statistics.median(measured([self.program[0], "--version"], 10)[0] for _ in range(5))

    def run(self, *command):
        subprocess.run([*self.program, *command], check=True, stdout=subprocess.DEVNULL)

    def prepared(self, folder, size, names):
        """The data set of a size, with what commands take beside it; and how to fill in a command."""
        write(folder, size)
        places = {"DATA": folder, "SCORES": folder / "scores.parquet", "RUN": folder / "run", "OUT": folder / "made" / "out"}
        if {"predict", "correlate"} & set(names) and not places["SCORES"].exists():
            self.run("score", str(folder), "--metric", "chrf", "--out", str(places["SCORES"]))
        if "report" in names and not places["RUN"].exists():
            pipeline = folder / "run.toml"
            pipeline.write_text('data = "."\n[[rank]]\n[[score]]\nmetric = "chrf"\n[[correlate]]\nmetric = "chrf"\n')
            self.run("run", str(pipeline), "--out", str(places["RUN"]))
        return places

    def taken(self, command, places):
        """Processor seconds and peak of memory of a command."""
        words = [str(places.get(word) or word.replace("OUT", str(places["OUT"]))) for word in COMMANDS[command].split()]
        rounds = []
        for _ in range(self.args.rounds):
            shutil.rmtree(places["OUT"].parent, ignore_errors=True)
            one = measured([*self.program, *words], self.args.limit)
            if one is None:
                return None
            rounds.append(one)
        return max(statistics.median(one[0] for one in rounds) - self.start, 0.0), max(one[1] for one in rounds)


def row(name, small, large, limit):
    if small is None or large is None:
        times = [f"more than {limit}" if one is None else f"{one[0]:.2f}" for one in (small, large)]
        return [name, *times, "–", "–", "–", "–"]
    # What is over in a hundredth of a second says nothing about growth.
    ratio = f"{large[0] / small[0]:.1f}" if small[0] >= 0.01 else "–"
    return [name, f"{small[0]:.2f}", f"{large[0]:.2f}", ratio, f"{small[1]:.0f}", f"{large[1]:.0f}", f"{large[1] / small[1]:.1f}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=int, default=600, help="processor seconds of a command")
    parser.add_argument("--axis", nargs="*", choices=AXES, default=list(AXES))
    parser.add_argument("--command", nargs="*", choices=COMMANDS, default=list(COMMANDS))
    args = parser.parse_args()
    args.folder = args.folder.resolve()
    os.environ["TIEBREAK_LIMIT_INDEXES"] = "0"
    bench = Bench(args)
    for axis in args.axis:
        small, field, names = AXES[axis]
        large = dataclasses.replace(small, **{field: 10 * getattr(small, field)})
        names = [name for name in names if name in args.command]
        places = []
        for size in (small, large):
            folder = args.folder / "-".join(str(number) for number in dataclasses.astuple(size))
            places.append(bench.prepared(folder, size, names))
        print(f"\n{getattr(small, field):,} to {getattr(large, field):,} {field}; otherwise {small}\n")
        print("| | CPU s | CPU s | times | MiB | MiB | times |\n| --- | --- | --- | --- | --- | --- | --- |")
        for name in names:
            taken = [bench.taken(name, one) for one in places]
            print("| " + " | ".join(row(name, *taken, args.limit)) + " |", flush=True)


if __name__ == "__main__":
    main()
