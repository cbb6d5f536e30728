//! The work that scales: a batch of rows in, a batch of rows out.
//!
//! `mod@score` and `mod@predict` are what the commands of these names compute of some items, on record batches in
//! memory, for engines that have data, machines and failures of their own. A row depends on its own row (or on
//! the rows of its item) alone, never on batch, partition or machine, so the rows of an engine are those of the
//! command line to the bit. A metric that must see the whole data set takes counts instead ([`ScorePlan::count`]), which
//! are sums: add those of the partitions, and give every plan the result.
//!
//! The columns are those of users' tables: `item`, `system`, `output`, and where a metric or model reads
//! them `references` and `source`; or one row an item, with lists `systems` and `outputs`.

mod counts;
mod items;
mod predict;
mod score;

pub use counts::{COUNTS, counts, merge};
pub use predict::PredictPlan;
pub use score::ScorePlan;
