"""Times `tiebreak import` beside pandas and polars reading the same files, and prints ratios and peaks of memory.

The peers only read the rows into memory; the import also checks them and writes a data set. Each runs in a process
of its own, alternating; the median of the rounds counts.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import time

WORDS = "the a river runs past old mills and under stone bridges to towns where people trade cloth salt iron news".split()


def text(random, words):
    return " ".join(random.choices(WORDS, k=words))


def vote(random, number):
    a, b = random.sample(range(20), 2)
    prompt = text(random, 12)
    said = lambda: [{"role": "user", "content": prompt}, {"role": "assistant", "content": text(random, 40)}]
    winner = random.choice(["model_a", "model_b", "tie", "tie (bothbad)"])
    return {
        "question_id": f"q{number:08}", "model_a": f"m{a}", "model_b": f"m{b}", "winner": winner,
        "judge": f"arena_user_{number % 997}", "conversation_a": said(), "conversation_b": said(), "turn": 1,
        "language": "English", "tstamp": 1.7e9 + number,
    }


def write(folder, rows):
    """The same votes as lines and as an array, and comparisons as CSV; once."""
    lines, array, table = (folder / f"{rows}-{name}" for name in ("votes.jsonl", "votes.json", "comparisons.csv"))
    if table.exists():
        return lines, array, table
    chance = random.Random(42)
    with open(lines, "w") as one, open(array, "w") as other, open(f"{table}.part", "w") as third:
        other.write("[\n")
        third.write("item,system_a,system_b,outcome,annotator\n")
        for number in range(rows):
            row = vote(chance, number)
            text = json.dumps(row)
            one.write(text + "\n")
            other.write(("" if number == 0 else ",\n") + text)
            third.write(f"{number % 5000},{row['model_a']},{row['model_b']},{row['winner']},{row['judge']}\n")
        other.write("\n]\n")
    os.rename(f"{table}.part", table)
    return lines, array, table


READERS = {
    "pandas": {
        "votes.jsonl": "import pandas; pandas.read_json(PATH, lines=True)",
        "votes.json": "import pandas; pandas.read_json(PATH)",
        "comparisons.csv": "import pandas; pandas.read_csv(PATH)",
    },
    "polars": {
        "votes.jsonl": "import polars; polars.read_ndjson(PATH)",
        "votes.json": "import polars; polars.read_json(PATH)",
        "comparisons.csv": "import polars; polars.read_csv(PATH)",
    },
}


def measured(command):
    """Seconds and the peak of memory in MiB of a process and what it started."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command}: {message}")
    return time.perf_counter() - began, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", nargs="*", default=list(READERS))
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    print(f"{'file':18}{'MB':>7}  {'program':10}{'seconds':>9}{'MiB':>8}  tiebreak / it")
    for file in write(args.folder, args.rows):
        name = file.name.split("-", 1)[1]
        out = args.folder / "out"
        commands = {"tiebreak": [args.program, "import", str(file), "--out", str(out)]}
        for peer in args.peers:
            commands[peer] = [sys.executable, "-c", READERS[peer][name].replace("PATH", repr(str(file)))]
        taken = {program: [] for program in commands}
        for _ in range(args.rounds):
            for program, command in commands.items():
                shutil.rmtree(out, ignore_errors=True)
                taken[program].append(measured(command))
        seconds = {program: statistics.median(one[0] for one in rounds) for program, rounds in taken.items()}
        for program, rounds in taken.items():
            peak = max(one[1] for one in rounds)
            ratio = f"{seconds['tiebreak'] / seconds[program]:.2f}"
            size = file.stat().st_size / 1e6
            print(f"{name:18}{size:7.0f}  {program:10}{seconds[program]:9.2f}{peak:8.0f}  {ratio}")
        shutil.rmtree(out, ignore_errors=True)


if __name__ == "__main__":
    main()
