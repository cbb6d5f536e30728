//! What must hold for any text.

use super::texts::items;
use super::{metric, score};
use crate::support::table_rows;
use tiebreak::env::Env;
use tiebreak::metrics::{METRICS, Segment};
use tiebreak::registry::{Params, find_entry};

/// Every lexical metric and its largest score.
const ALL: [(&str, f64); 10] = [
    ("bleu", 100.0),
    ("chrf", 100.0),
    ("chrf++", 100.0),
    ("gleu", 1.0),
    ("rouge-1", 1.0),
    ("rouge-2", 1.0),
    ("rouge-3", 1.0),
    ("rouge-4", 1.0),
    ("rouge-l", 1.0),
    ("rouge-lsum", 1.0),
];

const LONG: &str = "It was, in 2020, a well-known fact (or so they said).";

#[test]
fn scores_lie_between_zero_and_the_maximum() {
    for (name, largest) in ALL {
        let metric = metric(name);
        for (text, references) in items("bounds", 200) {
            let score = score(metric.as_ref(), &text, &references);
            let within = (0.0..=largest * (1.0 + 1e-12)).contains(&score);
            assert!(within, "{name} of {text:?} is {score}");
        }
    }
}

#[test]
fn a_text_equal_to_a_reference_scores_the_maximum_and_a_stranger_zero() {
    for (name, largest) in ALL {
        let metric = metric(name);
        let references = ["Something else.".to_string(), LONG.to_string()];
        let same = score(metric.as_ref(), LONG, &references);
        assert!((same - largest).abs() <= 1e-9 * largest, "{name}: {same}");
        assert_eq!(score(metric.as_ref(), "ζηθ", &references), 0.0, "{name}");
        assert_eq!(score(metric.as_ref(), "", &references), 0.0, "{name}");
        assert_eq!(
            score(metric.as_ref(), LONG, &[String::new()]),
            0.0,
            "{name}"
        );
    }
}

#[test]
fn the_order_of_references_does_not_matter() {
    for (name, _) in ALL {
        let metric = metric(name);
        for (text, mut references) in items("order", 100) {
            let before = score(metric.as_ref(), &text, &references);
            references.reverse();
            let after = score(metric.as_ref(), &text, &references);
            assert_eq!(before.to_bits(), after.to_bits(), "{name} of {text:?}");
        }
    }
}

#[test]
fn a_segments_score_does_not_depend_on_its_neighbours() {
    for (name, _) in ALL {
        let metric = metric(name);
        let all: Vec<_> = items("neighbours", 60).collect();
        // Two systems per item, so that prepared references are used twice.
        let segment = |hypothesis, references| Segment {
            hypothesis,
            references,
            context: None,
        };
        let segments: Vec<Segment<'_>> = all
            .iter()
            .flat_map(|(text, references)| {
                [text, &references[0]].map(|text| segment(text, references))
            })
            .collect();
        let together = metric.score(&segments).unwrap();
        for (segment, together) in segments.iter().zip(together).rev() {
            let alone = score(metric.as_ref(), segment.hypothesis, segment.references);
            assert_eq!(
                alone.to_bits(),
                together.to_bits(),
                "{name} of {:?}",
                segment.hypothesis
            );
        }
    }
}

#[test]
fn a_segment_without_references_is_refused() {
    for (name, _) in ALL {
        let segment = Segment {
            hypothesis: "a",
            references: &[],
            context: None,
        };
        let error = metric(name).score(&[segment]).unwrap_err();
        assert!(
            error
                .to_string()
                .contains(&format!("{name} needs references")),
            "{error}"
        );
        assert_eq!(error.exit_code(), 2);
    }
}

#[test]
fn signatures_say_what_was_computed() {
    let shown = |text: &str| metric(text).signature().to_string();
    assert_eq!(
        shown("bleu"),
        "bleu|case:mixed|eff:yes|tok:13a|smooth:exp|order:4|version:1"
    );
    assert_eq!(
        shown("bleu:lowercase=true,smooth-method=floor,tokenize=zh,effective-order=false"),
        "bleu|case:lc|eff:no|tok:zh|smooth:floor[0.10]|order:4|version:1"
    );
    assert_eq!(
        shown("chrf++"),
        "chrf++|case:mixed|eff:yes|nc:6|nw:2|space:no|beta:2|version:1"
    );
    assert_eq!(
        shown("chrf:word-order=1,beta=0.5,eps-smoothing=true"),
        "chrf|case:mixed|eff:no|nc:6|nw:1|space:no|beta:0.5|version:1"
    );
    assert_eq!(
        shown("rouge-l:use-stemmer=true"),
        "rouge-l|stem:yes|measure:fmeasure|version:1"
    );
    assert_eq!(
        shown("meteor:language=other,lower=true,modules=exact+stem,weights=1+0.5,delta=0.6"),
        "meteor|lang:other|text:lower|modules:exact+stem|weights:1+0.5|params:0.75+1.4+0.7+0.6\
         |beam:40|tables:none|paraphrases:none|version:1"
    );
    let corpus = metric("bleu");
    let corpus = corpus.corpus().unwrap().corpus_signature().to_string();
    assert_eq!(
        corpus,
        "bleu|case:mixed|eff:no|tok:13a|smooth:exp|order:4|version:1"
    );
}

#[test]
fn parameters_that_make_no_sense_are_refused_by_name() {
    let refused = "
        bleu:max-ngram-order=0 | max-ngram-order
        bleu:smooth-method=floor,smooth-value=-1 | smooth-value
        bleu:tokenize=14a | 14a
        bleu:smooth=exp | smooth
        chrf:char-order=0 | char-order
        chrf:beta=0 | beta
        cider:n=0 | n is 0
        cider-d:sigma=0 | sigma
        cider:sigma=6 | sigma
        cider:df=no-such-file | no-such-file
        gec-gleu:iter=0 | iter
        gleu:min-len=3,max-len=2 | max-len
        rouge-l:measure=f1 | f1
        meteor | resources=DIR
        meteor:resources=no-such-folder | no-such-folder
        meteor:language=other,norm=true | norm
        meteor:language=other,no-punct=true | no-punct
        meteor:language=other,task=adq | task
        meteor:language=other,modules=stem | begins with exact
        meteor:language=other,modules=exact+exact | `exact`
        meteor:language=other,modules=exact+synonym | resources=DIR
        meteor:language=other,modules=exact+paraphrase | paraphrases=FILE
        meteor:language=other,modules=exact+paraphrase,paraphrases=no-such-file | no-such-file
        meteor:language=other,paraphrases=x | not used
        meteor:language=other,weights=1+1 | 2 weights for 1
        meteor:language=other,alpha=1.5 | alpha is 1.5
        meteor:language=other,beam-size=0 | beam-size";
    for [text, named] in table_rows(refused) {
        let (name, params) = Params::parse(text).unwrap();
        let entry = find_entry("metric", METRICS, &name).unwrap();
        let error = (entry.build.build)(&params, &Env::default()).err().unwrap();
        assert!(error.to_string().contains(named), "{text}: {error}");
    }
}

#[test]
fn listed_defaults_build_the_same_metric_as_none() {
    for (name, _) in ALL {
        let entry = find_entry("metric", METRICS, name).unwrap();
        let mut listed = (entry.parameters)();
        // What has no value by default is null there and cannot be given.
        listed
            .as_object_mut()
            .unwrap()
            .retain(|_, value| !value.is_null());
        let given = Params(toml::Table::try_from(listed).unwrap());
        let given = (entry.build.build)(&given, &Env::default()).unwrap();
        assert_eq!(given.signature(), metric(name).signature());
    }
}
