"""Makes tests/golden/metrics/meteor.jsonl, meteor_paraphrase.jsonl and the table of the latter, and
tests/golden/text/meteor.jsonl.

    java -version    # a JDK, 11 or later
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


# Texts for the normaliser. Of the words that the jar knows to keep their full stops they use only those
# that stand in tests/golden/text/meteor, too.
LINES = [
    "",
    "  ",
    "Mr. Lee met Dr. Ames at No. 5, not at No. Five.",
    "It rained. it poured... No. It hailed!",
    "The U.S. and the E.U. agreed at 7.30 a.m. today.",
    "Prices rose 3.5-4% (to $1,200) -- \"again\"...",
    "don't, they're, the mayor's; the dogs' 'bones'",
    "Salt &amp; pepper &lt;b&gt; &quot;x&quot; well-known",
    "tabs\tand  spaces , marks ;apart",
    "“quoted” ‘text’ – and — dashes…",
    "naïve cafés cost ½ of 2€, İzmir",
    "A/B 1/2 e-mail: a@b.org #1 50% ~x_y",
]

# Lines in, normalised and in lower case out: with punctuation marks and without; words in, stems out.
PROGRAM = """
import java.io.*;
import org.tartarus.snowball.ext.englishStemmer;

public class Words {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        int english = edu.cmu.meteor.util.Constants.getLanguageID("english");
        englishStemmer stemmer = new englishStemmer();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (args[0].equals("stem")) {
                stemmer.setCurrent(line);
                stemmer.stem();
                out.println(stemmer.getCurrent());
            } else {
                boolean marks = args[0].equals("marks");
                String text = edu.cmu.meteor.util.Normalizer.normalizeLine(line, english, marks);
                out.println(text.toLowerCase());
            }
        }
        out.flush();
    }
}
"""


def answers(jar, mode, lines):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "Words.java")
        program.write_text(PROGRAM)
        command = ["java", "-Dfile.encoding=UTF-8", "-cp", jar, program, mode]
        made = subprocess.run(command, input="".join(f"{line}\n" for line in lines).encode(), stdout=subprocess.PIPE, check=True)
    return made.stdout.decode().split("\n")[:-1]


def words(jar):
    source = (HERE / "make.py").read_text(encoding="utf-8")
    start = source.index("WORDS = ")
    scope = {}
    exec(source[start : source.index(".split()", start) + len(".split()")], scope)
    marks, bare = answers(jar, "marks", LINES), answers(jar, "bare", LINES)
    for at, line in enumerate(LINES):
        yield {"id": f"own-{at}", "text": line, "expected": {"en_norm_lower": marks[at], "en_norm_lower_noPunct": bare[at]}}
    yield {"id": "own-stems", "words": scope["WORDS"], "expected": answers(jar, "stem", scope["WORDS"])}


if __name__ == "__main__":
    made = {"tool": "METEOR (official jar)", "version": "1.5", "options": "Normalizer, Snowball's English stemmer"}
    with (HERE / "text" / "meteor.jsonl").open("w", encoding="utf-8") as file:
        for line in [made, *words(sys.argv[1])]:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
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
