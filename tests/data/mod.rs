//! Real data sets, where they lie beside the checkout.

mod bandits;
mod chances;
mod recorded;
