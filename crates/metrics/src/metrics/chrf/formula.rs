//! Precision and recall of n-grams, averaged over the orders, and their F.

use super::ChrfParams;

/// The F score, 0 to 1, of (text, reference, matches) for each order.
pub(super) fn f_score(params: &ChrfParams, statistics: &[f64]) -> f64 {
    const EPSILON: f64 = 1e-16;
    let weight = params.beta * params.beta;
    let f = |precision: f64, recall: f64| {
        (1.0 + weight) * precision * recall / (weight * precision + recall)
    };
    let share = |matches: f64, all: f64| if all > 0.0 { matches / all } else { EPSILON };
    let (mut precision, mut recall, mut effective, mut sum) = (0.0, 0.0, 0.0, 0.0);
    for order in statistics.chunks_exact(3) {
        let (p, r) = (share(order[2], order[0]), share(order[2], order[1]));
        sum += if p + r > 0.0 { f(p, r) } else { EPSILON };
        if order[0] > 0.0 && order[1] > 0.0 {
            precision += p;
            recall += r;
            effective += 1.0;
        }
    }
    if params.eps_smoothing {
        sum / (params.char_order + params.word_order) as f64
    } else if precision + recall > 0.0 {
        f(precision / effective, recall / effective)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f_by_hand() {
        // Precision 3/4 and recall 3/6 over one order: F2 = 5 · 3/8 / (4 · 3/4 + 1/2).
        let params = ChrfParams::default();
        let expected = 5.0 * 0.375 / 3.5;
        assert!((f_score(&params, &[4.0, 6.0, 3.0]) - expected).abs() < 1e-9);
        // An order that one side lacks does not count.
        let two = [4.0, 6.0, 3.0, 0.0, 5.0, 0.0];
        assert!((f_score(&params, &two) - expected).abs() < 1e-9);
    }
}
