//! The form of a journal's lines.

use super::pseudonyms::is_pseudonym;
use super::{Assignment, DealtQuestion, OutputRating, RatingPlan, Response, RunLimits};
use serde::{Deserialize, Serialize};
use std::path::Path;
use tiebreak_base::duel::{Arm, Duel, DuelId, Outcome, Pair};
use tiebreak_base::error::{Error, Location, Result};
use tiebreak_base::signature::Signature;
use tiebreak_decide::feedback::{PairQuestion, Sample};

/// The version of the form. A journal of another version would not replay as it went.
const VERSION: u32 = 14;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum JournalEntry {
    Journal(JournalHeader),
    /// The plan of what is rated, drawn before the first question.
    Plan(RatingPlan),
    /// Larger limits of the run, from here on.
    Limits(RunLimits),
    /// The digest of what annotators are asked from here on, where that was changed; null for the built-in task.
    Task(Option<String>),
    /// The people who are asked from here on.
    People(Vec<String>),
    /// Questions asked together: a line is whole or not there, so these are too.
    Questions(QuestionBatch),
    /// Answers that came in together.
    Answers(Vec<ResponseEntry>),
    /// Answers that were taken back: their questions are open again.
    Undone(Vec<AssignmentReference>),
    /// People whose last answers cannot be taken back any more.
    Final(Vec<u32>),
    /// Answers that were final turn out to be wrong or somebody else's: their questions are open again.
    Disowned(Vec<AssignmentReference>),
    /// The annotator of answers that came without a name.
    Named(Vec<AnnotatorAttribution>),
    /// A task with a known answer was done.
    Checked(CheckResult),
    /// An answer to such a task was taken back: it is open again.
    CheckUndone(CheckReference),
    /// Skipped questions that are assigned to somebody else too.
    Passed(Vec<AssignmentReference>),
}

/// The result of a task with a known answer: no evidence about systems.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckResult {
    /// The annotator who did it.
    pub person: u32,
    /// The number of tasks they had done before, checks included.
    pub served: u64,
    /// The answer they gave.
    pub answer: String,
    /// Whether that is right.
    pub right: bool,
    /// Whether it was for training.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub training: bool,
    /// The time it took, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// A check as it was given to one annotator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CheckReference {
    pub(super) person: u32,
    /// The number of tasks they had done before.
    pub(super) served: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct JournalHeader {
    version: u32,
    run: String,
    settings: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QuestionEntry {
    id: u64,
    first: u16,
    second: u16,
    item: u32,
    judgment: u32,
    bet: f64,
    /// The annotator to whom it is dealt.
    #[serde(default, skip_serializing_if = "is_zero")]
    person: u32,
    /// The annotators who are asked for second opinions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<u32>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde calls
fn is_zero(person: &u32) -> bool {
    *person == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde calls
fn is_false(held: &bool) -> bool {
    !held
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QuestionBatch {
    pub(super) asked: Vec<QuestionEntry>,
    /// The sheet that they go out on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sheet: Option<SheetRecord>,
}

/// A sheet as it was written, or was to be when the process died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SheetRecord {
    /// Its name, or that of a folder of sheets.
    pub name: String,
    /// Its questions.
    pub questions: Vec<u64>,
    /// Its form where it is no table: `page`, or the name of another annotation tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
}

/// A question as it is put to one annotator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AssignmentReference {
    id: u64,
    /// The annotator whose second opinion it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    second: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnnotatorAttribution {
    pub(super) of: AssignmentReference,
    pub(super) annotator: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResponseEntry {
    id: u64,
    /// The annotator whose second opinion it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    second: Option<u32>,
    /// The outcome for the question's first system; null where the question was skipped, or is about one.
    outcome: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rated: Option<OutputRating>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    annotator: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<u64>,
    /// Whether it may be taken back until the same person's next answer.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) held: bool,
}

impl JournalEntry {
    pub(super) fn header(signature: &Signature) -> Self {
        Self::Journal(JournalHeader {
            version: VERSION,
            run: signature.name().to_string(),
            settings: signature.fields().to_vec(),
        })
    }

    pub(super) fn questions(questions: &[DealtQuestion], sheet: Option<SheetRecord>) -> Self {
        let asked = questions.iter().map(QuestionEntry::from).collect();
        Self::Questions(QuestionBatch { asked, sheet })
    }

    pub(super) fn answers(given: &[(Assignment, Response)], held: bool) -> Self {
        let answered = |(put, given): &(Assignment, Response)| ResponseEntry {
            id: put.id.0,
            second: put.second,
            outcome: given.outcome.map(Outcome::value),
            rated: given.rated.clone(),
            label: given.label.clone(),
            annotator: given.annotator.clone(),
            seconds: given.seconds,
            comment: given.comment.clone(),
            reason: given.reason.clone(),
            at: given.at,
            held,
        };
        Self::Answers(given.iter().map(answered).collect())
    }

    /// The assignments whose annotator it names or leaves open.
    pub(super) fn signed(&self) -> Vec<(Assignment, Option<&str>)> {
        match self {
            Self::Answers(answers) => {
                let signed = answers
                    .iter()
                    .map(|one| (one.put(), one.annotator.as_deref()));
                signed.collect()
            }
            Self::Named(named) => {
                let signed = named
                    .iter()
                    .map(|one| (one.of.into(), Some(&*one.annotator)));
                signed.collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether it may hold texts about people.
    pub(super) fn is_private(&self) -> bool {
        match self {
            Self::People(_) | Self::Answers(_) | Self::Named(_) => true,
            Self::Questions(batch) => batch.sheet.is_some(),
            _ => false,
        }
    }

    /// The texts in it that are about people.
    pub(super) fn private_texts(&mut self) -> Vec<(PrivateField, &mut String)> {
        let name = |name| (PrivateField::Name, name);
        match self {
            Self::People(names) => names.iter_mut().map(name).collect(),
            Self::Answers(answers) => {
                let answers = answers.iter_mut().enumerate();
                let texts = answers.flat_map(|(place, one)| one.private_texts(place));
                texts.collect()
            }
            Self::Named(named) => {
                let names = named.iter_mut().map(|naming| &mut naming.annotator);
                names.map(name).collect()
            }
            Self::Questions(batch) => {
                let sheet = batch.sheet.iter_mut().map(|sheet| &mut sheet.name);
                sheet.map(|name| (PrivateField::Sheet, name)).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// A field whose text is about a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PrivateField {
    /// The name of an annotator.
    Name,
    /// What somebody wrote beside the answer at this place of the line.
    Remark(usize),
    /// The name of a sheet, which may be its annotator's.
    Sheet,
}

impl ResponseEntry {
    /// The assignment that it answers.
    pub(super) fn put(&self) -> Assignment {
        Assignment {
            id: DuelId(self.id),
            second: self.second,
        }
    }

    fn private_texts(&mut self, place: usize) -> impl Iterator<Item = (PrivateField, &mut String)> {
        let remark = PrivateField::Remark(place);
        let remarks = self.comment.iter_mut().chain(&mut self.reason);
        let name = self.annotator.iter_mut();
        let name = name.map(|name| (PrivateField::Name, name));
        name.chain(remarks.map(move |text| (remark, text)))
    }

    /// The response that was given.
    ///
    /// # Errors
    /// An outcome that is not valid.
    pub(super) fn response(&self) -> Result<Response, String> {
        let outcome = match self.outcome {
            None => None,
            Some(value) => Some(
                Outcome::from_value(value)
                    .ok_or_else(|| format!("outcome is {value}, expected 0, 0.5 or 1"))?,
            ),
        };
        Ok(Response {
            outcome,
            rated: self.rated.clone(),
            label: self.label.clone(),
            annotator: self.annotator.clone(),
            seconds: self.seconds,
            comment: kept(self.comment.as_ref()),
            reason: kept(self.reason.as_ref()),
            at: self.at,
        })
    }
}

/// A remark, unless it was erased.
fn kept(remark: Option<&String>) -> Option<String> {
    remark.filter(|text| !is_pseudonym(text)).cloned()
}

pub(super) fn check_version(path: &Path, header: &JournalHeader) -> Result<()> {
    if header.version == VERSION {
        return Ok(());
    }
    let what = format!(
        "a journal of version {}, expected {VERSION}",
        header.version
    );
    Err(Error::record(Location::line(path, 1), what).with_hint(
        "another version of tiebreak began the campaign: go on with that version, or begin a new campaign in \
         another folder",
    ))
}

impl JournalHeader {
    /// The signature that the run began with.
    pub(super) fn signature(&self) -> Signature {
        let settings = self.settings.iter();
        settings.fold(Signature::new(&self.run), |signature, (key, value)| {
            signature.with(key, value)
        })
    }

    /// Checks that the journal belongs to a run of this signature, whatever its limits are now.
    pub(super) fn check(&self, path: &Path, signature: &Signature) -> Result<()> {
        check_version(path, self)?;
        if self.run != signature.name() {
            return Err(changed(
                path,
                "run",
                Some(&self.run),
                Some(signature.name()),
            ));
        }
        let all = self.settings.iter().chain(signature.fields());
        let mut keys = all
            .map(|(key, _)| key.as_str())
            .filter(|key| !RunLimits::is_limit(key));
        keys.try_for_each(|key| {
            let now = signature.fields().iter().find(|(name, _)| name == key);
            self.require_same(path, key, now.map(|(_, value)| value.as_str()))
        })
    }

    /// Checks that it has these settings, whatever else it has.
    pub(super) fn require(&self, path: &Path, settings: &[(&str, String)]) -> Result<()> {
        check_version(path, self)?;
        let mut settings = settings.iter();
        settings.try_for_each(|(key, value)| self.require_same(path, key, Some(value)))
    }

    fn require_same(&self, path: &Path, key: &str, now: Option<&str>) -> Result<()> {
        let was = self.settings.iter().find(|(name, _)| name == key);
        let was = was.map(|(_, value)| value.as_str());
        match was == now {
            true => Ok(()),
            false => Err(changed(path, key, was, now)),
        }
    }
}

fn changed(path: &Path, key: &str, was: Option<&str>, now: Option<&str>) -> Error {
    Error::Changed {
        path: path.to_path_buf(),
        key: key.to_string(),
        was: was.unwrap_or("(none)").to_string(),
        now: now.unwrap_or("(none)").to_string(),
    }
}

impl From<Assignment> for AssignmentReference {
    fn from(Assignment { id, second }: Assignment) -> Self {
        Self { id: id.0, second }
    }
}

impl From<AssignmentReference> for Assignment {
    fn from(AssignmentReference { id, second }: AssignmentReference) -> Self {
        let id = DuelId(id);
        Self { id, second }
    }
}

impl From<&DealtQuestion> for QuestionEntry {
    fn from(DealtQuestion { question, others }: &DealtQuestion) -> Self {
        Self {
            id: question.duel.id.0,
            first: question.duel.pair.first.0,
            second: question.duel.pair.second.0,
            item: question.sample.item,
            judgment: question.sample.judgment,
            bet: question.duel.bet,
            person: question.sample.person,
            others: others.clone(),
        }
    }
}

impl From<QuestionEntry> for DealtQuestion {
    fn from(asked: QuestionEntry) -> Self {
        let question = PairQuestion {
            duel: Duel {
                id: DuelId(asked.id),
                pair: Pair::new(Arm(asked.first), Arm(asked.second)),
                bet: asked.bet,
            },
            sample: Sample {
                item: asked.item,
                judgment: asked.judgment,
                person: asked.person,
            },
        };
        let others = asked.others;
        Self { question, others }
    }
}
