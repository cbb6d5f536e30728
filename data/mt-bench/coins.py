"""Writes the two worthless hints of this folder: coin tosses, and GPT-4's verdicts turned round."""

import gzip
import json
import random
from pathlib import Path

HINTS = Path(__file__).parent / "hints"


def write(name, rows):
    """Writes a table; no time stands in it, so that the bytes are the same every time."""
    with open(HINTS / name, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        for row in rows:
            packed.write((json.dumps(row) + "\n").encode())


with gzip.open(HINTS / "gpt-4.jsonl.gz", "rt", encoding="utf-8") as table:
    verdicts = [json.loads(line) for line in table]

tossing = random.Random(1)
write("coins.jsonl.gz", [row | {"p": tossing.choice([0, 0.5, 1])} for row in verdicts])
write("reversed.jsonl.gz", [row | {"p": 1 - row["p"]} for row in verdicts])
