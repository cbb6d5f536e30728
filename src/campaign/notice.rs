//! Notices at the beginning of a campaign: how many annotators a claim takes, and the cost of long sheets.

use super::status::QuestionsOfAnnotator;
use tiebreak_base::claims::SkipPremise;
use tiebreak_base::error::Flag;
use tiebreak_base::layout::thousands;
use tiebreak_base::words;
use tiebreak_decide::feedback::dealing::{AnnotatorAssignment, People};
use tiebreak_stages::journal::Journal;

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
    /// The most answers that the campaign can have, within its budget.
    pub most: u64,
    /// Whether annotators answer at links, without sheets.
    pub served: bool,
    pub skipped_by: &'a [QuestionsOfAnnotator],
    /// The command that writes them again.
    pub again: String,
    /// What changed meanwhile, a sentence or two each.
    pub changes: Vec<String>,
    pub skips: SkipPremise,
    /// Whether no comparison is drawn twice.
    pub without_replacement: bool,
    /// Whether nothing more is asked since there is a verdict.
    pub is_settled: bool,
}

impl NoticeInputs<'_> {
    /// The notice at the beginning, and of a panel with too few annotators; `None` where there is none.
    pub(super) fn notice(&self) -> Option<String> {
        let notes = [self.on_people(), self.on_first_batch(), self.on_skips()];
        let changes = self.changes.iter().cloned();
        let notes: Vec<String> = notes.into_iter().flatten().chain(changes).collect();
        (!notes.is_empty()).then(|| notes.join(" "))
    }

    fn on_people(&self) -> Option<String> {
        match self.dealing.people() {
            People::Panel if self.dealing.count() < BLOCKS => {
                let how = match self.served {
                    true => {
                        "Each answers one block of questions, and those who leave count as the worst answers."
                    }
                    false => "Each fills in one sheet, under their own name.",
                };
                Some(format!(
                    "A verdict about new annotators takes at least {BLOCKS} annotators for each of the {} rivals, usually \
                     20. {how} Many questions each need more answers in all: 5 each about 1.2 times as many as single \
                     questions. With 10 each it is up to 1.8 times, with 25 up to 3.8, with 50 up to 7.",
                    self.systems.saturating_sub(1)
                ))
            }
            People::Listed if self.answered == 0 => {
                let short = match self.served {
                    true => "",
                    false => ": short sheets are safer",
                };
                let about = match self.without_replacement {
                    true => "the answers of these annotators on these items",
                    false => "these annotators",
                };
                Some(format!(
                    "The verdict will be about {about}. A question that its annotator never answers counts as \
                     the worst answer{short}."
                ))
            }
            _ => None,
        }
    }

    /// The notice on skipped questions, while answers to them could help.
    fn on_skips(&self) -> Option<String> {
        let (skipped, whose) = counted(self.skipped_by);
        let voids = skipped > 0 && !self.is_settled && self.skips != SkipPremise::NoPreference;
        voids.then(|| {
            let count = match self.skips {
                SkipPremise::WorstCase => "their worst answers".to_string(),
                SkipPremise::Odds(odds) => format!("preferences at odds of {odds} to 1 at most"),
                SkipPremise::NoPreference => "no preference".to_string(),
            };
            let ask = match (self.served, self.dealing.people()) {
                // Nobody knows where the visitors of an open link are.
                (true, People::Panel) => String::new(),
                (true, _) => " Ask for answers to them: people find what they skipped under Earlier answers on their page."
                    .to_string(),
                (false, People::Panel) => " Ask for answers to them, and read these sheets again.".to_string(),
                (false, _) => format!(
                    " Ask for answers to them once nothing else is open: {}.",
                    self.again
                ),
            };
            let milder = match self.skips {
                SkipPremise::WorstCase => format!(
                    " For skips to take less away, begin another campaign with {skips} odds:3 or {skips} no-preference.",
                    skips = Flag("skips")
                ),
                _ => String::new(),
            };
            format!(
                "Skipped questions: {skipped}{whose}. They count as {count}, which takes evidence away.{ask}{milder}"
            )
        })
    }

    /// The notice on the first questions: a bet is fixed with its question, from the answers at that time.
    fn on_first_batch(&self) -> Option<String> {
        let blind = self.answered == 0 && !self.predicted && self.open >= LONG;
        let left = match self.most.saturating_sub(self.open) {
            left if left < self.open => format!(
                " Only {left} questions are left for it: a verdict is unlikely, and a new campaign with a smaller first batch \
                 has a better chance."
            ),
            _ => String::new(),
        };
        blind.then(|| {
            format!(
                "The first {} answers only decide what to ask next; proof starts with the second batch. A first batch of 10 to \
                 20 questions is enough.{left}",
                self.open
            )
        })
    }
}

/// The notices on questions of another wording, one for each time that the task was changed.
pub(super) fn new_tasks(journal: &Journal) -> impl Iterator<Item = String> {
    journal.task_changes().map(|asked| {
        format!(
            "What annotators are asked (task.toml) was changed after {}. Answers before and after that are to different \
             questions.",
            words::counted(asked, "question")
        )
    })
}

/// The notice on evidence that began anew after so many answers; `left_by` are the questions of annotators who are not
/// listed any more.
pub(super) fn renewed_evidence(earlier: u64, left_by: &[QuestionsOfAnnotator]) -> Option<String> {
    let (left, whose) = counted(left_by);
    let begun_anew = earlier > 0 || left > 0;
    let left = match left {
        0 => String::new(),
        left => format!(
            " Questions of annotators who left, answered or open: {left}{whose}. They count neither for nor against."
        ),
    };
    begun_anew.then(|| {
        format!(
            "Evidence began anew with the present list of annotators: earlier answers ({}) only help to choose \
             questions.{left}",
            thousands(earlier)
        )
    })
}

/// The number of questions, and whose they are, in brackets.
fn counted(by: &[QuestionsOfAnnotator]) -> (u64, String) {
    let named = by
        .iter()
        .filter_map(|one| Some(format!("{} {}", one.annotator.as_ref()?, one.questions)));
    let whose = named.collect::<Vec<_>>().join(", ");
    let all = by.iter().map(|one| one.questions).sum();
    match whose.is_empty() {
        true => (all, whose),
        false => (all, format!(" ({whose})")),
    }
}
