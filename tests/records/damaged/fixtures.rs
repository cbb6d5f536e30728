//! A small folder of each format, as the tool leaves it.

use crate::cli::tree;
use crate::golden::formats::options;
use crate::records::Folder;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tiebreak::records::InputTable;
use tiebreak::records::import::ImportOptions;
use zip::write::SimpleFileOptions;

/// What a tool left, and what of it is imported.
pub(in crate::records) struct Fixture {
    pub name: String,
    pub input: String,
    pub files: Vec<(String, Vec<u8>)>,
    /// What the user has to say.
    pub options: ImportOptions,
}

impl Fixture {
    /// What a folder of the golden ones holds.
    pub(in crate::records) fn golden(folder: &Path) -> Self {
        let text = fs::read_to_string(folder.join("expected.json")).unwrap();
        let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
        let files = tree(folder).into_iter();
        let is_own = |name: &Path| {
            ["expected.json", "made.md"]
                .iter()
                .any(|own| name == Path::new(own))
        };
        let files = files.filter(|(name, _)| !is_own(name));
        Self {
            name: folder.display().to_string(),
            input: expected["input"].as_str().unwrap().to_string(),
            files: files
                .map(|(name, bytes)| (name.to_str().unwrap().to_string(), bytes))
                .collect(),
            options: options(&expected["options"]),
        }
    }

    /// Whether it is of a format, or of a folder of this name.
    pub(in crate::records) fn is_of(&self, format: &str) -> bool {
        Path::new(&self.name).ends_with(format)
    }

    /// What the user has to type.
    pub(in crate::records) fn flags(&self) -> Vec<String> {
        let criteria = self.options.criteria.iter();
        criteria
            .flat_map(|names| ["--criteria".to_string(), names.join(",")])
            .collect()
    }

    /// Lays it out in a folder; returns what is imported.
    pub(in crate::records) fn lay(&self, folder: &Folder) -> PathBuf {
        for (name, bytes) in &self.files {
            folder.write(name, bytes);
        }
        let input = folder.path().join(&self.input);
        input.components().collect()
    }
}

/// All of them: those of [`TEXTS`], and those that are no texts.
pub(in crate::records) fn all() -> Vec<Fixture> {
    let mut all: Vec<Fixture> = TEXTS.split("\n= ").map(fixture).collect();
    all.push(inspect());
    all.push(saved());
    all
}

/// A fixture as [`TEXTS`] has it.
fn fixture(text: &str) -> Fixture {
    let mut parts = text.split("\n- ");
    let (name, input) = parts.next().unwrap().split_once(" = ").unwrap();
    let file = |part: &str| {
        let (file, text) = part.split_once('\n').unwrap();
        let text = format!("{}\n", text.trim_end_matches('\n'));
        (file.to_string(), text.replace("\\t", "\t").into_bytes())
    };
    let criteria = (name == "ratings").then(|| vec!["fluency".to_string()]);
    Fixture {
        name: name.to_string(),
        input: input.to_string(),
        files: parts.map(file).collect(),
        options: ImportOptions {
            criteria,
            ..ImportOptions::default()
        },
    }
}

/// A zip of one member a sample, and a log as JSON.
fn inspect() -> Fixture {
    let header = r#"{"version": 2, "eval": {"task": "capitals", "model": "atlas", "created": "2026-01-01"}}"#;
    let sample = |id: &str, model: &str| {
        format!(
            r#"{{"id": "{id}", "epoch": 1, "input": "Capital of {id}?", "target": "x", "output": {{"completion": "{model} says {id}"}}, "scores": {{"match": {{"value": "C"}}}}}}"#
        )
    };
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in [
        ("header.json", header.to_string()),
        ("samples/fr_epoch_1.json", sample("fr", "atlas")),
        ("samples/jp_epoch_1.json", sample("jp", "atlas")),
    ] {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    let json = format!(
        "{}, \"samples\": [\n{},\n{}\n]}}\n",
        header.trim_end_matches('}').replace("atlas", "cedar") + "}",
        sample("fr", "cedar"),
        sample("jp", "cedar")
    );
    Fixture {
        name: "inspect".into(),
        input: "logs".into(),
        files: vec![
            ("logs/a.eval".into(), zip.finish().unwrap().into_inner()),
            ("logs/b.json".into(), json.into_bytes()),
        ],
        options: ImportOptions::default(),
    }
}

/// Two shards of `save_to_disk`.
fn saved() -> Fixture {
    let shard = |rows: &[[&str; 3]]| {
        let folder = Folder::new();
        let path = folder.path().join("shard.arrow");
        let column = |place: usize| {
            let cells = rows.iter().map(|row| row[place]);
            std::sync::Arc::new(arrow_array::StringArray::from_iter_values(cells))
        };
        let batch = arrow_array::RecordBatch::try_from_iter([
            ("item", column(0) as arrow_array::ArrayRef),
            ("system", column(1) as _),
            ("output", column(2) as _),
        ]);
        let batch = batch.unwrap();
        InputTable::Batches(batch.schema(), vec![batch])
            .write(&path)
            .unwrap();
        fs::read(path).unwrap()
    };
    let state = r#"{"_data_files": [{"filename": "data-00000-of-00002.arrow"}, {"filename": "data-00001-of-00002.arrow"}]}"#;
    Fixture {
        name: "save-to-disk".into(),
        input: "set".into(),
        files: vec![
            (
                "set/data-00000-of-00002.arrow".into(),
                shard(&[["1", "atlas", "One"], ["1", "cedar", "Uno"]]),
            ),
            (
                "set/data-00001-of-00002.arrow".into(),
                shard(&[["2", "atlas", "Two"], ["2", "cedar", "Due"]]),
            ),
            (
                "set/dataset_info.json".into(),
                b"{\"features\": {}}\n".to_vec(),
            ),
            ("set/state.json".into(), state.as_bytes().to_vec()),
        ],
        options: ImportOptions::default(),
    }
}

/// Of each fixture `= FORMAT = INPUT`, then `- FILE` with its text; `\t` is a tabulator.
const TEXTS: &str = r#"alpaca-eval = results
- results/atlas/model_outputs.json
[
{"instruction": "Name a bird", "output": "owl", "generator": "atlas"},
{"instruction": "Name a fish", "output": "eel", "generator": "atlas"}
]
- results/atlas/judge/annotations.json
[
{"instruction": "Name a bird", "output_1": "hen", "generator_1": "base", "output_2": "owl", "generator_2": "atlas", "annotator": "judge", "preference": 1.75},
{"instruction": "Name a fish", "output_1": "cod", "generator_1": "base", "output_2": "eel", "generator_2": "atlas", "annotator": "judge", "preference": 1.25}
]
- results/atlas/judge/leaderboard.csv
,win_rate
atlas,50.0
= appraise = scores
- scores/a.csv
ana,atlas,1,TGT,en,de,80,doc#atlas,False,[],10.0,20.0
ana,cedar,1,TGT,en,de,60,doc#cedar,False,[],30.0,40.0
- scores/b.csv
ben,atlas,2,TGT,en,de,70,doc#atlas,False,[],10.0,20.0
ben,cedar,2,TGT,en,de,50,doc#cedar,False,[],30.0,40.0
= arena = votes
- votes/a.jsonl
{"question_id": "x1", "model_a": "atlas", "model_b": "cedar", "winner": "model_a", "judge": "u1"}
{"question_id": "x2", "model_a": "cedar", "model_b": "atlas", "winner": "tie", "judge": "u2"}
- votes/b.jsonl
{"question_id": "x3", "model_a": "atlas", "model_b": "cedar", "winner": "model_b", "judge": "u1"}
= arena-hard = run
- run/question.jsonl
{"question_id": "q1", "turns": [{"content": "Name a bird"}]}
{"question_id": "q2", "turns": [{"content": "Name a fish"}]}
- run/model_answer/base.jsonl
{"question_id": "q1", "model_id": "base", "choices": [{"turns": [{"content": "hen"}]}]}
{"question_id": "q2", "model_id": "base", "choices": [{"turns": [{"content": "cod"}]}]}
- run/model_answer/atlas.jsonl
{"question_id": "q1", "model_id": "atlas", "choices": [{"turns": [{"content": "owl"}]}]}
{"question_id": "q2", "model_id": "atlas", "choices": [{"turns": [{"content": "eel"}]}]}
- run/model_judgment/j/atlas.jsonl
{"question_id": "q1", "model": "atlas", "judge": "j", "games": [{"score": "B>A"}, {"score": "A>B"}]}
{"question_id": "q2", "model": "atlas", "judge": "j", "games": [{"score": "A>B"}, {"score": "A=B"}]}
= arena-kaggle = votes
- votes/a.csv
id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie
1,atlas,cedar,"[""Hi""]","[""Hello""]","[""Hey""]",1,0,0
2,atlas,cedar,"[""Colour""]","[""red""]","[""blue""]",0,1,0
- votes/b.csv
id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie
3,atlas,cedar,"[""Bye""]","[""Ciao""]","[""So long""]",0,0,1
= braintrust = events
- events/atlas.jsonl
{"id": "01", "root_span_id": "r1x", "span_parents": null, "is_root": true, "span_attributes": {"type": "eval"}, "experiment_id": "e0", "dataset_record_id": "r1", "input": "Name a bird", "output": "owl", "expected": "owl", "error": null, "scores": {"match": 1}}
{"id": "02", "root_span_id": "r1x", "span_parents": ["x"], "is_root": false, "span_attributes": {"type": "task"}, "experiment_id": "e0", "dataset_record_id": "r1", "input": "Name a bird", "output": "owl", "expected": null, "error": null, "scores": null}
{"id": "03", "root_span_id": "r2x", "span_parents": null, "is_root": true, "span_attributes": {"type": "eval"}, "experiment_id": "e0", "dataset_record_id": "r2", "input": "Name a fish", "output": "eel", "expected": "eel", "error": null, "scores": {"match": 1}}
- events/cedar.jsonl
{"id": "11", "root_span_id": "r1x", "span_parents": null, "is_root": true, "span_attributes": {"type": "eval"}, "experiment_id": "e1", "dataset_record_id": "r1", "input": "Name a bird", "output": "cat", "expected": "owl", "error": null, "scores": {"match": 0}}
{"id": "12", "root_span_id": "r1x", "span_parents": ["x"], "is_root": false, "span_attributes": {"type": "task"}, "experiment_id": "e1", "dataset_record_id": "r1", "input": "Name a bird", "output": "cat", "expected": null, "error": null, "scores": null}
{"id": "13", "root_span_id": "r2x", "span_parents": null, "is_root": true, "span_attributes": {"type": "eval"}, "experiment_id": "e1", "dataset_record_id": "r2", "input": "Name a fish", "output": "dog", "expected": "eel", "error": null, "scores": {"match": 0}}
= deepeval = runs
- runs/test_run_0.json
{"testCases": [
{"name": "t1", "input": "Name a bird", "actualOutput": "owl", "expectedOutput": "owl", "metricsData": [{"name": "Match", "success": true, "score": 1.0}], "order": 0},
{"name": "t2", "input": "Name a fish", "actualOutput": "eel", "expectedOutput": "eel", "metricsData": [{"name": "Match", "success": true, "score": 1.0}], "order": 1}
], "metricsScores": [], "hyperparameters": {"model": "atlas"}}
- runs/test_run_1.json
{"testCases": [
{"name": "t1", "input": "Name a bird", "actualOutput": "cat", "expectedOutput": "owl", "metricsData": [{"name": "Match", "success": false, "score": 0.0}], "order": 0},
{"name": "t2", "input": "Name a fish", "actualOutput": "dog", "expectedOutput": "eel", "metricsData": [{"name": "Match", "success": false, "score": 0.0}], "order": 1}
], "metricsScores": [], "hyperparameters": {"model": "cedar"}}
= evalica = pairs
- pairs/a.csv
left,right,winner
atlas,cedar,left
cedar,atlas,tie
- pairs/b.csv
left,right,winner
atlas,cedar,right
atlas,cedar,right
= every-eval-ever = data
- data/birds/atlas.json
{"schema_version": "0.3.0", "evaluation_id": "birds/atlas/1", "retrieved_timestamp": "1", "model_info": {"name": "atlas", "id": "atlas"}, "evaluation_results": [{"evaluation_name": "birds", "evaluation_result_id": "m", "metric_config": {"metric_id": "match", "score_type": "binary"}, "score_details": {"score": 1}}]}
- data/birds/atlas_samples.jsonl
{"schema_version": "0.3.0", "evaluation_id": "birds/atlas/1", "model_id": "atlas", "evaluation_name": "birds", "sample_id": "s1", "interaction_type": "single_turn", "input": {"raw": "Name a bird", "reference": ["owl"]}, "output": {"raw": ["owl"]}, "messages": null, "evaluation": {"score": 1.0, "is_correct": true}, "evaluation_result_id": "m"}
{"schema_version": "0.3.0", "evaluation_id": "birds/atlas/1", "model_id": "atlas", "evaluation_name": "birds", "sample_id": "s2", "interaction_type": "single_turn", "input": {"raw": "Name a fish", "reference": ["eel"]}, "output": {"raw": ["eel"]}, "messages": null, "evaluation": {"score": 1.0, "is_correct": true}, "evaluation_result_id": "m"}
- data/birds/cedar.json
{"schema_version": "0.3.0", "evaluation_id": "birds/cedar/1", "retrieved_timestamp": "1", "model_info": {"name": "cedar", "id": "cedar"}, "evaluation_results": [{"evaluation_name": "birds", "evaluation_result_id": "m", "metric_config": {"metric_id": "match", "score_type": "binary"}, "score_details": {"score": 1}}]}
- data/birds/cedar_samples.jsonl
{"schema_version": "0.3.0", "evaluation_id": "birds/cedar/1", "model_id": "cedar", "evaluation_name": "birds", "sample_id": "s1", "interaction_type": "single_turn", "input": {"raw": "Name a bird", "reference": ["owl"]}, "output": {"raw": ["cat"]}, "messages": null, "evaluation": {"score": 0.0, "is_correct": false}, "evaluation_result_id": "m"}
{"schema_version": "0.3.0", "evaluation_id": "birds/cedar/1", "model_id": "cedar", "evaluation_name": "birds", "sample_id": "s2", "interaction_type": "single_turn", "input": {"raw": "Name a fish", "reference": ["eel"]}, "output": {"raw": ["dog"]}, "messages": null, "evaluation": {"score": 0.0, "is_correct": false}, "evaluation_result_id": "m"}
= fastchat-log = logs
- logs/1.json
{"tstamp": 1.0, "type": "leftvote", "models": ["atlas", "cedar"], "states": [{"model_name": "atlas", "offset": 0, "messages": [["USER", "Hi"], ["ASSISTANT", "Hello"]]}, {"model_name": "cedar", "offset": 0, "messages": [["USER", "Hi"], ["ASSISTANT", "Hey"]]}], "ip": "1"}
- logs/2.json
{"tstamp": 2.0, "type": "chat", "models": ["atlas", "cedar"], "ip": "1"}
{"tstamp": 3.0, "type": "tievote", "models": ["atlas", "cedar"], "states": [{"model_name": "atlas", "offset": 0, "messages": [["USER", "Bye"], ["ASSISTANT", "Ciao"]]}, {"model_name": "cedar", "offset": 0, "messages": [["USER", "Bye"], ["ASSISTANT", "So long"]]}], "ip": "2"}
= helm = runs
- runs/s:model=atlas/run_spec.json
{"name": "s:model=atlas", "adapter_spec": {"model": "atlas"}}
- runs/s:model=atlas/scenario_state.json
{"adapter_spec": {"model": "other"},
"request_states": [
{"instance": {"id": "1", "input": {"text": "Hi"}, "references": []}, "result": {"success": true, "completions": [{"text": "Hello"}]}},
{"instance": {"id": "2", "input": {"text": "Bye"}, "references": []}, "result": {"success": true, "completions": [{"text": "Ciao"}]}}
]}
- runs/s:model=atlas/display_predictions.json
[
{"instance_id": "1", "stats": {"match": 1.0}},
{"instance_id": "2", "stats": {"match": 0.0}}
]
- runs/s:model=atlas/per_instance_stats.json
[
{"instance_id": "1", "stats": [{"name": {"name": "match"}, "mean": 1.0}]}
]
- runs/s:model=atlas/scenario.json
{"name": "s"}
- runs/costs.md
# costs
= judge-batch = batch
- batch/pairs.csv
custom_id,item,system_a,system_b,first
1|atlas|cedar|0,1,atlas,cedar,atlas
2|atlas|cedar|0,2,atlas,cedar,cedar
- batch/results.jsonl
{"custom_id": "1|atlas|cedar|0", "response": {"status_code": 200, "body": {"choices": [{"message": {"content": "A"}}]}}}
{"custom_id": "2|atlas|cedar|0", "response": {"status_code": 200, "body": {"choices": [{"message": {"content": "B"}}]}}}
= judge-batch = batch/results.jsonl
- batch/pairs.csv
custom_id,item,system_a,system_b,first
1|atlas|cedar|0,7,atlas,cedar,cedar
2|atlas|cedar|0,8,atlas,cedar,cedar
- batch/results.jsonl
{"custom_id": "1|atlas|cedar|0", "response": {"status_code": 200, "body": {"choices": [{"message": {"content": "A"}}]}}}
{"custom_id": "2|atlas|cedar|0", "response": {"status_code": 200, "body": {"choices": [{"message": {"content": "B"}}]}}}
= judgearena = run
- run/battles.jsonl
{"model_a": "atlas", "model_b": "cedar", "winner": "model_a", "source": "llm-judge", "question_id": "q1", "judge_model": "j"}
{"model_a": "cedar", "model_b": "atlas", "winner": "tie", "source": "llm-judge", "question_id": "q1", "judge_model": "j"}
{"model_a": "atlas", "model_b": "cedar", "winner": "model_b", "source": "human", "question_id": "q2"}
= label-studio = export
- export/1.json
[
{"id": 1, "data": {"item": "1", "left": "One", "right": "Uno", "sys_left": "atlas", "sys_right": "cedar"}, "annotations": [{"id": 1, "completed_by": 1, "result": [{"value": {"selected": "left"}}]}]}
]
- export/2.json
[
{"id": 2, "data": {"item": "2", "left": "Two", "right": "Due", "sys_left": "atlas", "sys_right": "cedar"}, "annotations": [{"id": 2, "completed_by": 2, "result": [{"value": {"selected": "right"}}]}]}
]
= langfuse = export
- export/observations_v2/1.jsonl
{"id": "s1", "trace_id": "t1", "type": "SPAN", "level": "DEFAULT", "input": "{}", "output": "owl", "provided_model_name": ""}
{"id": "g1", "trace_id": "t1", "type": "GENERATION", "level": "DEFAULT", "input": "[{\"role\": \"user\", \"content\": \"Name a bird\"}]", "output": "owl", "provided_model_name": "atlas"}
{"id": "g2", "trace_id": "t2", "type": "GENERATION", "level": "DEFAULT", "input": "Name a bird", "output": "{\"role\": \"assistant\", \"content\": \"cat\"}", "provided_model_name": "cedar"}
- export/scores/1.jsonl
{"id": "c1", "trace_id": "t1", "observation_id": null, "name": "helpful", "value": 4, "source": "ANNOTATION", "data_type": "NUMERIC", "string_value": null}
{"id": "c2", "trace_id": "t1", "observation_id": "g1", "name": "helpful", "value": 0.5, "source": "EVAL", "data_type": "NUMERIC", "string_value": null}
{"id": "c3", "trace_id": "t2", "observation_id": null, "name": "helpful", "value": 1, "source": "ANNOTATION", "data_type": "NUMERIC", "string_value": null}
{"id": "c4", "trace_id": "t2", "observation_id": null, "name": "mood", "value": 1, "source": "ANNOTATION", "data_type": "CATEGORICAL", "string_value": "calm"}
= langsmith = export
- export/runs.jsonl
{"id": "r1", "run_type": "llm", "inputs": {"question": "Name a bird"}, "outputs": {"output": "owl"}, "error": null, "reference_example_id": "e1", "session_id": "s1", "extra": {"metadata": {"ls_model_name": "atlas"}}}
{"id": "r2", "run_type": "llm", "inputs": {"question": "Name a bird"}, "outputs": {"output": "cat"}, "error": null, "reference_example_id": "e1", "session_id": "s2", "extra": {"metadata": {"ls_model_name": "cedar"}}}
- export/feedback.jsonl
{"id": "f1", "run_id": "r1", "key": "helpful", "score": 1, "value": null, "feedback_source": {"type": "app", "user_id": "ana"}, "feedback_group_id": null}
{"id": "f2", "run_id": "r2", "key": "helpful", "score": 0.5, "value": null, "feedback_source": {"type": "model", "user_id": null}, "feedback_group_id": null}
{"id": "f3", "run_id": "r1", "key": "preferred", "score": 1, "value": null, "feedback_source": {"type": "app", "user_id": "ana"}, "feedback_group_id": "g1"}
{"id": "f4", "run_id": "r2", "key": "preferred", "score": 0, "value": null, "feedback_source": {"type": "app", "user_id": "ana"}, "feedback_group_id": "g1"}
{"id": "f5", "run_id": "r2", "key": "note", "score": null, "value": null, "feedback_source": {"type": "app", "user_id": "ana"}, "feedback_group_id": null}
= lighteval = details
- details/org/atlas/2026-01-02/details_birds_2026-01-02.jsonl
{"doc": {"id": "1", "query": "Name a bird", "choices": ["owl"], "gold_index": 0}, "metric": {"em": 1}, "model_response": {"text": ["owl"]}}
{"doc": {"id": "2", "query": "Name a fish", "choices": ["eel"], "gold_index": 0}, "metric": {"em": 1}, "model_response": {"text": ["eel"]}}
- details/org/cedar/2026-01-02/details_birds_2026-01-02.jsonl
{"doc": {"id": "1", "query": "Name a bird", "choices": ["owl"], "gold_index": 0}, "metric": {"em": 0}, "model_response": {"text": ["cat"]}}
{"doc": {"id": "2", "query": "Name a fish", "choices": ["eel"], "gold_index": 0}, "metric": {"em": 0}, "model_response": {"text": ["dog"]}}
= lm-eval = logs
- logs/atlas/samples_sums_2026-01-02T03-04-05.jsonl
{"doc_id": 0, "doc": {}, "target": "4", "arguments": {"gen_args_0": {"arg_0": "2+2?", "arg_1": {}}}, "resps": [["4"]], "filtered_resps": ["4"], "filter": "none", "metrics": ["acc"], "doc_hash": "h0", "acc": 1.0}
{"doc_id": 1, "doc": {}, "target": "6", "arguments": {"gen_args_0": {"arg_0": "3+3?", "arg_1": {}}}, "resps": [["7"]], "filtered_resps": ["7"], "filter": "none", "metrics": ["acc"], "doc_hash": "h1", "acc": 0.0}
- logs/atlas/samples_birds_2026-01-02T03-04-05.jsonl
{"doc_id": 0, "doc": {}, "target": "owl", "arguments": {"gen_args_0": {"arg_0": "A bird?", "arg_1": {}}}, "resps": [["owl"]], "filtered_resps": ["owl"], "filter": "none", "metrics": ["acc"], "doc_hash": "h2", "acc": 1.0}
- logs/atlas/results_2026-01-02T03-04-05.json
{"results": {"sums": {"acc": 0.5}}}
- logs/cedar/samples_sums_2026-01-02T03-04-05.jsonl
{"doc_id": 0, "doc": {}, "target": "4", "arguments": {"gen_args_0": {"arg_0": "2+2?", "arg_1": {}}}, "resps": [["5"]], "filtered_resps": ["5"], "filter": "none", "metrics": ["acc"], "doc_hash": "h0", "acc": 0.0}
= mlflow = results
- results/atlas.json
[
{"trace_id": "01", "state": "OK", "request": {"question": "Name a bird"}, "response": "owl", "match/value": "yes", "assessments": [{"assessment_name": "match", "source": {"source_type": "CODE", "source_id": "match"}, "feedback": {"value": "yes"}}, {"assessment_name": "expected_response", "source": {"source_type": "HUMAN", "source_id": "ana"}, "expectation": {"value": "owl"}}]},
{"trace_id": "02", "state": "OK", "request": {"question": "Name a fish"}, "response": "eel", "match/value": "yes", "assessments": [{"assessment_name": "match", "source": {"source_type": "CODE", "source_id": "match"}, "feedback": {"value": "yes"}}, {"assessment_name": "expected_response", "source": {"source_type": "HUMAN", "source_id": "ana"}, "expectation": {"value": "eel"}}]}
]
- results/cedar.json
[
{"trace_id": "11", "state": "OK", "request": {"question": "Name a bird"}, "response": "cat", "match/value": "no", "assessments": [{"assessment_name": "match", "source": {"source_type": "CODE", "source_id": "match"}, "feedback": {"value": "no"}}, {"assessment_name": "expected_response", "source": {"source_type": "HUMAN", "source_id": "ana"}, "expectation": {"value": "owl"}}]},
{"trace_id": "12", "state": "OK", "request": {"question": "Name a fish"}, "response": "dog", "match/value": "no", "assessments": [{"assessment_name": "match", "source": {"source_type": "CODE", "source_id": "match"}, "feedback": {"value": "no"}}, {"assessment_name": "expected_response", "source": {"source_type": "HUMAN", "source_id": "ana"}, "expectation": {"value": "eel"}}]}
]
= mt-bench = bench
- bench/question.jsonl
{"question_id": 81, "turns": ["Name a bird"]}
{"question_id": 82, "turns": ["Name a fish"]}
- bench/model_answer/atlas.jsonl
{"question_id": 81, "model_id": "atlas", "choices": [{"turns": ["owl"]}]}
{"question_id": 82, "model_id": "atlas", "choices": [{"turns": ["eel"]}]}
- bench/model_answer/cedar.jsonl
{"question_id": 81, "model_id": "cedar", "choices": [{"turns": ["hen"]}]}
{"question_id": 82, "model_id": "cedar", "choices": [{"turns": ["cod"]}]}
- bench/reference_answer/judge.jsonl
{"question_id": 81, "model_id": "judge", "choices": [{"turns": ["robin"]}]}
- bench/model_judgment/j_pair.jsonl
{"question_id": 81, "model_1": "atlas", "model_2": "cedar", "g1_winner": "model_1", "g2_winner": "tie", "judge": ["j", "pair"], "turn": 1}
- bench/model_judgment/j_single.jsonl
{"question_id": 81, "model": "atlas", "judge": ["j", "single"], "score": 7, "turn": 1}
= mt-metrics-eval = set
- set/sources/en-de.txt
One.
Two.
Three.
- set/references/en-de.refA.txt
Eins.
Zwei.
Drei.
- set/system-outputs/en-de/atlas.txt
Eins.
Zwei!
Drei.
- set/system-outputs/en-de/cedar.txt
Ein.
Zwo.
Drei.
- set/human-scores/en-de.mqm.seg.score
atlas\t1
atlas\t0
atlas\t1
cedar\t0
cedar\t0
cedar\tNone
- set/human-scores/en-de.mqm.sys.score
atlas\t0.6
cedar\t0.1
- set/metric-scores/en-de/chrf-refA.seg.score
atlas\t0.6
cedar\t0.1
- set/documents/en-de.docs
news\td1
news\td1
news\td1
= openai-evals = logs
- logs/atlas.jsonl
{"spec": {"completion_fns": ["atlas"], "eval_name": "birds", "run_id": "run0", "created_at": "2026-01-02"}}
{"run_id": "run0", "event_id": 0, "sample_id": "birds.1", "type": "sampling", "data": {"prompt": [{"role": "user", "content": "Name a bird"}], "sampled": ["owl"]}}
{"run_id": "run0", "event_id": 1, "sample_id": "birds.1", "type": "match", "data": {"correct": true, "expected": "owl"}}
{"final_report": {"accuracy": 1}}
- logs/cedar.jsonl
{"spec": {"completion_fns": ["cedar"], "eval_name": "birds", "run_id": "run1", "created_at": "2026-01-02"}}
{"run_id": "run1", "event_id": 0, "sample_id": "birds.1", "type": "sampling", "data": {"prompt": [{"role": "user", "content": "Name a bird"}], "sampled": ["cat"]}}
{"run_id": "run1", "event_id": 1, "sample_id": "birds.1", "type": "match", "data": {"correct": false, "expected": "owl"}}
{"final_report": {"accuracy": 0}}
= opik = export
- export/experiment_atlas.json
{"experiment": {"id": "0", "name": "atlas"}, "items": [
{"id": "01", "dataset_item_id": "d1", "dataset_item_data": {"input": "Name a bird", "expected_output": "owl"}, "evaluation_task_output": {"output": "owl"}, "feedback_scores": [{"name": "match", "value": 1.0, "category_name": null}]},
{"id": "02", "dataset_item_id": "d2", "dataset_item_data": {"input": "Name a fish", "expected_output": "eel"}, "evaluation_task_output": {"output": "eel"}, "feedback_scores": [{"name": "match", "value": 1.0, "category_name": null}]}
]}
- export/experiment_cedar.json
{"experiment": {"id": "1", "name": "cedar"}, "items": [
{"id": "11", "dataset_item_id": "d1", "dataset_item_data": {"input": "Name a bird", "expected_output": "owl"}, "evaluation_task_output": {"output": "cat"}, "feedback_scores": [{"name": "match", "value": 0.0, "category_name": null}]},
{"id": "12", "dataset_item_id": "d2", "dataset_item_data": {"input": "Name a fish", "expected_output": "eel"}, "evaluation_task_output": {"output": "dog"}, "feedback_scores": [{"name": "match", "value": 0.0, "category_name": null}]}
]}
= pearmut = campaign
- campaign/data/annotations/c.jsonl
{"annotation": [{"atlas": {"score": 70}, "cedar": {"score": 50}}], "item": [{"item_id": "1", "src": "One", "tgt": {"atlas": "Eins", "cedar": "Ein"}}], "user_id": "ana", "item_i": 0}
{"annotation": [{"atlas": {"score": 60}, "cedar": {"score": 40}}], "item": [{"item_id": "2", "src": "Two", "tgt": {"atlas": "Zwei", "cedar": "Zwo"}}], "user_id": "ana", "item_i": 1}
- campaign/data/annotations/d.jsonl
{"annotation": [{"atlas": {"score": 70}, "cedar": {"score": 50}}], "item": [{"item_id": "3", "src": "Three", "tgt": {"atlas": "Drei", "cedar": "Dri"}}], "user_id": "ben", "item_i": 0}
- campaign/data/progress/c.json
{"ana": {"progress": [true, true]}}
= phoenix = export
- export/spans.csv
context.span_id,span_kind,status_code,attributes.input.value,attributes.output.value,attributes.llm.model_name
s1,LLM,OK,Name a bird,owl,atlas
s2,LLM,OK,Name a bird,cat,cedar
s3,CHAIN,OK,Name a bird,cat,
- export/annotations.csv
id,span_id,annotation_name,annotator_kind,user_id,result.label,result.score
a1,s1,quality,HUMAN,ana,,1.0
a2,s1,quality,LLM,,,0.5
a3,s2,quality,HUMAN,ana,,0.0
a4,s2,topic,LLM,,birds,
= potato = study
- study/data.jsonl
{"id": "p1", "item": "1", "source": "One?", "responses": ["a", "b"], "system_a": "atlas", "system_b": "cedar"}
{"id": "p2", "item": "2", "source": "Two?", "responses": ["c", "d"], "system_a": "cedar", "system_b": "atlas"}
- study/annotation_output/ana/user_state.json
{
"user_id": "ana",
"instance_id_to_label_to_value": {
"p1": {"preference": {"selection": "A"}},
"p2": {"preference": {"selection": "B"}}
}
}
- study/annotation_output/ben/user_state.json
{
"user_id": "ben",
"instance_id_to_label_to_value": {
"p1": {"preference": {"selection": "tie"}}
}
}
= preference = pairs
- pairs/a.jsonl
{"prompt": "Name a bird", "chosen": "owl", "rejected": "cat"}
{"prompt": "Name a fish", "chosen": "eel", "rejected": "dog"}
- pairs/b.jsonl
{"prompt": "Greet me", "chosen": "Hello", "rejected": "No"}
= promptfoo = out
- out/results.jsonl
{"promptIdx": 0, "testIdx": 0, "score": 1, "namedScores": {}, "provider": {"id": "atlas"}, "vars": {"q": "x"}, "prompt": {"raw": "x", "label": "x"}, "response": {"output": "y"}}
{"promptIdx": 1, "testIdx": 0, "score": 0, "namedScores": {}, "provider": {"id": "cedar"}, "vars": {"q": "x"}, "prompt": {"raw": "x", "label": "x"}, "response": {"output": "z"}}
- out/results.csv
q,[atlas] x,Status,Score,Named Scores
x,y,PASS,1,{}
- out/promptfooconfig.yaml
prompts: [x]
= promptfoo = out/results.json
- out/results.json
{"evalId": "e",
"results": {"version": 3, "results": [
{"promptIdx": 0, "testIdx": 0, "score": 1, "namedScores": {}, "provider": {"id": "atlas"}, "vars": {"q": "x"}, "prompt": {"raw": "x", "label": "x"}, "response": {"output": "y"}},
{"promptIdx": 1, "testIdx": 0, "score": 0, "namedScores": {}, "provider": {"id": "cedar"}, "vars": {"q": "x"}, "prompt": {"raw": "x", "label": "x"}, "response": {"output": "z"}}
]}}
= ratings = rated
- rated/a.csv
item,system,output,fluency
1,atlas,Hello,5
1,cedar,Hi,4
- rated/b.tsv
item\tsystem\toutput\tfluency
2\tatlas\tBye\t5
2\tcedar\tCiao\t4
= response-ab = votes
- votes/a.jsonl
{"instruction": "Name a bird", "response_a": "owl", "response_b": "cat", "winner": "A", "model_a": "atlas", "model_b": "cedar"}
{"instruction": "Name a fish", "response_a": "dog", "response_b": "eel", "winner": "B", "model_a": "atlas", "model_b": "cedar"}
- votes/b.jsonl
{"instruction": "Say ok", "response_a": "ok", "response_b": "OK", "winner": "tie", "model_a": "atlas", "model_b": "cedar"}
= subset2evaluate = rows
- rows/a.jsonl
{"i": 1, "src": "One", "tgt": {"atlas": "Eins", "cedar": "Ein"}, "scores": {"atlas": {"human": 1}, "cedar": {"human": 0}}}
{"i": 2, "src": "Two", "tgt": {"atlas": "Zwei", "cedar": "Zwo"}, "scores": {"atlas": {"human": 1}, "cedar": {"human": 1}}}
- rows/b.json
[
{"i": 3, "src": "Three", "tgt": {"atlas": "Drei", "cedar": "Dri"}, "scores": {"atlas": {"human": 1}, "cedar": {"human": 0}}}
]
= tables = set
- set/1.csv
item,system,output
1,atlas,Hello
1,cedar,Hi
2,atlas,Bye
2,cedar,Ciao
- set/2.jsonl
{"item": 1, "system_a": "atlas", "system_b": "cedar", "outcome": 1}
{"item": 2, "system_a": "atlas", "system_b": "cedar", "outcome": 0}
- set/3.json
[
{"item": 1, "source": "Greet me"},
{"item": 2, "source": "Say goodbye"}
]
- set/4.tsv
item\tsystem\tcriterion\tscore
1\tatlas\tstyle\t5
- set/README.md
# Mine
"#;
