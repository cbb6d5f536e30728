//! Draws of winners among many systems.
//!
//! Of K systems there are K(K − 1)/2 margins, a thousand times as many as matter. Given γ they are independent, so
//! only those are drawn that decide: whether one system beats all others is found out by letting the strongest
//! stand against each of the others, and whoever beats it against those that are left, then against those that came
//! before. The winner that is asked about next is the Copeland winner among the systems of greatest strength.

use super::component::{Component, PairObservation};
use super::{MarginPosterior, PredictedMargins};
use crate::bandits::adaptive::draw::MarginSample;
use tiebreak_base::rng::Rng;

/// The number of systems up to which all margins are drawn.
const FEW: usize = 64;

/// Each system's mean margin over all, by table of predictions; nothing for few systems.
pub(super) fn predicted_means(k: usize, predicted: &PredictedMargins) -> Vec<Vec<f64>> {
    if k <= FEW {
        return Vec::new();
    }
    let means = predicted.iter().map(|table| {
        let mean = |i| (0..k).map(|j| table.get(i, j)).sum::<f64>() / k as f64;
        (0..k).map(mean).collect()
    });
    means.collect()
}

impl MarginPosterior {
    /// The Copeland winner of a draw of all margins; of very many systems that among the strongest of the draw.
    pub(in crate::bandits::adaptive) fn draw_winner(&self, rng: &mut Rng) -> usize {
        if self.k <= FEW {
            return self.draw(rng).winner();
        }
        let (component, gamma) = self.draw_gamma(rng);
        let strongest = self.strongest(component, &gamma);
        let mut normals = rng.normals(FEW * (FEW - 1) / 2).into_iter();
        let mut margins = vec![0.0; FEW * FEW];
        for (a, &i) in strongest.iter().enumerate() {
            for (b, &j) in strongest.iter().enumerate().skip(a + 1) {
                let normal = normals.next().expect("one for each pair");
                let margin = self.margin(component, &gamma, &self.term(i, j), normal);
                margins[a * FEW + b] = margin;
                margins[b * FEW + a] = -margin;
            }
        }
        strongest[MarginSample::new(FEW, margins).winner()]
    }

    /// The system that beats all others in a draw, if there is one.
    pub(super) fn draw_best(&self, rng: &mut Rng) -> Option<usize> {
        if self.k <= FEW {
            return self.draw(rng).condorcet_winner();
        }
        let (component, gamma) = self.draw_gamma(rng);
        let strengths = self.strengths(component, &gamma);
        let stronger = |best: usize, i: usize| match strengths[i] > strengths[best] {
            true => i,
            false => best,
        };
        let strongest = (1..self.k).fold(0, stronger);
        let beats = |i: usize, j: usize, normal: f64| {
            let term = self.term(i.min(j), i.max(j));
            let margin = self.margin(component, &gamma, &term, normal);
            if i < j { margin > 0.0 } else { margin < 0.0 }
        };
        // The system that stands, since when, and the one it beat then.
        let (mut best, mut since, mut beaten) = (strongest, 0, strongest);
        let rivals = (0..self.k).filter(|&rival| rival != strongest);
        for (rival, normal) in rivals.zip(rng.normals(self.k - 1)) {
            if !beats(best, rival, normal) {
                (best, since, beaten) = (rival, rival, best);
            }
        }
        let before = (0..since).chain((strongest > since).then_some(strongest));
        let mut unmet = before.filter(|&rival| rival != beaten && rival != best);
        unmet
            .all(|rival| beats(best, rival, rng.normal()))
            .then_some(best)
    }

    /// The strength of each system in a draw, with what is predicted.
    fn strengths(&self, component: &Component, gamma: &[f64]) -> Vec<f64> {
        let predicted = component
            .scales
            .believes
            .map(|table| &self.predicted_means[table]);
        let strength = |i: usize| gamma[i + 1] + gamma[0] * predicted.map_or(0.0, |means| means[i]);
        (0..self.k).map(strength).collect()
    }

    /// The strongest of a draw, by number.
    fn strongest(&self, component: &Component, gamma: &[f64]) -> Vec<usize> {
        let strengths = self.strengths(component, gamma);
        let mut systems: Vec<usize> = (0..self.k).collect();
        let stronger =
            |a: &usize, b: &usize| strengths[*b].total_cmp(&strengths[*a]).then(a.cmp(b));
        systems.select_nth_unstable_by(FEW - 1, stronger);
        systems.truncate(FEW);
        systems.sort_unstable();
        systems
    }

    /// A pair i < j.
    fn term(&self, i: usize, j: usize) -> PairObservation {
        let observed = &self.observed;
        let place = observed.binary_search_by_key(&(i, j), |term| (term.i, term.j));
        place.map_or(PairObservation::unseen(i, j), |place| observed[place])
    }
}
