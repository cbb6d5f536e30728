"""Makes the golden file of LASER, and the small encoder with random weights that it runs on.

    pip install torch sacremoses==0.2.0 subword-nmt==0.3.8 transliterate
    pip install --no-deps laserembeddings==1.1.2
    python tests/golden/make_laser.py

The sentences are our own; the values are those of the packages.
"""

import io
import json
import pathlib
import tempfile

import torch
from laserembeddings.encoder import Encoder, SentenceEncoder
from sacremoses import MosesPunctNormalizer, MosesTokenizer
from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

HERE = pathlib.Path(__file__).parent
FOLDER = HERE / "vectors" / "laser"
SIZES = {"padding_idx": 1, "embed_dim": 6, "hidden_size": 5, "num_layers": 2, "bidirectional": True}

# A hypothesis and its references.
SEGMENTS = [
    ("The ferry leaves at seven from the pier.", ["The ferry leaves from the pier at seven.", "A ferry will leave."]),
    ("rain", ["Rain.", "It is raining."]),
    ("", ["Nothing was said."]),
    ("Something was said.", [""]),
    (" \t ", ["\u3000"]),
    ("Mr. Heron waits... \"No,\" he says. It's No. 5", ["Mr Heron's waiting. ‘No’, says he – “no. 5”", "5 % of 1,000"]),
    ("naïve cafés (two) :)", ["naive cafes: two", "猫が好き。"]),
    ("the same words in both", ["the same words in both"]),
]


def texts():
    return [text for hyp, refs in SEGMENTS for text in (hyp, *refs)]


def moses(text):
    text = MosesPunctNormalizer(lang="en").normalize(text)
    text = MosesTokenizer(lang="en").tokenize(text, return_str=True, escape=False, aggressive_dash_splits=False)
    return text.lower()


def learn():
    """Merges in subword-nmt's form, and a vocabulary that lacks one unit in six."""
    learned = io.StringIO()
    learn_bpe(io.StringIO("\n".join(map(moses, texts()))), learned, 40, min_frequency=1)
    codes = learned.getvalue().splitlines()[1:]
    free = splitter(codes, None)
    units = sorted({unit for text in texts() for unit in free.process_line(moses(text)).split()})
    return codes, [unit for i, unit in enumerate(units) if i % 6]


def splitter(codes, vocabulary):
    bpe = BPE(io.StringIO("#version: 0.2\n" + "\n".join(codes)), vocab=vocabulary)
    bpe.version = (0, 2)
    return bpe


def main():
    codes, vocabulary = learn()
    dictionary = {unit: i for i, unit in enumerate(["<s>", "<pad>", "</s>", "<unk>", *vocabulary])}
    sizes = {"num_embeddings": len(dictionary), **SIZES}
    torch.manual_seed(3)
    encoder = Encoder(**sizes)
    for tensor in encoder.parameters():
        torch.nn.init.normal_(tensor, std=0.6)
    write_model(codes, vocabulary, dictionary, sizes, encoder)

    with tempfile.NamedTemporaryFile(suffix=".pt") as file:
        torch.save({"params": sizes, "model": encoder.state_dict(), "dictionary": dictionary}, file.name)
        runner = SentenceEncoder(file.name, max_sentences=1, cpu=True, sort_kind="mergesort")
    bpe = splitter(codes, set(vocabulary))
    lines = []
    for i, (hyp, refs) in enumerate(SEGMENTS):
        units = [bpe.process_line(moses(text)) for text in (hyp, *refs)]
        vectors = torch.from_numpy(runner.encode_sentences(units)).double()
        cosines = torch.nn.functional.cosine_similarity(vectors[:1], vectors[1:]).tolist()
        combined = {"first": cosines[0], "max": max(cosines), "mean": sum(cosines) / len(cosines)}
        lines.append({
            "id": f"own-{i}", "level": "sentence", "hyp": hyp, "refs": refs, "bpe": units[0],
            "embedding": vectors[0].tolist(),
            "cases": [{"settings": {"refs": which}, "expected": value} for which, value in combined.items()],
        })
    made = {"tool": "laserembeddings (encoder), sacremoses, subword-nmt", "version": "1.1.2, 0.2.0, 0.3.8",
            "options": "English; an encoder of our own with random weights"}
    with open(HERE / "metrics" / "laser.jsonl", "w", encoding="utf-8") as file:
        for line in [made, *lines]:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def write_model(codes, vocabulary, dictionary, sizes, encoder):
    from safetensors.torch import save_file

    FOLDER.mkdir(exist_ok=True)
    save_file(encoder.state_dict(), FOLDER / "encoder.safetensors")
    (FOLDER / "params.json").write_text(json.dumps({"params": sizes}) + "\n")
    (FOLDER / "dictionary.json").write_text(json.dumps(dictionary, ensure_ascii=False) + "\n", encoding="utf-8")
    # fastBPE's form: with counts.
    (FOLDER / "small.fcodes").write_text("".join(f"{code} 1\n" for code in codes), encoding="utf-8")
    (FOLDER / "small.fvocab").write_text("".join(f"{unit} 1\n" for unit in vocabulary), encoding="utf-8")


if __name__ == "__main__":
    main()
