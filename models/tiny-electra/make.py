"""Makes the files beside it: a two-layer ELECTRA with random weights and a small tokenizer.

    python3 models/tiny-electra/make.py

Needs nothing but Python and gives the same bytes every time.
"""

import json
import pathlib
import random
import string
import struct

HERE = pathlib.Path(__file__).parent
HIDDEN, EMBEDDING, INNER, LAYERS, HEADS, POSITIONS = 32, 16, 64, 2, 4, 128

WORDS = """
the a an and or but if of to in on at by for with from as is are was were be been it its this that
he she they we you i his her their our not no yes do does did has have had can could will would may
one two three new old good bad big small long short man woman child people cat dog house car city
day year time way work world life hand part place week case point company number water food school
say said make made go went take took come came see saw know knew get got give gave find found think
tell ask seem feel try leave call first last other many more most some any all both each few own
same so than too very just also now then here there when where why how what which who up down out
about after before between under over again
""".split()
ENDINGS = ["s", "ed", "ing", "er", "est", "ly", "ness", "ion", "al", "y", "'s", "n't"]


def vocabulary():
    """Special tokens, single characters at the start and inside of a word, words, endings."""
    characters = string.digits + string.ascii_lowercase + string.punctuation
    inside = ["##" + c for c in string.digits + string.ascii_lowercase]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters, *inside, *WORDS]
    pieces += ["##" + ending for ending in ENDINGS if ending.isalpha()]
    return list(dict.fromkeys(pieces))


def tokenizer(pieces):
    special = [
        {"id": i, "content": pieces[i], "single_word": False, "lstrip": False, "rstrip": False,
         "normalized": False, "special": True}
        for i in range(5)
    ]
    cls, sep = ({"SpecialToken": {"id": t, "type_id": 0}} for t in ("[CLS]", "[SEP]"))
    text = [{"Sequence": {"id": name, "type_id": kind}} for name, kind in (("A", 0), ("B", 1))]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": special,
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                       "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [cls, text[0], sep],
            "pair": [cls, text[0], sep, text[1], {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
            "special_tokens": {t: {"id": t, "ids": [pieces.index(t)], "tokens": [t]}
                               for t in ("[CLS]", "[SEP]")},
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": {p: i for i, p in enumerate(pieces)}},
    }


def config(size):
    return {
        "architectures": ["ElectraForSequenceClassification"],
        "model_type": "electra",
        "vocab_size": size,
        "embedding_size": EMBEDDING,
        "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": INNER,
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1,
        "classifier_dropout": None,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": POSITIONS,
        "type_vocab_size": 2,
        "id2label": {"0": "b", "1": "tie", "2": "a"},
        "label2id": {"b": 0, "tie": 1, "a": 2},
        "pad_token_id": 0,
    }


def shapes(size):
    """Names and shapes of all tensors, as transformers writes them."""
    yield from table("electra.embeddings.word_embeddings", size, EMBEDDING)
    yield from table("electra.embeddings.position_embeddings", POSITIONS, EMBEDDING)
    yield from table("electra.embeddings.token_type_embeddings", 2, EMBEDDING)
    yield from norm("electra.embeddings.LayerNorm", EMBEDDING)
    yield from dense("electra.embeddings_project", HIDDEN, EMBEDDING)
    for i in range(LAYERS):
        layer = f"electra.encoder.layer.{i}"
        for part in ("query", "key", "value"):
            yield from dense(f"{layer}.attention.self.{part}", HIDDEN, HIDDEN)
        yield from dense(f"{layer}.attention.output.dense", HIDDEN, HIDDEN)
        yield from norm(f"{layer}.attention.output.LayerNorm", HIDDEN)
        yield from dense(f"{layer}.intermediate.dense", INNER, HIDDEN)
        yield from dense(f"{layer}.output.dense", HIDDEN, INNER)
        yield from norm(f"{layer}.output.LayerNorm", HIDDEN)
    yield from dense("classifier.dense", HIDDEN, HIDDEN)
    yield from dense("classifier.out_proj", 3, HIDDEN)


def table(name, rows, width):
    yield f"{name}.weight", (rows, width), 0.0, 1.0


def dense(name, rows, width):
    yield f"{name}.weight", (rows, width), 0.0, 1.5 / width**0.5
    yield f"{name}.bias", (rows,), 0.0, 0.2


def norm(name, width):
    yield f"{name}.weight", (width,), 1.0, 0.2
    yield f"{name}.bias", (width,), 0.0, 0.2


def weights(size):
    """Weights drawn wide, so that an error anywhere shows in the logits."""
    generator = random.Random("tiny-electra")
    header, data = {}, bytearray()
    for name, shape, mean, spread in shapes(size):
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        # Sums of uniforms rather than gauss(): no libm, so the same bits everywhere.
        values = [mean + spread * (sum(generator.random() for _ in range(4)) - 2) * 1.5
                  for _ in range(count)]
        start = len(data)
        data += struct.pack(f"<{count}f", *values)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [start, len(data)]}
    text = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + bytes(data)


def main():
    pieces = vocabulary()
    for name, content in (("config.json", config(len(pieces))), ("tokenizer.json", tokenizer(pieces))):
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        (HERE / name).write_text(text, encoding="utf-8")
    (HERE / "model.safetensors").write_bytes(weights(len(pieces)))


if __name__ == "__main__":
    main()
