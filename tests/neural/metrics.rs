//! What holds for every metric that runs on a model.

use super::{env, family};
use crate::support::regression_model;
use tiebreak::error::Result;
use tiebreak::metrics::{METRICS, Metric, Segment};
use tiebreak::registry::{Params, find_entry};

fn metric(spec: &str) -> Result<Box<dyn Metric>> {
    let (name, params) = Params::parse(spec)?;
    (find_entry("metric", METRICS, &name)?.build.build)(&params, &env())
}

fn segment<'a>(hypothesis: &'a str, references: &'a [String]) -> Segment<'a> {
    Segment {
        hypothesis,
        references,
        context: None,
    }
}

fn strings<const N: usize>(texts: [&str; N]) -> [String; N] {
    texts.map(str::to_string)
}

/// One score per segment, the same bits alone, together, and in any order.
#[test]
fn a_score_does_not_depend_on_its_company() {
    let model = regression_model();
    let of = |metric: &str, name: &str| format!("{metric}:model={}", family(name).display());
    let heron = strings(["the heron waits", "a heron was waiting for fish"]);
    let rain = strings(["rain again"]);
    let mut segments = vec![
        segment("the heron waits", &heron),
        segment("a bird, waiting.", &heron),
        segment(
            "rain, and then again rain over the whole of the old town",
            &rain,
        ),
        segment("", &rain),
    ];
    for spec in [
        "bertscore:model=tiny-electra",
        "bertscore:model=tiny-electra,idf=true,layer=1",
        "moverscore:model=tiny-electra",
        "moverscore:model=tiny-electra,variant=v1,n-gram=2,idf=false",
        &format!("bleurt:model={}", model.path().display()),
        &of("bertscore", "modernbert"),
        &of("bertscore", "xlm-roberta"),
        &of("moverscore", "deberta-v3"),
        &of("vecsim", "roberta"),
        &of("bleurt", "deberta-v2"),
    ] {
        let mut metric = metric(spec).unwrap();
        if metric.needs_corpus() {
            metric.observe(&segments).unwrap();
        }
        let together = metric.score(&segments).unwrap();
        for (one, score) in segments.iter().zip(&together) {
            assert_eq!(metric.score(&[*one]).unwrap(), [*score], "{spec}");
        }
        segments.reverse();
        let turned = metric.score(&segments).unwrap();
        segments.reverse();
        assert!(turned.iter().rev().eq(&together), "{spec}");
        assert!(together[0] != together[1], "{spec}");
    }
}

#[test]
fn a_copy_scores_one_and_nothing_scores_nothing() {
    let same = strings(["the same words in both"]);
    let empty = strings([""]);
    for spec in [
        "bertscore:model=tiny-electra",
        "moverscore:model=tiny-electra,idf=false",
        "moverscore:model=tiny-electra,idf=false,variant=v1",
    ] {
        let metric = metric(spec).unwrap();
        let of = |text, references| metric.score(&[segment(text, references)]).unwrap()[0];
        let copy = of(&same[0], &same);
        assert!((copy - 1.0).abs() < 1e-5, "{spec}: {copy}");
        for (text, references) in [("", &same), (" ", &empty), ("words", &empty)] {
            assert_eq!(of(text, references), 0.0, "{spec}: {text:?}");
        }
    }
}

#[test]
fn what_does_not_go_together_is_refused_with_advice() {
    for (spec, part) in [
        ("moverscore:model=tiny-electra,n-gram=2", "v2"),
        ("moverscore:model=tiny-electra,remove-subwords=false", "v2"),
        ("bleurt:model=tiny-electra", "3 labels"),
        ("bertscore", "needs a model"),
        ("bleurt:model=", "needs a model"),
    ] {
        let error = metric(spec).err().unwrap();
        assert!(error.to_string().contains(part), "{spec}: {error}");
        assert!(error.hint().is_some(), "{spec}: {error}");
    }
}
