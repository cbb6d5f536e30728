"""Mistakes are exceptions with a place and a hint; long work is ended by Ctrl-C and leaves other threads alone."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import TINY, needs, outputs

import tiebreak as tb


def test_a_mistake_has_a_place_and_a_hint(tiny: Path) -> None:
    file = tiny / "outputs.jsonl"
    file.write_text(file.read_text(encoding="utf-8") + '{"item": "1"}\n', encoding="utf-8")
    with pytest.raises(tb.InputError) as caught:
        tb.load(tiny)
    lines = len(file.read_text(encoding="utf-8").splitlines())
    assert caught.value.place == f"{file}:{lines}"
    assert isinstance(caught.value, ValueError) and "system" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.place) == (str(caught.value), caught.value.place)


def test_names_that_are_not_there_are_told_the_nearest() -> None:
    with pytest.raises(tb.InputError, match="did you mean `chrf`"):
        tb.load(TINY).score("chfr")
    with pytest.raises(tb.InputError, match="did you mean `keep_draws`"):
        tb.load(TINY).predict(keep_drawss=True)
    with pytest.raises(tb.InputError, match="no such file or folder"):
        tb.load("nowhere")
    with pytest.raises(tb.InputError, match="confidence"):
        tb.load(TINY).rank(confidence=1.5)
    with pytest.raises(AttributeError, match="chfr"):
        tb.chfr  # noqa: B018


def test_keys_are_named_as_arguments() -> None:
    with pytest.raises(tb.InputError, match="^keep_draws: there are no `draws=` to store$"):
        tb.load(TINY).predict(keep_draws=True, draws=0)
    with pytest.raises(tb.InputError, match='hint: add `link="btl"`, or leave the metric out$'):
        tb.load(TINY).predict(metric="length")
    with pytest.raises(tb.InputError, match="hint: add `style=`$"):
        tb.load(TINY).rank(baseline="atlas")
    lacking = [{"item": "1", "system": "--mix", "text": "`model`"}]
    with pytest.raises(tb.InputError, match='map it with `columns={"output": "NAME"}`'):
        tb.load(lacking)


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(TypeError, match="expected a data frame"):
        tb.load(3.5)
    with pytest.raises(tb.InputError, match="different lengths"):
        tb.load({"item": ["1"], "system": ["a", "b"], "output": ["x"]})
    rows = outputs()
    del rows[4]["output"]
    with pytest.raises(tb.InputError, match="output"):
        tb.load(rows)
    table = tb.load(TINY).score("length")
    with pytest.raises(tb.InputError, match="columns are item, system, metric, score"):
        table["scores"]
    with pytest.raises(tb.InputError, match="scores.xlsx"):
        table.write("scores.xlsx")


def test_a_text_that_is_none_is_told_by_its_place() -> None:
    for outputs in (["a", None], ["a", 2.5], ["a", "\ud800"]):
        with pytest.raises(tb.InputError, match=r"^output 2 is (None|2\.5|'.ud800'), expected (a text|Unicode)"):
            tb.score(outputs, ["a", "b"], "chrf")  # type: ignore[arg-type]
    with pytest.raises(tb.InputError, match="^a reference of output 2 is 7, expected a text$"):
        tb.chrf.corpus_score(["a", "b"], [["a", 7]])  # type: ignore[list-item]
    with pytest.raises(tb.InputError, match="^reference 1 is None, expected a text, or a list of texts$"):
        tb.score(["a"], [None], "chrf")  # type: ignore[list-item]
    with pytest.raises(tb.InputError, match="^a reference of output 1 is None, expected a text$"):
        tb.RougeScorer(["rouge1"]).score(None, "x")  # type: ignore[arg-type]


def test_tables_in_memory_have_no_paths() -> None:
    one: list[dict[str, object]] = [{"item": 1, "system": "a", "output": "x"}]
    lacking = [*one, {"item": 2, "system": "a", "output": None}]
    with pytest.raises(tb.InputError) as caught:
        tb.load(lacking)
    assert str(caught.value) == (
        "outputs: row 2: `output` is null, expected a string\nhint: give an empty text, or leave the row out"
    )
    assert caught.value.place == "outputs: row 2"
    data = tb.load(one)
    needs = ["rank", "predict", "estimate", "annotators", "simulate"]
    for call in [*(getattr(data, name) for name in needs), lambda: data.correlate("chrf"), lambda: data.plan("q", width=0.2)]:
        with pytest.raises(tb.InputError) as caught:
            call()
        told = f"{caught.value} {caught.value.place}"
        assert ".tiebreak-" not in told and "tiebreak " not in told, told
    with pytest.raises(tb.InputError, match=r'^data: holds one system, `a`.*\n.*`campaign\("run", task="rating"\)`$'):
        data.rank()


LONG = """
import tiebreak as tb
texts = [" ".join(f"word{(i * 7 + k * k) % 97}" for k in range(240)) for i in range(200)] * 100
print("ready", flush=True)
try:
    CALL
except KeyboardInterrupt:
    print("ended", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are another thing there")
@pytest.mark.parametrize(
    "call",
    [
        "tb.ter.corpus_score(texts, [texts[1:] + texts[:1]])",
        "tb.evaluate.load('ter').compute(predictions=texts, references=texts[1:] + texts[:1])",
        "tb.score(texts, texts[1:] + texts[:1], 'cider')",
    ],
)
def test_ctrl_c_ends_long_work(call: str) -> None:
    interrupted(LONG.replace("CALL", call))


ROWS = """import pyarrow
rows = [{"item": str(i), "system": "a", "output": text, "references": [texts[i - 1]]} for i, text in enumerate(texts)]
rows = pyarrow.Table.from_pylist(rows).combine_chunks().to_batches()[0]
print("ready", flush=True)"""


@pytest.mark.skipif(os.name == "nt", reason="signals are another thing there")
@pytest.mark.parametrize("call", ["tb.arrow.score('ter')(rows)", "tb.arrow.count('cider')(rows)"])
def test_ctrl_c_ends_a_batch(call: str) -> None:
    needs("pyarrow")
    interrupted(LONG.replace('print("ready", flush=True)', ROWS).replace("CALL", call))


def interrupted(program: str) -> None:
    """Checks that a program which says that it is ready ends soon after Ctrl-C."""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, encoding="utf-8")
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "ended\n"
    assert child.wait(10) == 0 and time.monotonic() - begun < 5


def scored() -> float:
    texts = [f"a text number {i} of some words" for i in range(2000)]
    return tb.chrf.corpus_score(texts, [texts[1:] + texts[:1]]).score


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks there")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    expected = scored()
    with multiprocessing.get_context("fork").Pool(2) as children:
        found = [children.apply_async(scored) for _ in range(4)]
        assert [one.get(timeout=60) for one in found] == [expected] * 4


def test_other_threads_go_on_meanwhile() -> None:
    counted = 0
    over = threading.Event()

    def count() -> None:
        nonlocal counted
        while not over.is_set():
            counted += 1
            time.sleep(0.001)

    interval = sys.getswitchinterval()
    thread = threading.Thread(target=count)
    thread.start()
    # From here nobody takes the interpreter's lock away: the other thread counts only where it is given.
    sys.setswitchinterval(1000)
    try:
        # It may have been waiting with the former interval: let it pass.
        time.sleep(0.05)
        before = counted
        assert sum(range(3_000_000)) > 0
        assert counted == before, "Python alone gave the lock away, so counting would prove nothing"
        texts = [f"a text number {i} of some words" for i in range(20000)]
        deadline = time.monotonic() + 60
        while counted < before + 3 and time.monotonic() < deadline:
            tb.ter.corpus_score(texts, [texts[1:] + texts[:1]])
        assert counted >= before + 3, "the other thread did not go on while a metric counted"
    finally:
        sys.setswitchinterval(interval)
        over.set()
        thread.join()
