//! ROUGE as in ROUGE-1.5.5: definitions, and what its files and options must be like.

use super::texts::items;
use super::{metric, score};
use crate::support::{assert_contains, table_rows};
use std::fs;
use tiebreak::env::Env;
use tiebreak::metrics::{METRICS, Segment};
use tiebreak::registry::{Params, find_entry};

fn words(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .map(str::to_string)
        .collect()
}

/// All pairs with at most `most` words between, and the words that begin one.
fn pairs(text: &str, most: usize) -> Vec<(String, String)> {
    let words = words(text);
    let mut found = Vec::new();
    for i in 0..words.len() {
        if i + 1 < words.len() {
            found.push((words[i].clone(), String::new()));
        }
        for j in i + 1..words.len() {
            if j - i - 1 <= most {
                found.push((words[i].clone(), words[j].clone()));
            }
        }
    }
    found
}

fn shared(text: &[(String, String)], reference: &[(String, String)]) -> usize {
    let mut left = reference.to_vec();
    let take = |pair: &&(String, String)| {
        let at = left.iter().position(|other| other == *pair);
        at.map(|at| left.swap_remove(at)).is_some()
    };
    text.iter().filter(take).count()
}

#[test]
fn rouge_su4_is_its_definition() {
    for (most, name) in [
        (4, "rouge-su4:measure=recall"),
        (1, "rouge-su4:skip-distance=1,measure=recall"),
    ] {
        let metric = metric(name);
        let mut positive = 0;
        for (text, references) in items("skip-bigrams", 150) {
            let own = pairs(&text, most);
            let (mut hits, mut all) = (0, 0);
            for reference in &references {
                let other = pairs(reference, most);
                hits += shared(&own, &other);
                all += other.len();
            }
            let expected = hits as f64 / all.max(1) as f64;
            let got = score(metric.as_ref(), &text, &references);
            assert!(
                (got - expected).abs() <= 5.1e-6,
                "{text:?}: {got}, expected {expected}"
            );
            positive += usize::from(hits > 0);
        }
        assert!(positive > 50, "{name}: {positive}");
    }
}

#[test]
fn the_best_reference_is_at_least_as_good_as_their_average() {
    let (average, best) = (
        metric("rouge-su4:measure=recall"),
        metric("rouge-su4:references=best,measure=recall"),
    );
    for (text, references) in items("best", 150) {
        let [average, best] =
            [&average, &best].map(|metric| score(metric.as_ref(), &text, &references));
        assert!(best + 5.1e-6 >= average, "{text:?}: {best} {average}");
    }
}

#[test]
fn files_of_the_program_are_read_and_named_in_the_signature() {
    let folder = tempfile::tempdir().unwrap();
    let (stems, stop) = (
        folder.path().join("stems.tsv"),
        folder.path().join("stop.txt"),
    );
    fs::write(&stems, "went\tgo\n").unwrap();
    fs::write(&stop, "the\nof\n").unwrap();
    let text = format!(
        "rouge-su4:stem=true,exceptions={},stop-words={}",
        stems.display(),
        stop.display()
    );
    let metric = metric(&text);
    let references = ["they go of houses swimming".to_string()];
    assert_eq!(
        score(metric.as_ref(), "they went the house swim", &references),
        1.0
    );
    let signature = metric.signature().to_string();
    assert_contains(&signature, &["|stem:exceptions[", "|stop:list["]);
    assert_eq!(
        super::metric("rouge-su4:words=50,skip-distance=-1")
            .signature()
            .to_string(),
        "rouge-su4|skip:any|unigrams:yes|stem:no|stop:no|limit:words[50]|refs:average|alpha:0.5|measure:fmeasure|version:1"
    );
}

/// Every kind, with options of the program that keep whole texts.
const KINDS: [&str; 8] = [
    "rouge-1:implementation=1.5.5",
    "rouge-2:implementation=1.5.5,use-stemmer=true",
    "rouge-3:implementation=1.5.5,references=best",
    "rouge-4:implementation=1.5.5,alpha=0.2",
    "rouge-l:implementation=1.5.5",
    "rouge-lsum:implementation=1.5.5,measure=recall",
    "rouge-su4:skip-distance=-1",
    "rouge-w:weight=1.5",
];

#[test]
fn every_kind_is_one_for_the_same_text_and_zero_for_a_stranger() {
    let text = "a well-known fact, or so they said\nin 2020";
    for kind in KINDS {
        let metric = metric(kind);
        let same = score(metric.as_ref(), text, &[text.to_string()]);
        let stranger = score(metric.as_ref(), "nothing else", &[text.to_string()]);
        // The program raises the sum of a reference's weighted lines to the weight once more.
        let expected = if kind.starts_with("rouge-w") {
            0.3..1.0
        } else {
            1.0..1.1
        };
        assert!(expected.contains(&same), "{kind}: {same}");
        assert_eq!(stranger, 0.0, "{kind}");
        for (text, references) in items("kinds", 100) {
            let score = score(metric.as_ref(), &text, &references);
            assert!((0.0..=1.0).contains(&score), "{kind} of {text:?}: {score}");
        }
    }
}

#[test]
fn a_limit_of_words_is_that_of_the_text_cut_there() {
    for [cut, whole] in table_rows(
        "rouge-2:implementation=1.5.5,words=4 | rouge-2:implementation=1.5.5
         rouge-l:implementation=1.5.5,words=4 | rouge-l:implementation=1.5.5
         rouge-su4:words=4                    | rouge-su4",
    ) {
        let (cut, whole) = (metric(cut), metric(whole));
        let first = |text: &str, words: usize| -> String {
            let words: Vec<&str> = text.split_ascii_whitespace().take(words).collect();
            words.join(" ")
        };
        for (text, references) in items("limit", 100) {
            let all = [&text, &references[0]].map(|text| first(text, usize::MAX));
            let four = [&text, &references[0]].map(|text| first(text, 4));
            let got = score(cut.as_ref(), &all[0], &all[1..]);
            let expected = score(whole.as_ref(), &four[0], &four[1..]);
            assert_eq!(got, expected, "{text:?}");
        }
    }
}

#[test]
fn rouge_l_of_captions_takes_the_best_share_of_any_reference() {
    let metric = metric("rouge-l:implementation=nlg-eval");
    let references = ["a b c d".to_string(), "a x".to_string()];
    // Of the text half is in either; it is all of what the second has but for one word of two.
    let (precision, recall) = (1.0, 0.5);
    let expected = (1.0 + 1.44) * precision * recall / (recall + 1.44 * precision);
    let got = score(metric.as_ref(), " a b ", &references);
    assert!((got - expected).abs() < 1e-12, "{got}");
    // Two spaces have an empty word between them.
    let got = score(metric.as_ref(), "a  b", &["a b".to_string()]);
    assert!(got < 1.0, "{got}");
}

#[test]
fn what_makes_no_sense_is_refused_and_a_missing_file_named() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.tsv");
    fs::write(&broken, "geese goose\n").unwrap();
    let broken = format!("rouge-su4:stem=true,exceptions={}", broken.display());
    let refused = [
        ("rouge-su4:words=5,bytes=5", "words and bytes"),
        ("rouge-su4:words=0", "is 0"),
        ("rouge-su4:implementation=1.5.5", "implementation"),
        ("rouge-w:weight=0.5", "weight is 0.5"),
        ("rouge-2:alpha=0.2", "alpha is for another"),
        ("rouge-l:implementation=1.5.5,beta=2", "beta is for another"),
        (
            "rouge-l:implementation=nlg-eval,words=5",
            "words is for another",
        ),
        (
            "rouge-l:implementation=nlg-eval,use-stemmer=true",
            "stemming",
        ),
        ("rouge-1:implementation=nlg-eval", "rouge-l only"),
        ("rouge-l:implementation=nlg-eval,beta=-1", "beta is -1"),
        ("rouge-l:implementation=2", "implementation"),
        ("rouge-su4:alpha=2", "alpha"),
        ("rouge-su4:exceptions=x", "stemming"),
        ("rouge-su4:stop-words=no-such-file", "no-such-file"),
        (&broken, "line 1 is `geese goose`"),
    ];
    for (text, named) in refused {
        let (name, params) = Params::parse(text).unwrap();
        let entry = find_entry("metric", METRICS, &name).unwrap();
        let error = (entry.build.build)(&params, &Env::default()).err().unwrap();
        assert!(error.to_string().contains(named), "{text}: {error}");
        assert_eq!(error.exit_code(), 2, "{text}");
    }
    let segment = Segment {
        hypothesis: "a",
        references: &[],
        context: None,
    };
    assert!(metric("rouge-su4").score(&[segment]).is_err());
}
