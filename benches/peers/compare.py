"""Times tiebreak's metrics beside their peers, alternating, and prints the ratios.

Both sides score texts that are in memory already; tiebreak on `--threads` threads, a peer in the
way that is fastest for it. Then the whole command is timed, with reading, indexing and writing.
With `--clock cpu` time is that of processors, tiebreak's divided by its threads.
"""

import argparse
import pathlib
import statistics
import subprocess

import peers
import texts as generated
from timing import cpu, spread, table, timed, wall

ROOT = pathlib.Path(__file__).parent.parent.parent
BUILD = ROOT / "target/peers"
SYSTEMS = 7


class Tiebreak:
    """`main.rs`, which answers what it is asked on its standard input."""

    def __init__(self, path, threads, clock):
        command = ["cargo", "bench", "--quiet", "--bench", "peers", "--", path, clock]
        self.process = subprocess.Popen(command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.threads = threads

    def seconds(self, what, items, threads=None):
        """Per pass over the items, on average over enough passes to be timed."""
        self.process.stdin.write(f"{what} {items} {threads or self.threads}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def comparisons():
    """Metric, peer and mode, how to score, the share of the items that is enough."""
    yield "bleu", "sacrebleu, corpus", peers.sacrebleu_corpus(peers.BLEU), 1.0
    yield "bleu", "sacrebleu, sentences", peers.sacrebleu_sentences(lambda: peers.BLEU(effective_order=True)), 1.0
    yield "chrf", "sacrebleu, corpus", peers.sacrebleu_corpus(peers.CHRF), 0.5
    yield "chrf", "sacrebleu, sentences", peers.sacrebleu_sentences(peers.CHRF), 0.5
    yield "chrf++", "sacrebleu, corpus", peers.sacrebleu_corpus(lambda **more: peers.CHRF(word_order=2, **more)), 0.5
    yield "ter", "sacrebleu, corpus", peers.sacrebleu_corpus(peers.TER), 0.1
    yield "rouge-1", "rouge-score", peers.rouge("rouge1"), 1.0
    yield "rouge-2", "rouge-score", peers.rouge("rouge2"), 1.0
    yield "rouge-l", "rouge-score", peers.rouge("rougeL"), 0.5
    if peers.Meteor.is_there():
        meteor = peers.Meteor(BUILD)
        yield f"meteor:resources={meteor.resources}", "METEOR 1.5 jar", meteor, 1.0


def beside(tiebreak, clock, metric, score, path, items, rounds):
    """Seconds of both sides, round by round. What the peer takes for hardly any text (starting
    Java) is not counted."""
    texts, few = peers.Texts(path, items), peers.Texts(path, 1)
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(tiebreak.seconds(metric, items))
        theirs.append(timed(clock, lambda: score(texts)) - timed(clock, lambda: score(few)))
    return ours, theirs


def metrics(arguments, clock, path):
    tiebreak = Tiebreak(path, arguments.threads, clock.__name__)
    megabytes = path.stat().st_size / 1e6
    split = statistics.median(tiebreak.seconds("split", arguments.items, 1) for _ in range(arguments.rounds))
    print(f"{arguments.items * SYSTEMS} outputs, {megabytes:.1f} MB. Reading and splitting them into words: "
          f"{megabytes / split:.0f} MB/s on one core.\n")

    def rows():
        for metric, peer, score, share in comparisons():
            name = metric.split(":")[0]
            if arguments.metric and name not in arguments.metric:
                continue
            items = max(1, int(arguments.items * share))
            ours, theirs = beside(tiebreak, clock, metric, score, path, items, arguments.rounds)
            outputs, size = items * SYSTEMS, megabytes * items / arguments.items
            alone = statistics.median(tiebreak.seconds(metric, items, 1) for _ in range(arguments.rounds))
            yield [
                name,
                peer,
                f"{outputs / statistics.median(ours):,.0f}",
                f"{outputs / statistics.median(theirs):,.0f}",
                spread([their / our for our, their in zip(ours, theirs)], ".0f"),
                f"{size / alone:.0f}",
                f"{alone / (split * items / arguments.items):.1f}",
            ]

    table(["metric", "peer", "outputs/s", "peer's", "times as fast", "MB/s per core", "× splitting"], rows())


def whole_command(arguments, clock, path):
    program = ROOT / "target/release/tiebreak"
    out = BUILD / "scores.parquet"
    print(f"\nThe whole command, reading, indexing and writing included, {arguments.threads} threads:\n")

    def rows():
        for names in (["bleu"], ["bleu", "chrf", "ter", "rouge-l"]):
            command = [program, "score", path, "--quiet", "--threads", str(arguments.threads), "--out", out]
            command += ["--metric", *names]
            seconds = [timed(clock, lambda: subprocess.run(command, check=True)) for _ in range(arguments.rounds)]
            outputs = [arguments.items * SYSTEMS / value / 1e3 for value in seconds]
            yield [" ".join(names), spread(seconds, ".2f"), spread(outputs, ".0f")]

    table(["metrics", "seconds", "thousand outputs/s"], rows())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--items", type=int, default=2400, help="of seven outputs each")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall", help="cpu where the machine is busy (Linux)")
    parser.add_argument("--metric", nargs="*", help="only these")
    arguments = parser.parse_args()
    path = generated.write(BUILD, arguments.items)
    clock = {"wall": wall, "cpu": cpu}[arguments.clock]
    metrics(arguments, clock, path)
    whole_command(arguments, clock, path)
