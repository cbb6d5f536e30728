"""`rouge_scorer` and `evalica` give the numbers of the packages of these names, input by input."""

from __future__ import annotations

import copy
import math
import pickle
import random
from typing import Any, Literal

import pytest
from conftest import needs
from test_dropins import FIRST, OUTPUTS, SECOND

import tiebreak as tb
from tiebreak import evalica, rouge_scorer

KINDS = ["rouge1", "rouge2", "rouge3", "rouge4", "rougeL", "rougeLsum"]


@pytest.mark.parametrize("stemmed", [False, True])
def test_rouge_is_rouge_scores(stemmed: bool) -> None:
    theirs = needs("rouge_score.rouge_scorer").RougeScorer(KINDS, use_stemmer=stemmed)
    ours = rouge_scorer.RougeScorer(KINDS, use_stemmer=stemmed)
    for text, first, second in zip(OUTPUTS, FIRST, SECOND):
        lines = text.replace(" the ", "\nthe running ")
        for target, prediction in [(first, text), (first.replace(" a ", "\n"), lines)]:
            expected, found = theirs.score(target, prediction), ours.score(target, prediction)
            assert list(found) == KINDS
            for kind in KINDS:
                assert tuple(found[kind]) == pytest.approx(tuple(expected[kind]), abs=1e-12), (kind, target, prediction)
        several, expected = ours.score_multi([first, second], text), theirs.score_multi([first, second], text)
        for kind in KINDS:
            assert several[kind] == pytest.approx(tuple(expected[kind]), abs=1e-12), (kind, first, second, text)
    score = ours.score("the cat", "the dog")["rouge1"]
    assert (score.precision, score.recall, score.fmeasure) == (0.5, 0.5, 0.5)


def test_what_rouge_does_not_have_is_named() -> None:
    for given, told in [
        ({"rouge_types": ["rouge1", "rouge7"]}, "rouge type `rouge7` is not here\nhint: types are rouge1, "),
        ({"rouge_types": ["rougeLsum"], "split_summaries": True}, "split_summaries"),
        ({"rouge_types": ["rouge1"], "tokenizer": object()}, "tokenizer"),
    ]:
        with pytest.raises(ValueError, match=told):
            tb.RougeScorer(**given)
    scorer = tb.RougeScorer(["rouge2"], use_stemmer=True)
    for copied in (copy.deepcopy(scorer), pickle.loads(pickle.dumps(scorer))):
        assert copied.score("a cat runs", "a cat running") == scorer.score("a cat runs", "a cat running")


METHODS: list[tuple[str, dict[str, list[Any]]]] = [
    ("counting", {"tie_weight": [0.0, 0.3]}),
    ("average_win_rate", {"tie_weight": [0.3, 1.0]}),
    ("bradley_terry", {"tie_weight": [0.3], "limit": [3, 1000], "tolerance": [1e-3, 1e-10]}),
    ("newman", {"v_init": [0.2, 1.0], "limit": [3, 1000], "tie_weight": [0.5]}),
    ("elo", {"k": [10.0, 32.0], "initial": [0.0], "scale": [200.0], "base": [2.0]}),
    ("eigen", {"limit": [200], "tie_weight": [1.0]}),
    ("pagerank", {"damping": [0.5, 0.99], "tie_weight": [1.0]}),
]


@pytest.mark.parametrize(("method", "options"), METHODS, ids=[name for name, _ in METHODS])
def test_rankings_are_evalicas(method: str, options: dict[str, list[Any]]) -> None:
    theirs, draw = needs("evalica"), random.Random(11)
    for trial in range(200):
        systems = [f"s{one}" for one in range(draw.randint(2, 7))]
        votes = [draw.sample(systems, 2) if draw.random() < 0.97 else [systems[0]] * 2 for _ in range(draw.randint(1, 80))]
        xs, ys = [list(side) for side in zip(*votes)]
        outcomes = [draw.choice([0, 1, 1, 2]) for _ in votes]
        weights = [draw.uniform(0.1, 3) for _ in votes] if trial % 2 else None
        given = {name: draw.choice(values) for name, values in options.items() if draw.random() < 0.5}
        index = sorted(systems, reverse=True) if trial % 3 == 0 else None
        winners = [theirs.Winner(one) for one in outcomes]
        expected = getattr(theirs, method)(
            xs, ys, winners, index=None if index is None else needs("pandas").Index(index), weights=weights, **given
        )
        for named in (winners, [evalica.Winner(one) for one in outcomes]):
            found = getattr(evalica, method)(xs, ys, named, index=index, weights=weights, **given)
            assert set(found.index) == set(expected.index) and found.scores.name == method
            assert found.scores.to_dict() == pytest.approx(expected.scores.to_dict(), rel=1e-9, abs=1e-12), (trial, given)
            assert list(found.scores) == sorted(found.scores, reverse=True)
        if method == "newman":
            assert found.v == pytest.approx(expected.v, rel=1e-9)


def test_pairwise_scores_are_evalicas() -> None:
    theirs, numpy = needs("evalica"), needs("numpy")
    draw = random.Random(5)
    for _ in range(200):
        scores = [draw.choice([0.0, draw.uniform(0, 5)]) for _ in range(draw.randint(0, 5))]
        expected = theirs.pairwise_scores(numpy.array(scores, dtype=float))
        for one, other in zip(evalica.pairwise_scores(scores), expected.tolist(), strict=True):
            assert one == pytest.approx(other, rel=1e-12)


def test_mistakes_are_those_of_values_and_types() -> None:
    with pytest.raises(ValueError, match="2 xs, 1 ys, 2 winners, expected as many of each"):
        evalica.counting(["a", "b"], ["b"], [1, 2])
    with pytest.raises(TypeError, match="index: 'b' is not in it"):
        evalica.elo(["a"], ["b"], ["x"], index=["a"])
    with pytest.raises(ValueError, match="winner is 'z'"):
        evalica.elo(["a"], ["b"], ["z"])
    with pytest.raises(ValueError, match="weights: expected numbers that are finite"):
        evalica.newman(["a"], ["b"], ["x"], weights=[float("nan")])
    assert evalica.counting([], [], []).scores.to_dict() == {}


def test_rankings_need_no_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    given = (["a", "b", "a"], ["b", "c", "c"], ["x", "draw", "y"])
    expected = evalica.newman(*given).scores.to_dict() if needs("pandas") else {}
    monkeypatch.setitem(sys.modules, "pandas", None)
    found = evalica.newman(*given)
    assert found.scores == expected and list(found.scores) == list(expected) and found.index == ["a", "b", "c"]


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_agreement_is_krippendorffs(level: Literal["nominal", "ordinal", "interval", "ratio"]) -> None:
    theirs, draw = needs("krippendorff"), random.Random(5)
    numpy = needs("numpy")
    for _ in range(200):
        few, annotators, questions = draw.randint(2, 5), draw.randint(2, 5), draw.randint(3, 30)
        rows = [[draw.choice([None, *range(few)]) for _ in range(questions)] for _ in range(annotators)]
        array = numpy.array([[numpy.nan if one is None else one for one in row] for row in rows], dtype=float)
        found = tb.krippendorff_alpha(rows, level)
        assert found == tb.krippendorff_alpha(array, level) or math.isnan(found)
        if math.isnan(found):
            continue
        assert found == pytest.approx(theirs.alpha(array, level_of_measurement=level), abs=1e-12)
        if level == "nominal":
            texts = [[None if one is None else "abcde"[one] for one in row] for row in rows]
            assert tb.krippendorff_alpha(texts, level) == found
    assert math.isnan(tb.krippendorff_alpha([[1, 1], [1, None]]))
    with pytest.raises(tb.InputError, match="rows of different lengths"):
        tb.krippendorff_alpha([[1, 2], [1]])
    with pytest.raises(tb.InputError, match="level is `polar`"):
        tb.krippendorff_alpha([[1, 2], [1, 2]], "polar")  # type: ignore[arg-type]
    with pytest.raises(tb.InputError, match="an answer is -1, expected none below 0 at the level ratio"):
        tb.krippendorff_alpha([[1, 2], [-1, 2]], "ratio")


def test_answers_are_told_apart_as_by_crowd_kit() -> None:
    draw = random.Random(6)
    truth = [draw.choice("abc") for _ in range(300)]
    rows = [
        (f"q{question}", f"w{worker}", right if draw.random() < 0.5 + worker / 20 else draw.choice("abc"))
        for question, right in enumerate(truth) for worker in draw.sample(range(9), 4)
    ]
    found = tb.dawid_skene(*zip(*rows, strict=True))
    assert list(found)[:2] == ["q0", "q1"] and all(1 / 3 <= share <= 1 + 1e-12 for _, share in found.values())
    right = sum(found[f"q{question}"][0] == one for question, one in enumerate(truth))
    assert right > 240
    with pytest.raises(tb.InputError, match="2 questions, 1 annotators and 2 answers"):
        tb.dawid_skene("ab", "a", "ab")
    # Who gave no answer gave no category.
    for none in (None, math.nan):
        with_none = [(question, f"w{worker}", none) for question in ("q0", "q300") for worker in range(9)]
        assert tb.dawid_skene(*zip(*rows, *with_none, strict=True)) == found
    with pytest.raises(tb.InputError, match="question 2 is None, expected a name"):
        tb.dawid_skene(["q", None], "ab", "ab")
    pandas, crowdkit = needs("pandas"), needs("crowdkit.aggregation")
    frame = pandas.DataFrame(rows, columns=["task", "worker", "label"])
    # It ends long before its probabilities stay as they are.
    model = crowdkit.DawidSkene(n_iter=2000, tol=0).fit(frame)
    for question, (label, share) in found.items():
        assert model.labels_[question] == label
        assert model.probas_.loc[question, label] == pytest.approx(share, abs=0.05)
