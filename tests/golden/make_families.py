"""Makes `families/`: tiny random encoders of the families beside BERT and ELECTRA, and what transformers makes of them.

    pip install torch transformers==5.23.0
    python tests/golden/make_families.py

Every folder has a model's files in Hugging Face's layout and `expected.jsonl.gz`: inputs, hidden states and
logits. Weights are drawn wide, so that an error anywhere shows. The texts are our own.
"""

import gzip
import json
import pathlib
from collections import Counter

import torch
import transformers
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = pathlib.Path(__file__).parent / "families"

LONG = "The ferry leaves from the pier at seven, and those who miss it wait in the rain for the next one. " * 3
TEXTS = [
    ("The ferry leaves at seven from the pier.", None),
    ("A heron stood in the shallow water, waiting for fish.", "In the shallows a heron was waiting."),
    ("rain", "Rain."),
    ("", None),
    ("", "Nothing was said."),
    ("naïve cafés — …!? 東京", "über alles"),
    ("with <pad> and [PAD], </s> and [SEP] in it", "<s> [CLS]"),
    (LONG, None),
    (LONG, LONG[40:160]),
]
CORPUS = [text for pair in TEXTS for text in pair if text and "pad" not in text]


def byte_pairs(special, process):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    # All bytes, so that no text is unknown.
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(vocab_size=320, special_tokens=special, initial_alphabet=alphabet)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.post_processor = process(tokenizer)
    return tokenizer


def pieces(special, unknown, process):
    """Words and their beginnings, common ones likelier, and single characters."""
    counts = Counter("▁" + word[:length] for text in CORPUS for word in text.split() for length in (2, 3, 9))
    characters = sorted({"▁", *"".join(CORPUS).replace(" ", "")} - set("東"))
    scored = [(piece, 0.0) for piece in special] + [(piece, -9.0) for piece in characters]
    scored += [(piece, -12.0 / (1 + count)) for piece, count in sorted(counts.items()) if count > 2]
    tokenizer = Tokenizer(models.Unigram(scored, special.index(unknown)))
    tokenizer.add_special_tokens(special)
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace("  ", " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = process(tokenizer)
    return tokenizer


def framed(single, pair):
    def process(tokenizer):
        names = {name.split(":")[0] for name in f"{single} {pair}".split() if not name.startswith("$")}
        special = [(name, tokenizer.token_to_id(name)) for name in sorted(names)]
        return processors.TemplateProcessing(single=single, pair=pair, special_tokens=special)

    return process


def roberta_framed(tokenizer):
    sep, cls = (("</s>", tokenizer.token_to_id("</s>")), ("<s>", tokenizer.token_to_id("<s>")))
    return processors.RobertaProcessing(sep, cls, trim_offsets=True, add_prefix_space=False)


def roberta_tokenizer():
    return byte_pairs([AddedToken(name, special=True) for name in ("<s>", "<pad>", "</s>", "<unk>", "<mask>")],
                      roberta_framed)


def xlm_tokenizer():
    return pieces(["<s>", "<pad>", "</s>", "<unk>", "<mask>"], "<unk>",
                  framed("<s> $A </s>", "<s> $A </s> </s> $B </s>"))


def mpnet_tokenizer():
    special = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.train_from_iterator(CORPUS, trainers.WordPieceTrainer(vocab_size=160, special_tokens=special))
    tokenizer.post_processor = roberta_framed(tokenizer)
    return tokenizer


def deberta_tokenizer():
    return pieces(["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"], "[UNK]",
                  framed("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1"))


def modernbert_tokenizer():
    return byte_pairs(["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"],
                      framed("[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1"))


SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}
DEBERTA = {**SIZES, "max_position_embeddings": 96, "pad_token_id": 0, "relative_attention": True}

MODELS = {
    "roberta": (roberta_tokenizer, "RobertaForSequenceClassification", {
        **SIZES, "max_position_embeddings": 98, "type_vocab_size": 1, "pad_token_id": 1, "num_labels": 3,
        "layer_norm_eps": 1e-5}),
    "xlm-roberta": (xlm_tokenizer, "XLMRobertaModel", {
        **SIZES, "max_position_embeddings": 98, "type_vocab_size": 1, "pad_token_id": 1, "layer_norm_eps": 1e-5,
        "add_pooling_layer": False}),
    "mpnet": (mpnet_tokenizer, "MPNetForSequenceClassification", {
        **SIZES, "max_position_embeddings": 98, "pad_token_id": 1, "num_labels": 3, "layer_norm_eps": 1e-5}),
    # As version 2: a convolution, two token types, distances in buckets, projected as words are.
    "deberta-v2": (deberta_tokenizer, "DebertaV2ForSequenceClassification", {
        **DEBERTA, "type_vocab_size": 2, "position_biased_input": False, "pos_att_type": "p2c|c2p",
        "position_buckets": 8, "max_relative_positions": 40, "share_att_key": True, "norm_rel_ebd": "layer_norm",
        "conv_kernel_size": 3, "conv_groups": 2, "conv_act": "gelu", "embedding_size": 12, "num_labels": 1,
        "pooler_hidden_act": "tanh"}),
    # As version 3.
    "deberta-v3": (deberta_tokenizer, "DebertaV2ForSequenceClassification", {
        **DEBERTA, "type_vocab_size": 0, "position_biased_input": False, "pos_att_type": ["p2c", "c2p"],
        "position_buckets": 16, "share_att_key": True, "norm_rel_ebd": "layer_norm", "num_labels": 3}),
    # What neither has: positions added to words, distances without buckets and with projections of their own.
    "deberta-apart": (deberta_tokenizer, "DebertaV2ForSequenceClassification", {
        **DEBERTA, "pos_att_type": ["c2p", "p2c"], "hidden_act": "gelu_new", "num_labels": 2}),
    "deberta-one-way": (deberta_tokenizer, "DebertaV2Model", {
        **DEBERTA, "pos_att_type": ["p2c"], "position_buckets": 6, "max_relative_positions": 20, "hidden_act": "relu"}),
    # No distances at all; the scale still counts those that are asked for.
    "deberta-plain": (deberta_tokenizer, "DebertaV2Model", {
        **DEBERTA, "relative_attention": False, "pos_att_type": ["c2p"], "num_hidden_layers": 1}),
    "modernbert": (modernbert_tokenizer, "ModernBertForSequenceClassification", {
        **SIZES, "num_hidden_layers": 5, "max_position_embeddings": 96, "local_attention": 8, "num_labels": 3,
        "global_attn_every_n_layers": 3, "global_rope_theta": 160000.0, "local_rope_theta": 10000.0,
        "pad_token_id": 3}),
    # With every bias, the mean of all tokens, and layers of its own order.
    "modernbert-mean": (modernbert_tokenizer, "ModernBertForSequenceClassification", {
        **SIZES, "num_hidden_layers": 3, "max_position_embeddings": 96, "local_attention": 6, "num_labels": 1,
        "layer_types": ["sliding_attention", "full_attention", "sliding_attention"], "norm_bias": True,
        "attention_bias": True, "mlp_bias": True, "classifier_bias": True, "classifier_pooling": "mean",
        "classifier_activation": "relu", "hidden_activation": "silu", "pad_token_id": 3, "norm_eps": 1e-6,
        "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 5000.0},
                            "sliding_attention": {"rope_type": "default", "rope_theta": 300.0}}}),
}


def draw(model):
    """Weights drawn wide: a table's rows about 1, a dense layer's such that its output is."""
    generator = torch.Generator().manual_seed(0)
    for name, parameter in sorted(model.named_parameters()):
        noise = torch.randn(parameter.shape, generator=generator)
        if "norm" in name.lower():
            values = (1.0 if name.endswith("weight") else 0.0) + 0.2 * noise
        elif name.endswith("bias"):
            values = 0.2 * noise
        elif "embeddings" in name and "proj" not in name:
            values = noise
        else:
            values = noise / parameter[0].numel() ** 0.5
        parameter.data.copy_(values)


def run(model, tokenizer, number, texts, settings):
    # Only DeBERTa's tokenizers, of these families, say which token belongs to which text.
    typed = isinstance(model.config, transformers.DebertaV2Config)
    encoded = tokenizer(*[text for text in texts if text is not None], truncation="longest_first",
                        max_length=settings["max_length"], return_token_type_ids=typed,
                        return_attention_mask=False, return_tensors="pt")
    with torch.no_grad():
        output = model(**encoded, output_hidden_states=True)

    def numbers(tensor):
        return json.loads(json.dumps(tensor.tolist()), parse_float=lambda x: float(f"{float(x):.9g}"))

    expected = {key: value[0].tolist() for key, value in encoded.items()}
    expected["cls_hidden_by_layer"] = [numbers(state[0, 0]) for state in output.hidden_states]
    if number in (1, 8):
        expected["last_hidden_state"] = numbers(output.hidden_states[-1][0])
    if hasattr(output, "logits"):
        expected["logits"] = numbers(output.logits[0])
    return {"id": f"own-{number}", "text_a": texts[0], "text_b": texts[1], "settings": settings, "expected": expected}


def make(name, tokenizer, family, settings):
    folder = HERE / name
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    family = getattr(transformers, family)
    settings = dict(settings)
    extra = {key: settings.pop(key) for key in ("add_pooling_layer",) if key in settings}
    config = family.config_class(vocab_size=tokenizer.get_vocab_size(), **settings)
    # One sequence at a time, and no kernel that sums in another order.
    config._attn_implementation = "eager"
    model = family(config, **extra).eval()
    draw(model)
    model.save_pretrained(folder)
    fast = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    limit = 96
    lines = [run(model, fast, number, texts, {"max_length": limit}) for number, texts in enumerate(TEXTS)]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (folder / "expected.jsonl.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    for name, made in MODELS.items():
        make(name, *made)
