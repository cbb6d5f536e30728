//! A model asked in both presentation orders, so that neither side profits from coming first.

use super::{Contest, PairwiseModel, Preference, turned};
use crate::error::Result;
use crate::signature::Signature;

/// The mean of what a model says about (a, b) and, turned round, about (b, a), draw by draw.
pub struct BothOrders(pub Box<dyn PairwiseModel>);

impl PairwiseModel for BothOrders {
    fn signature(&self) -> Signature {
        self.0.signature().with("order", "both")
    }

    fn predict(&self, contests: &[Contest<'_>]) -> Result<Vec<Preference>> {
        let mean = |forth: f64, back: f64| f64::midpoint(forth, 1.0 - back);
        let forth = self.0.predict(contests)?;
        let back = self.0.predict(&turned(contests))?;
        Ok(forth
            .into_iter()
            .zip(back)
            .map(|(forth, back)| Preference {
                p: mean(forth.p, back.p),
                draws: forth
                    .draws
                    .iter()
                    .zip(&back.draws)
                    .map(|(&forth, &back)| mean(forth, back))
                    .collect(),
            })
            .collect())
    }
}
