//! Scoring by the cosine of sentence vectors, each made once per batch of items.

use super::batches::{all_once, score_batches};
use super::{MultiReference, Segment};
use tiebreak_base::error::Result;

/// The length up to which a vector is taken for one of nothing, as in Chaganty's code.
const NOTHING: f64 = 1e-10;

/// The cosine of each segment's text and references, with `vectors` giving the vectors of distinct
/// texts.
///
/// # Errors
/// For segments without references, and those of `vectors`.
pub(super) fn score(
    metric: &str,
    segments: &[Segment<'_>],
    multiple: MultiReference,
    vectors: impl Fn(&[&str]) -> Result<Vec<Vec<f32>>> + Sync,
) -> Result<Vec<f64>> {
    score_batches(metric, segments, |items| {
        let all = items.iter().flat_map(|item| {
            let references = multiple.considered(item[0].references).iter();
            let texts = item.iter().map(|segment| segment.hypothesis);
            references.map(String::as_str).chain(texts)
        });
        let vectors = all_once(all, &vectors)?;
        let score = |segment: &Segment<'_>, references: &[String]| {
            let text = &vectors[segment.hypothesis];
            let cosines = references
                .iter()
                .map(|reference| cosine(text, &vectors[reference.as_str()]));
            multiple.combine(&cosines.collect::<Vec<_>>())
        };
        let scores = items.iter().flat_map(|item| {
            let references = multiple.considered(item[0].references);
            item.iter().map(move |segment| (segment, references))
        });
        Ok(scores
            .map(|(segment, references)| score(segment, references))
            .collect())
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
