"""What is the uncertainty of a matching model's head worth, beside that of Monte Carlo dropout?

    python benches/uncertainty/heads.py --program target/release/tiebreak --model models/tiebreak-small \
        --learn ../shared/data/wmt12-cze-eng … --tune ../shared/data/wmt16-rus-eng --dropout P.parquet… SET…

A score is linear in what the head reads (two mean cosines and the mean state of the output), so the head's posterior is
that of a logistic regression whose mean is the head as it was trained:

* Laplace (Daxberger et al., NeurIPS 2021, last layer): the curvature over `--learn`, with a prior chosen by the
  log loss on `--tune`; draws of the head give BALD and STD;
* an ensemble (Lakshminarayanan et al., NeurIPS 2017, of the last layer): heads fitted to resampled pairs of `--learn`, each held to the
  trained head by the same prior;
* the posterior's mean preference, closeness to a half.

A Beta posterior trained by loss (evidential) is left out: of pairs that were judged once its likelihood depends on the mean alone.
Each is written as a table of predictions and assessed by `tiebreak assess`: the prediction-rejection ratio, 1 where whatever is wrong is
rejected first and 0 for a random order. `--dropout` are tables of predictions with draws of the same model on SET.
Needs torch, transformers and tokenizers."""

import argparse
import csv
import gzip
import json
import pathlib
import subprocess

import numpy as np
import torch
from safetensors.numpy import load_file
from scipy.optimize import minimize
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

DRAWS = 20


def lines(path):
    path = next(iter(sorted(path.parent.glob(path.name + "*"))))
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as file:
        yield from map(json.loads, file)


class Encoder:
    """The model's states of tokens, without those of the special ones."""

    def __init__(self, folder):
        stored = load_file(folder / "model.safetensors")
        scaled = {name: stored[name].astype(np.float32) * stored[f"{name}.scale"][:, None]
                  for name in stored if f"{name}.scale" in stored}
        stored.update(scaled)
        weights = {name.removeprefix("bert."): torch.tensor(value)
                   for name, value in stored.items() if name.startswith("bert.") and not name.endswith(".scale")}
        self.bert = BertModel(BertConfig.from_pretrained(folder), add_pooling_layer=False).eval()
        missing = self.bert.load_state_dict(weights, strict=False).missing_keys
        assert all("position_ids" in name for name in missing), missing
        self.head = np.concatenate([stored["matching.scale"], stored["matching.worth"]]).astype(float)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(256)
        self.tokenizer.no_padding()

    @torch.no_grad()
    def states(self, texts, batch=64):
        texts = list(dict.fromkeys(texts))
        ids = {text: self.tokenizer.encode(text).ids for text in texts}
        texts.sort(key=lambda text: len(ids[text]))
        found = {}
        for at in range(0, len(texts), batch):
            some = texts[at:at + batch]
            longest = max(len(ids[text]) for text in some)
            tokens = torch.zeros(len(some), longest, dtype=torch.long)
            mask = torch.zeros_like(tokens)
            for row, text in enumerate(some):
                tokens[row, :len(ids[text])] = torch.tensor(ids[text])
                mask[row, :len(ids[text])] = 1
            hidden = self.bert(tokens, attention_mask=mask).last_hidden_state
            for row, text in enumerate(some):
                found[text] = hidden[row, 1:len(ids[text]) - 1]
        return found


def features(encoder, folder, most=None, seed=0):
    """(item, a, b, outcome) of decided judgments of different outputs, and the difference of what the head reads of both."""
    outputs = {(row["item"], row["system"]): row for row in lines(folder / "outputs.jsonl")}
    judged = [row for row in lines(folder / "comparisons.jsonl")
              if outputs[row["item"], row["system_a"]]["output"] != outputs[row["item"], row["system_b"]]["output"]]
    judged = [row for row in judged if outputs[row["item"], row["system_a"]].get("references")]
    if most and len(judged) > most:
        judged = [judged[at] for at in sorted(np.random.default_rng(seed).choice(len(judged), most, replace=False))]
    sides = {(row["item"], row[side]) for row in judged for side in ("system_a", "system_b")}
    texts = [text for side in sides for text in (outputs[side]["output"], *outputs[side]["references"])]
    states = encoder.states(texts)
    read = {}
    for side in sides:
        output = states[outputs[side]["output"]]
        rows = []
        for reference in outputs[side]["references"]:
            context = states[reference]
            if len(output) == 0 or len(context) == 0:
                rows.append(torch.zeros(len(encoder.head)))
                continue
            cosine = torch.nn.functional.normalize(output, dim=1) @ torch.nn.functional.normalize(context, dim=1).T
            rows.append(torch.cat([cosine.max(1).values.mean()[None], cosine.max(0).values.mean()[None], output.mean(0)]))
        read[side] = torch.stack(rows).mean(0).numpy().astype(float)
    said = [(row["item"], row["system_a"], row["system_b"], row["outcome"]) for row in judged]
    return said, np.array([read[item, a] - read[item, b] for item, a, b, _ in said])


def logistic(z):
    return 1 / (1 + np.exp(-np.clip(z, -40, 40)))


def entropy(p):
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return -p * np.log(p) - (1 - p) * np.log1p(-p)


def fitted(x, y, start, precision, counts):
    """The head of greatest posterior under a normal prior around `start`."""
    def loss(head):
        p = logistic(x @ head)
        off = head - start
        value = -(counts * (y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12))).sum() + precision / 2 * off @ off
        return value, x.T @ (counts * (p - y)) + precision * off
    return minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 60}).x


def assess(program, data, said, p, spread, folder, name):
    """The prediction-rejection ratio by what each order rejects first, in percent."""
    table = folder / f"{data.name}.{name}.csv"
    seen = {}
    for (item, a, b, _), p, (bald, std) in zip(said, p, spread):
        seen.setdefault((item, a, b), (p, p, bald, std))
    with table.open("w") as file:
        out = csv.writer(file)
        out.writerow(["item", "system_a", "system_b", "p", "mean", "bald", "std"])
        out.writerows([*pair, *values] for pair, values in seen.items() if (pair[0], pair[2], pair[1]) not in seen or pair[1] < pair[2])
    return assessed(program, data, table)


def assessed(program, data, table):
    told = subprocess.run([program, "assess", data, "--predictions", table, "--json", "--quiet"], capture_output=True, text=True)
    if told.returncode:
        raise SystemExit(told.stderr)
    told = json.loads(told.stdout)
    worth = {row["by"]: row["gain"]["value"] for row in told["uncertainty"]}
    return told["accuracy"]["value"], worth


def main():
    flags = argparse.ArgumentParser()
    flags.add_argument("--program", required=True)
    flags.add_argument("--model", type=pathlib.Path, required=True)
    flags.add_argument("--learn", type=pathlib.Path, nargs="+", required=True)
    flags.add_argument("--tune", type=pathlib.Path, required=True)
    flags.add_argument("--most", type=int, default=5000, help="judgments of each set to learn from or to tune on")
    flags.add_argument("--dropout", type=pathlib.Path, nargs="*", default=[])
    flags.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("target/uncertainty"))
    flags.add_argument("sets", type=pathlib.Path, nargs="+")
    given = flags.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    encoder = Encoder(given.model)
    rng = np.random.default_rng(1)

    learned = [features(encoder, folder, given.most) for folder in given.learn]
    x = np.concatenate([x for _, x in learned])
    y = np.array([outcome for said, _ in learned for *_, outcome in said])
    p = logistic(x @ encoder.head)
    curvature = x.T @ (x * (p * (1 - p))[:, None])
    said, tune = features(encoder, given.tune, given.most)
    outcome = np.array([outcome for *_, outcome in said])

    def mean_preference(rows, covariance):
        z, variance = rows @ encoder.head, np.einsum("ij,jk,ik->i", rows, covariance, rows)
        return logistic(z / np.sqrt(1 + np.pi / 8 * variance))

    def log_loss(precision):
        p = np.clip(mean_preference(tune, np.linalg.inv(curvature + precision * np.eye(len(curvature)))), 1e-12, 1 - 1e-12)
        return -(outcome * np.log(p) + (1 - outcome) * np.log(1 - p)).mean()

    precision = min(10.0 ** np.arange(-6, 5), key=log_loss)
    covariance = np.linalg.inv(curvature + precision * np.eye(len(curvature)))
    print(f"{len(y)} judgments learned from, prior precision {precision:g}, log loss {log_loss(precision):.4f} "
          f"(without uncertainty {log_loss(1e12):.4f})", flush=True)
    drawn = rng.multivariate_normal(encoder.head, covariance, DRAWS)
    ensemble = np.array([fitted(x, y, encoder.head, precision, rng.multinomial(len(y), np.full(len(y), 1 / len(y))))
                         for _ in range(DRAWS)])
    for data in given.sets:
        said, rows = features(encoder, data)
        p = logistic(rows @ encoder.head)
        for name, heads, center in [("Laplace", drawn, p), ("ensemble", ensemble, None), ("posterior mean", drawn, mean_preference(rows, covariance))]:
            each = logistic(rows @ heads.T)
            center = each.mean(1) if center is None else center
            spread = np.stack([entropy(each.mean(1)) - entropy(each).mean(1), each.std(1)], 1)
            accuracy, worth = assess(given.program, data, said, center, spread, given.folder, name.replace(" ", "-"))
            print(f"{data.name:18} {name:16} accuracy {accuracy:.3f}  " + "  ".join(f"{by} {gain:6.1%}" for by, gain in worth.items()), flush=True)
        for table in given.dropout:
            if data.name in table.name:
                accuracy, worth = assessed(given.program, data, table)
                print(f"{data.name:18} {table.stem.removeprefix(data.name):16} accuracy {accuracy:.3f}  "
                      + "  ".join(f"{by} {gain:6.1%}" for by, gain in worth.items()), flush=True)


if __name__ == "__main__":
    main()
