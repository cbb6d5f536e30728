//! The items on which a pair may be asked about.

use std::fmt;
use std::sync::Arc;
use tiebreak_base::duel::Pair;

/// The items of every pair, each as often as it is likely to be drawn. Those of a pair are listed when it is asked
/// about: thousands of systems have millions of pairs.
#[derive(Clone)]
pub struct EligibleItems(pub(super) Arc<dyn Fn(Pair) -> Vec<u32> + Send + Sync>);

impl EligibleItems {
    /// The eligible items, from a function that lists those of a pair, lower arm first.
    pub fn new(items: impl Fn(Pair) -> Vec<u32> + Send + Sync + 'static) -> Self {
        Self(Arc::new(items))
    }

    /// The items of a pair, lower arm first, ascending.
    pub(super) fn items(&self, pair: Pair) -> Vec<u32> {
        let mut items = (self.0)(pair);
        items.sort_unstable();
        items
    }
}

impl fmt::Debug for EligibleItems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EligibleItems")
    }
}
