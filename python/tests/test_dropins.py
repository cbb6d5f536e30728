"""What looks like another package gives that package's numbers."""

from __future__ import annotations

import math
import random

import pytest
from conftest import needs

import tiebreak as tb
from tiebreak import evalica

WORDS = "the a cat dog house runs barks fast late ! , . über 学 — it's 3.5 U.S.".split()


def texts(seed: int, n: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(0 if i % 17 == 0 else 1, 20))) for i in range(n)]


OUTPUTS, FIRST, SECOND = texts(1, 200), texts(2, 200), texts(3, 200)


@pytest.mark.parametrize("options", [{}, {"lowercase": True}, {"tokenize": "intl"}, {"max_ngram_order": 2}])
def test_bleu_is_sacrebleus(options: dict[str, object]) -> None:
    theirs = needs("sacrebleu").BLEU(**options).corpus_score(OUTPUTS, [FIRST, SECOND])
    ours = tb.BLEU(**options).corpus_score(OUTPUTS, [FIRST, SECOND])
    assert ours.score == pytest.approx(theirs.score, abs=1e-9)
    assert (ours.counts, ours.totals, ours.sys_len, ours.ref_len) == (
        theirs.counts, theirs.totals, theirs.sys_len, theirs.ref_len,
    )
    assert str(ours) == str(theirs)


@pytest.mark.parametrize("options", [{}, {"word_order": 2}, {"beta": 1, "lowercase": True}, {"eps_smoothing": True}])
def test_chrf_is_sacrebleus(options: dict[str, object]) -> None:
    theirs = needs("sacrebleu").CHRF(**options).corpus_score(OUTPUTS, [FIRST, SECOND])
    ours = tb.CHRF(**options).corpus_score(OUTPUTS, [FIRST, SECOND])
    assert ours.score == pytest.approx(theirs.score, abs=1e-9) and str(ours) == str(theirs)


@pytest.mark.parametrize("options", [{}, {"normalized": True}, {"case_sensitive": True, "no_punct": True}])
def test_ter_is_sacrebleus(options: dict[str, object]) -> None:
    theirs = needs("sacrebleu").TER(**options).corpus_score(OUTPUTS, [FIRST, SECOND])
    ours = tb.TER(**options).corpus_score(OUTPUTS, [FIRST, SECOND])
    assert ours.score == pytest.approx(theirs.score, abs=1e-9)
    assert (ours.num_edits, ours.ref_length) == (theirs.num_edits, pytest.approx(theirs.ref_length))


def test_some_outputs_may_have_fewer_references() -> None:
    fewer = [text if i % 3 else None for i, text in enumerate(SECOND)]
    sacrebleu = needs("sacrebleu")
    for ours, theirs in [(tb.bleu, sacrebleu.BLEU()), (tb.chrf, sacrebleu.CHRF()), (tb.ter, sacrebleu.TER())]:
        found = ours.corpus_score(OUTPUTS, [FIRST, fewer]).score
        assert found == pytest.approx(theirs.corpus_score(OUTPUTS, [FIRST, fewer]).score, abs=1e-9)
    tb.chrf.corpus_score(OUTPUTS, [FIRST, fewer])
    assert "nrefs:var" in str(tb.chrf.get_signature())


def test_sentences_are_sacrebleus() -> None:
    sacrebleu = needs("sacrebleu")
    for text, one, other in list(zip(OUTPUTS, FIRST, SECOND))[:40]:
        pairs = [
            (tb.sacrebleu.sentence_bleu, sacrebleu.sentence_bleu),
            (tb.sacrebleu.sentence_chrf, sacrebleu.sentence_chrf),
            (tb.sacrebleu.sentence_ter, sacrebleu.sentence_ter),
        ]
        for ours, theirs in pairs:
            assert ours(text, [one, other]).score == pytest.approx(theirs(text, [one, other]).score, abs=1e-9)


def test_a_signature_says_what_made_a_score() -> None:
    bleu = tb.BLEU(lowercase=True)
    bleu.corpus_score(OUTPUTS, [FIRST])
    assert str(bleu.get_signature()).startswith("bleu|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp")


def test_what_sacrebleu_refuses_is_refused() -> None:
    with pytest.raises(TypeError):
        tb.chrf.corpus_score(OUTPUTS, FIRST)
    with pytest.raises(TypeError):
        tb.chrf.sentence_score(OUTPUTS, FIRST)
    with pytest.raises(tb.InputError, match="200 outputs with 10 references"):
        tb.chrf.corpus_score(OUTPUTS, [FIRST[:10]])
    with pytest.raises(tb.InputError, match="tokenize"):
        tb.BLEU(tokenize="sudachi")


def test_evaluate_compute_has_its_keys_and_numbers() -> None:
    rouge_score, sacrebleu = needs("rouge_score.rouge_scorer"), needs("sacrebleu")
    found = tb.evaluate.load("rouge").compute(predictions=OUTPUTS, references=FIRST, use_stemmer=True)
    kinds = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    scorer = rouge_score.RougeScorer(kinds, use_stemmer=True)
    theirs = [scorer.score(reference, text) for reference, text in zip(FIRST, OUTPUTS)]
    for kind in kinds:
        mean = sum(one[kind].fmeasure for one in theirs) / len(theirs)
        assert found[kind] == pytest.approx(mean, abs=1e-12), kind
    found = tb.evaluate.load("sacrebleu").compute(predictions=OUTPUTS, references=list(zip(FIRST, SECOND)))
    expected = sacrebleu.corpus_bleu(OUTPUTS, [FIRST, SECOND])
    assert list(found) == ["score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len"]
    assert found["score"] == pytest.approx(expected.score) and found["sys_len"] == expected.sys_len
    chrf = tb.evaluate.load("chrf").compute(predictions=OUTPUTS, references=FIRST, word_order=2)
    assert list(chrf) == ["score", "char_order", "word_order", "beta"]
    ter = tb.evaluate.load("ter").compute(predictions=OUTPUTS, references=FIRST, ignore_punct=True)
    assert list(ter) == ["score", "num_edits", "ref_length"]
    meteor = tb.evaluate.load("gleu").compute(predictions=OUTPUTS, references=FIRST)
    assert meteor["gleu"] == pytest.approx(sum(meteor["scores"]) / len(OUTPUTS))
    with pytest.raises(tb.InputError, match="did you mean `meteor`"):
        tb.evaluate.load("metoer")


def test_metrics_take_columns_and_no_single_text() -> None:
    numpy, pandas = needs("numpy"), needs("pandas")
    expected = tb.evaluate.load("rouge").compute(predictions=OUTPUTS, references=FIRST)
    for column in (numpy.array, pandas.Series):
        found = tb.evaluate.load("rouge").compute(predictions=column(OUTPUTS), references=column(FIRST))
        assert found == expected
    for predictions, references in [("a b", "a b"), (["a b"], "a"), ("a", ["a b"])]:
        with pytest.raises(tb.InputError, match="are one text, expected a list"):
            tb.evaluate.load("rouge").compute(predictions=predictions, references=references)


def test_rankings_take_what_evalica_takes() -> None:
    xs, ys = ["a", "b", "c", "a", "b"] * 20, ["b", "c", "a", "c", "a"] * 20
    winners = (["x", "x", "draw", "x", "y"] * 20)
    ranking = tb.bradley_terry(xs, ys, winners)
    assert list(ranking.scores) == ["a", "b", "c"] and ranking.table[0]["system"] == "a"
    assert tb.bradley_terry(xs, ys, [1, 1, 0, 1, 2] * 20).json == ranking.json
    named = [x if w == "x" else y if w == "y" else "draw" for x, y, w in zip(xs, ys, winners)]
    assert tb.bradley_terry(xs, ys, named).json == ranking.json
    theirs = needs("evalica")
    assert list(theirs.bradley_terry(xs, ys, [theirs.Winner(n) for n in [1, 1, 0, 1, 2] * 20]).scores.index) == [
        "a", "b", "c",
    ]
    with pytest.raises(tb.InputError, match="winner is 'z'"):
        tb.bradley_terry(["a"], ["b"], ["z"])


def test_a_winner_is_a_name_or_a_code_and_never_silently_the_other() -> None:
    def best(xs: list[object], ys: list[object], winner: object) -> object:
        return tb.bradley_terry(xs * 60, ys * 60, [winner] * 60, items=range(60)).claim["systems"]

    assert best([3], [5], 5) == best(["3"], ["5"], "5") == ["5"]
    assert best([1], [2], 1) == best(["2"], ["1"], 2) == best([2], [1], evalica.Winner.Y) == ["1"]
    refused: list[tuple[object, object, object]] = [(2, 1, 2), (2, 1, 1), (0, 5, 0), ("y", "x", "x")]
    for x, y, winner in refused:
        with pytest.raises(tb.InputError, match=f"winner is {winner!r}, which names .* and stands for"):
            best([x], [y], winner)
    for neither in (True, False, None, math.nan):
        with pytest.raises(tb.InputError, match=f"winner is {neither}"):
            best(["a"], ["b"], neither)
    # Outcomes of the first, of which 0 is a loss, are no codes: evalica's 0 is a draw.
    for outcomes in ([1.0, 0.0], [1, 0], [0, 0], [1.0, 1.0]):
        with pytest.raises(tb.InputError, match="winners are 0 and 1 alone"):
            tb.bradley_terry(["a", "a"], ["b", "b"], outcomes)
    # For evalica numbers are never names.
    assert evalica.counting([2], [1], [2]).scores[1] == 1


def test_frames_are_their_values_and_not_their_names() -> None:
    numpy, pandas, polars, arrow = (needs(name) for name in ("numpy", "pandas", "polars", "pyarrow"))
    columns = {"q1": [1, 2, 3], "q2": [1, 1, 3], "q3": [2, 2, 1]}
    rows = [list(row) for row in zip(*columns.values())]
    digits = {name[1:]: column for name, column in columns.items()}
    for level in ("nominal", "ordinal", "interval", "ratio"):
        expected = tb.krippendorff_alpha(rows, level)
        for table in (pandas.DataFrame(columns), pandas.DataFrame(digits), polars.DataFrame(columns), arrow.table(columns)):
            assert tb.krippendorff_alpha(table, level) == expected
        assert tb.krippendorff_alpha(iter(rows), level) == expected  # type: ignore[arg-type]
    assert tb.krippendorff_alpha(rows, "nominal") == pytest.approx(-1 / 13)
    missing = pandas.DataFrame({"q1": [1, None, 3], "q2": [1, 1, 3], "q3": [2, 2, 1]}, dtype="Int64")
    without = [[1, 1, 2], [None, 1, 2], [3, 3, 1]]
    assert tb.krippendorff_alpha(missing, "nominal") == tb.krippendorff_alpha(without, "nominal")
    for wrong in (columns, ["112", "213"], numpy.array(["112", "213"])):
        with pytest.raises(tb.InputError, match="expected a row of answers"):
            tb.krippendorff_alpha(wrong, "nominal")
    frame = pandas.DataFrame({"1": [1.0, 0.0, 1.0]})
    for table in (frame, polars.DataFrame(frame), frame.values, {"1": 2}):
        with pytest.raises(tb.InputError, match="where one column is expected"):
            tb.ppi_mean_ci(table, table, table)
        with pytest.raises(tb.InputError, match="where one column is expected"):
            evalica.counting(["a"], ["b"], ["x"], weights=table)
        with pytest.raises(tb.InputError, match="where one column is expected"):
            tb.dawid_skene(table, table, table)
        with pytest.raises(tb.InputError, match="where one column is expected"):
            evalica.pairwise_scores(table)


def test_who_or_what_has_no_name_is_no_system_item_or_annotator() -> None:
    given = (["a"] * 60, ["b"] * 60, ["x"] * 60)
    for nobody in (None, math.nan, ""):
        with pytest.raises(tb.InputError, match="x 2 is .*, expected a name"):
            tb.bradley_terry(["a", nobody], ["b", "b"], ["x", "x"])
        with pytest.raises(tb.InputError, match="y 1 is .*, expected a name"):
            tb.bradley_terry(["a", "a"], [nobody, "b"], ["x", "x"])
        with pytest.raises(tb.InputError, match="item 60 is .*, expected a name"):
            tb.bradley_terry(*given, items=[*range(59), nobody])
    rows = [{"system_a": "a", "system_b": "b", "outcome": 1, "annotator": None}] * 60
    unnamed = tb.bradley_terry(*given, annotators=[None] * 30 + [math.nan] * 30)
    assert unnamed.claim["annotators"] == tb.rank(rows).claim["annotators"] == 1


def test_means_are_those_of_ppi() -> None:
    ppi, numpy = needs("ppi_py"), needs("numpy")
    draw = random.Random(5)
    truth = [draw.gauss(0, 1) for _ in range(2000)]
    predicted = [y + draw.gauss(0.3, 0.5) for y in truth]
    labels, seen, unseen = truth[:200], predicted[:200], predicted[200:]
    for lam in (None, 0.5):
        ours = tb.ppi_mean_ci(labels, seen, unseen, alpha=0.05, lam=lam)
        theirs = ppi.ppi_mean_ci(*map(numpy.array, (labels, seen, unseen)), alpha=0.05, lam=lam)
        for one, other in zip(ours, theirs):
            assert one == pytest.approx(float(numpy.ravel(other)[0]), rel=1e-6)
    assert math.isfinite(ours[0])
