"""Throughput compared with the packages whose numbers the drop-ins give, on the same lists, and with the command line.

Prints a table: outputs a second, and how many times as fast, by the clock and by processor time, as medians of
alternating rounds.

    python python/benches/peers.py [OUTPUTS [METRICS]]

METRICS is the folder `metrics` of evaluate's repository: without it `evaluate` fetches the code of its metrics.
"""

from __future__ import annotations

import importlib
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import tiebreak as tb

ROUNDS = 3
TINY = Path(__file__).parents[2] / "data" / "tiny"


def texts(outputs: int) -> tuple[list[str], list[str]]:
    """Outputs and references: sentences of the tiny data set in pairs, each with a number of its own, since some
    packages remember lines that they have seen."""
    read = [(TINY / "text" / name).read_text(encoding="utf-8").splitlines() for name in ("cedar.en", "reference.en")]
    draw = random.Random(1)
    pairs = [draw.choices(range(len(read[0])), k=2) for _ in range(outputs)]
    sides = [[f"{side[one]} {number} {side[two]}" for number, (one, two) in enumerate(pairs)] for side in read]
    return sides[0], sides[1]


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """By the clock, and of the processor."""
    begun, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - begun, time.process_time() - used


def beside(name: str, ours: Callable[[], object], theirs: Callable[[], object], outputs: int, few: int) -> None:
    """One row. The peer has fewer of the outputs where all would take long."""
    rounds = [(seconds(theirs), seconds(ours)) for _ in range(ROUNDS)]
    fast, slow = (statistics.median(one[side][0] for one in rounds) for side in (1, 0))
    print(f"| {name} | {outputs / fast:,.0f} | {few / slow:,.0f} | {ratio(rounds, 0, outputs / few)} |", end="")
    print(f" {ratio(rounds, 1, outputs / few)} |", flush=True)


def ratio(rounds: list[tuple[tuple[float, float], tuple[float, float]]], clock: int, share: float) -> str:
    """How many times as fast, with the lowest and the highest of the rounds."""
    ratios = sorted(share * theirs[clock] / ours[clock] for theirs, ours in rounds)
    return f"{statistics.median(ratios):.3g} [{ratios[0]:.3g}, {ratios[-1]:.3g}]"


def main(count: str = "100000", metrics: str | None = None) -> None:
    import sacrebleu
    from rouge_score import rouge_scorer

    outputs = int(count)
    hyps, refs = texts(outputs)
    few = max(1, outputs // 20)
    print("| what | outputs/s | peer's | times as fast | by processor time |\n| --- | --- | --- | --- | --- |")
    for metric, ours, theirs in [
        ("BLEU", tb.BLEU(), sacrebleu.BLEU()),
        ("chrF", tb.CHRF(), sacrebleu.CHRF()),
        ("chrF++", tb.CHRF(word_order=2), sacrebleu.CHRF(word_order=2)),
        ("TER", tb.TER(), sacrebleu.TER()),
    ]:
        beside(
            f"sacrebleu, {metric}, corpus",
            lambda ours=ours: ours.corpus_score(hyps, [refs]),
            lambda theirs=theirs: theirs.corpus_score(hyps[:few], [refs[:few]]),
            outputs,
            few,
        )
    kinds = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    scorer = rouge_scorer.RougeScorer(kinds)
    rouge = tb.evaluate.load("rouge")
    beside(
        "rouge-score, four kinds",
        lambda: rouge.compute(predictions=hyps, references=refs),
        lambda: [scorer.score(ref, hyp) for ref, hyp in zip(refs[:few], hyps[:few])],
        outputs,
        few,
    )
    for name in ("rouge", "sacrebleu", "chrf"):
        peer = evaluates(name, metrics)
        if peer is not None:
            mine = tb.evaluate.load(name)
            beside(
                f"evaluate, {name}",
                lambda mine=mine: mine.compute(predictions=hyps, references=refs),
                lambda peer=peer: peer.compute(predictions=hyps[:few], references=refs[:few]),
                outputs,
                few,
            )
    single_sentences(hyps[:few], refs[:few])
    errors = tb.evaluate.load("wer")
    against("jiwer")(
        "jiwer, word error rate",
        lambda jiwer: jiwer.wer(refs[:few], hyps[:few]),
        lambda: errors.compute(predictions=hyps, references=refs),
        outputs,
        few,
    )
    judged(outputs)
    command_line(hyps, refs)


def against(name: str) -> Callable[..., None]:
    """A row for a package, if it is there."""
    try:
        package = importlib.import_module(name)
    except ImportError:
        print(f"SKIPPED: {name} is not there", file=sys.stderr)
        return lambda *_: None
    return lambda what, theirs, ours, outputs, few: beside(what, ours, lambda: theirs(package), outputs, few)


def single_sentences(hyps: list[str], refs: list[str]) -> None:
    """Scores of one output at a time, as loops have them."""
    import sacrebleu

    for metric, ours, theirs in [
        ("BLEU", tb.BLEU(effective_order=True), sacrebleu.BLEU(effective_order=True)),
        ("chrF", tb.CHRF(), sacrebleu.CHRF()),
        ("TER", tb.TER(), sacrebleu.TER()),
    ]:
        beside(
            f"sacrebleu, {metric}, one at a time",
            lambda ours=ours: [ours.sentence_score(hyp, [ref]) for hyp, ref in zip(hyps, refs)],
            lambda theirs=theirs: [theirs.sentence_score(hyp, [ref]) for hyp, ref in zip(hyps, refs)],
            len(hyps),
            len(hyps),
        )


def judged(count: int) -> None:
    """Votes, judgments and annotators: point estimates and intervals from lists and arrays; ten votes an output."""
    import numpy
    import pandas

    draw, votes = numpy.random.default_rng(1), 10 * count
    first = draw.integers(0, 60, votes)
    second = (first + 1 + draw.integers(0, 59, votes)) % 60
    xs, ys = ([f"system {one}" for one in side] for side in (first, second))
    won = draw.integers(0, 3, votes).tolist()
    for method in ("counting", "bradley_terry", "elo"):
        against("evalica")(
            f"evalica, {method}",
            lambda evalica, method=method: getattr(evalica, method)(xs, ys, list(map(evalica.Winner, won))),
            lambda method=method: getattr(tb.evalica, method)(xs, ys, list(map(tb.evalica.Winner, won))),
            votes,
            votes,
        )
    y, unlabelled = draw.normal(size=count // 10), draw.normal(size=votes)
    yhat = y + draw.normal(size=len(y))
    against("ppi_py")(
        "ppi_py, interval of a mean",
        lambda ppi: ppi.ppi_mean_ci(y, yhat, unlabelled),
        lambda: tb.ppi_mean_ci(y, yhat, unlabelled),
        votes,
        votes,
    )
    truth = draw.integers(0, 4, count)
    answers = numpy.where(draw.random((5, count)) < 0.7, truth, draw.integers(0, 4, (5, count))).astype(float)
    answers[draw.random((5, count)) < 0.2] = numpy.nan
    for level in ("nominal", "ordinal", "interval"):
        against("krippendorff")(
            f"krippendorff, alpha, {level}",
            lambda krippendorff, level=level: krippendorff.alpha(answers, level_of_measurement=level),
            lambda level=level: tb.krippendorff_alpha(answers, level),
            answers.size,
            answers.size,
        )
    worker, task = numpy.nonzero(~numpy.isnan(answers))
    labels = pandas.DataFrame({"task": task, "worker": worker, "label": answers[worker, task]})
    against("crowdkit.aggregation")(
        "crowd-kit, Dawid-Skene",
        lambda crowdkit: crowdkit.DawidSkene(n_iter=100, tol=1e-5).fit_predict(labels),
        lambda: tb.dawid_skene(task, worker, answers[worker, task]),
        len(labels),
        len(labels),
    )


def evaluates(name: str, metrics: str | None) -> object | None:
    """A metric of `evaluate`."""
    try:
        import evaluate

        return evaluate.load(name if metrics is None else str(Path(metrics) / name))
    except Exception as error:  # whatever it is, it is not there
        print(f"SKIPPED: evaluate, {name}: {type(error).__name__}", file=sys.stderr)
        return None


def command_line(hyps: list[str], refs: list[str]) -> None:
    """The same scores by the wheel's function and by the program, both from a file to a file."""
    with tempfile.TemporaryDirectory() as folder:
        data, ours, theirs = (Path(folder) / name for name in ("outputs.jsonl", "ours.arrow", "theirs.arrow"))
        with data.open("w", encoding="utf-8") as file:
            for place, (hyp, ref) in enumerate(zip(hyps, refs)):
                row = {"item": str(place), "system": "a", "output": hyp, "references": [ref]}
                file.write(json.dumps(row) + "\n")
        program = [sys.executable, "-m", "tiebreak", "score", data, "--metric", "chrf", "bleu", "--quiet", "--out", theirs]
        # Of the program no processor time is seen from here: what counts is the clock.
        beside(
            "the command line, chrF and BLEU",
            lambda: tb.load(data, quiet=True).score(["chrf", "bleu"]).write(ours),
            lambda: subprocess.run(program, check=True),
            len(hyps),
            len(hyps),
        )
        assert ours.read_bytes() == theirs.read_bytes()
    rows = {"item": [str(i) for i in range(len(hyps))], "system": ["a"] * len(hyps), "output": hyps, "references": [[r] for r in refs]}
    import pyarrow

    table = pyarrow.table(rows)
    kernel = tb.arrow.score(["chrf", "bleu"])
    rate = statistics.median(len(hyps) / seconds(lambda: kernel(table))[0] for _ in range(ROUNDS))
    print(f"\nkernel, chrF and BLEU: {rate:,.0f} rows/s")
    few = {name: values[:200] for name, values in rows.items()}
    pairs = {name: values * 2 for name, values in few.items()} | {"system": ["a"] * 200 + ["b"] * 200}
    pairs["output"] = few["output"] + [ref[0] for ref in few["references"]]
    predict = tb.arrow.Predict(draws=0)
    predict(pyarrow.table({name: values[:1] for name, values in few.items()}))
    for draws in (0, 20):
        predict = tb.arrow.Predict(draws=draws)
        rate = 200 / seconds(lambda: predict(pyarrow.table(pairs)))[0]
        print(f"kernel, tiebreak-small, {draws} draws: {rate:,.1f} pairs/s")


main(*sys.argv[1:])
