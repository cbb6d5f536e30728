//! Accuracy-rejection curves, which show what an uncertainty is worth: the accuracy of the rest
//! when the most uncertain predictions are rejected.
//!
//! Source: Nadeem, Zucker and Hanczar, "Accuracy-rejection curves (ARCs) for comparing
//! classification methods with a reject option", MLSB 2010. An order that knows nothing keeps the
//! same accuracy throughout; an oracle rejects all mistakes first.
//!
//! Equally uncertain predictions are rejected together, share by share, so the order of the input
//! does not matter. Then R(s), what is right among the most certain share s, is linear within each
//! group of equals. The area ∫ R(s)/s ds is a sum of logarithms.

/// Predictions by rising uncertainty.
#[derive(Debug, Clone)]
pub(crate) struct Rejection {
    /// Groups of equally uncertain predictions.
    groups: Vec<Vec<usize>>,
}

impl Rejection {
    /// Orders predictions by their uncertainty.
    pub(crate) fn new(uncertainty: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..uncertainty.len()).collect();
        order.sort_by(|&i, &j| uncertainty[i].total_cmp(&uncertainty[j]));
        let groups = order.chunk_by(|&i, &j| uncertainty[i] == uncertainty[j]);
        Self {
            groups: groups.map(<[usize]>::to_vec).collect(),
        }
    }

    /// (weight, weighted right) of every group that has weight.
    fn sums<'a>(
        &'a self,
        right: &'a [f64],
        weight: &'a [f64],
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let sum = |group: &Vec<usize>| {
            group.iter().fold((0.0, 0.0), |(all, good), &i| {
                (all + weight[i], good + weight[i] * right[i])
            })
        };
        self.groups.iter().map(sum).filter(|sum| sum.0 > 0.0)
    }

    /// The area under the accuracy over the rejected share from 0 to 1. `right` is in [0, 1],
    /// `weight` counts; `None` where nothing has weight.
    pub(crate) fn area(&self, right: &[f64], weight: &[f64]) -> Option<f64> {
        let (mut kept, mut good, mut area) = (0.0_f64, 0.0, 0.0);
        for (all, right) in self.sums(right, weight) {
            let accuracy = right / all;
            area += accuracy * all;
            if kept > 0.0 {
                area += (good - accuracy * kept) * ((kept + all) / kept).ln();
            }
            kept += all;
            good += right;
        }
        (kept > 0.0).then(|| area / kept)
    }

    /// The accuracy of the rest when a share in [0, 1) is rejected; `None` where nothing has
    /// weight.
    pub(crate) fn accuracy(&self, right: &[f64], weight: &[f64], rejected: f64) -> Option<f64> {
        let total: f64 = self.sums(right, weight).map(|sum| sum.0).sum();
        let wanted = total * (1.0 - rejected);
        let (mut kept, mut good) = (0.0, 0.0);
        for (all, right) in self.sums(right, weight) {
            let part = (wanted - kept).min(all);
            good += right * part / all;
            kept += part;
            if kept >= wanted {
                break;
            }
        }
        (kept > 0.0).then(|| good / kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::rng::Seed;

    /// The area by cutting the most certain things off in steps of a thousandth of one.
    fn slow_area(rejection: &Rejection, right: &[f64], weight: &[f64]) -> f64 {
        let steps = 100_000;
        let at = |step: i32| {
            let rejected = (f64::from(step) + 0.5) / f64::from(steps);
            rejection.accuracy(right, weight, rejected).unwrap()
        };
        (0..steps).map(at).sum::<f64>() / f64::from(steps)
    }

    #[test]
    fn the_sum_of_logarithms_is_the_area() {
        let mut rng = Seed(2).stream("test", 0);
        let uncertainty: Vec<f64> = (0..30).map(|_| (rng.uniform() * 8.0).floor()).collect();
        let right: Vec<f64> = (0..30).map(|_| [0.0, 0.5, 1.0][rng.below(3)]).collect();
        let weight: Vec<f64> = (0..30).map(|_| rng.below(3) as f64).collect();
        let rejection = Rejection::new(&uncertainty);
        let area = rejection.area(&right, &weight).unwrap();
        assert!((area - slow_area(&rejection, &right, &weight)).abs() < 1e-4);
        let turned = |values: &[f64]| values.iter().rev().copied().collect::<Vec<f64>>();
        let other = Rejection::new(&turned(&uncertainty));
        let again = other.area(&turned(&right), &turned(&weight)).unwrap();
        assert!((area - again).abs() < 1e-12);
    }

    #[test]
    fn knowing_nothing_and_knowing_everything() {
        let right = [1.0, 0.0, 1.0, 1.0];
        let weight = [1.0; 4];
        let nothing = Rejection::new(&[0.3; 4]);
        assert_eq!(nothing.area(&right, &weight), Some(0.75));
        assert_eq!(nothing.accuracy(&right, &weight, 0.9), Some(0.75));
        let everything = Rejection::new(&right.map(|right| 1.0 - right));
        // c + c ln(1/c) for an accuracy c.
        let area = everything.area(&right, &weight).unwrap();
        assert!((area - 0.75 * (1.0 + (4.0_f64 / 3.0).ln())).abs() < 1e-12);
        assert_eq!(everything.accuracy(&right, &weight, 0.25), Some(1.0));
        assert_eq!(everything.accuracy(&right, &weight, 0.0), Some(0.75));
        assert_eq!(everything.area(&right, &[0.0; 4]), None);
        assert_eq!(Rejection::new(&[]).accuracy(&[], &[], 0.5), None);
    }
}
