"""Makes the lexical golden files of this folder.

    pip install sacrebleu==2.6.0 rouge-score==0.1.2 nltk==3.10.4
    python tests/golden/make.py

The sentences are our own; the values are those of the packages.
"""

import itertools
import json
import pathlib

from nltk.stem.porter import PorterStemmer
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenize import tokenize as rouge_tokenize
from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.bleu import _get_tokenizer
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

HERE = pathlib.Path(__file__).parent

# A hypothesis and its references.
SEGMENTS = [
    ("The ferry leaves at 7.30 from pier 4.", ["The ferry leaves from pier 4 at 7.30."]),
    (
        "A heron stood in the shallow water, waiting for fish.",
        ["In the shallows a heron was waiting for fish.", "A heron stood waiting, in shallow water, for fish."],
    ),
    ("rain", ["Rain.", "It is raining."]),
    ("", ["Nothing was said."]),
    ("Something was said.", [""]),
    ("", [""]),
    (" \t ", ["\u3000"]),
    ("over and over and over", ["over and out", "over and over again"]),
    ("Prices rose 3.5-4% (to $1,200) -- \"again\"...", ["Prices rose by 3.5 - 4 % to $ 1,200 ,, again ."]),
    ("Salt &amp; pepper &lt;b&gt; x-\ny <skipped>z", ["Salt & pepper <b> xy z"]),
    ("İzmir ve ΣΊΣΥΦΟΣ, \u212aelvin", ["izmir ve σίσυφος, kelvin", "i\u0307zmir"]),
    ("他在2020年买了3.5公斤苹果。", ["他2020年买了3.5公斤的苹果。", "在2020年，他买了苹果"]),
    ("naïve\u00a0cafés\u2028cost ½ of 2€", ["naive cafes cost half of 2 €"]),
    ("tea 🍵 → 🫖 \U00020000\u2013x", ["tea 🍵 🫖 → \U00020000 – x"]),
    ("first line here\nsecond line there\n\nthird", ["second line here\nfirst line there", "third line\nthe third line"]),
    ("The mayor's car's (the dog's), she said's.\n-It's new", ["the mayor 's car 's , the dog's she said", "x"]),
    ("私の猫はかわいい！と言った（彼は）。", ["私の猫はとてもかわいい、と彼は言った。"]),
    (
        "on the hill where we met last year stands a house , and nobody lives in it any more , they say",
        ["they say a house stands on the hill where we met last year , and any more nobody in it lives"],
    ),
    (
        "the old mill by the river was turning slowly while children were playing",
        ["children played while the old mills by the rivers turned slowly", "the mill turns"],
    ),
]

WORDS = """
a as by sky skies dying news innings proceed ties tied died flies cries happy enjoy spy agreed feed need bled
plastered motoring sing conflated troubled sized hopping tanned falling hissing fizzed failing filing relational
conditional rational valency hesitancy digitizer conformably radically differently vilely analogously
vietnamization predication operator feudalism decisiveness hopefulness callousness formality sensitivity
sensibility hopefully theology geology apology triplicate formative formalize electricity electrical goodness
revival allowance inference airliner gyroscopic adjustable defensible irritant replacement adjustment dependent
adoption homologous communism activate angularity effective bowdlerize probate rate cease controlling rolled
generically totally syzygy yyyy 2nd x86 naïve straße
""".split()


def write(name, made, lines):
    path = HERE / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for line in [made, *lines]:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def bleu(settings, hyps, refs):
    s = BLEU(**settings).corpus_score(hyps, list(itertools.zip_longest(*refs)))
    keys = ("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len")
    return {key: getattr(s, key) for key in keys}


def chrf(settings, hyps, refs):
    return {"score": CHRF(**settings).corpus_score(hyps, list(itertools.zip_longest(*refs))).score}


def ter(settings, hyps, refs):
    # Unlike BLEU and chrF, TER cannot be told that a reference is missing, so a corpus is summed here.
    scores = [TER(**settings).corpus_score([h], [[r] for r in rs]) for h, rs in zip(hyps, refs)]
    edits, length = sum(s.num_edits for s in scores), sum(s.ref_length for s in scores)
    return {"score": 100 * edits / length if length else 100.0 * (edits > 0), "num_edits": edits, "ref_length": length}


def scored(function, grid):
    """Each segment, and all of them as a corpus, under each setting."""
    for at, (hyp, refs) in enumerate(SEGMENTS):
        cases = [{"settings": s, "expected": function(s, [hyp], [refs])} for s in grid]
        yield {"id": f"own-{at}", "level": "sentence", "hyp": hyp, "refs": refs, "cases": cases}
    hyps, refs = [h for h, _ in SEGMENTS], [r for _, r in SEGMENTS]
    cases = [{"settings": s, "expected": function(s, hyps, refs)} for s in grid]
    yield {"id": "own-corpus", "level": "corpus", "hyps": hyps, "refs": refs, "cases": cases}


def rouge():
    types = ["rouge1", "rouge2", "rouge3", "rouge4", "rougeL", "rougeLsum"]
    for at, (hyp, refs) in enumerate(SEGMENTS):
        cases = []
        for stemmer in (False, True):
            scores = RougeScorer(types, use_stemmer=stemmer).score_multi(refs, hyp)
            expected = {kind: score._asdict() for kind, score in scores.items()}
            cases.append({"settings": {"use_stemmer": stemmer}, "expected": expected})
        yield {"id": f"own-{at}", "level": "sentence", "hyp": hyp, "refs": refs, "cases": cases}


def tokenized():
    texts = [text for hyp, refs in SEGMENTS for text in (hyp, *refs)]
    for at, text in enumerate(dict.fromkeys(texts)):
        expected = {
            f"sacrebleu_{name}": _get_tokenizer(name)()(text.rstrip()) for name in ("13a", "none", "intl", "char", "zh")
        }
        for norm, nopunct, asian, cs in itertools.product((False, True), repeat=4):
            tercom = TercomTokenizer(norm, nopunct, asian, cs)
            expected[f"sacrebleu_ter_norm{norm:d}_nopunct{nopunct:d}_asian{asian:d}_cs{cs:d}"] = tercom(text.rstrip())
        expected["rouge_score"] = rouge_tokenize(text, None)
        expected["rouge_score_stem"] = rouge_tokenize(text, PorterStemmer())
        yield {"id": f"own-{at}", "text": text, "expected": expected}


def stemmed():
    modes = ("NLTK_EXTENSIONS", "MARTIN_EXTENSIONS", "ORIGINAL_ALGORITHM")
    yield {"id": "own", "words": WORDS, "expected": {mode: [PorterStemmer(mode).stem(word) for word in WORDS] for mode in modes}}


BLEU_GRID = [
    {"effective_order": effective, **more}
    for effective in (False, True)
    for more in (
        {},
        {"tokenize": "intl", "lowercase": True},
        {"tokenize": "zh"},
        {"tokenize": "char", "max_ngram_order": 6},
        {"tokenize": "none", "max_ngram_order": 2},
        {"smooth_method": "floor", "smooth_value": 0.25},
        {"smooth_method": "add-k"},
        {"smooth_method": "none"},
    )
]
CHRF_GRID = [
    {},
    {"word_order": 2},
    {"word_order": 2, "lowercase": True, "eps_smoothing": True},
    {"whitespace": True, "beta": 3},
    {"char_order": 0, "word_order": 1},
    {"char_order": 3, "beta": 0.5},
]
TER_GRID = [
    dict(zip(("normalized", "no_punct", "asian_support", "case_sensitive"), flags))
    for flags in itertools.product((False, True), repeat=4)
]

if __name__ == "__main__":
    sacrebleu = {"tool": "sacrebleu", "version": "2.6.0", "options": "in each case; corpus_score"}
    write("metrics/bleu", sacrebleu, scored(bleu, BLEU_GRID))
    write("metrics/chrf", sacrebleu, scored(chrf, CHRF_GRID))
    write("metrics/ter", sacrebleu | {"options": "in each case; corpus_score of each segment, summed"}, scored(ter, TER_GRID))
    write("metrics/rouge", {"tool": "rouge-score", "version": "0.1.2", "options": "score_multi"}, rouge())
    both = {"tool": "sacrebleu, rouge-score", "version": "2.6.0, 0.1.2", "options": "sacrebleu's input is right-stripped"}
    write("text/tokenizers", both, tokenized())
    write("text/porter", {"tool": "nltk", "version": "3.10.4", "options": "three modes"}, stemmed())
