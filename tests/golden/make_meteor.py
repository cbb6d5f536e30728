"""Makes tests/golden/metrics/meteor.jsonl.

    java -version    # 8 or later
    python tests/golden/make_meteor.py meteor-1.5.jar

The sentences are those of make.py without line ends, and some more of our own; the values are the
jar's.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys

HERE = pathlib.Path(__file__).parent

SETTINGS = {
    "norm": "-l en -norm -m 'exact stem synonym'",
    "norm_exact_synonym": "-l en -norm -m 'exact synonym'",
    "norm_no_punct": "-l en -norm -noPunct -m 'exact stem synonym'",
    "raw_stem": "-l en -m 'exact stem'",
    "adq": "-l en -norm -t adq -m 'exact stem synonym'",
    "hter": "-l en -norm -t hter -m 'exact stem synonym'",
    "custom": "-l en -lower -m 'exact stem synonym' -p '0.7 0.9 0.4 0.6' -w '1.0 0.5 0.25'",
    "other": "-l other -lower",
}

MORE = [
    ("The cats were sitting on a rug.", ["The cat sat on the mat, sitting.", "Cats sit on rugs."]),
    ("the big dog and the large dog chased the cat", ["the large hound and the big dog chase a cat and the dog"]),
    ("a b a c a b a", ["a a b b c c a", "a c a b"]),
    ("U.S. officials don't agree; they're divided.", ["Officials of the US do not agree : they are divided ."]),
]


def segments():
    source = (HERE / "make.py").read_text(encoding="utf-8")
    start = source.index("SEGMENTS = ")
    scope = {}
    exec(source[start : source.index("\nWORDS = ")], scope)
    lines = [(hyp, refs) for hyp, refs in scope["SEGMENTS"] if not any(re.search(r"[\r\n\u2028\x85]|\|\|\|", t) for t in (hyp, *refs))]
    return lines + MORE


def talk(jar, args, lines):
    command = ["java", "-Dfile.encoding=UTF-8", "-jar", jar, "-", "-", "-stdio", *shlex.split(args)]
    made = subprocess.run(command, input="".join(f"{line}\n" for line in lines).encode(), stdout=subprocess.PIPE, check=True)
    return made.stdout.decode().splitlines()


def scored(jar, args, pairs):
    """The jar's 23 statistics of each segment, and what it makes of them alone and together."""
    stats = talk(jar, args, [" ||| ".join(["SCORE", *refs, hyp]) for hyp, refs in pairs])
    assert len(stats) == len(pairs)
    # The answer to EVAL is each segment's score, and then the score of all.
    scores = talk(jar, args, ["EVAL ||| " + " ||| ".join(stats)])
    return stats, [float(score) for score in scores[:-1]], float(scores[-1])


def records(jar, pairs, settings):
    results = {name: scored(jar, args, pairs) for name, args in settings.items()}
    for at, (hyp, refs) in enumerate(pairs):
        cases = [
            {"settings": {"name": name, "args": args}, "expected": {"score": results[name][1][at], "stats": results[name][0][at]}}
            for name, args in settings.items()
        ]
        yield {"id": f"own-{at}", "metric": "meteor15", "level": "sentence", "hyp": hyp, "refs": refs, "cases": cases}
    cases = [
        {"settings": {"name": name}, "expected": {"score": results[name][2], "per_segment": results[name][1]}} for name in settings
    ]
    hyps, refs = [hyp for hyp, _ in pairs], [refs for _, refs in pairs]
    yield {"id": "own-corpus", "metric": "meteor15", "level": "corpus", "hyps": hyps, "refs": refs, "cases": cases}


if __name__ == "__main__":
    made = {"tool": "METEOR (official jar)", "version": "1.5", "options": "in each case; -stdio"}
    with (HERE / "metrics" / "meteor.jsonl").open("w", encoding="utf-8") as file:
        for line in [made, *records(sys.argv[1], segments(), SETTINGS)]:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
