"""Makes the golden files of the metrics that run on a model, with the tiny one of `models/`.

    pip install torch transformers==4.46.3 bert-score==0.3.13
    python tests/golden/make_neural.py

The sentences are our own; the values are those of the packages.
"""

import json
import pathlib
import shutil
import tempfile

import bert_score

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
