//! The next step of the admin of a served campaign, in a sentence.

use super::links::Links;
use crate::campaign::session::CampaignSession;
use serde::Deserialize;
use serde_json::Value;
use tiebreak_base::words::counted;
use tiebreak_decide::ranking::result::CampaignState;
use tiebreak_stages::journal::batch::MOST_OPEN;
use tiebreak_stages::journal::is_pseudonym;

/// How a campaign goes on without somebody.
const WITHOUT_THEM: &str = "To go on without them, serve again with the others' names: --annotators NAMES --anew. The \
    evidence then begins anew";

const DOWNLOAD: &str = "download the report and the answers here";

/// The state of a served campaign, as far as the next step depends on it.
#[derive(Debug, Default)]
pub(super) struct ServedState<'a> {
    /// What is asked from here on, as the status has it.
    state: CampaignState,
    /// What is used up, where something is.
    limit: Option<&'static str>,
    /// The next step by that status.
    next: &'a str,
    paused: bool,
    /// Whether intervals are as narrow as wanted, where a width is.
    enough: Option<bool>,
    answered: u64,
    /// The visitors who were admitted, and the places of the link that is open to all.
    visitors: Option<(usize, usize)>,
    /// The open questions, second opinions among them.
    open: u64,
    /// The answers that their annotators may still take back: no results have them yet.
    held: u64,
    /// The listed annotators who never came, while others answered.
    absent: Vec<String>,
    /// The annotators whose links are closed while they have open questions.
    closed: Vec<String>,
    /// The erased annotators who have open questions; they have no link.
    erased: Vec<String>,
    /// An annotator with so many open questions that no new ones are asked.
    waited_for: Option<String>,
}

impl<'a> ServedState<'a> {
    /// Reads the state off the status that a campaign has without a server.
    pub(super) fn new(status: &'a Value, session: &CampaignSession<'_>, links: &Links) -> Self {
        let questions = &status["questions"];
        let count = |name: &str| questions[name].as_u64().unwrap_or(0);
        let closed = links.all().iter();
        let closed = closed.filter(|link| link.closed && session.open_of(&link.annotator) > 0);
        let names = closed.map(|link| link.annotator.clone());
        let (erased, closed) = names.partition(|name| is_pseudonym(name));
        let people = status["annotators"].as_array().into_iter().flatten();
        let absent = people.filter(|one| {
            one["last_seen"].is_null() && one["listed"] == true && one["closed"] == false
        });
        Self {
            state: CampaignState::deserialize(&status["state"]).unwrap_or_default(),
            limit: match status["stopped"].as_str() {
                Some("budget") => Some("budget"),
                Some("steps") => Some("limit of steps"),
                _ => status["planned"].as_u64().map(|_| "plan"),
            },
            paused: links.paused,
            next: status["next"].as_str().unwrap_or_default(),
            enough: status["target"]["reached"].as_bool(),
            answered: count("answered"),
            visitors: links
                .for_all()
                .map(|open| (links.admitted(session), open.places)),
            open: count("open") + count("second_open"),
            held: status["held"].as_u64().unwrap_or(0),
            absent: absent
                .filter_map(|one| one["name"].as_str().map(str::to_string))
                .collect(),
            closed,
            erased,
            waited_for: session.waited_for(),
        }
    }

    /// Returns the next step.
    pub(super) fn step(&self) -> String {
        let step = self.settled_step();
        match self.held {
            held if held > 0 && self.state.is_at_rest() => format!(
                "wait up to a minute: {} can still be taken back, and results lack {}. Then {step}",
                counted(held, "answer"),
                if held == 1 { "it" } else { "them" }
            ),
            _ => step,
        }
    }

    /// Returns the next step once no answer can be taken back.
    fn settled_step(&self) -> String {
        match self.state {
            CampaignState::Over => {
                return format!("the campaign is over: {DOWNLOAD}, then end the server (Ctrl-C)");
            }
            CampaignState::UsedUp | CampaignState::Exhausted | CampaignState::Lost => {
                return format!("{}. Or {DOWNLOAD}", self.next);
            }
            CampaignState::Asking | CampaignState::Waiting | CampaignState::TakenBack => {}
        }
        if self.paused {
            return "press Resume to go on: no questions are asked while the campaign is paused"
                .to_string();
        }
        if self.enough == Some(true) {
            return format!("if this is enough, {DOWNLOAD}, then end the server (Ctrl-C)");
        }
        self.people()
    }

    /// Returns what annotators need in order to go on.
    fn people(&self) -> String {
        if !self.closed.is_empty() {
            return format!(
                "open the link of {} again if they can go on: their open questions count as the worst answer",
                self.closed.join(", ")
            );
        }
        if !self.erased.is_empty() {
            return format!(
                "the open questions of {} count as the worst answer, since their link is gone. {WITHOUT_THEM}",
                self.erased.join(", ")
            );
        }
        let open = counted(self.open, "open answer");
        match (self.state, self.limit) {
            (CampaignState::TakenBack, _) => {
                return format!(
                    "wait for {open}: some were taken back, and without them nothing is proved"
                );
            }
            (CampaignState::Waiting, Some(limit)) => {
                return format!(
                    "wait for {open}; no new questions are asked, since the {limit} is used up"
                );
            }
            (CampaignState::Waiting, None) => {
                return format!("wait for {open}; nothing new can be asked until then");
            }
            _ => {}
        }
        if let Some((admitted, places)) = self.visitors {
            return match admitted < places {
                true => {
                    format!(
                        "send the open link to people (visitors so far: {admitted} of {places})"
                    )
                }
                false => format!(
                    "all {places} places are taken. For more visitors serve again with a larger number: --open N"
                ),
            };
        }
        match &self.waited_for {
            Some(name) => format!(
                "remind {name}: {MOST_OPEN} questions wait for them, and no new ones are asked until they answer some. \
                 {WITHOUT_THEM}"
            ),
            None if self.answered == 0 => {
                "send each annotator their link; they answer there".to_string()
            }
            None if !self.absent.is_empty() => format!(
                "annotators go on answering at their links. Not there yet: {} (send a link again if it was lost)",
                self.absent.join(", ")
            ),
            None => "annotators go on answering at their links".to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_names_what_is_missing() {
        let mut state = ServedState::default();
        assert!(state.step().starts_with("send each annotator"));
        state.answered = 3;
        assert!(state.step().starts_with("annotators go on"));
        for (admitted, step) in [(3, "visitors so far: 3 of 5"), (5, "all 5 places")] {
            state.visitors = Some((admitted, 5));
            assert!(state.step().contains(step));
        }
        state.visitors = None;
        state.absent = vec!["cy".to_string(), "dan".to_string()];
        assert!(
            state
                .step()
                .ends_with("Not there yet: cy, dan (send a link again if it was lost)")
        );
        state.waited_for = Some("ana".to_string());
        assert!(state.step().starts_with("remind ana"));
        state.closed = vec!["ben".to_string()];
        assert!(state.step().starts_with("open the link of ben again"));
        state.closed.clear();
        state.erased = vec!["person-0".to_string()];
        assert!(state.step().starts_with("the open questions of person-0"));
        state.state = CampaignState::TakenBack;
        // An answer that cannot come is not waited for.
        assert!(state.step().starts_with("the open questions of person-0"));
        state.erased.clear();
        state.open = 1;
        assert!(state.step().starts_with("wait for 1 open answer: some"));
        state.state = CampaignState::Waiting;
        let step = state.step();
        assert!(
            step.starts_with("wait for 1 open answer; nothing new"),
            "{step}"
        );
        state.enough = Some(true);
        assert!(state.step().starts_with("if this is enough"));
        state.paused = true;
        assert!(state.step().starts_with("press Resume"));
        state.state = CampaignState::Over;
        assert!(state.step().starts_with("the campaign is over"));
        // Results lack what can still be taken back.
        state.held = 2;
        let step = state.step();
        assert!(step.contains("2 answers can still be taken back"), "{step}");
    }

    #[test]
    fn a_used_up_budget_is_no_end_while_answers_are_open() {
        let mut state = ServedState {
            state: CampaignState::Waiting,
            limit: Some("budget"),
            open: 2,
            ..ServedState::default()
        };
        let step = state.step();
        assert!(
            step.starts_with("wait for 2 open answers; no new questions"),
            "{step}"
        );
        state.paused = true;
        assert!(state.step().starts_with("press Resume"));
        // Without an answer it is none either: the status says how to go on.
        (state.open, state.next) = (0, "raise the budget");
        for rest in [
            CampaignState::UsedUp,
            CampaignState::Exhausted,
            CampaignState::Lost,
        ] {
            state.state = rest;
            let step = state.step();
            assert!(step.starts_with("raise the budget. Or download"), "{step}");
        }
    }
}
