//! Notices at the beginning of a campaign: how many annotators a claim takes, and the cost of long sheets.

use tiebreak_decide::feedback::dealing::{AnnotatorAssignment, People};

/// Fewest blocks that can rule out one rival: a block multiplies evidence by 1.9 at most, and 1.9⁵ > 20.
const BLOCKS: usize = 5;

/// The fewest open questions of a first sheet at which a notice says that they prove nothing.
const LONG: u64 = 10;

/// The state of a campaign that has just asked.
pub(super) struct NoticeInputs<'a> {
    pub dealing: &'a AnnotatorAssignment,
    pub systems: usize,
    /// Whether bets have predictions to begin from.
    pub predicted: bool,
    pub answered: u64,
    pub open: u64,
}

impl NoticeInputs<'_> {
    /// The notice at the beginning, and of a panel with too few annotators; `None` where there is none.
    pub(super) fn notice(&self) -> Option<String> {
        let notes = [self.on_people(), self.on_first_batch()];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join(". "))
    }

    fn on_people(&self) -> Option<String> {
        match self.dealing.people() {
            People::Panel if self.dealing.count() < BLOCKS => Some(format!(
                "a claim about new annotators takes at least {BLOCKS} annotators for each of the {} rivals, \
                 usually twenty, and each fills one sheet under their own name. With sheets of 5 questions it takes about \
                 1.2 times as many answers as with single ones, with 10 up to 1.8, with 25 up to 3.8, with 50 up to 7",
                self.systems.saturating_sub(1)
            )),
            People::Listed if self.answered == 0 => Some(
                "the claim will be about these annotators. A question that its annotator never answers counts at its \
                 worst, so short sheets are safer than long ones"
                    .to_string(),
            ),
            _ => None,
        }
    }

    /// The notice on the first questions: a bet is fixed with its question, from the answers at that time.
    fn on_first_batch(&self) -> Option<String> {
        let blind = self.answered == 0 && !self.predicted && self.open >= LONG;
        blind.then(|| {
            format!(
                "these first {} answers only decide what to ask next. Proof starts with the second batch, so keep the first \
                 small (10 to 20)",
                self.open
            )
        })
    }
}
