"""`tb.evaluate` has the keys, the numbers and the scales of `evaluate`."""

from __future__ import annotations

import random

import pytest
from conftest import needs
from test_dropins import FIRST, OUTPUTS, SECOND

import tiebreak as tb


def test_wer_is_jiwers() -> None:
    wer = tb.evaluate.load("wer")
    assert wer.compute(predictions=["a b c e"], references=["a b c d"]) == 0.25
    jiwer = needs("jiwer")
    assert wer.compute(predictions=OUTPUTS, references=FIRST) == pytest.approx(jiwer.wer(FIRST, OUTPUTS), abs=1e-12)
    for output, reference in zip(OUTPUTS, FIRST):
        found = wer.compute(predictions=[output], references=[reference])
        assert found == pytest.approx(jiwer.wer(reference, output), abs=1e-12)


def test_wer_has_jiwers_words_and_its_numbers_without_any() -> None:
    wer = tb.evaluate.load("wer")
    # Without words in the references it is the number of insertions.
    assert wer.compute(predictions=["a b c"], references=[""]) == 3
    assert wer.compute(predictions=["x y", "a"], references=["", "a"]) == 2
    assert wer.compute(predictions=[""], references=[""]) == 0
    jiwer, draw = needs("jiwer"), random.Random(3)
    parts = ["a", "b", "cat", "the", " ", "  ", "\t", "\n", " \t ", "\u00a0", "é", ""]
    for _ in range(200):
        sides = [["".join(draw.choices(parts, k=draw.randint(0, 8))) for _ in range(3)] for _ in "rh"]
        found = wer.compute(predictions=sides[1], references=sides[0])
        assert found == pytest.approx(jiwer.wer(*sides), abs=1e-12), sides
        one = tb.score(sides[1], sides[0], "wer:implementation=jiwer")
        assert one.score == pytest.approx(found) and one.segments[0] == pytest.approx(jiwer.wer(sides[0][0], sides[1][0]))


def test_wer_takes_one_reference() -> None:
    wer = tb.evaluate.load("wer")
    with pytest.raises(tb.InputError, match="one reference"):
        wer.compute(predictions=["a"], references=[["a", "b"]])


def test_bleu_is_of_the_corpus_and_from_0_to_1() -> None:
    bleu = tb.evaluate.load("bleu")
    found = bleu.compute(predictions=OUTPUTS, references=FIRST)
    theirs = needs("sacrebleu").corpus_bleu(OUTPUTS, [FIRST], smooth_method="none")
    assert list(found) == [
        "bleu", "precisions", "brevity_penalty", "length_ratio", "translation_length", "reference_length",
    ]
    assert found["bleu"] == pytest.approx(theirs.score / 100, abs=1e-12)
    assert found["precisions"] == pytest.approx([one / 100 for one in theirs.precisions])
    assert found["brevity_penalty"] == pytest.approx(theirs.bp)
    assert (found["translation_length"], found["reference_length"]) == (theirs.sys_len, theirs.ref_len)


def test_bleu_takes_the_shortest_reference() -> None:
    bleu = tb.evaluate.load("bleu")
    found = bleu.compute(predictions=["a b c d"], references=[["a b c d e", "a b"]])
    assert found["bleu"] == 1 and found["reference_length"] == 2 and found["length_ratio"] == 2
    short = bleu.compute(predictions=["a b c d"], references=["a b c d e"])
    assert short["bleu"] == pytest.approx(2.718281828459045 ** (1 - 5 / 4))
    assert bleu.compute(predictions=["a x"], references=["a y"])["bleu"] == 0
    smooth = bleu.compute(predictions=["a x"], references=["a y"], smooth=True, max_order=2)
    assert smooth["precisions"] == pytest.approx([2 / 3, 1 / 2]) and smooth["bleu"] == pytest.approx((1 / 3) ** 0.5)
    split = bleu.compute(predictions=["a,b"], references=["a,b"], tokenizer=str.split, max_order=1)
    assert split["translation_length"] == 1


def test_exact_match_is_a_share() -> None:
    match = tb.evaluate.load("exact_match")
    given = {"predictions": ["The cat!", "on 2", "x"], "references": ["the cat", "on 3", "y"]}
    assert match.compute(**given) == {"exact_match": 0}
    assert match.compute(**given, ignore_case=True, ignore_punctuation=True)["exact_match"] == pytest.approx(1 / 3)
    assert match.compute(**given, ignore_numbers=True)["exact_match"] == pytest.approx(1 / 3)
    assert match.compute(**given, regexes_to_ignore=["[xy]"])["exact_match"] == pytest.approx(1 / 3)


def test_batches_add_up() -> None:
    whole = tb.evaluate.load("sacrebleu").compute(predictions=OUTPUTS, references=list(zip(FIRST, SECOND)))
    metric = tb.evaluate.load("sacrebleu")
    metric.add(prediction=OUTPUTS[0], reference=[FIRST[0], SECOND[0]])
    metric.add_batch(predictions=OUTPUTS[1:9], references=list(zip(FIRST[1:9], SECOND[1:9])))
    assert metric.compute(predictions=OUTPUTS[9:], references=list(zip(FIRST[9:], SECOND[9:]))) == whole
    with pytest.raises(tb.InputError, match="no predictions"):
        metric.compute()
    with pytest.raises(tb.InputError, match="2 predictions with 1 references"):
        metric.add_batch(predictions=["a", "b"], references=["a"])


def test_metrics_combine() -> None:
    both = tb.evaluate.combine(["chrf", "sacrebleu", tb.evaluate.load("wer")])
    both.add_batch(predictions=OUTPUTS, references=FIRST)
    found = both.compute()
    for name in ("chrf", "sacrebleu"):
        alone = tb.evaluate.load(name).compute(predictions=OUTPUTS, references=FIRST)
        assert found[f"{name}_score"] == alone["score"]
    assert found["wer"] == tb.evaluate.load("wer").compute(predictions=OUTPUTS, references=FIRST)
    assert found["bp"] <= 1 and "score" not in found
