"""Times tiebreak's bootstrap, prediction-powered estimate and paired test beside their peers, alternating.

Both sides have the numbers in memory already, and compute 95 % intervals of the same thing. The peers run
in the way that is fastest for them, on one core, tiebreak on `--threads`.
"""

import argparse
import json
import pathlib
import statistics
import subprocess

import numpy as np
import peers
import ppi_py
import sacrebleu.significance
import scipy.stats
import texts as generated
from timing import cpu, spread, table, wall

ROOT = pathlib.Path(__file__).parent.parent.parent
BUILD = ROOT / "target/peers-estimates"
ITEMS = 2400


class Tiebreak:
    """`estimates.rs`, which answers what it is asked on its standard input."""

    def __init__(self, threads):
        command = ["cargo", "bench", "--quiet", "--bench", "estimates", "--", str(threads)]
        self.process = subprocess.Popen(command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, what, path, number):
        self.process.stdin.write(f"{what} {path} {number}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def stored(name, numbers):
    path = BUILD / f"{name}.f64"
    numbers.astype("<f8").tofile(path)
    return path


def scipy_bootstrap(numbers, resamples, batch):
    def work():
        found = scipy.stats.bootstrap(
            (numbers,), np.mean, n_resamples=resamples, batch=batch, method="percentile", rng=np.random.default_rng(1)
        )
        return [found.confidence_interval.low, found.confidence_interval.high]

    return work


def sacrebleu_resampling(path, resamples):
    """Each system's statistics resampled as `sacrebleu --paired-bs` does it: mean scores."""
    texts = peers.Texts(path, ITEMS)
    metric = peers.BLEU(references=[texts.references])
    statistics_of = {name: metric._extract_corpus_statistics(outputs, None) for name, outputs in texts.systems.items()}

    def work():
        drawn = [sacrebleu.significance._bootstrap_resample(one, metric, resamples)[1] for one in statistics_of.values()]
        return [statistics.mean(score.score for score in scores) for scores in drawn]

    return work


def comparisons():
    """What is done, the command of our side, the peer's name and work."""
    rng = np.random.default_rng(7)
    many, few = rng.normal(3, 1, 1_000_000), rng.normal(3, 1, 1000)
    stars = rng.choice(5, 1_000_000, p=[0.1, 0.1, 0.2, 0.4, 0.2]) + 1.0
    name = f"scipy {scipy.__version__}, bootstrap"
    bootstraps = [
        ("1,000,000 judgments, 100 resamples", "many", many, 100, 1),
        ("the same of five stars", "stars", stars, 100, 1),
        ("1000 judgments, 10,000 resamples", "few", few, 10_000, 1000),
    ]
    for what, file, numbers, resamples, batch in bootstraps:
        command = ("bootstrap", stored(file, numbers), resamples)
        yield f"bootstrap of a mean: {what}", command, name, scipy_bootstrap(numbers, resamples, batch)
    scores = rng.normal(3, 1, 1_010_000)
    judgments = 0.8 * scores[:10_000] + rng.normal(0, 0.5, 10_000)
    command = ("ppi", stored("ppi", np.concatenate([judgments, scores])), 10_000)
    work = lambda: np.ravel(ppi_py.ppi_mean_ci(judgments, scores[:10_000], scores[10_000:], alpha=0.05)).tolist()
    yield "ppi++: 10,000 judgments, 1,000,000 outputs", command, "ppi-python 0.2.3", work
    path = generated.write(BUILD, ITEMS)
    work = sacrebleu_resampling(path, 1000)
    what = f"paired bootstrap of BLEU: seven systems, {ITEMS} items, 1000 resamples"
    yield what, ("paired", path, 1000), "sacrebleu 2.6.0", work


def beside(tiebreak, command, work, rounds):
    """Ratios of their time to ours, by the wall and of processors, round by round; our time; how
    far results are apart, relative to their size."""
    walls, cpus, ours = [], [], []
    for _ in range(rounds):
        ours.append(tiebreak(*command))
        begin, begin_cpu = wall(), cpu()
        theirs = work()
        walls.append((wall() - begin) / ours[-1]["wall"])
        cpus.append((cpu() - begin_cpu) / ours[-1]["cpu"])
    found = np.array(ours[0]["found"])
    return walls, cpus, statistics.median(one["cpu"] for one in ours), np.max(np.abs(found - theirs) / np.abs(theirs))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    tiebreak = Tiebreak(arguments.threads)

    def rows():
        for what, command, peer, work in comparisons():
            walls, cpus, ours, apart = beside(tiebreak, command, work, arguments.rounds)
            yield [what, peer, f"{1000 * ours:.3g}", spread(cpus, ".3g"), spread(walls, ".3g"), f"{apart:.0e}"]

    table(["", "peer", "tiebreak, CPU ms", "times as fast, CPU", "wall", "results apart"], rows())
