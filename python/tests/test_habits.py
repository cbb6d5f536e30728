"""What people type by habit, without having read anything."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from conftest import MT_BENCH, TINY, needs, rows
from test_dropins import FIRST, OUTPUTS, SECOND

import tiebreak as tb


def test_scores_are_those_of_the_metrics() -> None:
    found = tb.score(OUTPUTS, FIRST, "chrf")
    assert float(found) == found.score == tb.chrf.corpus_score(OUTPUTS, [FIRST]).score
    assert str(found) == f"chrf = {found.score:.2f}" and found.signature.startswith("chrf|nrefs:1")
    assert len(found.segments) == len(OUTPUTS)
    assert found.segments[3] == tb.sacrebleu.sentence_chrf(OUTPUTS[3], [FIRST[3]]).score
    both = list(zip(FIRST, SECOND))
    several = tb.score(OUTPUTS, both, ["bleu", tb.CHRF(word_order=2), "rouge-l"])
    assert list(several) == ["bleu", "chrf:word-order=2", "rouge-l"]
    assert several["bleu"].score == tb.bleu.corpus_score(OUTPUTS, [FIRST, SECOND]).score
    assert several["chrf:word-order=2"].score == tb.CHRF(word_order=2).corpus_score(OUTPUTS, [FIRST, SECOND]).score
    rouge = several["rouge-l"]
    assert rouge.score == pytest.approx(sum(rouge.segments) / len(OUTPUTS))
    assert tb.score("He sings.", "He sings a song.").score == tb.score(["He sings."], [["He sings a song."]]).score
    assert tb.score(["three words here"], metrics="length").score > 0


def test_metrics_are_called() -> None:
    assert tb.bleu(OUTPUTS, FIRST).score == tb.bleu.corpus_score(OUTPUTS, [FIRST]).score
    metric = tb.TER(case_sensitive=True)
    assert str(metric(OUTPUTS, list(zip(FIRST, SECOND)))) == str(metric.corpus_score(OUTPUTS, [FIRST, SECOND]))
    assert tb.chrf("a b c", "a b d").score == tb.chrf.sentence_score("a b c", ["a b d"]).score
    fewer = [[one, other] if i % 3 else one for i, (one, other) in enumerate(zip(FIRST, SECOND))]
    streams = [FIRST, [other if i % 3 else None for i, other in enumerate(SECOND)]]
    assert tb.chrf(OUTPUTS, fewer).score == tb.chrf.corpus_score(OUTPUTS, streams).score


def test_mistakes_are_named() -> None:
    with pytest.raises(tb.InputError, match="200 outputs with 2 references, expected as many\nhint: streams"):
        tb.score(OUTPUTS, [FIRST, SECOND], "chrf")
    with pytest.raises(TypeError, match="a text, or a list of texts, for each output"):
        tb.score(OUTPUTS, "a", "chrf")
    with pytest.raises(tb.InputError, match="did you mean `chrf`"):
        tb.score(OUTPUTS, FIRST, "chfr")
    with pytest.raises(TypeError, match=r"expected a name, or a metric such as tb.BLEU\(\)"):
        tb.score(OUTPUTS, FIRST, [3])  # type: ignore[list-item]


def test_data_are_scored_by_metric_objects() -> None:
    data = tb.load(TINY)
    ours = data.score([tb.BLEU(), tb.CHRF(word_order=2, beta=3), tb.TER(normalized=True)])
    named = data.score(["bleu", "chrf:word-order=2,beta=3", "ter:normalized=true"])
    assert ours.to_pylist() == named.to_pylist()
    assert data.score(tb.chrf).to_pylist() == data.score("chrf").to_pylist()
    assert data.system_scores(tb.BLEU(lowercase=True)) == data.system_scores("bleu:lowercase=true")


def test_names_of_metrics_say_their_parameters() -> None:
    draw = random.Random(4)
    choices: list[tuple[Any, dict[str, list[Any]]]] = [
        (tb.BLEU, {"lowercase": [True], "tokenize": ["intl", "char"], "smooth_method": ["floor"], "smooth_value": [0.2]}),
        (tb.CHRF, {"char_order": [4], "word_order": [1, 2], "beta": [1, 3], "whitespace": [True]}),
        (tb.TER, {"normalized": [True], "no_punct": [True], "case_sensitive": [True]}),
    ]
    for _ in range(30):
        kind, options = draw.choice(choices)
        given = {name: draw.choice(values) for name, values in options.items() if draw.random() < 0.5}
        metric = kind(**given)
        assert tb.score(OUTPUTS, FIRST, metric).score == metric.corpus_score(OUTPUTS, [FIRST]).score, given


def test_comparisons_are_ranked() -> None:
    comparisons = rows(TINY / "comparisons.jsonl")
    ranking = tb.rank(comparisons)
    assert ranking.json["strengths"] == tb.load({"comparisons": comparisons}).rank().json["strengths"]
    surer = tb.load({"comparisons": comparisons}).rank(confidence=0.9)
    assert tb.rank(needs("polars").DataFrame(comparisons), confidence=0.9).json == surer.json
    assert tb.rank(needs("pandas").DataFrame(comparisons)).json == ranking.json
    assert tb.rank(iter(comparisons)).json == ranking.json
    assert tb.rank(MT_BENCH, quiet=True).json == tb.rank(tb.load(MT_BENCH, quiet=True)).json
    renamed = [{"left": row["system_a"], "right": row["system_b"], "outcome": row["outcome"], "item": row["item"]} for row in comparisons]
    assert tb.rank(renamed, columns={"system_a": "left", "system_b": "right"}).scores.keys() == ranking.scores.keys()
    bare = [{name: row[name] for name in ("system_a", "system_b", "outcome")} for row in comparisons]
    numbered = [{"item": str(number), **row} for number, row in enumerate(bare)]
    for without in (bare, needs("polars").DataFrame(bare), needs("pandas").DataFrame(bare), {name: [row[name] for row in bare] for name in bare[0]}):
        assert tb.rank(without).json["strengths"] == tb.rank(numbered).json["strengths"]
    with pytest.raises(tb.InputError, match="outcome"):
        tb.rank([{"item": "1", "system_a": "a", "system_b": "b"}])


def test_kernels_take_metric_objects() -> None:
    rows_ = [{"item": str(i), "system": "s", "output": text, "references": [one]} for i, (text, one) in enumerate(zip(OUTPUTS, FIRST))]
    pyarrow = needs("pyarrow")
    table = pyarrow.Table.from_pylist(rows_)
    ours, named = (tb.arrow.score(metrics)(table) for metrics in ([tb.CHRF(word_order=2)], ["chrf:word-order=2"]))
    assert ours.equals(named)


def test_words_of_outcomes_are_explained_as_in_a_file(tmp_path: Path) -> None:
    import json

    def votes(words: list[object], column: str = "outcome") -> list[dict[str, object]]:
        rows = enumerate(words * 5)
        return [{"item": str(item), "system_a": "atlas", "system_b": "cedar", column: word} for item, word in rows]

    expected = tb.load(votes([1, 0, 1])).rank().scores
    worded = votes(["yes", "no", "yes"])
    with pytest.raises(tb.InputError, match=r'`outcomes=\{"yes": NUMBER\}`'):
        tb.load(worded)
    outcomes = {"yes": 1, "no": 0}
    assert tb.load(worded, outcomes=outcomes).rank().scores == expected
    assert tb.rank(worded, outcomes=outcomes).scores == expected
    path = tmp_path / "votes.jsonl"
    path.write_text("\n".join(map(json.dumps, worded)))
    assert tb.load(path, outcomes=outcomes).rank().scores == expected
    with pytest.raises(tb.InputError, match="outcomes"):
        tb.load(worded, outcomes={"yes": 2})
    # A column of winners is read, or refused with what to type, as in a file.
    winners = votes([1, 0, 1], "winner")
    with pytest.raises(tb.InputError, match=r'`outcomes=\{"1": 1, "0": 0\}`'):
        tb.load(winners)
    for read in (tb.load(winners, outcomes={1: 1, 0: 0}).rank(), tb.rank(winners, outcomes={1: 1, 0: 0})):
        assert read.scores == expected
    bare = [{"model_a": "atlas", "model_b": "cedar", "winner": f"model_{side}"} for side in "aba" * 5]
    assert tb.rank(bare).scores == expected
