"""Makes tests/golden/metrics/meteor.jsonl, meteor_paraphrase.jsonl and the table of the latter.

    java -version    # 8 or later
    python tests/golden/make_meteor.py meteor-1.5.jar

The sentences are those of make.py without line ends, and some more of our own; the values are the
jar's.
"""

import gzip
import json
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

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


PHRASES = {
    "phrases": "-l other -lower -m 'exact paraphrase' -w '1.0 0.5' -a paraphrases",
    "phrases_weights": "-l en -lower -m 'exact stem paraphrase' -w '1.0 0.5 0.25' -p '0.8 1.0 0.5 0.3' -a paraphrases",
    "phrases_narrow": "-l en -lower -x 2 -m 'exact paraphrase stem' -a paraphrases",
}


def phrases():
    """Texts of few words, and a table of phrases of these: candidates overlap on both sides."""
    draw = random.Random(5)
    words = ["run", "runs", "the", "old", "mill", "mills", "by", "river"]

    def some(most):
        return [draw.choice(words) for _ in range(draw.randint(1, most))]

    table = [(some(3), some(4)) for _ in range(60)]
    pairs = []
    for _ in range(80):
        hyp = some(12)
        refs = [[w if draw.random() < 0.7 else draw.choice(words) for w in hyp] + some(3) for _ in range(draw.randint(1, 2))]
        pairs.append((" ".join(hyp), [" ".join(ref) for ref in refs]))
    return "".join(f"0.5\n{' '.join(a)}\n{' '.join(b)}\n" for a, b in table), pairs


if __name__ == "__main__":
    table, pairs = phrases()
    (HERE / "metrics" / "paraphrases").write_text(table, encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        packed = pathlib.Path(folder, "paraphrases.gz")
        packed.write_bytes(gzip.compress(table.encode()))
        settings = {name: args.replace("-a paraphrases", f"-a {packed}") for name, args in PHRASES.items()}
        lines = list(records(sys.argv[1], pairs, settings))
    made = {"tool": "METEOR (official jar)", "version": "1.5", "options": "in each case; -stdio; -a tests/golden/metrics/paraphrases"}
    with (HERE / "metrics" / "meteor_paraphrase.jsonl").open("w", encoding="utf-8") as file:
        for line in [made, *lines]:
            text = json.dumps(line, ensure_ascii=False)
            file.write(text.replace(f"-a {packed}", "-a paraphrases") + "\n")
    made = {"tool": "METEOR (official jar)", "version": "1.5", "options": "in each case; -stdio"}
    with (HERE / "metrics" / "meteor.jsonl").open("w", encoding="utf-8") as file:
        for line in [made, *records(sys.argv[1], segments(), SETTINGS)]:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
