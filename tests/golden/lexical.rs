//! BLEU, chrF, TER, ROUGE and lengths against sacrebleu and rouge-score.

use super::cases::{Record, golden, own};
use super::close::{Differences, number};
use serde_json::{Value, json};
use std::sync::LazyLock;
use tiebreak::env::Env;
use tiebreak::metrics::bleu::{Bleu, BleuParams};
use tiebreak::metrics::{CorpusMetric, METRICS, Metric, Segment};
use tiebreak::registry::{Params, find_entry};

pub(super) const RELATIVE: f64 = 1e-9;

/// Shared, so that dictionaries are read once while a test holds them.
pub(super) static ENV: LazyLock<Env> = LazyLock::new(Env::default);

/// A metric with a reference's settings as its parameters: null means the default.
pub(super) fn metric(name: &str, settings: &Value) -> Box<dyn Metric> {
    let entry = find_entry("metric", METRICS, name).unwrap();
    (entry.build.build)(&params(settings), &Env::default()).unwrap()
}

/// Settings with their own names, in kebab-case.
pub(super) fn params(settings: &Value) -> Params {
    let given = settings.as_object().into_iter().flatten();
    let given = given.filter(|(_, value)| !value.is_null());
    Params(
        given
            .map(|(key, value)| (key.replace('_', "-"), toml::Value::try_from(value).unwrap()))
            .collect(),
    )
}

pub(super) fn segments(record: &Record) -> Vec<Segment<'_>> {
    assert_eq!(
        record.hypotheses.len(),
        record.references.len(),
        "{}",
        record.id
    );
    let pairs = record.hypotheses.iter().zip(&record.references);
    let segment = |(hypothesis, references)| Segment {
        hypothesis,
        references,
        context: None,
    };
    pairs
        .map(|(hypothesis, references)| segment((hypothesis, &references[..])))
        .collect()
}

/// Sums of per-segment statistics.
pub(super) fn totals(metric: &dyn CorpusMetric, segments: &[Segment<'_>]) -> Vec<f64> {
    let mut totals = vec![0.0; metric.width()];
    for row in metric
        .statistics(segments)
        .unwrap()
        .chunks_exact(metric.width())
    {
        totals
            .iter_mut()
            .zip(row)
            .for_each(|(total, value)| *total += value);
    }
    totals
}

/// The score the way the pipeline makes it: per segment, or from summed statistics.
pub(super) fn score(metric: &dyn Metric, record: &Record) -> f64 {
    let segments = segments(record);
    if record.level == "corpus" {
        let corpus = metric.corpus().expect("a corpus score");
        corpus.aggregate(&totals(corpus, &segments))
    } else {
        metric.score(&segments).unwrap()[0]
    }
}

pub(super) fn check_bleu(name: &str, records: &[Record]) {
    let mut differences = Differences::default();
    for record in records {
        for (settings, expected) in &record.cases {
            let params = params(settings).read::<BleuParams>("bleu").unwrap();
            let bleu = Bleu::new(params, &ENV).unwrap();
            let formula = match record.level.as_str() {
                "corpus" => bleu.corpus_formula(),
                _ => bleu.segment_formula(),
            };
            let found = formula.score(&totals(&bleu, &segments(record)));
            let place = |what: &str| format!("{} {settings} {what}", record.id);
            let mut same = |what: &str, relative: f64, value: &Value, got: f64| {
                differences.close(relative, number(value), got, || place(what));
            };
            same("score", RELATIVE, &expected["score"], found.score);
            same(
                "registered",
                RELATIVE,
                &expected["score"],
                score(&bleu, record),
            );
            same("bp", RELATIVE, &expected["bp"], found.bp);
            same("sys_len", 0.0, &expected["sys_len"], found.sys_len);
            same("ref_len", 0.0, &expected["ref_len"], found.ref_len);
            let lists = [
                ("counts", 0.0, &found.counts),
                ("totals", 0.0, &found.totals),
                ("precisions", RELATIVE, &found.precisions),
            ];
            for (what, relative, list) in lists {
                let values = expected[what].as_array().unwrap();
                assert_eq!(values.len(), list.len(), "{}", place(what));
                for (value, &got) in values.iter().zip(list) {
                    same(what, relative, value, got);
                }
            }
        }
    }
    differences.finish(name);
}

fn check_chrf(name: &str, records: &[Record]) {
    let mut differences = Differences::default();
    for record in records {
        for (settings, expected) in &record.cases {
            let place = || format!("{} {settings}", record.id);
            let got = score(metric("chrf", settings).as_ref(), record);
            differences.close(RELATIVE, number(&expected["score"]), got, place);
        }
    }
    differences.finish(name);
}

/// chrF as VizSeq has it, exact and rounded.
fn check_vizseq_chrf(name: &str, records: &[Record]) {
    let mut differences = Differences::default();
    for record in records {
        for (settings, expected) in &record.cases {
            let mut params = json!({
                "char_order": settings["chrf_order"],
                "beta": settings["chrf_beta"],
                "whitespace": settings["chrf_whitespace"],
                "multi_reference": "first",
                "scale": 1,
            });
            let place = || format!("{} {settings}", record.id);
            let got = score(metric("chrf", &params).as_ref(), record);
            differences.close(RELATIVE, number(&expected["score"]), got, place);
            params["decimals"] = json!(3);
            let got = score(metric("chrf", &params).as_ref(), record);
            differences.close(0.0, number(&expected["rounded_3"]), got, place);
        }
    }
    differences.finish(name);
}

/// TER's statistics: edits, and the mean length of the references in parts of a word.
fn check_ter(name: &str, records: &[Record]) {
    let mut differences = Differences::default();
    for record in records {
        for (settings, expected) in &record.cases {
            let ter = metric("ter", settings);
            let totals = totals(ter.corpus().unwrap(), &segments(record));
            let found = [
                ("score", score(ter.as_ref(), record)),
                ("num_edits", totals[0]),
                ("ref_length", totals[1] / 720_720.0),
            ];
            for (what, got) in found {
                let place = || format!("{} {settings} {what}", record.id);
                differences.close(RELATIVE, number(&expected[what]), got, place);
            }
        }
    }
    differences.finish(name);
}

/// rouge-score's name of a type, and ours.
const ROUGE: [(&str, &str); 6] = [
    ("rouge1", "rouge-1"),
    ("rouge2", "rouge-2"),
    ("rouge3", "rouge-3"),
    ("rouge4", "rouge-4"),
    ("rougeL", "rouge-l"),
    ("rougeLsum", "rouge-lsum"),
];

fn check_rouge(name: &str, records: &[Record]) {
    let mut differences = Differences::default();
    for record in records {
        for (settings, expected) in &record.cases {
            let first = settings["refs"] == "first";
            let all = &record.references[0];
            let segment = Segment {
                hypothesis: &record.hypotheses[0],
                references: if first { &all[..1] } else { all },
                context: None,
            };
            for (kind, ours) in ROUGE {
                for measure in ["precision", "recall", "fmeasure"] {
                    let Some(value) = expected[kind].get(measure) else {
                        continue;
                    };
                    let mut params = params(settings);
                    params.0.retain(|key, _| key == "use-stemmer");
                    params.0.insert("measure".to_string(), measure.into());
                    let entry = find_entry("metric", METRICS, ours).unwrap();
                    let metric = (entry.build.build)(&params, &Env::default()).unwrap();
                    let got = metric.score(&[segment]).unwrap()[0];
                    let place = || format!("{} {settings} {kind} {measure}", record.id);
                    differences.close(RELATIVE, number(value), got, place);
                }
            }
        }
    }
    differences.finish(name);
}

#[test]
fn bleu_is_sacrebleus() {
    check_bleu("own bleu", &own("metrics/bleu"));
    if let Some(records) = golden("sacrebleu_bleu") {
        check_bleu("sacrebleu_bleu", &records);
    }
}

#[test]
fn chrf_is_sacrebleus() {
    check_chrf("own chrf", &own("metrics/chrf"));
    if let Some(records) = golden("sacrebleu_chrf") {
        check_chrf("sacrebleu_chrf", &records);
    }
}

#[test]
fn chrf_of_the_first_reference_is_vizseqs() {
    check_vizseq_chrf("own vizseq_chrf", &own("metrics/vizseq_chrf"));
    if let Some(records) = golden("vizseq_chrf") {
        check_vizseq_chrf("vizseq_chrf", &records);
    }
}

#[test]
fn ter_is_sacrebleus() {
    check_ter("own ter", &own("metrics/ter"));
    if let Some(records) = golden("sacrebleu_ter") {
        check_ter("sacrebleu_ter", &records);
    }
}

#[test]
fn rouge_is_rouge_scores() {
    check_rouge("own rouge", &own("metrics/rouge"));
    if let Some(records) = golden("rouge_score") {
        check_rouge("rouge_score", &records);
    }
}

#[test]
fn lengths_are_counts_of_sacrebleus_tokens() {
    let mut differences = Differences::default();
    for record in own("metrics/length") {
        for (settings, expected) in &record.cases {
            let got = score(metric("length", settings).as_ref(), &record);
            let place = || format!("{} {settings}", record.id);
            differences.close(RELATIVE, number(expected), got, place);
        }
    }
    differences.finish("own length");
}
