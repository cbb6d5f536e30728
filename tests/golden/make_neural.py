"""Makes the golden files of the metrics that run on a model, with the tiny one of `models/`.

    pip install torch transformers==4.46.3 bert-score==0.3.13 pyemd==1.1.0
    pip download --no-deps moverscore==1.0.3 && tar xzf moverscore-1.0.3.tar.gz
    python tests/golden/make_neural.py moverscore-1.0.3

The sentences are our own; the values are those of the packages.
"""

import json
import pathlib
import shutil
import string
import sys
import tempfile
from collections import Counter, defaultdict
from functools import partial
from itertools import chain
from math import log

import bert_score
import numpy
import pyemd
import torch
import transformers

HERE = pathlib.Path(__file__).parent
MODEL = "tiny-electra"
SOURCE = HERE.parent.parent / "models" / MODEL

# A hypothesis and its references.
SEGMENTS = [
    ("The ferry leaves at seven from the pier.", ["The ferry leaves from the pier at seven.", "A ferry will leave."]),
    (
        "A heron stood in the shallow water, waiting for fish.",
        ["In the shallows a heron was waiting for fish.", "A heron stood waiting, in shallow water, for fish."],
    ),
    ("rain", ["Rain.", "It is raining."]),
    ("", ["Nothing was said."]),
    ("Something was said.", [""]),
    (" \t ", ["\u3000"]),
    ("over and over and over", ["over and out", "over and over again"]),
    ("...!?", ["?", "and so on"]),
    ("the same words in both", ["the same words in both"]),
    ("naïve cafés, [SEP] or [CLS]", ["naive cafes", "cafés [SEP]"]),
]


def number(x):
    return "NaN" if x != x else x


def write(name, made, lines):
    with open(HERE / f"{name}.jsonl", "w", encoding="utf-8") as file:
        for line in [made, *lines]:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def bertscore():
    lines = [
        {"id": f"own-{i}", "metric": "bert_score", "level": "sentence", "model": {"model": MODEL},
         "hyp": hyp, "refs": refs, "cases": []}
        for i, (hyp, refs) in enumerate(SEGMENTS)
    ]
    for layers in (0, 1, 2):
        for idf in (False, True):
            for which in ("first", "all"):
                for line in lines:
                    refs = line["refs"][:1] if which == "first" else line["refs"]
                    # One text at a time: in a padded batch a maximum cannot be negative. The
                    # table of document frequencies is that of all first references.
                    table = idf and bert_score.utils.get_idf_dict(
                        [refs[0] for _, refs in SEGMENTS], TOKENIZER, nthreads=0)
                    values = [
                        bert_score.score([line["hyp"]], [ref], model_type=FOLDER, num_layers=layers, idf=table,
                                         use_fast_tokenizer=True, device="cpu", nthreads=0)
                        for ref in refs
                    ]
                    best = [max(float(value[k][0]) for value in values) for k in range(3)]
                    line["cases"].append({
                        "settings": {"num_layers": layers, "idf": idf, "refs": which},
                        "expected": dict(zip("PRF", map(number, best))),
                    })
    return lines


class Pool:
    """The programs' pool of processes, without processes."""

    def __init__(self, _):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def map(self, function, items):
        return map(function, items)


def mover_program(name):
    """The functions of `moverscore.py` or `moverscore_v2.py` on our model instead of theirs."""
    model = transformers.AutoModel.from_pretrained(FOLDER, output_hidden_states=True).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(FOLDER)
    tokenizer.max_len = 128

    def run(x=None, segments=None, attention_mask=None, input_ids=None, **_):
        states = model(x if input_ids is None else input_ids, attention_mask=attention_mask).hidden_states
        # The library that `moverscore.py` was written for does not count the embeddings.
        return (states[1:], None) if input_ids is None else (None, states, None)

    run.eval = lambda: None
    numpy.float = float
    names = {
        "np": numpy, "torch": torch, "string": string, "log": log, "chain": chain, "partial": partial,
        "Counter": Counter, "defaultdict": defaultdict, "Pool": Pool, "device": "cpu", "model": run,
        "tokenizer": tokenizer, "emd": pyemd.emd, "emd_with_flow": pyemd.emd_with_flow,
    }
    source = (pathlib.Path(sys.argv[1]) / f"{name}.py").read_text()
    # From after the loading of the model to before the drawing of examples.
    exec(source[source.index("def truncate"):].split("import matplotlib")[0], names)
    return names


def moverscore():
    segments = [(hyp, refs[0]) for hyp, refs in SEGMENTS if hyp.strip() and refs[0].strip()]
    hyps, refs = map(list, zip(*segments))
    lines = [
        {"id": f"own-{i}", "metric": "moverscore", "level": "sentence", "model": {"model": MODEL},
         "hyp": hyp, "refs": [ref], "cases": []}
        for i, (hyp, ref) in enumerate(segments)
    ]
    grid = [("v2", 1, True)] + [("v1", n, short) for n in (1, 2, 4) for short in (True, False)]
    for version, n, short in grid:
        program = mover_program({"v1": "moverscore", "v2": "moverscore_v2"}[version])
        for idf in ("idf", "uniform"):
            ones = defaultdict(lambda: 1.0)
            tables = [program["get_idf_dict"](texts) if idf == "idf" else ones for texts in (refs, hyps)]
            for line in lines:
                score = program["word_mover_score"](
                    line["refs"], [line["hyp"]], *tables, n_gram=n, remove_subwords=short, device="cpu")
                line["cases"].append({
                    "settings": {"version": version, "idf": idf, "n_gram": n, "remove_subwords": short},
                    "expected": number(float(score[0])),
                })
    return lines


def bleurt():
    """The first logit of our model, which the tests cut down to it: reference first, text second."""
    model = transformers.AutoModelForSequenceClassification.from_pretrained(FOLDER).eval()

    def logit(ref, hyp, length):
        pair = TOKENIZER([ref], [hyp], truncation="longest_first", max_length=length, return_tensors="pt")
        with torch.no_grad():
            return float(model(**pair).logits[0, 0])

    lines = []
    for i, (hyp, refs) in enumerate(SEGMENTS):
        cases = []
        for length in (None, 24, 9):
            values = [logit(ref, hyp, length or 128) for ref in refs]
            combined = {"first": values[0], "max": max(values), "mean": sum(values) / len(values)}
            for which, value in combined.items():
                cases.append({"settings": {"max_length": length, "refs": which}, "expected": value})
        lines.append({"id": f"own-{i}", "metric": "bleurt", "level": "sentence", "model": {"model": MODEL},
                      "hyp": hyp, "refs": refs, "cases": cases})
    return lines


def with_length_limit():
    """A copy of the model whose tokenizer knows how long its inputs may be, as bert-score needs."""
    folder = pathlib.Path(tempfile.mkdtemp())
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        shutil.copy(SOURCE / name, folder)
    settings = {"tokenizer_class": "ElectraTokenizer", "model_max_length": 128}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return str(folder)


if __name__ == "__main__":
    FOLDER = with_length_limit()
    TOKENIZER = bert_score.utils.get_tokenizer(FOLDER, True)
    made = {"tool": "bert-score", "version": "0.3.13", "options": "in each case; maxima over references; idf over the first references"}
    write("metrics/bertscore", made, bertscore())
    made = {"tool": "moverscore.py, moverscore_v2.py", "version": "1.0.3, pyemd 1.1.0",
            "options": "in each case; idf over all hypotheses and all references; hidden states of our model"}
    write("metrics/moverscore", made, moverscore())
    made = {"tool": "transformers", "version": "4.46.3", "options": "in each case; the first logit of the model"}
    write("metrics/bleurt", made, bleurt())
