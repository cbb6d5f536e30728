//! Judge traffic whose reading is known: batches, responses of several servers, AlpacaEval's own parser.

use crate::support::{golden_file, skip_golden};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tiebreak::verdicts::{
    Choice, Completion, JudgeVerdict, Rule, Spelling, TokenLogprob, VerdictLabels,
};

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn preference(body: &Value) -> Result<(f64, bool), String> {
    let completion = Completion::read(body).map_err(|why| why.to_string())?;
    let labels = VerdictLabels::default();
    let told = Rule::Probabilities.pair(&completion.choices[0], &labels, Spelling::Any);
    let told = told.map_err(|why| why.to_string())?;
    match told.verdict {
        JudgeVerdict::First(p) => Ok((p, told.by_probabilities)),
        JudgeVerdict::Ratings(_) => Err("ratings".to_string()),
    }
}

/// One answer as `expected.json` describes it.
fn compare(expected: &Value, status: u16, body: &Value) {
    let kind = expected["kind"].as_str().unwrap();
    if status != 200 {
        assert_eq!(kind, format!("http {status}"));
        return;
    }
    match preference(body) {
        Ok((p, by_probabilities)) => {
            assert_eq!(kind, if by_probabilities { "logprobs" } else { "text" });
            assert!(
                (p - expected["p_first"].as_f64().unwrap()).abs() < 1e-12,
                "{expected}"
            );
        }
        Err(why) => assert_eq!(kind, why, "{expected}"),
    }
}

#[test]
fn responses_of_several_servers() {
    let Some(folder) = golden_file("formats/judge-responses") else {
        return skip_golden("judge-responses");
    };
    let expected = read(&folder.join("expected.json"));
    for one in expected["answers"].as_array().unwrap() {
        let body = read(&folder.join(one["file"].as_str().unwrap()));
        compare(one, one["status"].as_u64().unwrap() as u16, &body);
    }
}

#[test]
fn a_batch() {
    let Some(folder) = golden_file("formats/judge-batch") else {
        return skip_golden("judge-batch");
    };
    let lines = fs::read_to_string(folder.join("results.jsonl")).unwrap();
    let results: BTreeMap<String, Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| (line["custom_id"].as_str().unwrap().to_string(), line))
        .collect();
    let expected = read(&folder.join("expected.json"));
    for one in expected["answers"].as_array().unwrap() {
        let response = &results[one["custom_id"].as_str().unwrap()]["response"];
        let status = response["status_code"].as_u64().unwrap() as u16;
        compare(one, status, &response["body"]);
    }
}

/// AlpacaEval's preference is 1 + p(M); its parser takes tokens to the letter.
#[test]
fn alpaca_evals_own_parser() {
    let Some(folder) = golden_file("formats/alpaca-eval") else {
        return skip_golden("alpaca-eval");
    };
    let expected = read(&folder.join("expected.json"));
    let anchors = expected["judge_anchor"].as_array().unwrap();
    assert!(!anchors.is_empty());
    let labels = VerdictLabels {
        a: "m".into(),
        b: "M".into(),
        tie: None,
    };
    for anchor in anchors {
        // Equal texts were not asked about.
        let Some(listed) = anchor["top_logprobs"].as_object() else {
            continue;
        };
        let likely = |(token, logprob): (&String, &Value)| TokenLogprob {
            token: token.clone(),
            logprob: logprob.as_f64().unwrap(),
        };
        let choice = Choice {
            likely: Some(listed.iter().map(likely).collect()),
            ..Choice::default()
        };
        let told = Rule::Probabilities.pair(&choice, &labels, Spelling::Exact);
        match anchor["p_m"].as_f64() {
            None => assert!(told.is_err(), "{anchor}"),
            Some(p) => {
                let Ok(JudgeVerdict::First(found)) = told.map(|one| one.verdict) else {
                    panic!("{anchor}");
                };
                assert!((found - p).abs() < 1e-12, "{found} {anchor}");
            }
        }
    }
}
