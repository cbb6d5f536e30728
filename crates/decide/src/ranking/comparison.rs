//! A comparison as people write it down: names and an outcome.

use tiebreak_base::duel::Outcome;

/// An annotator's preference between two systems' outputs.
///
/// ```
/// use tiebreak_base::duel::Outcome;
/// use tiebreak_decide::ranking::Comparison;
/// let one = Comparison::new("atlas", "birch", Outcome::Win).on("item-7").by("ann");
/// assert_eq!((one.item, one.annotator), (Some("item-7"), Some("ann")));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison<'a> {
    /// The system that the outcome is for.
    pub first: &'a str,
    /// Its opponent.
    pub second: &'a str,
    /// The outcome for the first.
    pub outcome: Outcome,
    /// The item whose outputs were compared. Comparisons on one item are not taken for independent;
    /// one without an item counts as one on an item of its own.
    pub item: Option<&'a str>,
    /// The annotator. Those without a name are taken to be one person.
    pub annotator: Option<&'a str>,
}

impl<'a> Comparison<'a> {
    /// Creates a comparison of `first` with `second`, without item and annotator.
    pub fn new(first: &'a str, second: &'a str, outcome: Outcome) -> Self {
        Self {
            first,
            second,
            outcome,
            item: None,
            annotator: None,
        }
    }

    /// Sets the item.
    #[must_use]
    pub fn on(self, item: &'a str) -> Self {
        Self {
            item: Some(item),
            ..self
        }
    }

    /// Sets the annotator.
    #[must_use]
    pub fn by(self, annotator: &'a str) -> Self {
        Self {
            annotator: Some(annotator),
            ..self
        }
    }
}
