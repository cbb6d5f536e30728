//! Comparisons to a ranking: strengths, the ranks each system may have, and what may be claimed.
//!
//! [`rank`] takes a list of [`Comparison`]s by name; the command `rank` reads the same from files. Each
//! comparison is used once, and their order plays no part.

mod claim;
mod collection;
mod comparison;
mod implied;
mod infer;
mod numbered;
mod repeated;
pub mod result;
mod sides;
pub mod table;
pub mod text;
mod uneven;
mod verdicts;
mod viewpoint;
mod weights;
pub mod words;

pub use collection::Collection;
pub use comparison::Comparison;
pub use implied::implied_ranks;
pub use repeated::RepeatedRows;
pub use table::table;
pub use uneven::PREFERENCE;
pub use weights::{NEGLIGIBLE, listed_weights};

pub use result::Ranking;

use numbered::numbered;
use std::borrow::Borrow;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;
use tiebreak_base::scope::ResultScope;

/// Ranks all systems that occur in `comparisons`. All intervals, and all ranks, hold together with
/// `confidence`, a number between 0 and 1; pairs may be missing.
///
/// The result has [`strengths`](Ranking::strengths) in log-odds and [`ranks`](Ranking::ranks) from 1 on,
/// strongest first, the [`groups`](Ranking::groups) that are not told apart, and the
/// [`claim`](Ranking::claim) that all of it supports, about these annotators; with eight or more of them what holds of
/// others like them stands in [`new_annotators`](Ranking::new_annotators). Printed (`{ranking}`) it is what
/// `tiebreak rank` says. The comparisons must have been planned without looking at their outcomes; to choose them as
/// answers come in, use [`Live`](crate::evaluation::live::Live).
///
/// ```
/// use tiebreak_base::duel::Outcome::{Loss, Tie, Win};
/// use tiebreak_decide::ranking::{Comparison, rank};
/// let outcomes = [Win, Win, Tie, Win, Loss, Win, Win, Win, Tie, Win, Win, Win].repeat(4);
/// let comparisons = outcomes.into_iter().map(|one| Comparison::new("atlas", "birch", one));
/// let ranking = rank(comparisons, 0.95)?;
/// assert_eq!((ranking.ranks[0].system.as_str(), ranking.ranks[0].rank_high), ("atlas", 1));
/// # Ok::<(), tiebreak_base::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] for fewer than two systems or more than 65 535, a system compared with itself, more
/// items than 4 294 967 295, or a confidence that is none.
pub fn rank<'a, C: Borrow<Comparison<'a>>>(
    comparisons: impl IntoIterator<Item = C>,
    confidence: f64,
) -> Result<Ranking> {
    if !(confidence > 0.0 && confidence < 1.0) {
        let what = format!("confidence is {confidence}, expected a number between 0 and 1");
        return Err(Error::usage(what));
    }
    let comparisons = comparisons.into_iter().map(|one| *one.borrow());
    Ok(numbered(comparisons.collect())?.rank(ResultScope::default(), confidence, Seed::default()))
}
