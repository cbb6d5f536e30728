//! Scoring in batches of items, batches in parallel, for metrics that encode texts.

use super::Segment;
use super::by_item::{items, require_references};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::error::Result;

/// The approximate number of outputs of a batch: enough for an encoder to run side by side, few
/// enough to hold their encodings in memory.
const OUTPUTS: usize = 32;

/// Returns what `score` gives for the segments of some items, batches of items in parallel. Every
/// item has at least one segment and one reference.
pub(super) fn score_batches<T: Send>(
    metric: &str,
    segments: &[Segment<'_>],
    score: impl Fn(&[&[Segment<'_>]]) -> Result<Vec<T>> + Sync,
) -> Result<Vec<T>> {
    let mut batches: Vec<Vec<&[Segment<'_>]>> = Vec::new();
    let mut room = 0;
    for item in items(segments) {
        require_references(metric, &item[0])?;
        if room == 0 {
            batches.push(Vec::new());
            room = OUTPUTS;
        }
        batches.last_mut().expect("just made").push(item);
        room = room.saturating_sub(item.len());
    }
    // Collected before it is searched for an error, so that the first error is returned.
    let scores: Vec<Result<Vec<T>>> = batches.par_iter().map(|batch| score(batch)).collect();
    let scores: Vec<Vec<T>> = scores.into_iter().collect::<Result<_>>()?;
    Ok(scores.into_iter().flatten().collect())
}

/// Applies `make` to all distinct texts at once, since many systems write the same.
pub(super) fn all_once<'a, T>(
    texts: impl IntoIterator<Item = &'a str>,
    make: impl FnOnce(&[&'a str]) -> Result<Vec<T>>,
) -> Result<BTreeMap<&'a str, T>> {
    let distinct: BTreeSet<&str> = texts.into_iter().collect();
    let distinct: Vec<&str> = distinct.into_iter().collect();
    let made = make(&distinct)?;
    Ok(distinct.into_iter().zip(made).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_made_once_and_found_again() {
        let made = all_once(["rain", "sun", "rain", "rain"], |texts| {
            assert_eq!(texts, ["rain", "sun"]);
            Ok(texts.iter().map(|text| text.len()).collect())
        });
        let made = made.unwrap();
        assert_eq!((made["rain"], made["sun"]), (4, 3));
    }

    #[test]
    fn batches_are_whole_items_in_order() {
        let references: Vec<Vec<String>> = (0..9).map(|i| vec![i.to_string()]).collect();
        let segments: Vec<Segment<'_>> = (0..9)
            .flat_map(|i| vec![&references[i]; 10 * i + 1])
            .map(|references| Segment {
                hypothesis: "a text",
                references,
                context: None,
            })
            .collect();
        let found = score_batches("metric", &segments, |items| {
            let of = |item: &&[Segment<'_>]| vec![item[0].references[0].clone(); item.len()];
            Ok(items.iter().flat_map(of).collect())
        });
        let expected: Vec<String> = segments.iter().map(|s| s.references[0].clone()).collect();
        assert_eq!(found.unwrap(), expected);
    }
}
