//! On which items a pair may be asked about.

use crate::duel::Pair;
use std::fmt;
use std::sync::Arc;

/// The items of every pair, each as often as it is likely to be drawn. Those of a pair are listed when it is asked about: of
/// thousands of systems there are millions of pairs.
#[derive(Clone)]
pub struct Eligible(pub(super) Arc<dyn Fn(Pair) -> Vec<u32> + Send + Sync>);

impl Eligible {
    /// `items` lists those of a pair, lower arm first.
    pub fn new(items: impl Fn(Pair) -> Vec<u32> + Send + Sync + 'static) -> Self {
        Self(Arc::new(items))
    }

    /// Of a pair, lower arm first: its items, ascending, each with how often it is drawn.
    pub(super) fn times(&self, pair: Pair) -> Vec<(u32, f64)> {
        let mut items = (self.0)(pair);
        items.sort_unstable();
        let alike = items.chunk_by(|one, other| one == other);
        alike.map(|all| (all[0], all.len() as f64)).collect()
    }
}

impl fmt::Debug for Eligible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Eligible")
    }
}
