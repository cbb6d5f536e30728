"""Makes files with the tools themselves, where they are installed, and says what must come of them.

    make_formats.py FOLDER

Prints one JSON line a tool: {"tool", "input", "items", "systems", "outputs", "comparisons", "judgments", "scores"},
the last the sum of all judgments or outcomes, all counted here and not read back from the files; or
{"tool", "skipped"} with the reason.
"""

import json
import os
import pathlib
import random
import sys


def save_to_disk(folder):
    import datasets

    datasets.disable_progress_bars()
    rows = [
        {"item": str(item), "system": system, "output": f"{system} says {item}", "references": [f"r{item}", "r"]}
        for item in range(7)
        for system in ("atlas", "cedar", "birch")
    ]
    datasets.Dataset.from_list(rows).save_to_disk(folder / "saved", num_shards=3)
    return {"input": "saved", "items": 7, "systems": 3, "outputs": 21}


def nested_parquet(folder):
    """Votes with conversations as lists of structs, as the data sets on the hub have them."""
    import pyarrow
    import pyarrow.parquet

    chance = random.Random(7)
    votes = []
    for number in range(40):
        said = lambda who: [{"role": "user", "content": f"say {number}"}, {"role": "assistant", "content": f"{who} {number}"}]
        a, b = chance.sample(["atlas", "cedar", "birch"], 2)
        winner = chance.choice(["model_a", "model_b", "tie", "both_bad"])
        votes.append({
            "id": f"v{number}", "model_a": a, "model_b": b, "winner": winner, "evaluation_session_id": f"s{number % 5}",
            "conversation_a": said(a), "conversation_b": said(b),
        })
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(votes), folder / "votes.parquet")
    worth = {"model_a": 1.0, "model_b": 0.0}
    return {
        "input": "votes.parquet", "items": 40, "systems": 3, "outputs": 80, "comparisons": 40,
        "scores": sum(worth.get(vote["winner"], 0.5) for vote in votes),
    }


def inspect_logs(folder):
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, get_model
    from inspect_ai.scorer import includes

    os.environ["INSPECT_DISPLAY"] = "none"
    samples = [Sample(id=f"a/{i}", input=f"{i}+{i}?", target=str(2 * i)) for i in range(4)]
    right = {"atlas": 4, "cedar": 2}
    for model, known in right.items():
        answers = [ModelOutput.from_content(model, str(2 * i if i < known else "none")) for i in range(4)]
        task = Task(dataset=MemoryDataset(samples), scorer=includes(), name="sums")
        eval(
            task, model=get_model("mockllm/model", custom_outputs=answers), log_dir=str(folder / "inspect" / model),
            log_format="eval", display="none", max_samples=1, max_tasks=1,
        )
        for log in (folder / "inspect" / model).glob("*.eval"):
            rename(log, model)
    return {"input": "inspect", "items": 4, "systems": 2, "outputs": 8, "judgments": 8, "scores": 6.0}


def rename(path, model):
    """Gives the model of a log a name of its own: the mock has one name only."""
    from inspect_ai.log import read_eval_log, write_eval_log

    log = read_eval_log(str(path))
    log.eval.model = f"mockllm/{model}"
    write_eval_log(log, str(path))


def harness(folder):
    import lm_eval
    from lm_eval.loggers import EvaluationTracker

    data = folder / "sums.jsonl"
    data.write_text("".join(json.dumps({"question": f"{i}+{i}?", "answer": str(2 * i)}) + "\n" for i in range(5)))
    task = {
        "task": "sums", "dataset_path": "json", "dataset_kwargs": {"data_files": {"test": str(data)}}, "test_split": "test",
        "output_type": "generate_until", "doc_to_text": "{{question}}", "doc_to_target": "{{answer}}",
        "metric_list": [{"metric": "exact_match"}],
    }
    found = lm_eval.simple_evaluate(model="dummy", tasks=[task], log_samples=True, bootstrap_iters=0)
    samples = found.pop("samples")
    tracker = EvaluationTracker(output_path=str(folder / "harness"))
    tracker.general_config_tracker.log_experiment_args(
        model_source="dummy", model_args="", system_instruction=None, chat_template=None, fewshot_as_multiturn=False,
    )
    tracker.save_results_aggregated(results=found, samples=samples)
    for name, rows in samples.items():
        tracker.save_results_samples(task_name=name, samples=rows)
    return {"input": "harness", "items": 5, "systems": 1, "outputs": 5, "judgments": 5, "scores": 0.0}


def main():
    folder = pathlib.Path(sys.argv[1])
    tools = {"datasets": save_to_disk, "pyarrow": nested_parquet, "inspect_ai": inspect_logs, "lm_eval": harness}
    for tool, make in tools.items():
        try:
            made = make(folder)
        except ImportError as error:
            made = {"skipped": str(error)}
        print(json.dumps({"tool": tool, **made}), flush=True)


if __name__ == "__main__":
    main()
