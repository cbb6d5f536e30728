//! Scoring by the cosine of sentence vectors, each made once per item.

use super::items::{each_once, score_items};
use super::{MultiReference, Segment};
use crate::error::Result;

/// At most this length, a vector is taken for one of nothing, as in Chaganty's code.
const NOTHING: f64 = 1e-10;

/// The cosine of each segment's text and references, with `vector` giving the vector of a text.
///
/// # Errors
/// For segments without references, and those of `vector`.
pub(super) fn score(
    metric: &str,
    segments: &[Segment<'_>],
    multiple: MultiReference,
    vector: impl Fn(&str) -> Result<Vec<f32>> + Sync,
) -> Result<Vec<f64>> {
    score_items(metric, segments, |item| {
        let references = multiple.of(item[0].references);
        let texts = item.iter().map(|segment| segment.hypothesis);
        let all = references.iter().map(String::as_str).chain(texts);
        let vectors = each_once(all, &vector)?;
        let score = |segment: &Segment<'_>| {
            let text = &vectors[segment.hypothesis];
            let cosines = references
                .iter()
                .map(|reference| cosine(text, &vectors[reference.as_str()]));
            multiple.combine(&cosines.collect::<Vec<_>>())
        };
        Ok(item.iter().map(score).collect())
    })
}

/// The cosine of two vectors; 0 where one is of nothing.
fn cosine(x: &[f32], y: &[f32]) -> f64 {
    let product = |x: &[f32], y: &[f32]| -> f64 {
        x.iter()
            .zip(y)
            .map(|(&x, &y)| f64::from(x) * f64::from(y))
            .sum()
    };
    let lengths = [x, y].map(|x| product(x, x).sqrt());
    if lengths.iter().any(|&length| length <= NOTHING) {
        return 0.0;
    }
    product(x, y) / (lengths[0] * lengths[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_of_nothing_is_like_none() {
        assert_eq!(cosine(&[3.0, 4.0], &[6.0, 8.0]), 1.0);
        assert_eq!(cosine(&[3.0, 4.0], &[-4.0, 3.0]), 0.0);
        assert_eq!(cosine(&[0.0, 0.0], &[6.0, 8.0]), 0.0);
        assert_eq!(cosine(&[1e-11, 0.0], &[6.0, 8.0]), 0.0);
        assert!((cosine(&[1e-9, 0.0], &[6.0, 8.0]) - 0.6).abs() < 1e-12);
    }
}
