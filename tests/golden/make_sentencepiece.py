"""Trains the small models of text/sentencepiece and makes text/sentencepiece.jsonl, their pieces of hostile lines.

    pip install sentencepiece==0.2.3 protobuf && python make_sentencepiece.py
"""

import json
import random
from pathlib import Path

import sentencepiece
from sentencepiece import sentencepiece_model_pb2

HERE = Path(__file__).parent / "text"
RULES = {"\u3000": " ", "\t": " ", "\u00ad": "", "\u200b": "", "ﬁ": "fi", "½": "1⁄2", "①": "1", "Ａ": "A", "e\u0301": "é", "ｶﾞ": "ガ"}
USER = ["<sep>", "foo", "ab", "abc", "日本", "▁the"]
OTHERS = """Der schnelle braune Fuchs springt über den faulen Hund. Größe, Straße, fünf Äpfel.
Le cœur déçu mais l'âme plutôt naïve, Louÿs rêva de crapaüter en canoë au delà des îles.
Съешь же ещё этих мягких французских булок, да выпей чаю. Ветер и море говорят всю ночь.
私は昨日東京の本屋で新しい辞書を買いました。天気が良かったので歩いて帰りました。日本の春は美しい。
北京的天气今天很好，我们去公园散步。他昨天买了一本新书。
어제 도서관에서 책을 읽었습니다. 오늘은 날씨가 좋아서 공원에 갔습니다.
วันนี้อากาศดีมาก เราไปเดินเล่นในสวนสาธารณะ
आज मौसम बहुत अच्छा है और हम बगीचे में घूमने गए।
ذهبنا اليوم إلى الحديقة لأن الجو جميل جدا.""".split("\n")

MODELS = {
    "unigram": {"model_type": "unigram"},
    "unigram_user": {"model_type": "unigram", "user_defined_symbols": USER},
    "unigram_bytes": {"model_type": "unigram", "byte_fallback": True},
    "bpe": {"model_type": "bpe"},
    "bpe_user": {"model_type": "bpe", "user_defined_symbols": USER},
    "bpe_bytes": {"model_type": "bpe", "byte_fallback": True, "add_dummy_prefix": False},
    "raw": {"model_type": "unigram", "remove_extra_whitespaces": False, "split_by_whitespace": False},
    "suffix": {"model_type": "bpe", "treat_whitespace_as_suffix": True},
    "word": {"model_type": "word"},
    "char": {"model_type": "char"},
}


def train(texts: list[str]) -> None:
    for name, options in MODELS.items():
        prefix = HERE / "sentencepiece" / name
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts),
            model_prefix=str(prefix),
            vocab_size=520 if "bytes" in name else 260,
            hard_vocab_limit=False,
            character_coverage=0.98,
            normalization_rule_tsv=str(HERE / "rules.tsv"),
            minloglevel=2,
            **options,
        )
        prefix.with_suffix(".vocab").unlink()
    for name in ("unigram", "bpe"):
        model = read(name)
        model.normalizer_spec.escape_whitespaces = False
        write(f"{name}_spaces", model)
        model = read(name)
        for piece in [piece for piece in model.pieces if piece.type == 1][::3]:
            piece.type = 5
        write(f"{name}_unused", model)


def ties() -> None:
    """Sums that are equal but for rounding, so that the order and precision of additions decide."""
    model = sentencepiece_model_pb2.ModelProto()
    model.pieces.add(piece="<unk>", score=0, type=2)
    score = -2.1716766357421875
    for piece, times in {"▁": 1, "▁▁": 2, "▁▁▁▁": 4, "x": 3.5, "bb": 3.1, "z": 2.9}.items():
        model.pieces.add(piece=piece, score=score * times, type=1)
    for piece in ("ab", "foo", ",", "日本"):
        model.pieces.add(piece=piece, score=0, type=4)
    model.trainer_spec.model_type = 1
    model.normalizer_spec.add_dummy_prefix = False
    model.normalizer_spec.remove_extra_whitespaces = False
    write("ties", model)


def read(name: str) -> sentencepiece_model_pb2.ModelProto:
    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString((HERE / "sentencepiece" / f"{name}.model").read_bytes())
    return model


def write(name: str, model: sentencepiece_model_pb2.ModelProto) -> None:
    (HERE / "sentencepiece" / f"{name}.model").write_bytes(model.SerializeToString())


def lines(texts: list[str]) -> list[str]:
    rng = random.Random(1)
    words = ["the", "ab", "abc", "foo", "<sep>", "日本", "日", "é", "e\u0301", "  ", " ", "▁", "<s>", "<unk>", "<0x41>", "12", *RULES]
    ranges = [(0, 0x20), (0x20, 0x7F), (0xA0, 0x180), (0x300, 0x370), (0x370, 0x460), (0x600, 0x700), (0x900, 0x980), (0xE00, 0xE5C), (0x2000, 0x2070)]
    ranges += [(0x3040, 0x3100), (0x4E00, 0x4F00), (0xAC00, 0xAD00), (0xFF00, 0xFFF0), (0xFFF0, 0x10000), (0x1F600, 0x1F650)]
    found = ["", " ", "   ", "\0", "\u3000", "▁", "▁ ", " ▁", "\n", "\u0301", "a" * 200, "日" * 50, "👨\u200d👩\u200d👧", "</s> x"]
    for _ in range(12):
        found.append(rng.choice(texts))
        found.append("".join(rng.choice(words) for _ in range(rng.randrange(12))))
        some = rng.sample(ranges, 3)
        found.append("".join(chr(rng.randrange(*rng.choice(some))) for _ in range(rng.randrange(30))))
    few = ["x", "z", "ab", "foo", ",", "日本", "bbb", *(" " * length for length in range(1, 9))]
    found += ["".join(rng.choice(few) for _ in range(rng.randrange(60))) for _ in range(12)]
    return found


def main() -> None:
    docs = Path(__file__).parents[2] / "docs"
    texts = [line.strip() for line in (docs / "metrics.md").read_text().splitlines() if len(line) > 40]
    texts = texts[:60] + OTHERS * 3
    (HERE / "sentencepiece").mkdir(exist_ok=True)
    rules = (f"{' '.join(f'{ord(c):X}' for c in one)}\t{' '.join(f'{ord(c):X}' for c in other)}\n" for one, other in RULES.items())
    (HERE / "rules.tsv").write_text("".join(rules))
    train(texts)
    ties()
    (HERE / "rules.tsv").unlink()
    made = {"tool": "sentencepiece", "version": sentencepiece.__version__, "options": "encode(line, out_type=str)"}
    with (HERE / "sentencepiece.jsonl").open("w") as out:
        print(json.dumps(made), file=out)
        models = {path.stem: sentencepiece.SentencePieceProcessor(model_file=str(path)) for path in sorted((HERE / "sentencepiece").glob("*.model"))}
        for text in lines(texts):
            pieces = {name: " ".join(model.encode(text, out_type=str)) for name, model in models.items()}
            print(json.dumps({"text": text, "expected": pieces}), file=out)


main()
