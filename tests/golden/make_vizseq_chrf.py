"""Makes tests/golden/metrics/vizseq_chrf.jsonl.

    pip install sacrebleu==1.4.14
    python tests/golden/make_vizseq_chrf.py

VizSeq's chrF is `sentence_chrf` of the sacrebleu of its time with the first reference alone, from 0 to 1,
rounded to three decimals. The sentences are those of make.py; the values are the package's.
"""

import json
import pathlib

from sacrebleu import sentence_chrf

HERE = pathlib.Path(__file__).parent
SETTINGS = {"chrf_order": 6, "chrf_beta": 2, "chrf_whitespace": False, "refs": "first only", "scale": "0-1"}


def segments():
    source = (HERE / "make.py").read_text(encoding="utf-8")
    start = source.index("SEGMENTS = ")
    scope = {}
    exec(source[start : source.index("\nWORDS = ")], scope)
    return scope["SEGMENTS"]


def expected(hyp, refs):
    score = sentence_chrf(hyp, refs[:1], order=6, beta=2, remove_whitespace=True).score
    return {"score": score, "rounded_3": round(score, 3)}


if __name__ == "__main__":
    made = {"tool": "sacrebleu, called as VizSeq does", "version": "1.4.14", "options": "sentence_chrf, first reference"}
    with (HERE / "metrics" / "vizseq_chrf.jsonl").open("w", encoding="utf-8") as file:
        print(json.dumps(made, ensure_ascii=False), file=file)
        for at, (hyp, refs) in enumerate(segments()):
            cases = [{"settings": SETTINGS, "expected": expected(hyp, refs)}]
            line = {"id": f"own-{at}", "level": "sentence", "hyp": hyp, "refs": refs, "cases": cases}
            print(json.dumps(line, ensure_ascii=False), file=file)
