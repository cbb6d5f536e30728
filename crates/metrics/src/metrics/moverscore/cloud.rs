//! A text as weighted points.

use tiebreak_encoders::dot;

/// Weighted points.
#[derive(Debug, Clone, Default)]
pub(super) struct Cloud {
    /// Row-major, one row of `width` floats per point.
    pub points: Vec<f32>,
    /// The width of a row.
    pub width: usize,
    /// The weight of each point.
    pub weights: Vec<f64>,
}

impl Cloud {
    /// Adds a point of length 1, but for `guard`, which is added to the length it is divided by.
    pub(super) fn add(&mut self, point: &[f32], weight: f64, guard: f32) {
        self.width = point.len();
        let length = dot(point, point).sqrt() + guard;
        self.points.extend(point.iter().map(|x| x / length));
        self.weights.push(weight);
    }

    /// The weights with their sum made 1, but for `guard`, which is added to the sum.
    pub(super) fn shares(&self, guard: f64) -> Vec<f64> {
        let total = self.weights.iter().sum::<f64>() + guard;
        self.weights.iter().map(|weight| weight / total).collect()
    }

    /// The squared distance of every point to every other's: row-major, ours by theirs.
    ///
    /// In single precision, as in the originals: |x|² + |y|² − 2xy, at least 0.
    pub(super) fn squared_distances(&self, other: &Self) -> Vec<f32> {
        let squares = |cloud: &Self| -> Vec<f32> {
            let rows = cloud.points.chunks_exact(cloud.width.max(1));
            rows.map(|row| dot(row, row)).collect()
        };
        let theirs = squares(other);
        let mut distances = Vec::with_capacity(self.weights.len() * other.weights.len());
        let rows = self.points.chunks_exact(self.width.max(1));
        for (row, square) in rows.zip(squares(self)) {
            let others = other.points.chunks_exact(other.width.max(1));
            for (point, other) in others.zip(&theirs) {
                distances.push((square + other - 2.0 * dot(row, point)).max(0.0));
            }
        }
        distances
    }
}
