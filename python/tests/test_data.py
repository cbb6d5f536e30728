"""Data sets from everything that holds one, and the same numbers from all."""

from __future__ import annotations

import gc
import json
import math
from pathlib import Path
from typing import Any

import pytest
from conftest import MT_BENCH, TINY, needs, outputs, program, rows

import tiebreak as tb


def cells(table: tb.Table) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in table]


@pytest.fixture(scope="module")
def expected() -> list[tuple[Any, ...]]:
    return cells(tb.load(TINY).score(["chrf", "bleu"]))


def test_files_are_the_command_lines_to_the_byte(tmp_path: Path) -> None:
    data = tb.load(TINY)
    for ending in ("parquet", "arrow", "jsonl", "csv", "tsv.gz"):
        ours, theirs = tmp_path / f"ours.{ending}", tmp_path / f"theirs.{ending}"
        data.score(["chrf", "bleu", "cider-d", "rouge-l"]).write(ours)
        program("score", TINY, "--metric", "chrf", "bleu", "cider-d", "rouge-l", "--out", theirs)
        assert ours.read_bytes() == theirs.read_bytes(), ending


def test_scores_are_the_same_in_rows_and_in_frames() -> None:
    def both(scores: list[object]) -> list[Any]:
        rows = [{"item": str(i), "system": "a", "criterion": "ok", "score": one} for i, one in enumerate(scores)]
        return [rows, needs("pandas").DataFrame(rows)]

    for given in both([True, False, True, True]):
        assert tb.load(given).estimate("ok").table[0]["estimate"] == 0.75
    for infinite in (math.inf, -math.inf):
        for given in both([1.0, infinite]):
            with pytest.raises(tb.InputError, match='judgments: row 2: `score` is "?-?inf"?, expected a finite number'):
                tb.load(given)
    for given in both([1.0, math.nan]):
        assert tb.load(given, quiet=True).estimate("ok").table[0]["n"] == 1


def test_predictions_are_the_command_lines_to_the_byte(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.parquet", tmp_path / "theirs.parquet"
    model = str(TINY.parents[1] / "models" / "tiny-electra")
    tb.load(TINY).predict(model, draws=5).write(ours)
    program("predict", TINY, "--model", model, "--draws", "5", "--out", theirs)
    assert ours.read_bytes() == theirs.read_bytes()


def test_rankings_and_estimates_are_those_of_the_command_line() -> None:
    import json

    ranking = tb.load(MT_BENCH, quiet=True).rank()
    assert ranking.json == json.loads(program("rank", MT_BENCH, "--json"))
    assert (ranking.claim["kind"], ranking.claim["systems"]) == ("best", ["gpt-4"])
    assert ranking.table[0]["system"] == "gpt-4" and ranking.table[0]["rank_high"] == 1
    data = tb.load(TINY, quiet=True)
    criterion = str(rows(TINY / "judgments.jsonl")[0]["criterion"])
    found = data.estimate(criterion, scores=data.score("chrf"), metric="chrf")
    assert {row["criterion"] for row in found.table} == {criterion}
    assert all(row["lower"] <= row["estimate"] <= row["upper"] for row in found.table)
    assert {"first", "second", "difference"} & set(found.differences()[0])


def test_a_ranking_by_verdicts_is_in_the_judges_name() -> None:
    import json

    hints = MT_BENCH / "hints" / "gpt-4.jsonl.gz"
    ranking = tb.load(MT_BENCH, quiet=True).rank(verdicts=hints)
    program_says = json.loads(program("rank", MT_BENCH, "--verdicts", hints, "--json"))
    assert (ranking.claim["about"], program_says["claim"]["judge"]) == ("judge", "GPT-4 as a judge")
    assert ranking.json["strengths"] == program_says["strengths"]
    # In memory there is no file of which a judge without a name could have one.
    bare = [{"item": row["item"], "system_a": "atlas", "system_b": "cedar", "p": 0.9} for row in rows(TINY / "items.jsonl")]
    for judge, given in [("judge", bare), ("ana", [{**row, "judge": "ana"} for row in bare])]:
        assert tb.load(TINY, quiet=True).rank(verdicts=given).claim["judge"] == judge
    with pytest.raises(tb.Error, match="holds no predictions"):
        tb.load(TINY, quiet=True).rank(verdicts=True)


def test_people_and_items_are_those_of_the_command_line() -> None:
    import json

    data = tb.load(TINY, quiet=True)
    asked = ["--people", "both", "--items", "these", "--json"]
    ranking = data.rank(people="both", items="these")
    assert ranking.json == json.loads(program("rank", TINY, *asked))
    assert data.rank().new_annotators is None and ranking.new_annotators is not None
    assert ranking.new_annotators["claim"]["about"] == "panel"
    # Who asks for new annotators gets the verdict about them, as in the first line of the command.
    asked_for_new = data.rank(people="new-annotators")
    assert asked_for_new.claim["about"] == "panel" and asked_for_new.json["claim"] == data.rank().claim
    estimates = data.estimate(people="both", items="these", differences=False)
    assert estimates.json == json.loads(program("estimate", TINY, *asked))
    assert data.estimate().new_annotators == []
    new = estimates.new_annotators[0]
    assert new["annotators"] == 5 and new["lower"] < new["estimate"] < new["upper"]
    with pytest.raises(tb.Error, match="people"):
        data.rank(people="everybody")  # type: ignore[arg-type]


def test_rows_and_columns_of_python_are_data(expected: list[tuple[Any, ...]]) -> None:
    listed = outputs()
    assert cells(tb.load(listed).score(["chrf", "bleu"])) == expected
    columns = {name: [row[name] for row in listed] for name in listed[0]}
    assert cells(tb.load(columns).score(["chrf", "bleu"])) == expected
    both = tb.load({"outputs": listed, "comparisons": rows(TINY / "comparisons.jsonl")})
    assert both.rank().json["systems"] == both.systems


def test_pandas(expected: list[tuple[Any, ...]]) -> None:
    pandas = needs("pandas")
    frame = pandas.DataFrame(outputs())
    scores = tb.load(frame).score(["chrf", "bleu"])
    assert cells(scores) == expected
    back = scores.to_pandas()
    assert list(back.itertuples(index=False, name=None)) == expected


def test_polars(expected: list[tuple[Any, ...]]) -> None:
    polars = needs("polars")
    scores = tb.load(polars.DataFrame(outputs())).score(["chrf", "bleu"])
    assert cells(scores) == expected
    assert scores.to_polars().rows() == expected


def test_pyarrow(expected: list[tuple[Any, ...]]) -> None:
    pyarrow = needs("pyarrow")
    scores = tb.load(pyarrow.Table.from_pylist(outputs())).score(["chrf", "bleu"])
    assert cells(scores) == expected
    assert [tuple(row.values()) for row in scores.to_pyarrow().to_pylist()] == expected
    assert scores.to_pyarrow().schema.metadata[b"signature"].decode() == scores.signature


def test_datasets(expected: list[tuple[Any, ...]]) -> None:
    datasets = needs("datasets")
    data = datasets.Dataset.from_list(outputs())
    assert cells(tb.load(data).score(["chrf", "bleu"])) == expected
    shuffled = data.shuffle(seed=3).select(range(40))
    assert len(tb.load(shuffled).score("length")) == 40


def test_duckdb(expected: list[tuple[Any, ...]]) -> None:
    duckdb, pyarrow = needs("duckdb"), needs("pyarrow")
    given = pyarrow.Table.from_pylist(outputs())
    found = duckdb.from_arrow(given)
    assert cells(tb.load(found).score(["chrf", "bleu"])) == expected
    scores = tb.load(TINY).score(["chrf", "bleu"])
    mean = duckdb.sql("select avg(score) from scores where metric = 'chrf'").fetchall()[0][0]
    chrf = [row["score"] for row in scores if row["metric"] == "chrf"]
    assert mean == pytest.approx(sum(chrf) / len(chrf))


def test_columns_may_have_other_names() -> None:
    renamed = [{"segment": row["item"], **{k: v for k, v in row.items() if k != "item"}} for row in outputs()]
    assert len(tb.load(renamed, columns={"item": "segment"}).score("length")) == len(renamed)


def test_columns_of_numbers_may_be_criteria(tmp_path: Path) -> None:
    rated = [{"item": str(item), "system": system, "output": "x", "words": item, "q": 2 * item} for item in range(9) for system in "ab"]
    with pytest.raises(tb.InputError, match=r'columns of numbers.*: words, q; .*\nhint: .* `criteria=\["words", "q"\]` or `criteria=\[\]`'):
        tb.load(rated)
    file = tmp_path / "rated.jsonl"
    file.write_text("\n".join(map(json.dumps, rated)), encoding="utf-8")
    for data in (rated, file):
        assert tb.load(data, criteria=[]).check().json["judgments"] == 0
        one = tb.load(data, criteria=["q"])
        assert [criterion["criterion"] for criterion in one.check().json["criteria"]] == ["q"]
        # A command reads it in the same way.
        assert one.plan("q", width=2).json["annotators"]


def test_rows_without_an_answer_are_warned_of_with_their_place(tmp_path: Path) -> None:
    rated = [{"item": str(item), "system": "a", "criterion": "q", "score": None if item > 3 else item} for item in range(6)]
    told = "no `score` here and in 1 further row, so they count as unanswered and are left out$"
    with pytest.warns(UserWarning, match=f"^judgments: row 5: {told}"):
        tb.load({"judgments": rated})
    folder = tmp_path / "rated"
    folder.mkdir()
    (folder / "judgments.jsonl").write_text("\n".join(map(json.dumps, rated)), encoding="utf-8")
    with pytest.warns(UserWarning, match=f"judgments.jsonl:5: {told}"):
        tb.load(folder)


def test_scores_of_others_stand_beside_the_data() -> None:
    data = tb.load(TINY)
    scores = data.score("chrf")
    link = data.predict(scores=scores, metric="chrf", link="btl")
    needs("pyarrow")
    assert cells(data.predict(scores=scores.to_pyarrow(), metric="chrf", link="btl")) == cells(link)


def test_systems_have_corpus_scores() -> None:
    data = tb.load(TINY)
    rows = data.system_scores(["bleu"])
    assert [row["system"] for row in rows] == data.systems
    assert all(row["signature"].startswith("bleu|") for row in rows)


def test_tables_outlive_their_data() -> None:
    table = tb.load(TINY).score("length")
    gc.collect()
    assert len(table["score"]) == len(table) == len(outputs())


def test_what_is_found_is_shown_in_notebooks() -> None:
    data = tb.load(MT_BENCH, quiet=True)
    shown = data.rank()._repr_html_()
    assert "<svg" in shown and "gpt-4" in shown
    assert "<table" in data.score("length")._repr_html_()
    assert "<pre" in data._repr_html_() and "systems" in str(data.check())


def test_results_for_new_annotators_have_rows_of_their_own() -> None:
    shifts = [-1.5, 0.2, 2.0, 1.1, -0.4, 0.9]
    rows = [
        {"item": f"{item}", "system": system, "criterion": "q", "annotator": f"a{who}", "score": shift * (system == "A") + (item * 7 + who) % 5 / 10}
        for who, shift in enumerate(shifts)
        for item in range(20)
        for system in "AB"
    ]
    found = tb.load({"judgments": rows}, quiet=True).estimate("q", people="new-annotators")
    (these,), (new,) = found.differences(), found.new_annotators_differences()
    assert list(new)[:4] == ["system_a", "system_b", "criterion", "difference"]
    assert new["annotators"] == len(shifts) and new["lower"] < 0 < these["lower"] and these["significant"]
    votes = tb.load(TINY, quiet=True).rank(people="new-annotators")
    columns = set(votes.table[0])
    assert [row["system"] for row in votes.new_annotators_table] == [row["system"] for row in votes.new_annotators["strengths"]]
    assert all(set(row) == columns for row in votes.new_annotators_table)
    widths = [{row["system"]: row["upper"] - row["lower"] for row in table} for table in (votes.table, votes.new_annotators_table)]
    assert all(widths[1][system] > widths[0][system] for system in widths[0])
    alone = tb.load({"judgments": [{**row, "annotator": "a"} for row in rows if row["annotator"] == "a0"]}, quiet=True)
    assert alone.estimate("q").new_annotators_differences() == []
