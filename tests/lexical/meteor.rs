//! METEOR without tables, against what must hold for any text.

use super::texts::items;
use super::{metric, score};
use tiebreak::metrics::Segment;

const OTHER: &str = "meteor:language=other";

#[test]
fn equal_texts_score_one_and_others_less() {
    let metric = metric(OTHER);
    for (text, references) in items("meteor", 200) {
        let found = score(metric.as_ref(), &text, &references);
        assert!((0.0..=1.0).contains(&found), "{text:?}: {found}");
        if !text.trim().is_empty() {
            let same = score(metric.as_ref(), &text, std::slice::from_ref(&text));
            assert!((same - 1.0).abs() < 1e-12, "{text:?}: {same}");
        }
    }
}

#[test]
fn the_best_reference_counts_wherever_it_stands() {
    let metric = metric(OTHER);
    for (text, references) in items("meteor references", 200) {
        let alone = references.iter();
        let alone =
            alone.map(|reference| score(metric.as_ref(), &text, std::slice::from_ref(reference)));
        let best = alone.fold(0.0, f64::max);
        assert_eq!(score(metric.as_ref(), &text, &references), best, "{text:?}");
    }
}

#[test]
fn words_in_order_beat_words_in_disorder() {
    let metric = metric(OTHER);
    let references = ["the river runs past the old mill".to_string()];
    let of = |text: &str| score(metric.as_ref(), text, &references);
    let (in_order, in_disorder) = (
        of("the river runs past a mill"),
        of("mill a past runs river the"),
    );
    assert!(
        in_order > in_disorder && in_disorder > of("a stream"),
        "{in_order} {in_disorder}"
    );
}

#[test]
fn stems_match_where_they_are_asked_for() {
    let references = ["the mills turned slowly".to_string()];
    let of = |name: &str| score(metric(name).as_ref(), "the mill turns slow", &references);
    assert!(of("meteor:language=other,modules=exact+stem") > of(OTHER));
    let light = of("meteor:language=other,modules=exact+stem,weights=1+0.5");
    assert!(of("meteor:language=other,modules=exact+stem") > light);
}

#[test]
fn a_system_that_copies_its_references_scores_one_as_a_whole() {
    let references = ["one two three".to_string(), "four five".to_string()];
    let segments: Vec<_> = (0..2)
        .map(|at| Segment {
            hypothesis: &references[at],
            references: &references[at..=at],
            context: None,
        })
        .collect();
    let metric = metric(OTHER);
    let corpus = metric.corpus().unwrap();
    let rows = corpus.statistics(&segments).unwrap();
    let (first, second) = rows.split_at(corpus.width());
    let totals: Vec<f64> = first.iter().zip(second).map(|(a, b)| a + b).collect();
    assert_eq!(corpus.aggregate(&totals), 1.0);
}

#[test]
fn long_texts_that_repeat_themselves_are_aligned() {
    let text = "over and out and over again ".repeat(60);
    let reversed = "again over and out and over ".repeat(60);
    let found = score(metric(OTHER).as_ref(), &text, &[reversed]);
    assert!(found > 0.5 && found < 1.0, "{found}");
}
