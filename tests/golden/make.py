"""Makes the lexical golden files of this folder.

    pip install sacrebleu==2.6.0 rouge-score==0.1.2 nltk==3.10.4 jiwer==4.0.0 pyter3==0.3
    pip install --no-deps pycocoevalcap==1.2 vizseq==0.2.1
    PYTHONPATH=. with gleu.py of cnap/gec-ranking (git 50b5032, scripts/gleu.py) converted by 2to3
    python tests/golden/make.py

The sentences are our own; the values are those of the packages.
"""

import inspect
import itertools
import json
import pathlib
import random
import runpy
import site
import tempfile

import jiwer
import pyter
from nltk.stem.porter import PorterStemmer
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu
from nltk.translate.gleu_score import corpus_gleu
import gleu as gec
import pycocoevalcap.cider.cider_scorer as cider_d_scorer
from pycocoevalcap.bleu.bleu_scorer import BleuScorer
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


def plain_cider():
    """vrama91/cider's scorer of plain CIDEr: CIDEr-D's without clipping and without the length penalty."""
    source = inspect.getsource(cider_d_scorer)
    clipped = "min(vec_hyp[n][ngram], vec_ref[n][ngram])"
    penalty = "val[n] *= np.e**(-(delta**2)/(2*self.sigma**2))"
    assert clipped in source and penalty in source
    module = {}
    exec(source.replace(clipped, "vec_hyp[n][ngram]").replace(penalty, "pass"), module)
    return module["CiderScorer"]


def captions():
    # No empty references, at which these raise.
    kept = [(hyp, refs) for hyp, refs in SEGMENTS if all(ref.split() for ref in refs)]

    def expected(pairs, scorer, **options):
        for hyp, refs in pairs:
            scorer += (hyp.strip(), [ref.strip() for ref in refs])
        return scorer.compute_score(**options)

    def case(pairs):
        bleu, bleus = expected(pairs, BleuScorer(n=4), option="closest")
        (d, ds), (c, cs) = expected(pairs, cider_d_scorer.CiderScorer()), expected(pairs, plain_cider()())
        values = {"Bleu_1..4": bleu, "CIDEr-D": d, "CIDEr": c}
        segments = {"Bleu_1..4": bleus, "CIDEr-D": list(ds), "CIDEr": list(cs)}
        return [{"settings": {}, "expected": {**values, **{f"{k}_per_segment": v for k, v in segments.items()}}}]

    for at, (hyp, refs) in enumerate(kept):
        yield {"id": f"own-{at}", "level": "corpus", "hyps": [hyp], "refs": [refs], "cases": case([(hyp, refs)])}
    hyps, refs = [h for h, _ in kept], [r for _, r in kept]
    yield {"id": "own-corpus", "level": "corpus", "hyps": hyps, "refs": refs, "cases": case(kept)}


def gleu(settings, hyps, refs):
    return {"score": corpus_gleu([[r.split() for r in rs] for rs in refs], [h.split() for h in hyps], **settings)}


def nltk_bleu(settings, hyps, refs):
    order = settings["max_n"]
    smoothing = getattr(SmoothingFunction(), settings["smoothing"])
    hyps, refs = [h.split() for h in hyps], [[r.split() for r in rs] for rs in refs]
    try:
        return corpus_bleu(refs, hyps, (1 / order,) * order, smoothing)
    except (AssertionError, IndexError) as error:
        return {"error": type(error).__name__, "message": str(error)}


def nltk():
    """All methods on segments; on the corpus only those that look at summed counts alone."""
    methods = [f"method{k}" for k in range(8)]
    for line in scored(nltk_bleu, [{"metric": "bleu", "max_n": n, "smoothing": m} for n in (1, 2, 3, 4) for m in methods]):
        if line["level"] == "corpus":
            line["cases"] = [case for case in line["cases"] if case["settings"]["smoothing"] < "method4"]
        yield line


# VizSeq's module by itself: the package imports a web server.
vizseq_wer = runpy.run_path(f"{site.getsitepackages()[0]}/vizseq/scorers/_wer.py")["get_wer"]


def error_rates():
    """Without empty references, at which two of the three raise."""
    for at, (hyp, refs) in enumerate(SEGMENTS):
        values = {
            "vizseq_wer": ("min", lambda: float(vizseq_wer(refs, hyp).wer)),
            "jiwer_wer": ("first", lambda: jiwer.wer(refs[0], hyp)),
            "pyter_ter": ("first", lambda: pyter.ter(hyp.split(), refs[0].split())),
        }
        kept = values if all(ref.split() for ref in refs) else ["jiwer_wer"]
        cases = [{"settings": {"metric": m, "refs": values[m][0]}, "expected": values[m][1]()} for m in kept]
        yield {"id": f"own-{at}", "level": "sentence", "hyp": hyp, "refs": refs, "cases": cases}


# A source, its correction and references, the same number for all.
CORRECTIONS = [
    ("she go to school every days", "she goes to school every days", ["she goes to school every day", "every day she goes to school"]),
    ("he have two cat and a dog", "he has two cats and a dog", ["he has two cats and a dog", "he has two cats and one dog"]),
    ("I am agree with you .", "I am agree with you .", ["I agree with you .", "I do agree with you ."]),
    ("the the house is big big", "the house is big", ["the house is big", "the house is very big"]),
    ("", "something was said", ["something was said here", "nothing was said here"]),
    ("yes", "", ["yes", "yes , of course"]),
    ("informations are important for peoples", "information is important for people", ["information is important to people", "information is important for people"]),
    ("we was walking in street when rain start to fall", "we were walking in street when rain started to fall", ["we were walking in the street when rain started to fall", "we were walking down the street when it started to rain"]),
]


def corrected(rows, iterations):
    """The corpus score as compute_gleu has it, with Python 2's random.randint as int(random() * n)."""
    scorer = gec.GLEU()
    with tempfile.TemporaryDirectory() as folder:
        def lines(name, texts):
            path = pathlib.Path(folder, name)
            path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
            return path

        scorer.load_sources(lines("source", [source for source, _, _ in rows]))
        scorer.load_references([lines(f"ref{k}", [refs[k] for _, _, refs in rows]) for k in range(len(rows[0][2]))])
    each, stats = [], []
    for at, (_, hyp, refs) in enumerate(rows):
        scorer.load_hypothesis_sentence(hyp.split())
        stats.append([list(scorer.gleu_stats(at, r_ind=k)) for k in range(len(refs))])
        each.append(sum(scorer.gleu(s, smooth=True) for s in stats[-1]) / len(refs))
    scores = []
    for iteration in range(iterations):
        random.seed(iteration * 101)
        drawn = [s[int(random.random() * len(s))] for s in stats]
        scores.append(scorer.gleu([sum(column) for column in zip(*drawn)]))
    return {"gleu_mean": sum(scores) / len(scores), "per_segment": [{"mean": score} for score in each]}


def corrections():
    for iterations, rows in ((500, CORRECTIONS), (20, CORRECTIONS[:3]), (1, [(s, h, r[:1]) for s, h, r in CORRECTIONS])):
        srcs, hyps, refs = map(list, zip(*rows))
        cases = [{"settings": {"iterations": iterations}, "expected": corrected(rows, iterations)}]
        yield {"id": f"own-{iterations}", "level": "corpus", "srcs": srcs, "hyps": hyps, "refs": refs, "cases": cases}


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
    caption = {"tool": "pycocoevalcap", "version": "1.2", "options": "no tokeniser; CIDEr without clipping and penalty as in vrama91/cider"}
    write("metrics/cider", caption, captions())
    grid = [{}, {"min_len": 2, "max_len": 3}, {"max_len": 1}]
    write("metrics/gleu", {"tool": "nltk", "version": "3.10.4", "options": "corpus_gleu of white space tokens"}, scored(gleu, grid))
    write("metrics/nltk", {"tool": "nltk", "version": "3.10.4", "options": "corpus_bleu of white space tokens"}, nltk())
    rates = {"tool": "VizSeq, jiwer, pyter", "version": "0.2.1, 4.0.0, 0.3", "options": "get_wer; wer; ter of white space tokens"}
    write("metrics/wer", rates, error_rates())
    gec_ranking = {"tool": "cnap/gec-ranking gleu.py", "version": "git 50b5032, under Python 3", "options": "as compute_gleu, smoothed segments"}
    write("metrics/gec", gec_ranking, corrections())
    write("metrics/rouge", {"tool": "rouge-score", "version": "0.1.2", "options": "score_multi"}, rouge())
    both = {"tool": "sacrebleu, rouge-score", "version": "2.6.0, 0.1.2", "options": "sacrebleu's input is right-stripped"}
    write("text/tokenizers", both, tokenized())
    write("text/porter", {"tool": "nltk", "version": "3.10.4", "options": "three modes"}, stemmed())
