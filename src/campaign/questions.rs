//! Questions and answers of an open campaign as data, for a program that asks people in its own way. The journal is free
//! for others between two calls.

use super::answers::{EXPECTED, parse};
use super::clock::seconds;
use super::kinds::{CampaignStatus, Notices};
use super::responses::SubmittedAnswer;
use super::session::CampaignSession;
use super::sheets::{names, open_puts};
use super::task::Protocol;
use super::{sheet, standing_out};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::duel::DuelId;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_data::records::outcomes::check_annotators;
use tiebreak_data::sheets::Codes;
use tiebreak_decide::feedback::dealing::{People, is_same_person};
use tiebreak_stages::journal::{Assignment, Response};

/// An open question, without the names of systems.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenQuestion {
    /// The code, by which it is answered.
    pub question: String,
    /// What the outputs were made from.
    pub source: Option<String>,
    /// Texts by people for the item.
    pub references: Vec<String>,
    /// The text to rate, or two to compare.
    pub texts: Vec<String>,
    /// The annotator who gets it, where annotators are listed.
    pub annotator: Option<String>,
    /// The prompt.
    pub prompt: String,
    /// The criteria of ratings, each with its scale in words.
    pub criteria: Vec<(String, String)>,
    /// The column of a text that is written, if one is asked for.
    pub writes: Option<&'static str>,
}

/// An answer to a question.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenAnswer {
    /// The code of the question.
    pub question: String,
    /// Which of two texts is better, or `skip`.
    pub answer: Option<String>,
    /// Scores by criterion.
    #[serde(default)]
    pub scores: BTreeMap<String, f64>,
    /// A written text.
    pub text: Option<String>,
    /// Who answered, if it is not the one to whom the question was dealt.
    pub annotator: Option<String>,
    /// The seconds that it took.
    pub seconds: Option<f64>,
}

/// An open campaign whose questions are asked by their codes.
pub struct QuestionExchange<'s, 'a> {
    session: &'s mut CampaignSession<'a>,
    codes: Codes,
    /// Everybody known by name.
    names: Vec<String>,
    /// The names under which questions were answered, and `None` where some have none.
    answered_as: BTreeSet<Option<String>>,
}

impl<'s, 'a> QuestionExchange<'s, 'a> {
    /// Begins with an open campaign: answers that could still be taken back are final.
    ///
    /// # Errors
    /// If the journal cannot be written or the run not go on.
    pub fn new(session: &'s mut CampaignSession<'a>) -> Result<Self> {
        session.settle(|_| true)?;
        let names = names(&session.journal());
        let answered_as = {
            let journal = session.journal();
            let given = journal.posed().filter_map(|posed| posed.given.as_ref());
            given.map(|given| given.annotator.clone()).collect()
        };
        let mut exchange = Self {
            session,
            codes: Codes::default(),
            names,
            answered_as,
        };
        exchange.name_questions();
        Ok(exchange)
    }

    /// Gives codes to the questions that have none.
    fn name_questions(&mut self) {
        let journal = self.session.journal();
        let asked = journal.posed().map(|posed| posed.question.duel.id.0);
        let signature = &self.session.campaign().context().signature;
        self.codes.extend(signature, asked);
    }

    /// Lets others use the journal until the next call.
    ///
    /// # Errors
    /// If its file cannot be unlocked.
    pub fn release(&self) -> Result<()> {
        self.session.journal().release()
    }

    /// Takes the journal again; returns whether it is as it was: else the campaign must be opened anew.
    ///
    /// # Errors
    /// [`Error::Input`] if another process has it.
    pub fn retake(&self) -> Result<bool> {
        self.session.journal().retake()
    }

    /// Returns the open questions, among them as many `new` ones as there are. Of a campaign that is over it returns none.
    ///
    /// # Errors
    /// If the journal cannot be written or the run not go on.
    pub fn ask(&mut self, new: usize) -> Result<Vec<OpenQuestion>> {
        self.session.draw(new)?;
        let context = self.session.campaign().context();
        self.name_questions();
        let journal = self.session.journal();
        let is_decided = self.session.is_decided();
        let dealing = self.session.dealing();
        let task = &context.task;
        let criteria = task.criteria.iter();
        let criteria: Vec<_> = criteria
            .map(|one| (one.name.clone(), one.scale()))
            .collect();
        let shown = |(put, question): (Assignment, _)| {
            let row = sheet::row(context, put, &question, &self.codes)?;
            let person = put.second.unwrap_or(question.sample.person);
            Ok(OpenQuestion {
                question: row.code.to_string(),
                source: row.source.map(str::to_string),
                references: row.references.to_vec(),
                texts: row
                    .texts
                    .iter()
                    .map(|(_, text)| (*text).to_string())
                    .collect(),
                annotator: dealing.name(person).map(str::to_string),
                prompt: task.prompt.clone(),
                criteria: criteria.clone(),
                writes: task.text_column(),
            })
        };
        // After a decision nothing is asked but what was taken back.
        let open = open_puts(&journal, &dealing);
        let open = open.filter(|(put, _)| !is_decided || journal.is_disowned(*put));
        open.map(shown).collect()
    }

    /// Takes an answer; the journal has it when this returns.
    ///
    /// # Errors
    /// [`Error::Usage`] for a question that was not asked, an answer that is none, or another one than was given before;
    /// for a second person's comparison where annotators are not listed;
    /// if the journal cannot be written or the run not go on.
    pub fn answer(&mut self, given: &GivenAnswer) -> Result<()> {
        let code = &given.question;
        let unknown = || {
            Error::usage(format!("question `{code}` was not asked in this campaign"))
                .with_hint("answer a question that this campaign gave")
        };
        let id = self.codes.question(code).map(DuelId).ok_or_else(unknown)?;
        check_annotators(given.annotator.as_deref(), Error::usage)?;
        let annotator = given.annotator.as_deref().map(|name| self.known(name));
        let second = self.session.journal().seconds(id).into_iter();
        let mut second = second.filter(|(_, name)| annotator.as_ref() == Some(name));
        let put = Assignment {
            id,
            second: second.next().map(|(person, _)| person),
        };
        let response = Response {
            annotator,
            seconds: given.seconds,
            at: Some(seconds()),
            ..self.parsed(put, given)?
        };
        if let Some(was) = self.session.journal().response(put) {
            if response.says_the_same(was) {
                return Ok(());
            }
            if was.is_answer() || !response.is_answer() {
                let task = &self.session.campaign().context().task;
                let words = |given| task.words(given, self.session.seed(), put);
                let what = format!(
                    "answer is {}, but it was {} before",
                    words(&response),
                    words(was)
                );
                return Err(Error::usage(what).with_hint("a person answers a question once"));
            }
        }
        self.refuse_second_person(response.annotator.as_ref())?;
        let by = response.annotator.clone();
        self.session.take(put, response)?;
        self.answered_as.insert(by);
        Ok(())
    }

    /// Refuses the first comparison by a second person where nobody is listed: from there on nothing could be proved.
    fn refuse_second_person(&self, name: Option<&String>) -> Result<()> {
        let is_pair = self.session.campaign().context().task.protocol == Protocol::Pairwise;
        let is_unlisted = self.session.dealing().people() == People::One;
        let mut others = self.answered_as.iter();
        let (Some(other), None) = (others.next(), others.next()) else {
            return Ok(());
        };
        if !is_pair || !is_unlisted || other.as_ref() == name {
            return Ok(());
        }
        let words = |name: Option<&String>| {
            name.map_or_else(|| "has no name".to_string(), |name| format!("is by {name}"))
        };
        let listed: Vec<&str> = [other.as_ref(), name]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let (now, before) = (words(name), words(other.as_ref()));
        let what = format!(
            "this answer {now}, and each before {before}: answers of several people prove nothing unless they are listed"
        );
        Err(Error::usage(what).with_hint(message!(
            "give answers of one person one name, or list people when a campaign begins: {}",
            Key("annotators").set(listed.join(","))
        )))
    }

    fn parsed(&self, put: Assignment, given: &GivenAnswer) -> Result<Response> {
        let task = &self.session.campaign().context().task;
        let answer = given.answer.as_deref();
        let is_pair = task.protocol == Protocol::Pairwise;
        if let Some(answer) = answer.filter(|answer| is_pair && parse(answer).is_none()) {
            return Err(Error::usage(format!(
                "answer is `{answer}`, expected {EXPECTED}"
            )));
        }
        let sent = SubmittedAnswer {
            answer,
            scores: Some(&given.scores),
            text: given.text.as_deref(),
        };
        let parsed = task.parse_submitted(sent, self.session.seed(), put);
        parsed.map_err(Error::usage)
    }

    /// A name as it is known.
    fn known(&mut self, name: &str) -> String {
        let known = self.names.iter().find(|known| is_same_person(known, name));
        known.cloned().unwrap_or_else(|| {
            self.names.push(name.to_string());
            name.to_string()
        })
    }

    /// The status of the campaign; its results and those of the annotators are stored, for `report`.
    ///
    /// # Errors
    /// If they cannot be found out or stored.
    pub fn status(&mut self) -> Result<CampaignStatus> {
        let context = self.session.campaign().context();
        let found = standing_out::store(context.context, context.folder, &self.session.journal())?;
        self.session.status(Notices {
            found,
            ..Notices::default()
        })
    }
}
