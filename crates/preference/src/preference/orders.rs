//! The order in which a model that reads both outputs at once is shown them, so that neither profits from coming first:
//! both in turn, or one drawn for each pair of texts, which costs half and turns a bias into noise.

use super::{Contest, StochasticModel};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tiebreak_base::error::Result;
use tiebreak_base::keys::name_of;
use tiebreak_base::rng::Seed;
use tiebreak_base::signature::Signature;

/// The order in which two outputs are shown to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// As the pair is given.
    #[default]
    Given,
    /// Both orders, averaged.
    Both,
    /// One order, drawn for each pair of texts.
    Random,
}

impl Order {
    /// The name in keys and signatures.
    pub fn name(self) -> String {
        name_of(&self)
    }
}

/// Whether the first of two outputs is the one shown first: a function of the texts, the same whichever is
/// named first.
pub(super) fn shows_first(contest: &Contest<'_>, seed: Seed) -> bool {
    let (low, high) = match contest.a <= contest.b {
        true => (contest.a, contest.b),
        false => (contest.b, contest.a),
    };
    let mut hash = Sha256::new();
    for text in [low, high, contest.source.unwrap_or_default()] {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    let mut index = [0; 8];
    index.copy_from_slice(&hash.finalize()[..8]);
    let low_first = seed
        .stream("order", u64::from_le_bytes(index))
        .bernoulli(0.5);
    low_first == (contest.a <= contest.b)
}

/// A model that sees each pair in a drawn order.
pub(crate) struct RandomOrder {
    /// The model that is asked.
    pub model: Box<dyn StochasticModel>,
    /// The seed that the order is drawn by.
    pub seed: Seed,
}

impl StochasticModel for RandomOrder {
    fn signature(&self) -> Signature {
        let order = format!("random-{}", self.seed.0);
        self.model.signature().with("order", order)
    }

    fn cost(&self) -> u64 {
        self.model.cost()
    }

    fn account(&self) -> Option<String> {
        self.model.account()
    }

    fn preferences(
        &self,
        contests: &[Contest<'_>],
        passes: &[Option<u32>],
    ) -> Result<Vec<Vec<f64>>> {
        let turned: Vec<bool> = contests
            .iter()
            .map(|one| !shows_first(one, self.seed))
            .collect();
        let shown = contests.iter().zip(&turned);
        let shown: Vec<_> = shown
            .map(|(one, &turned)| if turned { one.turned() } else { *one })
            .collect();
        let mut found = self.model.preferences(&shown, passes)?;
        for (found, _) in found.iter_mut().zip(turned).filter(|(_, turned)| *turned) {
            for p in found {
                *p = 1.0 - *p;
            }
        }
        Ok(found)
    }
}

/// A model's mean over (a, b) and, turned round, (b, a), pass by pass.
pub(crate) struct BothOrders(pub Box<dyn StochasticModel>);

impl StochasticModel for BothOrders {
    fn signature(&self) -> Signature {
        self.0.signature().with("order", Order::Both.name())
    }

    fn cost(&self) -> u64 {
        2 * self.0.cost()
    }

    fn account(&self) -> Option<String> {
        self.0.account()
    }

    fn preferences(
        &self,
        contests: &[Contest<'_>],
        passes: &[Option<u32>],
    ) -> Result<Vec<Vec<f64>>> {
        let forth = self.0.preferences(contests, passes)?;
        let turned: Vec<_> = contests.iter().map(|contest| contest.turned()).collect();
        let back = self.0.preferences(&turned, passes)?;
        let mean = |(forth, back): (Vec<f64>, Vec<f64>)| {
            let both = forth.into_iter().zip(back);
            both.map(|(forth, back)| f64::midpoint(forth, 1.0 - back))
                .collect()
        };
        Ok(forth.into_iter().zip(back).map(mean).collect())
    }
}
