//! Scoring item by item, items in parallel.

use super::Segment;
use super::by_item::{items, require_references};
use rayon::prelude::*;
use std::collections::BTreeMap;
use tiebreak_base::error::Result;

/// Returns what `score` gives for the segments of each item, items in parallel. Every item has at
/// least one segment and one reference.
pub(super) fn score_items<T: Send>(
    metric: &str,
    segments: &[Segment<'_>],
    score: impl Fn(&[Segment<'_>]) -> Result<Vec<T>> + Sync,
) -> Result<Vec<T>> {
    let items: Vec<&[Segment<'_>]> = items(segments).collect();
    // Collected before it is searched for an error, so that the first error is returned.
    let scores: Vec<Result<Vec<T>>> = items
        .par_iter()
        .map(|item| {
            require_references(metric, &item[0])?;
            score(item)
        })
        .collect();
    let scores: Vec<Vec<T>> = scores.into_iter().collect::<Result<_>>()?;
    Ok(scores.into_iter().flatten().collect())
}

/// Applies `make` to each distinct text once, since many systems write the same.
pub(super) fn each_once<'a, T>(
    texts: impl IntoIterator<Item = &'a str>,
    mut make: impl FnMut(&'a str) -> Result<T>,
) -> Result<BTreeMap<&'a str, T>> {
    let mut made = BTreeMap::new();
    for text in texts {
        if !made.contains_key(text) {
            made.insert(text, make(text)?);
        }
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_text_is_made_once_and_found_again() {
        let calls = Cell::new(0);
        let made = each_once(["rain", "sun", "rain", "rain"], |text| {
            calls.set(calls.get() + 1);
            Ok(text.len())
        });
        let made = made.unwrap();
        assert_eq!((made["rain"], made["sun"], calls.get()), (4, 3, 2));
    }
}
