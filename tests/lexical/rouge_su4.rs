//! ROUGE-SU4 against its definition, and what its files and flags must be like.

use super::texts::items;
use super::{metric, score};
use std::fs;
use tiebreak::env::Env;
use tiebreak::metrics::{METRICS, Segment};
use tiebreak::registry::{Params, find};

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
    assert!(
        signature.contains("|stem:exceptions[") && signature.contains("|stop:list["),
        "{signature}"
    );
    assert_eq!(
        super::metric("rouge-su4:words=50,skip-distance=-1")
            .signature()
            .to_string(),
        "rouge-su4|skip:any|unigrams:yes|stem:no|stop:no|limit:words[50]|refs:average|alpha:0.5|measure:fmeasure|version:1"
    );
}

#[test]
fn what_makes_no_sense_is_refused_and_a_missing_file_named() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.tsv");
    fs::write(&broken, "geese goose\n").unwrap();
    let broken = format!("rouge-su4:stem=true,exceptions={}", broken.display());
    let refused = [
        ("rouge-su4:words=5,bytes=5", "words and bytes"),
        ("rouge-su4:alpha=2", "alpha"),
        ("rouge-su4:exceptions=x", "stemming"),
        ("rouge-su4:stop-words=no-such-file", "no-such-file"),
        (&broken, "line 1 is `geese goose`"),
    ];
    for (text, named) in refused {
        let (name, params) = Params::parse(text).unwrap();
        let entry = find("metric", METRICS, &name).unwrap();
        let error = (entry.build)(&params, &Env::default()).err().unwrap();
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
