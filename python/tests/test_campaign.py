"""A campaign as a loop: answers are journalled, nothing is asked twice, and the command line sees the same."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from pathlib import Path

import pytest
from conftest import TINY, needs, outputs, program

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
    opened = tb.load(tmp_path / "live")
    assert opened.rank().json == theirs and str(opened.rank()) == str(run.rank())
    with pytest.raises(tb.InputError, match=r"the confidence it was begun with.*\nhint: leave out all keys: `rank\(\)`$"):
        opened.rank(confidence=0.9)


def test_a_time_that_cannot_be_is_refused_before_it_is_written(tmp_path: Path) -> None:
    pairs = tb.load(TINY, quiet=True).campaign(tmp_path / "pairs", budget=20)
    rated = tb.load(TINY, quiet=True).campaign(tmp_path / "rated", task="rating:fluency", budget=14)
    duel, question = next(iter(pairs)), next(iter(rated))
    for run, asked, answer in [(pairs, duel, "left"), (rated, question, 4)]:
        for seconds in (-0.001, 1e70, float("inf"), float("nan"), True, "2"):
            with pytest.raises(tb.InputError, match="^seconds is .*, expected"):
                run.tell(asked, answer, seconds=seconds)  # type: ignore[arg-type]
        run.tell(asked, answer, seconds=2)
    with pytest.raises(tb.InputError, match="fluency is 1e.?70, expected"):
        rated.tell(next(iter(rated)), 1e70)
    for name, task in [("pairs", None), ("rated", "rating:fluency")]:
        keys = {} if task is None else {"task": task}
        again = tb.load(TINY, quiet=True).campaign(tmp_path / name, **keys)
        assert again.status["questions"]["answered"] == 1
        assert program("check", tmp_path / name)


def test_numbers_of_numpy_are_scores_and_truth_values_are_none(tmp_path: Path) -> None:
    numpy = needs("numpy")
    run = tb.load(TINY, quiet=True).campaign(tmp_path / "rated", task="rating:fluency=1..5", batch=3)
    first, second, third = (question for question, _ in zip(run, range(3)))
    run.tell(first, numpy.int64(4), seconds=numpy.float32(1.5))
    run.tell(second, {"fluency": numpy.float32(2)})
    for wrong in (True, numpy.bool_(True), float("nan"), float("inf"), None):
        answer = {"fluency": wrong}
        with pytest.raises(tb.InputError, match="fluency is .*, expected a number"):
            run.tell(third, answer)  # type: ignore[arg-type]
    with pytest.raises(tb.InputError, match="fluency is True, expected a number"):
        run.tell(third, True)
    assert run.status["questions"]["answered"] == 2


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
    with pytest.raises(tb.InputError, match="answer is 2, but it was 1 before"):
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


def test_a_campaign_asks_about_data_however_they_were_read(tiny: Path, tmp_path: Path) -> None:
    texts = [{"item": item, "system": system, "output": f"{system} {item}", "words": 2} for item in "123" for system in "ab"]
    asked = [{"item": "1", "system_a": "a", "system_b": "b", "outcome": "yes"}]
    words = {"yes": 1, "no": 0}
    tables = tb.load({"outputs": texts, "comparisons": asked}, outcomes=words)
    (tiny / "comparisons.jsonl").write_text(
        (tiny / "comparisons.jsonl").read_text(encoding="utf-8").replace('"outcome":1', '"outcome":"yes"'), encoding="utf-8"
    )
    file = tmp_path / "rated.jsonl"
    file.write_text("\n".join(map(json.dumps, texts)), encoding="utf-8")
    for place, data in [
        ("tables", tables),
        ("folder", tb.load(tiny, outcomes=words)),
        ("file", tb.load(file, criteria=["words"])),
        ("rows", tb.load(texts, criteria=[])),
    ]:
        for _ in range(2):
            run = data.campaign(tmp_path / place, quiet=True)
            run.tell(next(iter(run)), "left")
        assert run.status["questions"]["answered"] == 2, place
        assert not [*tmp_path.glob(f"{place}.data/comparisons*")]


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


def fields(question: tb.Rating) -> dict[str, float]:
    """Somebody who gives every criterion the same score."""
    return {name: 3 for name in question.criteria}


def test_ratings_are_a_loop(tmp_path: Path) -> None:
    run = tb.load(TINY, quiet=True).campaign(tmp_path / "rated", task="rating:fluency=1..5,adequacy=0..100", seed=3)
    seen = []
    for question in run:
        assert isinstance(question, tb.Rating) and question.source and question.writes is None
        assert question.criteria == {"fluency": "1 to 5", "adequacy": "0 to 100"}
        run.tell(question, fields(question), annotator="ana", seconds=2)
        seen.append(question.question)
        if len(seen) == 10:
            break
    assert len(set(seen)) == 10
    assert run.status == json.loads(program("ask", tmp_path / "rated", "--again", "--out", tmp_path / "q.csv", "--json"))
    for wrong, told in [
        ({"fluency": 3}, "adequacy has no score"),
        ({"fluency": 9, "adequacy": 3}, "fluency is 9"),
        ({"fluency": 3, "adequacy": 3, "tone": 2}, "tone was not asked about"),
        (3, "answer is 3, expected {\"fluency\": 1 to 5, \"adequacy\": 0 to 100}"),
    ]:
        with pytest.raises(tb.InputError, match=told):
            run.tell(next(iter(run)), wrong)


def test_one_criterion_is_a_number(tmp_path: Path) -> None:
    run = tb.load(TINY, quiet=True).campaign(tmp_path / "rated", task="rating:fluency=1..5")
    for question, score in zip(run, [4, 2.5, None, "skip"]):
        run.tell(question, score)
    rated = tb.load(tmp_path / "rated", quiet=True).estimate("fluency", differences=False)
    assert sum(row["n"] for row in rated.table) == 2


def test_texts_are_edited_and_passages_asked(tmp_path: Path) -> None:
    edits = tb.load(TINY, quiet=True).campaign(tmp_path / "edits", task="post-edit")
    for question, how in zip(edits, ["alone", "with scores"]):
        assert isinstance(question, tb.Rating) and question.writes == "post_edit"
        if question.criteria or how == "with scores":
            edits.tell(question, fields(question), text=question.text + "!")
        else:
            edits.tell(question, question.text + "!")
    journal = (tmp_path / "edits" / "journal.jsonl").read_text(encoding="utf-8")
    assert "!" in journal
    with pytest.raises(tb.InputError, match="text is missing|expected"):
        edits.tell(next(iter(edits)), {})
    asked = tb.load(TINY, quiet=True).campaign(tmp_path / "asked", task="question-answering")
    question = next(iter(asked))
    assert isinstance(question, tb.Rating) and question.writes == "evidence" and question.criteria
    asked.tell(question, fields(question) | {name: 1 for name in question.criteria}, text="late")


def test_annotators_who_are_listed_get_their_own_questions(tmp_path: Path) -> None:
    keys = {"annotators": ["ana", "ben"], "overlap": 1.0, "per_question": 2}
    run = tb.load(TINY, quiet=True).campaign(tmp_path / "live", batch=4, **keys)
    who = []
    for duel, _ in zip(run, range(12)):
        run.tell(duel, "left")
        who.append((duel.annotator, duel.question))
    assert {name for name, _ in who} == {"ana", "ben"} and len(set(who)) == 12
    # Each question goes to both.
    assert len({question for _, question in who}) < 12
    assert run.status["questions"]["second"] > 0


@pytest.mark.parametrize(
    "keys",
    [{"confidence": 2}, {"bandits": "dts"}, {"task": "rating:fluency"}, {"items": "like-these"}, {"panel": True}],
)
def test_nothing_is_left_of_what_could_not_begin(tmp_path: Path, keys: dict[str, object]) -> None:
    data = tb.load(outputs(), quiet=True)
    scores = data.score("length")
    with pytest.raises((tb.Error, TypeError)):
        data.campaign(tmp_path / "live", predictions=scores, **keys)
    assert list(tmp_path.iterdir()) == []


def test_others_may_use_a_campaign_between_two_calls(tmp_path: Path) -> None:
    data = tb.load(TINY, quiet=True)
    runs = [data.campaign(tmp_path / "live", seed=1) for _ in range(2)]
    loops = [iter(run) for run in runs]
    told = set()
    for turn in range(6):
        run, loop = runs[turn % 2], loops[turn % 2]
        duel = next(loop)
        run.tell(duel, longer(duel))
        told.add(duel.question)
        ranked = json.loads(program("rank", tmp_path / "live", "--json"))
        assert ranked["campaign"]["answered"] == turn + 1
    assert len(told) == 6
    for loop in loops:
        loop.close()  # type: ignore[attr-defined]
    assert runs[0].status["questions"]["answered"] == 6
    again = data.campaign(tmp_path / "live")
    assert again.status["questions"] == json.loads(program("ask", tmp_path / "live", "--again", "--out", tmp_path / "a.csv", "--json"))["questions"]


def test_a_loop_is_fast_where_there_are_many_outputs(tmp_path: Path) -> None:
    import random
    import time

    draw = random.Random(1)
    words = "the a cat dog house runs barks fast late on under over".split()
    many = [
        {"item": str(item), "system": f"s{system}", "output": " ".join(draw.choices(words, k=12)) + f" {system}"}
        for item in range(2000) for system in range(10)
    ]
    run = tb.load(many, quiet=True).campaign(tmp_path / "live")
    loop = iter(run)
    run.tell(next(loop), "left")
    # Of the processor: how fast a disk is differs.
    begun = time.process_time()
    for duel, _ in zip(loop, range(50)):
        run.tell(duel, "left")
    assert (time.process_time() - begun) / 50 < 0.02


def test_a_forked_process_opens_the_campaign_itself(tmp_path: Path) -> None:
    import os

    if not hasattr(os, "fork"):
        pytest.skip("nothing forks there")
    run = tb.load(TINY, quiet=True).campaign(tmp_path / "live")
    for duel, _ in zip(run, range(2)):
        run.tell(duel, "left")
    child = os.fork()
    if child == 0:
        run._status = None
        os._exit(0 if run.status["questions"]["answered"] == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_coroutine_answers_several_questions_at_once(tmp_path: Path) -> None:
    data = tb.load(TINY, quiet=True)
    together, most = 0, 0

    async def judge(question: tb.Duel) -> str:
        nonlocal together, most
        together += 1
        most = max(most, together)
        await asyncio.sleep(0.001 * len(question.left) % 0.01)
        together -= 1
        return longer(question)

    async def fails(question: tb.Duel) -> str:
        asked.append(question.question)
        if len(asked) == 11:
            raise RuntimeError("no more credit")
        return await judge(question)

    for name in ("one", "other"):
        asked: list[str] = []
        run = data.campaign(tmp_path / name, seed=5, budget=40)
        with pytest.raises(RuntimeError, match="no more credit"):
            asyncio.run(run.answer(fails, 4, annotator="judge"))
        # The others of its batch are kept, and its own question is asked again.
        assert run.status["questions"]["answered"] == 11 and run.status["questions"]["open"] == 1
        asyncio.run(run.answer(judge, 4, annotator="judge"))
        assert run.is_over and run.status["questions"]["open"] == 0
    assert most == 4
    one, other = (tb.Campaign.rank(data.campaign(tmp_path / name)).json for name in ("one", "other"))
    assert one == other
    with pytest.raises(tb.InputError, match="at_once is 0"):
        asyncio.run(run.answer(judge, 0))


def test_a_loop_may_be_asynchronous(tmp_path: Path) -> None:
    async def loop(folder: str) -> dict[str, object]:
        run = tb.load(TINY, quiet=True).campaign(tmp_path / folder, seed=7, budget=12)
        async for duel in run:
            run.tell(duel, longer(duel))
        return run.status["questions"]

    async def both() -> list[dict[str, object]]:
        return await asyncio.gather(loop("one"), loop("other"))

    first, second = asyncio.run(both())
    assert first == second and first["answered"] == 12


def test_a_campaign_shows_its_page(tmp_path: Path) -> None:
    run = tb.load(outputs(), quiet=True).campaign(tmp_path / "live", annotators=["ana", "ben"])
    with run.serve() as page:
        assert list(page.links) == ["ana", "ben"] and "/admin/" in page.admin
        assert page.links["ana"] in page._repr_html_()
        with urllib.request.urlopen(page.links["ben"]) as shown:
            assert b"<main" in shown.read()
        with pytest.raises(tb.InputError, match="another tiebreak is using it"):
            run.status  # noqa: B018
    assert run.status["questions"]["answered"] == 0
    with pytest.raises(tb.InputError, match="expected an address and a port, such as 127.0.0.1:80"):
        run.serve(listen="80")


def test_a_data_set_shows_its_page() -> None:
    data = tb.load(outputs(), quiet=True)
    with data.view(scores=data.score("length"), query="sort=score:length") as page:
        assert page.url.replace("&", "&amp;") in page._repr_html_()
        with urllib.request.urlopen(page.url) as shown:
            assert b"data-item=" in shown.read()
    with pytest.raises(tb.InputError, match="system=nobody"):
        data.view(query="system=nobody")


def test_a_campaign_of_ratings_has_no_claim(tiny: Path, tmp_path: Path) -> None:
    campaign = tb.load(tiny, quiet=True).campaign(tmp_path / "run", task="rating:adequacy=1..5", quiet=True)
    campaign.tell(next(iter(campaign)), 3)
    with pytest.raises(tb.InputError, match=r"a campaign of ratings has no claim\nhint: .*`tb.load\(.*\).estimate\(\)`"):
        _ = campaign.claim
    with pytest.raises(tb.InputError, match=r"hint: .*`tb.load\(.*run.*\).estimate\(\)`"):
        campaign.rank()
    with pytest.raises(tb.InputError, match="question is 'x', expected one that the loop"):
        campaign.tell("x", 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("names", [[None, "ana"], ["ana", None], ["ana", "ben"]])
def test_a_second_person_is_refused_where_nobody_is_listed(names: list[str | None], tmp_path: Path) -> None:
    outputs = [{"item": str(item), "system": system, "output": f"{system} {item}"} for item in range(30) for system in "AB"]
    campaign = tb.load(outputs, quiet=True).campaign(tmp_path / "run", quiet=True)
    questions = iter(campaign)
    campaign.tell(next(questions), "left", annotator=names[0])
    second = next(questions)
    with pytest.raises(tb.InputError, match=r"(?s)prove nothing unless they are listed\nhint: .*`annotators=\"ana"):
        campaign.tell(second, "left", annotator=names[1])
    # The answer was not recorded, and the right name goes on.
    campaign.tell(second, "left", annotator=names[0])
    for question in questions:
        campaign.tell(question, "left" if question.left.startswith("A") else "right", annotator=names[0])
    assert campaign.claim["kind"] == "best" and campaign.claim["systems"] == ["A"]
    listed = tb.load(outputs, quiet=True).campaign(tmp_path / "listed", annotators=["ana", "ben"], quiet=True)
    for count, question in enumerate(listed):
        listed.tell(question, "left")
        if count == 3:
            break
    rated = tb.load(outputs, quiet=True).campaign(tmp_path / "rated", task="rating:q=1..5", batch=2, quiet=True)
    for question, name in zip(rated, ["ana", "ben"]):
        rated.tell(question, 3, annotator=name)
