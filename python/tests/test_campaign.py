"""A campaign as a loop: answers are journalled, nothing is asked twice, and the command line sees the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import TINY, outputs, program

import tiebreak as tb


def longer(duel: tb.Duel) -> str:
    """Somebody who likes longer texts."""
    if len(duel.left) == len(duel.right):
        return "tie"
    return "left" if len(duel.left) > len(duel.right) else "right"


def test_a_loop_asks_and_is_told(tmp_path: Path) -> None:
    run = tb.load(TINY, quiet=True).campaign(tmp_path / "live", seed=7)
    seen = []
    for duel in run:
        assert duel.source and duel.left != duel.right
        run.tell(duel, longer(duel), annotator="ana", seconds=1.5)
        seen.append(duel.question)
        if len(seen) == 12:
            break
    assert len(set(seen)) == 12
    assert run.status["questions"]["answered"] == 12
    assert run.claim["kind"] == "undecided" and run.verdict and not run.is_over
    theirs = json.loads(program("rank", tmp_path / "live", "--json"))
    assert run.rank().json == theirs and theirs["campaign"]["answered"] == 12


def test_what_was_left_open_is_asked_again(tmp_path: Path) -> None:
    data = tb.load(TINY, quiet=True)
    first = data.campaign(tmp_path / "live", batch=3)
    asked = [duel for duel, _ in zip(first, range(3))]
    first.tell(asked[1], "skip")
    again = tb.load(TINY, quiet=True).campaign(tmp_path / "live", batch=3)
    open_ones = [duel for duel, _ in zip(again, range(2))]
    assert {duel.question for duel in open_ones} == {asked[0].question, asked[2].question}
    # Without further answers the loop ends.
    assert len(list(again)) <= 6
    with pytest.raises(tb.InputError, match="answer is `perhaps`"):
        again.tell(asked[0], "perhaps")
    with pytest.raises(tb.InputError, match="earlier sheet"):
        again.tell(asked[0], "left")
        again.tell(asked[0], "right")


def test_predictions_and_data_from_memory_stay_with_the_campaign(tmp_path: Path) -> None:
    data = tb.load(outputs(), quiet=True)
    scores = data.score("length")
    link = tmp_path / "link.toml"
    program("fit", "link", TINY, "--scores", written(tmp_path), "--metric", "length", "--link", "btl", "--out", link)
    predictions = data.predict(scores=scores, metric="length", link="btl", calibration=str(link))
    run = data.campaign(tmp_path / "live", predictions=predictions)
    for duel, _ in zip(run, range(4)):
        run.tell(duel, longer(duel))
    again = tb.load(outputs(), quiet=True).campaign(tmp_path / "live", predictions=predictions)
    assert again.status["questions"]["answered"] == 4
    others = [{**row, "output": str(row["output"]) + "!"} for row in outputs()]
    with pytest.raises(tb.InputError, match="other data"):
        tb.load(others, quiet=True).campaign(tmp_path / "live")


def test_keys_are_those_of_the_command(tmp_path: Path) -> None:
    for wrong, told in [
        ({"bandits": "dts"}, "unknown option `bandits=`\nhint: did you mean `bandit=`\\?"),
        ({"confidence": 2}, "confidence: 2, expected a number between 0 and 1"),
        ({"items": "like-these"}, 'hint: leave out `items=`, or give `items="these"`'),
    ]:
        with pytest.raises(tb.InputError, match=told):
            tb.load(TINY).campaign(tmp_path / "live", **wrong).verdict  # noqa: B018
    with pytest.raises(tb.InputError, match="batch is 0"):
        tb.load(TINY).campaign(tmp_path / "live", batch=0)


def written(folder: Path) -> Path:
    path = folder / "scores.csv"
    tb.load(TINY, quiet=True).score("length").write(path)
    return path
