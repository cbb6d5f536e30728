//! Scoring item by item, items in parallel.

use super::Segment;
#[cfg(feature = "neural")]
use {super::by_item::require_references, crate::error::Result, rayon::prelude::*};

/// Consecutive segments that share their references' slice: those of one item.
pub(super) fn items<'a, 's>(
    segments: &'a [Segment<'s>],
) -> impl Iterator<Item = &'a [Segment<'s>]> {
    segments.chunk_by(|one, next| std::ptr::eq(one.references, next.references))
}

/// What `score` gives to the segments of each item, items in parallel. Every item has at least one
/// segment and one reference.
#[cfg(feature = "neural")]
pub(super) fn score_items<T: Send>(
    metric: &str,
    segments: &[Segment<'_>],
    score: impl Fn(&[Segment<'_>]) -> Result<Vec<T>> + Sync,
) -> Result<Vec<T>> {
    let items: Vec<&[Segment<'_>]> = items(segments).collect();
    // Collected before it is searched for an error, so that the first one is told.
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
