"""Makes sacrebleu.jsonl: what sacrebleu 2.6.0's command line prints for options that `tiebreak score` takes too.

    pip install sacrebleu==2.6.0 && python make_sacrebleu.py > sacrebleu.jsonl
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

FILES = {
    "ref.txt": [
        "The cat sat on the mat, didn't it?",
        "A quick Brown fox jumps over the lazy dog.",
        "Prices rose by 3.5% in May - the most since 2019.",
        "She said: \"Nothing is lost.\"",
        "In the end we all went home early that night.",
        "北京的天气今天很好。",
    ],
    "ref2.txt": [
        "On the mat there sat a cat.",
        "The quick fox leaps over a lazy dog.",
        "In May, prices increased 3.5%, the most since 2019.",
        "\"Nothing is lost\", she said.",
        "At last all of us went home early.",
        "今天北京天气很好。",
    ],
    "one.txt": [
        "the cat sat on a mat, did it not?",
        "The quick brown fox jumps over the lazy dog.",
        "Prices rose by 3.5% in May, the most since 2019.",
        "She said nothing is lost.",
        "In the end we went home.",
        "今天北京的天气好。",
    ],
    "two.words.txt": [
        "A cat was on the mat.",
        "A fox jumped over a dog.",
        "May saw prices up.",
        "Nothing was lost, she said.",
        "We all went home early that night in the end, all of us.",
        "天气好。",
    ],
}

CASES = [
    "ref.txt -i one.txt -m bleu -b -w 4",
    "ref.txt -i one.txt -b",
    "ref.txt -i one.txt -m bleu chrf ter -f text -w 3",
    "ref.txt -i one.txt -f json -w 2",
    "ref.txt -i two.words.txt -f text",
    "ref.txt ref2.txt -i one.txt -m bleu chrf ter -f text -w 5",
    "ref.txt ref2.txt -i two.words.txt -m bleu chrf ter -f json -w 4",
    "ref.txt -i one.txt -tok zh -lc -f text -w 4",
    "ref.txt -i one.txt --tokenize=char --lowercase -f text -w 4",
    "ref.txt -i one.txt -tok intl -s floor -sv 0.2 -b -w 6",
    "ref.txt -i one.txt -tok none -s add-k -b -w 6",
    "ref.txt -i two.words.txt -s none -b -w 6",
    "ref.txt -i one.txt -m chrf --chrf-word-order 2 --chrf-beta 3 -f text -w 4",
    "ref.txt -i one.txt -m chrf -cc 4 --chrf-whitespace --chrf-lowercase -b -w 4",
    "ref.txt -i one.txt -m chrf --chrf-eps-smoothing -b -w 4",
    "ref.txt -i one.txt -m ter --ter-case-sensitive --ter-normalized -b -w 4",
    "ref.txt -i one.txt -m ter --ter-no-punct --ter-asian-support -b -w 4",
    "ref.txt -i one.txt -sl -w 4",
    "ref.txt ref2.txt -i two.words.txt -sl -b -w 4 -lc",
    "ref.txt -i one.txt -m chrf -sl -b -w 4",
    "ref.txt ref2.txt -i one.txt -m ter --sentence-level -b -w 4",
]


def main():
    import sacrebleu

    made = {"tool": "sacrebleu", "version": sacrebleu.__version__, "options": "its command line"}
    print(json.dumps(made))
    print(json.dumps({"files": FILES}, ensure_ascii=False))
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in FILES.items():
            Path(folder, name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        for case in CASES:
            # Without a form sacrebleu writes JSON, in which a score alone is what `-f text` writes too.
            done = subprocess.run(
                [sys.executable, "-m", "sacrebleu", *case.split()], cwd=folder, capture_output=True, text=True, check=True
            )
            print(json.dumps({"arguments": case, "printed": done.stdout}, ensure_ascii=False))
    # Enough resamples that what remains of chance is small.
    score = sacrebleu.BLEU().corpus_score(FILES["one.txt"], [FILES["ref.txt"]], n_bootstrap=20_000)
    print(json.dumps({"spread": {"confidence_mean": score._mean, "confidence_var": score._ci}}))


if __name__ == "__main__":
    main()
