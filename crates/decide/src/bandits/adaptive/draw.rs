//! A draw of all margins, and the order it puts the systems in.

/// Margins drawn together.
#[derive(Debug, Clone)]
pub(super) struct MarginSample {
    k: usize,
    /// At i·K + j.
    margins: Vec<f64>,
}

impl MarginSample {
    pub(super) fn new(k: usize, margins: Vec<f64>) -> Self {
        debug_assert_eq!(margins.len(), k * k);
        Self { k, margins }
    }

    /// The margin of i over j.
    pub(super) fn get(&self, i: usize, j: usize) -> f64 {
        self.margins[i * self.k + j]
    }

    /// The number of duels a system wins, then the sum of its margins.
    fn score(&self, i: usize) -> (usize, f64) {
        let row = &self.margins[i * self.k..(i + 1) * self.k];
        let wins = row.iter().filter(|&&margin| margin > 0.0).count();
        (wins, row.iter().sum())
    }

    /// The Copeland winner; of several, the one whose margins sum to most.
    pub(super) fn winner(&self) -> usize {
        let mut best = (0, self.score(0));
        for i in 1..self.k {
            let score = self.score(i);
            if score > best.1 {
                best = (i, score);
            }
        }
        best.0
    }

    /// The system that beats all others, if there is one. A margin of 0 is no win.
    pub(super) fn condorcet_winner(&self) -> Option<usize> {
        (0..self.k).find(|&i| self.score(i).0 + 1 == self.k)
    }

    /// All systems by Copeland score, equals by the sum of their margins.
    pub(super) fn order(&self) -> Vec<usize> {
        let score = |i| {
            let (wins, sum) = self.score(i);
            (wins as f64, sum)
        };
        let scores: Vec<(f64, f64)> = (0..self.k).map(score).collect();
        best_first(&scores)
    }
}

/// The places of scores from the highest to the lowest; equals in the order given.
pub(super) fn best_first(scores: &[(f64, f64)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (scores[a], scores[b]);
        b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1))
    });
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wins_count_before_margins() {
        // 0 beats 1 and 2 narrowly; 1 beats 2 by far.
        let margins = vec![0.0, 0.01, 0.01, -0.01, 0.0, 0.4, -0.01, -0.4, 0.0];
        let drawn = MarginSample::new(3, margins);
        assert_eq!((drawn.winner(), drawn.order()), (0, vec![0, 1, 2]));
        assert_eq!(drawn.condorcet_winner(), Some(0));
        // A cycle: each wins once, and 2 wins by most.
        let cycle = MarginSample::new(3, vec![0.0, 0.1, -0.3, -0.1, 0.0, 0.1, 0.3, -0.1, 0.0]);
        assert_eq!((cycle.winner(), cycle.order()), (2, vec![2, 1, 0]));
        assert_eq!((cycle.get(2, 0), cycle.condorcet_winner()), (0.3, None));
    }

    #[test]
    fn a_tie_beats_nobody() {
        let tied = MarginSample::new(3, vec![0.0, 0.0, 0.1, 0.0, 0.0, 0.2, -0.1, -0.2, 0.0]);
        assert_eq!(tied.condorcet_winner(), None);
    }
}
