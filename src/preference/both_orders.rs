//! A model asked in both presentation orders, so that neither side profits from coming first.

use super::{Contest, Sampled};
use crate::error::Result;
use crate::signature::Signature;

/// The mean of what a model says about (a, b) and, turned round, about (b, a), pass by pass.
pub struct BothOrders(pub Box<dyn Sampled>);

impl Sampled for BothOrders {
    fn signature(&self) -> Signature {
        self.0.signature().with("order", "both")
    }

    fn cost(&self) -> u64 {
        2 * self.0.cost()
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
