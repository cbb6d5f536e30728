"""Makes the golden files of the metrics on static vectors, and the small vectors they run on.

    pip install nltk==3.10.4 scikit-learn gensim==4.4.0 fasttext-wheel==0.9.2
    python tests/golden/make_vectors.py nlgeval/word2vec

where the folder holds `evaluate.py` of Maluuba/nlg-eval (git 2ab4528). The sentences are our own; the
values are those of the programs. fastText trains by chance: what it wrote once is kept.
"""

import json
import pathlib
import sys
import tempfile

import fasttext
import numpy as np
from gensim.models import KeyedVectors
from nltk.tokenize.destructive import NLTKWordTokenizer
import nltk.tokenize

HERE = pathlib.Path(__file__).parent
VECTORS = HERE / "vectors"

# A hypothesis and its references.
SEGMENTS = [
    ("The ferry leaves at seven from the pier.", ["The ferry leaves from the pier at seven.", "A ferry will leave."]),
    (
        "A heron stood in the shallow water, waiting for fish.",
        ["In the shallows a heron was waiting for fish.", "A heron stood waiting, in shallow water, for fish."],
    ),
    ("rain", ["Rain.", "It is raining."]),
    ("over and over and over", ["over and out", "over and over again"]),
    ("...!?", ["?", "and so on"]),
    ("the same words in both", ["the same words in both"]),
    ("\"We can't,\" she said; 'you cannot (yet).'", ["She said we cannot yet.", "``We'' can not, she's said"]),
    ("nothing known hereabouts", ["quite other things entirely"]),
    ("naïve cafés: 3.14, 2,5 & more...", ["naive cafes, 3.14", "more & more"]),
    ("the\u00a0pier \u3000 at seven", ["The pier at 7"]),
]
EMPTY = [("", ["Nothing was said."]), ("Something was said.", ["", "  \t"]), (" \u3000", [""])]


def tokens(text):
    return NLTKWordTokenizer().tokenize(text)


def texts():
    return [text for hyp, refs in SEGMENTS for text in (hyp, *refs)]


def write_table():
    """Made-up vectors of most of the words, in three forms. One number in eight is 0."""
    words = sorted({token for text in texts() for token in tokens(text)} - {"nothing", "known", "hereabouts"})
    rng = np.random.default_rng(7)
    numbers = rng.normal(size=(len(words), 6)).round(3) * (rng.random((len(words), 6)) > 0.125)
    table = KeyedVectors(6)
    table.add_vectors(words, numbers.astype(np.float32))
    table.save_word2vec_format(VECTORS / "words.word2vec.txt", sort_attr="missing")
    table.save_word2vec_format(VECTORS / "words.word2vec.bin", binary=True, sort_attr="missing")
    _, *rows = (VECTORS / "words.word2vec.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    (VECTORS / "words.glove.txt").write_text("".join(rows), encoding="utf-8")


class Embedding:
    """Stands in for nlg-eval's class of that name, which is written for gensim 3."""

    def __init__(self, path):
        self.table = KeyedVectors.load_word2vec_format(path)
        self.unknown = self.table.vectors.mean(axis=0)

    def vec(self, word):
        return self.table[word] if word in self.table else self.unknown


def word_vectors():
    sys.path.insert(0, sys.argv[1])
    nltk.tokenize.word_tokenize = tokens
    from evaluate import eval_emb_metrics

    embedding = Embedding(VECTORS / "words.word2vec.txt")
    found = {"embedding": [], "vector": [], "greedy": []}
    for i, (hyp, refs) in enumerate(SEGMENTS):
        for which, kept in (("first", refs[:1]), ("all", refs)):
            values = eval_emb_metrics([hyp], [[ref] for ref in kept], emb=embedding)
            for lines, value in zip(found.values(), values.splitlines()):
                lines.append({
                    "id": f"own-{i}-{which}", "level": "sentence", "hyp": hyp, "refs": kept, "tokens_hyp": tokens(hyp),
                    "cases": [{"settings": {"vectors": "words"}, "expected": float(value.split(": ")[1])}],
                })
    made = {"tool": "nlg-eval evaluate.py", "version": "git 2ab4528; gensim 4.4.0; nltk 3.10.4",
            "options": "vectors of our own; no sentence splitting; six decimals, as printed"}
    for name, lines in found.items():
        write(name, made, lines)


def sentence_vectors():
    lines = []
    for name, options in (("fasttext", {"minn": 2, "maxn": 4, "bucket": 40}), ("fasttext-words", {"minn": 0, "maxn": 0})):
        path = VECTORS / f"{name}.bin"
        if not path.exists():
            with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
                print(*texts(), sep="\n", file=file, flush=True)
                model = fasttext.train_unsupervised(
                    file.name, dim=6, minCount=1, epoch=100, neg=2, thread=1, verbose=0, **options)
                model.save_model(str(path))
        model = fasttext.load_model(str(path))
        for i, (hyp, refs) in enumerate(SEGMENTS + EMPTY):
            vectors = [model.get_sentence_vector(text) for text in (hyp, *refs)]
            cosines = [cosine(vectors[0], vector) for vector in vectors[1:]]
            combined = {"first": cosines[0], "max": max(cosines), "mean": sum(cosines) / len(cosines)}
            lines.append({
                "id": f"own-{name}-{i}", "level": "sentence", "hyp": hyp, "refs": refs, "vector": vectors[0].tolist(),
                "cases": [{"settings": {"model": name, "refs": which}, "expected": value} for which, value in combined.items()],
            })
    made = {"tool": "fasttext-wheel get_sentence_vector", "version": "0.9.2",
            "options": "models of our own; cosine 0 where a length is at most 1e-10"}
    write("vecsim", made, lines)


def cosine(x, y):
    unit = [v / np.linalg.norm(v) if np.linalg.norm(v) > 1e-10 else 0 * v for v in (x.astype(float), y.astype(float))]
    return float(unit[0] @ unit[1])


def write(name, made, lines):
    with open(HERE / "metrics" / f"{name}.jsonl", "w", encoding="utf-8") as file:
        for line in [made, *lines]:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    VECTORS.mkdir(exist_ok=True)
    write_table()
    word_vectors()
    sentence_vectors()
