//! METEOR, its normaliser and its stemmer against the official jar.

use super::cases::{Record, golden, own};
use super::close::{Differences, number};
use super::lexical::{segments, totals};
use crate::support;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tiebreak::metrics::meteor::{Language, Meteor, MeteorParams, MeteorTask};
use tiebreak::metrics::{CorpusMetric, Metric};
use tiebreak::text::snowball;

const ABSOLUTE: f64 = 1e-9;

fn resources() -> Option<PathBuf> {
    support::golden_file("resources/meteor15")
}

/// METEOR's table of paraphrases, where someone put it beside the others: it is not shipped.
fn paraphrases() -> Option<PathBuf> {
    let table = resources()?.join("paraphrase-en.gz");
    table.exists().then_some(table)
}

/// The jar's flags as parameters, or `None` where they ask for a table that is not there.
fn params(args: &str) -> Option<MeteorParams> {
    let mut params = MeteorParams {
        norm: Some(false),
        resources: resources(),
        ..MeteorParams::default()
    };
    let mut parts = args.split('\'').enumerate().flat_map(|(at, part)| {
        // What stands between quotes is one argument.
        if at % 2 == 1 {
            vec![part]
        } else {
            part.split_whitespace().collect()
        }
    });
    while let Some(flag) = parts.next() {
        match flag {
            "-norm" => params.norm = Some(true),
            "-lower" => params.lower = true,
            "-noPunct" => params.no_punct = true,
            _ => set(&mut params, flag, parts.next().expect("a value")),
        }
    }
    let needed = match &params.modules {
        None => params.language == Language::En,
        Some(modules) => modules.contains("paraphrase"),
    };
    if needed && params.paraphrases.is_none() {
        params.paraphrases = Some(paraphrases()?);
    }
    Some(params)
}

/// A file beside our own golden values.
fn own_file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/metrics");
    folder.join(name)
}

fn set(params: &mut MeteorParams, flag: &str, value: &str) {
    match (flag, value) {
        ("-l", "en") => params.language = Language::En,
        ("-l", "other") => params.language = Language::Other,
        ("-t", "rank") => params.task = MeteorTask::Rank,
        ("-t", "adq") => params.task = MeteorTask::Adq,
        ("-t", "hter") => params.task = MeteorTask::Hter,
        ("-m", _) => params.modules = Some(value.to_string()),
        ("-x", _) => params.beam_size = Some(value.parse().unwrap()),
        ("-a", table) => params.paraphrases = Some(own_file(table)),
        ("-w", _) => params.weights = Some(value.to_string()),
        ("-p", _) => {
            let mut numbers = value.split_whitespace().map(|number| number.parse().ok());
            let mut next = || numbers.next().expect("four numbers");
            (params.alpha, params.beta, params.gamma, params.delta) =
                (next(), next(), next(), next());
        }
        _ => panic!("unknown flag {flag} {value}"),
    }
}

/// Arguments by the name of the setting: only some records spell them out.
fn arguments(records: &[Record]) -> BTreeMap<String, String> {
    let settings = records.iter().flat_map(|record| &record.cases);
    let named = settings.filter_map(|(settings, _)| {
        let args = settings["args"].as_str()?.to_string();
        Some((name(settings), args))
    });
    named.collect()
}

fn name(settings: &Value) -> String {
    settings["name"].as_str().expect("a name").to_string()
}

fn check(file: &str, records: &[Record]) {
    let arguments = arguments(records);
    let mut unanchored = BTreeSet::new();
    let mut metrics: BTreeMap<&str, Meteor> = BTreeMap::new();
    for (name, args) in &arguments {
        match params(args) {
            Some(params) if params.resources.is_none() && params.language == Language::En => {
                support::skip_golden(&format!("{file} {name}: resources/meteor15"));
            }
            Some(params) => drop(metrics.insert(name, Meteor::new(params).unwrap())),
            None => drop(unanchored.insert(name)),
        }
    }
    for name in unanchored {
        support::say("UNANCHORED", &format!("{file} {name}: paraphrase table"));
    }
    let mut differences = Differences::default();
    for record in records {
        for (settings, expected) in &record.cases {
            if let Some(metric) = metrics.get(name(settings).as_str()) {
                let place = format!("{} {}", record.id, name(settings));
                compare(metric, record, expected, &place, &mut differences);
            }
        }
    }
    differences.finish(file);
}

/// Where METEOR's statistics have the number of chunks.
const CHUNKS: usize = 20;

/// A segment's statistics as the jar adds them up: without the chunk of a text matched as a whole.
fn summand(mut stats: Vec<f64>) -> Vec<f64> {
    let whole = stats[CHUNKS + 1] == stats[0] && stats[CHUNKS + 2] == stats[1];
    if whole && stats[CHUNKS] == 1.0 {
        stats[CHUNKS] = 0.0;
    }
    stats
}

fn compare(
    metric: &Meteor,
    record: &Record,
    expected: &Value,
    place: &str,
    differences: &mut Differences,
) {
    let mut same = |what: &str, expected: f64, got: f64| {
        differences.check((expected - got).abs() <= ABSOLUTE, || {
            format!("{place} {what}: expected {expected}, got {got}")
        });
    };
    let segments = segments(record);
    let scores = metric.score(&segments).unwrap();
    let total = totals(metric, &segments);
    if let Some(stats) = expected["stats"].as_str() {
        let stats = stats.split_whitespace().map(|stat| stat.parse().unwrap());
        for (at, (stat, got)) in summand(stats.collect()).into_iter().zip(&total).enumerate() {
            // Without the list of function words all words count as content words.
            if resources().is_some() || !(2..CHUNKS).contains(&at) {
                same(&format!("statistic {at}"), stat, *got);
            }
        }
    }
    if record.level == "corpus" {
        same(
            "corpus",
            number(&expected["score"]),
            metric.aggregate(&total),
        );
        let each = expected["per_segment"].as_array().into_iter().flatten();
        for (value, got) in each.zip(scores) {
            same("segment", number(value), got);
        }
    } else {
        same("score", number(&expected["score"]), scores[0]);
    }
}

fn check_tokens(file: &str, records: &[Record], resources: Option<&Path>) {
    let metric = |no_punct| {
        let params = MeteorParams {
            no_punct,
            resources: resources.map(Path::to_path_buf),
            // Words do not depend on how they are matched, and so on no table of synonyms.
            modules: Some("exact".to_string()),
            ..MeteorParams::default()
        };
        Meteor::new(params).unwrap()
    };
    let metrics = [
        ("en_norm_lower", metric(false)),
        ("en_norm_lower_noPunct", metric(true)),
    ];
    let mut differences = Differences::default();
    for record in records {
        let expected = &record.line["expected"];
        let mut same = |expected: &Value, text: &str, got: &str| {
            let expected = expected.as_str().unwrap();
            differences.check(got == expected, || {
                format!(
                    "{} of {text:?}: expected {expected:?}, got {got:?}",
                    record.id
                )
            });
        };
        if let Some(words) = record.line["words"].as_array() {
            for (word, expected) in words.iter().zip(expected.as_array().unwrap()) {
                let word = word.as_str().unwrap();
                same(expected, word, &snowball::stem(word));
            }
            continue;
        }
        let text = &record.hypotheses[0];
        for (key, metric) in &metrics {
            same(&expected[*key], text, &metric.prepare(text));
        }
    }
    differences.finish(file);
}

#[test]
fn meteor_is_the_jars() {
    check("own meteor", &own("metrics/meteor"));
    check("own phrases", &own("metrics/meteor_paraphrase"));
    if let Some(records) = golden("meteor15") {
        check("meteor15", &records);
    }
}

#[test]
fn meteors_words_are_the_jars() {
    // METEOR's own tables are not shipped: in these lie the words that the texts use.
    let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/text/meteor");
    check_tokens("own words", &own("text/meteor"), Some(&tables));
    if let Some(records) = golden("meteor15_tokens") {
        check_tokens("meteor15_tokens", &records, resources().as_deref());
    }
}
