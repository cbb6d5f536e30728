"""Whatever has rows is data, with any pandas, with pyarrow or without."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest
from conftest import needs, outputs

import tiebreak as tb


@pytest.fixture
def rows() -> list[dict[str, Any]]:
    return [{**row, "source": row["source"] if i % 2 else None} for i, row in enumerate(outputs())]


def same(data: Any, rows: list[dict[str, Any]], **keys: Any) -> bool:
    found, expected = tb.load(data, **keys), tb.load(rows)
    return found.score("chrf").to_pylist() == expected.score("chrf").to_pylist()


@pytest.fixture
def no_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "pyarrow" else find_spec(name, *a))
    monkeypatch.setitem(sys.modules, "pyarrow", None)


def test_dates_are_texts_where_a_column_mixes_types() -> None:
    pandas = needs("pandas")
    day = pandas.Timestamp("2024-01-01")
    votes = pandas.DataFrame({"item": range(5), "system_a": "a", "system_b": "b", "outcome": [1, 0, 1, 1, 0], "when": day})
    mixed = votes.assign(note=["x", None, 3, 4, 5])
    mixed.loc[1, "when"] = pandas.NaT
    assert tb.load(mixed).rank().claim == tb.load(votes).rank().claim
    with pytest.raises(tb.InputError, match=r"^row 3, column 'note': a value of complex: 1j\nhint: texts, numbers, dates"):
        tb.load(mixed.assign(note=["x", 2, 1j, 4, 5]))


def test_frames_of_old_pandas(rows: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = needs("pandas")
    needs("pyarrow")
    monkeypatch.delattr(pandas.DataFrame, "from_arrow", raising=False)
    frame = pandas.DataFrame(rows)
    # As before 2.2.
    monkeypatch.delattr(pandas.DataFrame, "__arrow_c_stream__", raising=False)
    assert same(frame, rows)
    scores = tb.load(rows).score("chrf")
    found = tb.arrow.score("chrf")(frame)
    assert isinstance(found, pandas.DataFrame) and sorted(found["score"]) == sorted(scores["score"])
    assert scores.to_pandas().to_dict("records") == scores.to_pylist()


def test_frames_without_pyarrow(rows: list[dict[str, Any]], no_pyarrow: None) -> None:
    pandas = needs("pandas")
    frame = pandas.DataFrame({name: pandas.Series([row[name] for row in rows], dtype=object) for name in rows[0]})
    assert same(frame, rows) and same({"outputs": frame}, rows)
    scores = tb.load(rows).score("chrf")
    assert scores.to_pandas().to_dict("records") == scores.to_pylist()


def test_streams_of_rows(rows: list[dict[str, Any]]) -> None:
    assert same((row for row in rows), rows) and same(iter(rows), rows) and same({"outputs": iter(rows)}, rows)
    one = [{**row, "reference": row["references"][0]} for row in rows]
    assert same([{name: row[name] for name in row if name != "references"} for row in one], [
        {**row, "references": row["references"][:1]} for row in rows
    ])
    logs = [[{"item": str(i), "score": (i + new) % 2} for i in range(20)] for new in (0, 1)]
    assert tb.gate(*map(iter, logs)).json["results"] == tb.gate(*logs).json["results"]


def test_streams_of_arrow(rows: list[dict[str, Any]]) -> None:
    pyarrow = needs("pyarrow")
    stream = pyarrow.Table.from_pylist(rows).to_reader
    assert same(stream(), rows) and same({"outputs": stream()}, rows)
    votes = [{"system_a": "a", "system_b": "b", "outcome": outcome} for outcome in (1, 0, 1)]
    reader = pyarrow.Table.from_pylist(votes).to_reader()
    assert tb.rank(reader).json["strengths"] == tb.rank(votes).json["strengths"]


def test_columns_of_several_types_are_read_row_by_row(rows: list[dict[str, Any]]) -> None:
    pandas, _ = needs("pandas"), needs("pyarrow")
    names = [{**row, "system": 7 if row["system"] == "atlas" else row["system"]} for row in rows]
    assert same(pandas.DataFrame(names), names)
    judged = [{"item": row["item"], "system": row["system"], "criterion": "tone", "score": 1.0} for row in rows]
    judged[3]["score"] = "good"  # type: ignore[assignment]
    with pytest.raises(tb.InputError, match=r"judgments: row 4: `score` is \"good\", expected a finite number"):
        tb.load({"outputs": rows, "judgments": pandas.DataFrame(judged)})
    with pytest.raises(tb.InputError, match="(?s)Arrow cannot hold.*'good'.*column score.*values of one type"):
        tb.arrow.score("chrf")(pandas.DataFrame(judged))


def test_frames_are_read_like_the_file_they_come_from(tmp_path: Any) -> None:
    pandas, _ = needs("pandas"), needs("pyarrow")
    cells = ["""1,x,the cat sat,"['the cat sat', 'a cat sat down']",5""", """1,y,a dog,"['the cat sat', 'a cat sat down']",2"""]
    path = tmp_path / "rated.csv"
    path.write_text("\n".join(["item,system,output,references,score", *cells]) + "\n")
    file, frame = tb.load(path), tb.load(pandas.read_csv(path))
    assert frame.system_scores("chrf") == file.system_scores("chrf")
    assert frame.system_scores("chrf")[0]["score"] == 100
    assert frame.estimate("score").table == file.estimate("score").table
    votes = [{"prompt": "Hi?", "response_a": "x", "response_b": "y", "winner": "A", "model_a": "a", "model_b": "b"}]
    assert tb.load(votes, format="response-ab").systems == ["a", "b"]


def test_lazy_frames(rows: list[dict[str, Any]]) -> None:
    assert same(needs("polars").DataFrame(rows).lazy(), rows)


def test_classes_of_datasets_are_their_names() -> None:
    datasets = needs("datasets")
    sides = datasets.ClassLabel(names=["system_a", "system_b"])
    text = datasets.Value("string")
    kinds = datasets.Features({"item": text, "system_a": text, "system_b": text, "outcome": sides})
    columns = {"item": list("abcdef"), "system_a": ["x"] * 6, "system_b": ["y"] * 6, "outcome": [0, 0, 0, 0, 0, 1]}
    data = datasets.Dataset.from_dict(columns, features=kinds)
    # As numbers, five of six would be lost to x.
    for one in (data, data.filter(lambda row: row["item"] != "f"), data.to_iterable_dataset()):
        strengths = tb.rank(one, quiet=True).scores
        assert strengths["x"] > strengths["y"]


def test_splits_and_streams_of_datasets(rows: list[dict[str, Any]]) -> None:
    datasets = needs("datasets")
    whole = datasets.Dataset.from_list(rows)
    assert same(whole.to_iterable_dataset(), rows)
    assert same(datasets.DatasetDict({"test": whole}), rows)
    splits = datasets.DatasetDict({"train": whole.select([0]), "test": whole})
    assert same(splits, rows, pick={"split": "test"})
    with pytest.raises(tb.InputError, match="splits: train, test"):
        tb.load(splits)
