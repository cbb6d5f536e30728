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
        let notes = [self.on_people(), self.on_first_bets()];
        let notes: Vec<String> = notes.into_iter().flatten().collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    fn on_people(&self) -> Option<String> {
        match self.dealing.people() {
            People::Panel if self.dealing.count() < BLOCKS => Some(format!(
                "a claim about people at large takes at least {BLOCKS} people for each of the {} rivals, \
                 usually twenty: each person has one sheet, told back under her own name; sheets of 5 \
                 questions take about 1.2 times as many answers in all as single ones, of 10 up to 1.8, of \
                 25 up to 3.8, of 50 up to 7",
                self.systems.saturating_sub(1)
            )),
            People::Listed if self.answered == 0 => Some(
                "the claim will be about these annotators; a question that its annotator never answers \
                 counts as answered at the worst, so short sheets are safer than long ones"
                    .to_string(),
            ),
            _ => None,
        }
    }

    /// The notice on the first questions: a bet is fixed with its question, from the answers at that time.
    fn on_first_bets(&self) -> Option<String> {
        let blind = self.answered == 0 && !self.predicted && self.open >= LONG;
        blind.then(|| {
            format!(
                "evidence comes from bets fixed when a question is asked, and with no answers yet there is \
                 nothing to bet on: these {} answers will tell what to ask next, and only later ones can \
                 prove anything, so a small first batch is best",
                self.open
            )
        })
    }
}
