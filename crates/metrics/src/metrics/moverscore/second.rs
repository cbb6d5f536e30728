//! `moverscore_v2.py`: the last layer, first pieces of words, Euclidean distance.

use super::cloud::Cloud;
use super::transport::earth_movers_distance;

/// The guard added to what is divided by.
const GUARD: f64 = 1e-30;

/// The words of a text from its last hidden states; `kept` are the places of pieces that count.
pub(super) fn cloud(layer: &[f32], width: usize, kept: &[usize], weights: &[f64]) -> Cloud {
    let mut cloud = Cloud::default();
    for &place in kept {
        let point = &layer[place * width..(place + 1) * width];
        cloud.add(point, weights[place], GUARD as f32);
    }
    cloud
}

/// The score: 1 minus the cost of moving one cloud to the other; 1 where a side has no weight.
pub(super) fn score(text: &Cloud, reference: &Cloud) -> f64 {
    let distances = reference.squared_distances(text).into_iter();
    let cost: Vec<f64> = distances.map(|d| f64::from(d.max(1e-30).sqrt())).collect();
    1.0 - earth_movers_distance(&cost, &reference.shares(GUARD), &text.shares(GUARD))
}
