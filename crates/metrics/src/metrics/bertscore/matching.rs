//! Greedy matching of the word pieces of two texts.

use tiebreak_encoders::dot;

/// A text as the unit vectors of its pieces.
pub(super) struct PieceEmbeddings {
    /// Row-major, one row of `width` floats per piece.
    pub vectors: Vec<f32>,
    /// The width of a row.
    pub width: usize,
    /// The weight of each piece; all 0 for a text of nothing but special pieces.
    pub weights: Vec<f64>,
}

/// The match of two texts; each number is at most 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Match {
    /// Precision: how well the pieces of the text are found in the reference.
    pub precision: f64,
    /// Recall: how well the pieces of the reference are found in the text.
    pub recall: f64,
    /// F: the harmonic mean of precision and recall.
    pub f: f64,
}

/// Matches every piece of each text with the most similar one of the other; 0 where one weighs
/// nothing.
pub(super) fn compare(hypothesis: &PieceEmbeddings, reference: &PieceEmbeddings) -> Match {
    let lowest = |pieces: &PieceEmbeddings| vec![f32::NEG_INFINITY; pieces.weights.len()];
    let (mut ours, mut theirs) = (lowest(hypothesis), lowest(reference));
    let rows = hypothesis.vectors.chunks_exact(hypothesis.width);
    for (row, our) in rows.zip(&mut ours) {
        let others = reference.vectors.chunks_exact(reference.width);
        for (other, their) in others.zip(&mut theirs) {
            let cosine = dot(row, other);
            *our = our.max(cosine);
            *their = their.max(cosine);
        }
    }
    let (Some(precision), Some(recall)) = (
        weighted_mean(&ours, &hypothesis.weights),
        weighted_mean(&theirs, &reference.weights),
    ) else {
        return Match::default();
    };
    let sum = precision + recall;
    Match {
        precision,
        recall,
        f: if sum == 0.0 {
            0.0
        } else {
            2.0 * precision * recall / sum
        },
    }
}

fn weighted_mean(values: &[f32], weights: &[f64]) -> Option<f64> {
    let total: f64 = weights.iter().sum();
    let pairs = values.iter().zip(weights);
    let sum: f64 = pairs
        .map(|(&value, weight)| f64::from(value) * weight)
        .sum();
    (total > 0.0).then(|| sum / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(rows: &[[f32; 2]], weights: &[f64]) -> PieceEmbeddings {
        PieceEmbeddings {
            vectors: rows.concat(),
            width: 2,
            weights: weights.to_vec(),
        }
    }

    #[test]
    fn a_small_match_by_hand() {
        // Cosines of the text's pieces with the reference's: (1, 0.6) and (0, 0.8).
        let text = pieces(&[[1.0, 0.0], [0.0, 1.0]], &[1.0, 3.0]);
        let reference = pieces(&[[1.0, 0.0], [0.6, 0.8]], &[1.0, 1.0]);
        let found = compare(&text, &reference);
        let (precision, recall) = ((1.0 + 3.0 * 0.8) / 4.0, 0.9);
        assert!((found.precision - precision).abs() < 1e-7);
        assert!((found.recall - recall).abs() < 1e-7);
        let f = 2.0 * precision * recall / (precision + recall);
        assert!((found.f - f).abs() < 1e-7);
        // With the texts swapped, precision and recall swap too.
        let turned = compare(&reference, &text);
        assert_eq!(
            (turned.precision, turned.recall),
            (found.recall, found.precision)
        );
    }

    #[test]
    fn a_text_without_weight_scores_nothing() {
        let text = pieces(&[[1.0, 0.0]], &[1.0]);
        let nothing = pieces(&[[1.0, 0.0]], &[0.0]);
        assert_eq!(compare(&text, &nothing), Match::default());
        assert_eq!(compare(&nothing, &text), Match::default());
    }
}
