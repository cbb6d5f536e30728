"""Makes significance.jsonl: sacrebleu's paired tests on data/tiny.

    pip install sacrebleu==2.6.0
    python tests/golden/make_significance.py
"""

import itertools
import json
import pathlib

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

HERE = pathlib.Path(__file__).parent
TINY = HERE.parent.parent / "data/tiny"
METRICS = {"bleu": BLEU, "chrf": CHRF, "ter": TER}
BASELINES = ["atlas", "ember"]
# Enough that what remains of chance is well below that of the numbers compared with them.
REPLICATES = 50_000


def read(name):
    return [json.loads(line) for line in (TINY / name).open(encoding="utf-8")]


def systems(baseline):
    outputs = {}
    for row in read("outputs.jsonl"):
        outputs.setdefault(row["system"], {})[row["item"]] = row["output"]
    order = [baseline, *(name for name in sorted(outputs) if name != baseline)]
    items = read("items.jsonl")
    references = list(itertools.zip_longest(*(item["references"] for item in items)))
    return [(name, [outputs[name][item["item"]] for item in items]) for name in order], references


if __name__ == "__main__":
    options = f"PairedTest with {REPLICATES} replicates, its own seed"
    lines = [{"tool": "sacrebleu", "version": "2.6.0", "options": options}]
    for baseline, (metric, make), test in itertools.product(BASELINES, METRICS.items(), ("bs", "ar")):
        named, references = systems(baseline)
        _, scores = PairedTest(named, {metric: make()}, references, test, REPLICATES)()
        results = next(value for key, value in scores.items() if key != "System")
        rows = [
            {"system": name} | {key: float(value) for key, value in vars(result).items() if value is not None}
            for name, result in zip(scores["System"], results)
        ]
        lines.append({"baseline": baseline, "metric": metric, "test": test, "replicates": REPLICATES, "systems": rows})
    with (HERE / "significance.jsonl").open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
