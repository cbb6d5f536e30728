//! `moverscore.py`: n-grams of words over the last five layers, squared Euclidean distance.

use super::cloud::Cloud;
use super::transport::earth_movers_distance;
use tiebreak_encoders::{HiddenStates, normalise};

/// The number of last layers combined, where there are as many; the embeddings are never used.
pub(super) const LAYERS: usize = 5;

/// The guard added to sums of weights that are divided by.
const GUARD: f64 = 1e-5;

/// The n-grams of a text from its last hidden states; `kept` are the places of pieces that count.
/// A text shorter than `n` is one n-gram.
pub(super) fn cloud(hidden: &HiddenStates, kept: &[usize], weights: &[f64], n: usize) -> Cloud {
    let words: Vec<Vec<f32>> = kept.iter().map(|&place| word(hidden, place)).collect();
    let weights: Vec<f64> = kept.iter().map(|&place| weights[place]).collect();
    let n = n.min(words.len()).max(1);
    let mut cloud = Cloud::default();
    for (words, weights) in words.windows(n).zip(weights.windows(n)) {
        let total: f64 = weights.iter().sum();
        let mut point = vec![0.0; 3 * hidden.width];
        for (word, weight) in words.iter().zip(weights) {
            let share = (weight / (total + GUARD)) as f32;
            point
                .iter_mut()
                .zip(word)
                .for_each(|(sum, x)| *sum += share * x);
        }
        cloud.add(&point, total, 1e-6);
    }
    cloud
}

/// Minimum, mean and maximum of a piece's unit vectors, one after the other.
fn word(hidden: &HiddenStates, place: usize) -> Vec<f32> {
    let width = hidden.width;
    let mut combined = [
        vec![f32::INFINITY; width],
        vec![0.0; width],
        vec![f32::NEG_INFINITY; width],
    ];
    for layer in &hidden.layers {
        let mut row = layer[place * width..(place + 1) * width].to_vec();
        normalise(&mut row);
        let [lowest, sum, highest] = &mut combined;
        for (k, x) in row.into_iter().enumerate() {
            lowest[k] = lowest[k].min(x);
            sum[k] += x;
            highest[k] = highest[k].max(x);
        }
    }
    let share = 1.0 / hidden.layers.len() as f32;
    for x in &mut combined[1] {
        *x *= share;
    }
    combined.concat()
}

/// The score: 1 minus the cost of moving one cloud to the other. What one side weighs more, and
/// cannot be moved, costs the largest distance between any two points, of whichever side.
pub(super) fn score(text: &Cloud, reference: &Cloud) -> f64 {
    let between = reference.squared_distances(text);
    let all = [
        &between[..],
        &text.squared_distances(text),
        &reference.squared_distances(reference),
    ];
    let largest = all.concat().into_iter().fold(0.0, f32::max);
    let cost: Vec<f64> = between.into_iter().map(f64::from).collect();
    let (given, wanted) = (reference.shares(GUARD), text.shares(GUARD));
    let surplus = (given.iter().sum::<f64>() - wanted.iter().sum::<f64>()).abs();
    1.0 - earth_movers_distance(&cost, &given, &wanted) - f64::from(largest) * surplus
}
