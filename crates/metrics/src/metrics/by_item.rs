//! Comparing hypotheses with references that are prepared once per item, not once per system.

use super::Segment;
use tiebreak_base::error::{Error, Result};

/// The references of one item, ready to be compared with hypotheses.
pub(super) trait ReferenceComparison {
    /// Replaces the references; there is at least one.
    fn set_references(&mut self, references: &[String]);

    /// Appends the values of a comparison: the same number of them for every hypothesis.
    fn compare(&mut self, hypothesis: &str, values: &mut Vec<f64>);

    /// The reason why the last comparison failed, for metrics that some texts are too long for.
    fn refusal(&self) -> Option<Error> {
        None
    }
}

/// Returns the values of `comparison` for each segment, one after the other.
///
/// Consecutive segments that share their references' slice are taken to be of one item. That is
/// a matter of speed only: equal references give equal values however they are stored.
pub(super) fn compare_all(
    metric: &str,
    mut comparison: impl ReferenceComparison,
    segments: &[Segment<'_>],
) -> Result<Vec<f64>> {
    let mut values = Vec::with_capacity(segments.len());
    let mut current: Option<&[String]> = None;
    for segment in segments {
        require_references(metric, segment)?;
        if !current.is_some_and(|references| std::ptr::eq(references, segment.references)) {
            comparison.set_references(segment.references);
            current = Some(segment.references);
        }
        comparison.compare(segment.hypothesis, &mut values);
        if let Some(error) = comparison.refusal() {
            return Err(error);
        }
    }
    Ok(values)
}

/// Refuses a segment without references.
pub(super) fn require_references(metric: &str, segment: &Segment<'_>) -> Result<()> {
    if segment.references.is_empty() {
        let what = format!("{metric} needs references, and a segment has none");
        return Err(Error::usage(what).with_hint("an item may have one reference or several"));
    }
    Ok(())
}

/// Groups segments by item: consecutive ones that share their references' slice.
pub(super) fn items<'a, 's>(
    segments: &'a [Segment<'s>],
) -> impl Iterator<Item = &'a [Segment<'s>]> {
    segments.chunk_by(|one, next| std::ptr::eq(one.references, next.references))
}
