//! Choice of the next pair: where the model is least sure of what it would announce, or where the
//! certificate lacks evidence.
//!
//! * *best*: a draw from the posterior has a Copeland winner I; it meets J, the winner of a second
//!   draw, made up to eight times until it differs from I. Failing that, or with one draw only, J is
//!   the system most likely to beat I, argmin `Z_Ij`.
//! * *top k*: of the pairs that a draw moves across the cut in opposite directions the one with the
//!   least |Z|; where the draw agrees, the pair across the cut with the least Z.
//! * *ranking*: a random pair of neighbours that a draw reverses, else the neighbours with the least
//!   |Z|.
//!
//! Once the model hardly doubts what it would announce, or that no system beats all the others, most
//! questions collect evidence, from the pair that promises most of it. Once all systems but one are
//! ruled out most are about the pairs in which that one has yet to show that it wins.

use super::AdaptiveBandit;
use super::certificate::Certificate;
use super::parameters::PosteriorDraws;
use super::target::Target;
use crate::bandits::choice::{ArgmaxTieRule, argmax};
use tiebreak_base::rng::Rng;

/// The share of questions that collect evidence once the announcement is hardly in doubt.
const CERTIFYING: f64 = 0.8;

/// The share while the best is in doubt, but hardly that some system is ε-best.
const CERTIFYING_NEARLY: f64 = 0.5;

/// The most draws until a second winner differs from the first.
const TRIES: u32 = 8;

type SystemIndices = (usize, usize);

impl AdaptiveBandit {
    /// The pair to ask about, of at least two systems.
    pub(super) fn choose(&self, rng: &mut Rng) -> SystemIndices {
        if let Some(pair) = self.supporting(rng) {
            return pair;
        }
        let certifying = match &self.goal {
            Some(goal)
                if (self.doubt <= goal.delta || self.nobody) && rng.bernoulli(CERTIFYING) =>
            {
                self.certifying(&goal.certificate, rng)
            }
            Some(goal) if self.doubt > goal.delta && !self.nearly_best.is_empty() => {
                match rng.bernoulli(CERTIFYING_NEARLY) {
                    true => self.certifying_nearly(&goal.certificate, rng),
                    false => None,
                }
            }
            _ => None,
        };
        certifying.unwrap_or_else(|| self.exploring(rng))
    }

    fn exploring(&self, rng: &mut Rng) -> SystemIndices {
        match (self.settings.target, self.settings.draws) {
            (Target::Best, PosteriorDraws::One) => {
                self.against_its_threat(self.winner_of_draw(rng), rng)
            }
            (Target::Best, PosteriorDraws::Two) => self.two_winners(rng),
            (Target::Top(top), _) => self.across_the_cut(top, rng),
            (Target::Ranking, _) => self.neighbours(rng),
        }
    }

    fn winner_of_draw(&self, rng: &mut Rng) -> usize {
        self.posterior.draw_winner(rng)
    }

    /// A system and the one most likely to beat it.
    fn against_its_threat(&self, first: usize, rng: &mut Rng) -> SystemIndices {
        let rivals = self.rivals(first).map(|j| (j, -self.expected_z(first, j)));
        let second = argmax(rivals, ArgmaxTieRule::Random, rng);
        (first, second.map_or(first, |(j, _)| j))
    }

    fn two_winners(&self, rng: &mut Rng) -> SystemIndices {
        let first = self.winner_of_draw(rng);
        for _ in 0..TRIES {
            let second = self.winner_of_draw(rng);
            if second != first {
                return (first, second);
            }
        }
        self.against_its_threat(first, rng)
    }

    fn across_the_cut(&self, top: usize, rng: &mut Rng) -> SystemIndices {
        let drawn = self.posterior.draw(rng).order();
        let (inside, outside) = self.order.split_at(top);
        let leaving = only_in(inside, &drawn[..top]);
        let entering = only_in(&drawn[..top], inside);
        let z = |(a, b)| self.expected_z(a, b);
        let moved = pairs(&leaving, &entering).map(|pair| (pair, z(pair).abs()));
        least(moved, rng).unwrap_or_else(|| {
            let across = pairs(inside, outside).map(|pair| (pair, z(pair)));
            least(across, rng).expect("systems on both sides of the cut")
        })
    }

    fn neighbours(&self, rng: &mut Rng) -> SystemIndices {
        let drawn = self.posterior.draw(rng);
        let neighbours = || self.order.windows(2).map(|two| (two[0], two[1]));
        let reversed: Vec<SystemIndices> = neighbours()
            .filter(|&(a, b)| drawn.get(a, b) < 0.0)
            .collect();
        if !reversed.is_empty() {
            return *rng.choose(&reversed);
        }
        let all = neighbours().map(|(a, b)| ((a, b), self.expected_z(a, b).abs()));
        least(all, rng).expect("at least two systems")
    }

    /// A duel in which the last system left has yet to show that it wins; mostly, once one is left.
    fn supporting(&self, rng: &mut Rng) -> Option<SystemIndices> {
        let (survivor, unsupported) = self.goal.as_ref()?.certificate.survivor()?;
        let asks = !unsupported.is_empty() && rng.bernoulli(CERTIFYING);
        asks.then(|| (survivor, *rng.choose(&unsupported)))
    }

    /// A pair about which evidence is lacking; where any opponent will do, the one against which it
    /// is expected to grow fastest.
    fn certifying(&self, certificate: &Certificate, rng: &mut Rng) -> Option<SystemIndices> {
        let lacking = certificate.lacking(&self.order);
        if lacking.is_empty() {
            return None;
        }
        let (better, worse) = *rng.choose(&lacking);
        if !certificate.pools() {
            return Some((worse, better));
        }
        let growth = |j| self.expected(j, worse).growth();
        let rates = self.rivals(worse).map(|j| (j, growth(j)));
        let (quickest, _) = argmax(rates, ArgmaxTieRule::Random, rng)?;
        Some((worse, quickest))
    }

    /// The system closest to being announced as nearly best, against one that may be much better.
    fn certifying_nearly(&self, certificate: &Certificate, rng: &mut Rng) -> Option<SystemIndices> {
        let nearly = certificate.nearly()?;
        let distances = self.nearly_best.iter().map(|&i| (i, -nearly.distance(i)));
        let (system, _) = argmax(distances, ArgmaxTieRule::First, rng)?;
        let lacking = nearly.lacking(system);
        (!lacking.is_empty()).then(|| (*rng.choose(&lacking), system))
    }

    /// Returns that pair, if anything of it can still be drawn; else one of the two and the system most likely to
    /// beat it of whose pairs something is left; else the pair most in doubt. `None` where nothing is left at all.
    pub(super) fn with_something_left(
        &self,
        (a, b): SystemIndices,
        rng: &mut Rng,
    ) -> Option<SystemIndices> {
        let lasts = |i, j| self.evidence.stock().lasts(i, j);
        if lasts(a, b) {
            return Some((a, b));
        }
        for system in [a, b] {
            let rivals = self.rivals(system).filter(|&j| lasts(system, j));
            let threats = rivals.map(|j| (j, -self.expected_z(system, j)));
            if let Some((rival, _)) = argmax(threats, ArgmaxTieRule::Random, rng) {
                return Some((system, rival));
            }
        }
        let all = (0..self.k()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let lasting = all.filter(|&(i, j)| lasts(i, j));
        least(
            lasting.map(|(i, j)| ((i, j), self.expected_z(i, j).abs())),
            rng,
        )
    }

    fn rivals(&self, system: usize) -> impl Iterator<Item = usize> {
        (0..self.k()).filter(move |&j| j != system)
    }

    /// `Z_ij` once the questions on their way are answered.
    fn expected_z(&self, i: usize, j: usize) -> f64 {
        let variance = self.posterior.variance(i, j);
        self.posterior.mean(i, j) / self.evidence.anticipated(i, j, variance).sqrt()
    }
}

/// The members of `some` that are not among `others`.
fn only_in(some: &[usize], others: &[usize]) -> Vec<usize> {
    let missing = |system: &&usize| !others.contains(system);
    some.iter().filter(missing).copied().collect()
}

fn pairs(some: &[usize], others: &[usize]) -> impl Iterator<Item = SystemIndices> {
    some.iter()
        .flat_map(move |&a| others.iter().map(move |&b| (a, b)))
}

/// The pair of the least value.
fn least(
    values: impl Iterator<Item = (SystemIndices, f64)>,
    rng: &mut Rng,
) -> Option<SystemIndices> {
    let (pairs, values): (Vec<SystemIndices>, Vec<f64>) = values.unzip();
    let values = values.iter().map(|value| -value).enumerate();
    argmax(values, ArgmaxTieRule::Random, rng).map(|(place, _)| pairs[place])
}
