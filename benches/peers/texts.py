"""Texts of realistic size, the same on every machine: sentences of data/tiny in pairs.

Every item is two of its sentences and a number of its own, so that no text occurs twice where
systems do not agree.
"""

import itertools
import json
import pathlib

TINY = pathlib.Path(__file__).parent.parent.parent / "data/tiny"


def rows(name):
    with (TINY / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def items(count):
    """Yields (item, references, {system: output})."""
    outputs = {}
    for row in rows("outputs.jsonl"):
        outputs.setdefault(row["item"], {})[row["system"]] = row["output"]
    sentences = [(row["references"][0], outputs[row["item"]]) for row in rows("items.jsonl")]
    pairs = itertools.cycle(itertools.permutations(sentences, 2))
    for number, ((reference, one), (rest, other)) in zip(range(count), pairs):
        text = lambda first, second: f"{first} (No. {number}) {second}"
        yield number, text(reference, rest), {system: text(one[system], other[system]) for system in sorted(one)}


def write(folder, count):
    """Writes `texts.tsv` (item, system, output, reference) and returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "texts.tsv"
    with path.open("w", encoding="utf-8") as file:
        file.write("item\tsystem\toutput\treferences\n")
        for item, reference, outputs in items(count):
            for system, output in outputs.items():
                file.write(f"{item}\t{system}\t{output}\t{reference}\n")
    return path
