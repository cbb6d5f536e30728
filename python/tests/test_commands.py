"""Every command is a method with the command's own keys, and finds what the command finds."""

from __future__ import annotations

import importlib.util
import inspect
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import MT_BENCH, TINY, needs, outputs, program, rows

import tiebreak as tb
from tiebreak import _keys
from tiebreak._flags import commands

HINTS = MT_BENCH / "hints" / "gpt-4.jsonl.gz"


def keys() -> ModuleType:
    """The program that writes the types of keys."""
    spec = importlib.util.spec_from_file_location("keys", Path(__file__).parents[1] / "keys.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_command_is_a_method_or_says_why_not() -> None:
    written = keys()
    named = {name.split()[0] if name not in written.OTHERS else name for name in commands()}
    assert named == set(written.METHODS) | set(written.OTHERS)
    for (command, key) in written.REASONS:
        assert key in {one["key"] for one in commands()[command]}, (command, key)


def test_every_key_is_an_argument() -> None:
    written = keys()
    assert written.text() == written.FILE.read_text(encoding="utf-8"), "run python/keys.py"
    for name, listed in commands().items():
        command = name.split()[0]
        if command not in written.METHODS:
            continue
        method = getattr(tb.Data, written.METHODS[command])
        typed = getattr(_keys, f"{command.title()}Keys", None)
        arguments = set(inspect.signature(method).parameters) | set(typed.__annotations__ if typed else ())
        arguments |= {"metric"} if "metrics" in arguments else set()
        missing = {one["key"] for one in listed if one["key"].replace("-", "_") not in arguments}
        assert missing == {key for of, key in written.REASONS if of == name}, name


def says(*arguments: object) -> Any:
    return json.loads(program(*arguments, "--json"))


def test_what_methods_find_is_what_commands_find(tmp_path: Path) -> None:
    tiny, bench = tb.load(TINY, quiet=True), tb.load(MT_BENCH, quiet=True)
    scores = tmp_path / "scores.csv"
    tiny.score(["chrf", "bleu"]).write(scores)
    found = tiny.correlate(["chrf", tb.BLEU()], scores=scores, resamples=200, level="system")
    asked = ["--metric", "chrf", "bleu", "--resamples", 200, "--level", "system"]
    assert found.json == says("correlate", TINY, "--scores", scores, *asked)
    assert tiny.correlate(["chrf", "bleu"], resamples=200, level="system").json == found.json
    assert bench.annotators().json == says("annotators", MT_BENCH)
    assert bench.assess(HINTS, bins=5).json == says("assess", MT_BENCH, "--predictions", HINTS, "--bins", 5)
    assert bench.simulate(runs=3, budget=200).json == says("simulate", MT_BENCH, "--runs", 3, "--budget", 200)
    helped = bench.simulate(predictions=HINTS, mix="auto", runs=2)
    assert helped.json == says("simulate", MT_BENCH, "--predictions", HINTS, "--mix", "auto", "--runs", 2)
    raced = tiny.simulate(scores=scores, metric="chrf", range=[0, 100], runs=3)
    asked = ["--scores", scores, "--metric", "chrf", "--range", "0,100", "--runs", 3]
    assert raced.json == says("simulate", TINY, *asked) and raced.table[0]["system"] == raced["best"]
    planned = tiny.plan("adequacy", width=5, repeats=[1, 2])
    assert planned.json == says("plan", TINY, "--criterion", "adequacy", "--width", 5, "--repeats", 1, 2)
    assert tb.plan(width=0.2, range=[1, 5]).json == says("plan", "--width", 0.2, "--range", "1,5")
    assert tb.plan(width=0.2, range=[-1, 5]).json == says("plan", "--width", 0.2, "--range=-1,5")
    fitted = tiny.fit("link", metric="chrf", link="btl", out=tmp_path / "ours.toml")
    link = ["--scores", scores, "--metric", "chrf", "--link", "btl", "--out", tmp_path / "theirs.toml"]
    assert fitted.json == says("fit", "link", TINY, *link)
    assert fitted.path.read_bytes() == (tmp_path / "theirs.toml").read_bytes()


def test_what_is_fitted_predicts() -> None:
    data = tb.load(outputs(), quiet=True)
    tiny = tb.load(TINY, quiet=True)
    link = tiny.fit("link", metric="chrf", link="btl")
    scores = data.score("chrf")
    predictions = data.predict(scores=scores, metric=tb.chrf, link="btl", calibration=link)
    assert len(predictions) > 0 and "link: btl" in str(link)
    calibrated = tb.load(MT_BENCH, quiet=True).fit("calibration", predictions=HINTS)
    assert calibrated["n"] > 1000 and calibrated.path.exists()
    path = calibrated.path
    del calibrated
    assert not path.exists()


def test_tables_in_memory_are_arguments(tmp_path: Path) -> None:
    data = tb.load({"outputs": outputs(), "comparisons": rows(TINY / "comparisons.jsonl")}, quiet=True)
    scores = data.score("chrf")
    predictions = data.predict(scores=scores, metric="chrf", link="btl")
    predictions.write(tmp_path / "p.arrow")
    assessed = data.assess(predictions)
    assert assessed.json == data.assess(tmp_path / "p.arrow").json
    assert data.assess(needs("polars").DataFrame(predictions)).json["accuracy"] == assessed["accuracy"]
    assert data.assess(needs("pyarrow").table(predictions)).json["accuracy"] == assessed["accuracy"]
    assert data.assess(predictions.to_pylist()).json["accuracy"] == assessed["accuracy"]
    assert data.assess(row for row in predictions).json["accuracy"] == assessed["accuracy"]
    listed = data.fit("link", metric="chrf", link="btl", scores=scores.to_pylist())
    assert listed.json == data.fit("link", metric="chrf", link="btl", scores=scores).json
    assert data.simulate(predictions=predictions, mix="auto").json["runs"] == 1
    link = data.fit("link", metric="chrf", link="btl", scores=needs("polars").DataFrame(scores))
    assert link.json == data.fit("link", metric="chrf", link="btl").json
    wide = tb.load({"outputs": outputs(), "comparisons": rows(TINY / "comparisons.jsonl")}, quiet=True, seed=5)
    assert wide.simulate(runs=2)["seed"] == 5


def test_results_are_frames_and_plots(tmp_path: Path) -> None:
    bench, tiny = tb.load(MT_BENCH, quiet=True), tb.load(TINY, quiet=True)
    results = {
        "value": tiny.correlate("chrf", resamples=200),
        "agreement": bench.annotators(),
        "lower": bench.assess(HINTS),
        "preference": bench.simulate(runs=2),
        "rank_low": bench.rank(),
        "estimate": tiny.estimate(),
    }
    pandas, polars = needs("pandas"), needs("polars")
    for column, found in results.items():
        assert isinstance(found.to_pandas(), pandas.DataFrame) and isinstance(found.to_polars(), polars.DataFrame)
        assert column in found.to_pandas() and len(found.to_polars()) == len(found.table) > 1
        assert found._repr_html_() and str(found)
        plot = found.plot()
        assert all(one.startswith("<svg") and one.endswith("</svg>") for one in plot.svgs) and plot._repr_html_()
        plot.save(tmp_path / "plot.svg")
        assert (tmp_path / "plot.svg").read_text(encoding="utf-8") == plot.svgs[0]
    assert tb.plan(width=0.2, range=[1, 5]).to_pandas()["judgments"].min() > 0
    assert tiny.correlate(["chrf", "bleu"], resamples=200).differences().to_polars().height > 1
    with pytest.raises(ValueError, match="Plan has no plot"):
        tb.plan(width=0.2, range=[1, 5]).plot()


def test_outputs_of_commands_are_written(tmp_path: Path) -> None:
    bench, tiny = tb.load(MT_BENCH, quiet=True), tb.load(TINY, quiet=True)
    tiny.correlate("chrf", resamples=200, out=tmp_path / "c.csv")
    bench.assess(HINTS, out=tmp_path / "assessed")
    bench.simulate(runs=2, out=tmp_path / "runs")
    tiny.annotators(labels="mace", out=tmp_path / "labelled")
    for made in ("c.csv", "assessed", "runs", "labelled"):
        assert (tmp_path / made).exists(), made
    assert len(tb.load(tmp_path / "labelled", quiet=True).systems) > 1


def test_mistakes_speak_of_arguments(tmp_path: Path) -> None:
    bench, tiny = tb.load(MT_BENCH, quiet=True), tb.load(TINY, quiet=True)
    scores = tiny.score("chrf")
    for wrong, told in [
        (lambda: tiny.correlate("bleu", scores=scores), "^scores: "),
        (lambda: tiny.assess(scores), "^predictions"),
        (lambda: tiny.correlate("chrf", resample="nothing"), "^resample: "),
        (lambda: bench.simulate(bandits="rmed"), "did you mean `bandit`"),
        (lambda: tiny.annotators(labels="mace"), 'add `out="labelled"`'),
        (lambda: tiny.plan("adequacy"), "width"),
        (lambda: tiny.plan("adequacy", widht=3), "did you mean `width=`"),
        (lambda: tiny.fit("link", metric="chrf"), "link"),
    ]:
        with pytest.raises(tb.InputError, match=told) as caught:
            wrong()
        assert "/tmp" not in str(caught.value) and "--" not in str(caught.value), caught.value


def test_a_judge_is_asked_by_its_own_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(tb.InputError, match="did you mean `endpoint`"):
        tb.load(TINY, quiet=True).judge("m", endpoints="http://127.0.0.1:9")
    with pytest.raises(tb.Error, match="127.0.0.1:9"):
        tb.load(TINY, quiet=True).judge("m", endpoint="http://127.0.0.1:9/v1", answers=None)
