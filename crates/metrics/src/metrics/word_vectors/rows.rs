//! From the vectors of words to one number.

use tiebreak_encoders::dot;

/// Replaces rows by their sum; none stay none.
pub(super) fn average(rows: &mut Vec<f32>, width: usize) {
    fold(rows, width, |sum, x| sum + x);
}

/// Replaces rows by one that has, in every dimension, the number of largest magnitude: the largest
/// if it exceeds the magnitude of the smallest, else the smallest. Where the smallest is exactly 0
/// the result is 0, as in nlg-eval.
pub(super) fn extrema(rows: &mut Vec<f32>, width: usize) {
    let mut largest = rows.clone();
    fold(&mut largest, width, f32::max);
    fold(rows, width, f32::min);
    for (smallest, &largest) in rows.iter_mut().zip(&largest) {
        if *smallest > 0.0 || (*smallest < 0.0 && largest > -*smallest) {
            *smallest = largest;
        }
    }
}

/// Replaces rows by one, made by `join` dimension by dimension.
fn fold(rows: &mut Vec<f32>, width: usize, join: impl Fn(f32, f32) -> f32) {
    if let Some((first, others)) = rows.split_at_mut_checked(width) {
        for other in others.chunks_exact(width) {
            for (x, &y) in first.iter_mut().zip(other) {
                *x = join(*x, y);
            }
        }
        rows.truncate(width);
    }
}

/// The match of the rows of two texts, each of length 1 or 0: the mean over rows of the largest
/// cosine with a row of the other text, and over both directions. For texts of one row it is their
/// cosine; it is 0 if there is no row to match.
pub(super) fn greedy(ours: &[f32], theirs: &[f32], width: usize) -> f64 {
    let lowest = |rows: &[f32]| vec![f32::NEG_INFINITY; rows.len() / width];
    let (mut best_ours, mut best_theirs) = (lowest(ours), lowest(theirs));
    if best_ours.is_empty() || best_theirs.is_empty() {
        return 0.0;
    }
    for (our, best_our) in ours.chunks_exact(width).zip(&mut best_ours) {
        for (their, best_their) in theirs.chunks_exact(width).zip(&mut best_theirs) {
            let cosine = dot(our, their);
            *best_our = best_our.max(cosine);
            *best_their = best_their.max(cosine);
        }
    }
    let mean = |best: &[f32]| best.iter().copied().map(f64::from).sum::<f64>() / best.len() as f64;
    f64::midpoint(mean(&best_ours), mean(&best_theirs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_joined_by_dimension() {
        let rows = [1.0, -2.0, 0.5, 0.0, 3.0, -3.0, 0.25, 1.0];
        let mut sum = rows.to_vec();
        average(&mut sum, 4);
        assert_eq!(sum, [4.0, -5.0, 0.75, 1.0]);
        let mut extreme = rows.to_vec();
        extrema(&mut extreme, 4);
        // Only positive: the largest. Only negative: the smallest. The smallest is 0: 0.
        assert_eq!(extreme, [3.0, -3.0, 0.5, 0.0]);
        let mut opposed = vec![2.0, -2.0, -1.0, 3.0];
        extrema(&mut opposed, 2);
        // 2 against −1, and 3 against −2.
        assert_eq!(opposed, [2.0, 3.0]);
        let mut tied = vec![2.0, -2.0];
        extrema(&mut tied, 1);
        assert_eq!(tied, [-2.0]);
        let mut none = Vec::new();
        extrema(&mut none, 4);
        assert!(none.is_empty());
    }

    #[test]
    fn a_small_match_by_hand() {
        // Cosines (1, 0.6) and (0, 0.8): ours find 1 and 0.8, theirs 1 and 0.8.
        let score = greedy(&[1.0, 0.0, 0.0, 1.0], &[1.0, 0.0, 0.6, 0.8], 2);
        assert!((score - 0.9).abs() < 1e-7);
        let score = greedy(&[1.0, 0.0], &[1.0, 0.0, 0.6, 0.8], 2);
        assert!((score - f64::midpoint(1.0, 0.8)).abs() < 1e-7);
        assert_eq!(greedy(&[], &[1.0, 0.0], 2), 0.0);
    }
}
