//! The lines of a journal: their form, and reading them back.

use super::chain::{AS_IT_IS, Chain};
use super::{Given, Logged, Posed};
use crate::duel::{Arm, Duel, DuelId, Outcome, Pair};
use crate::error::{Error, Location, Result};
use crate::feedback::{Question, Sample};
use crate::signature::Signature;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

/// 4: every line is a link of a chain; sheets are logged with their questions. 5: each table of texts by itself.
const VERSION: u32 = 5;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Line {
    Journal(Header),
    /// The people who are asked from here on.
    People(Vec<String>),
    /// What is asked together: a line is whole or not there, so these are too.
    Questions(Batch),
    /// What came in together.
    Answers(Vec<Answered>),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Header {
    version: u32,
    run: String,
    settings: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    id: u64,
    first: u16,
    second: u16,
    item: u32,
    judgment: u32,
    bet: f64,
    /// To whom it is dealt.
    #[serde(default, skip_serializing_if = "is_zero")]
    person: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde calls
fn is_zero(person: &u32) -> bool {
    *person == 0
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Batch {
    asked: Vec<Asked>,
    /// Where they go out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sheet: Option<Sheet>,
}

/// A sheet as it was written, or was to be when the process died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sheet {
    /// Its name, or that of a folder of sheets.
    pub name: String,
    /// Its questions.
    pub questions: Vec<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answered {
    id: u64,
    /// How the question's first system fared; null where the question was skipped.
    outcome: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    annotator: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
}

impl Line {
    pub(super) fn header(signature: &Signature) -> Self {
        Self::Journal(Header {
            version: VERSION,
            run: signature.name().to_string(),
            settings: signature.fields().to_vec(),
        })
    }

    pub(super) fn people(list: &[String]) -> Self {
        Self::People(list.to_vec())
    }

    pub(super) fn questions(questions: &[Question], sheet: Option<Sheet>) -> Self {
        let asked = questions.iter().copied().map(Asked::from).collect();
        Self::Questions(Batch { asked, sheet })
    }

    pub(super) fn answers(given: &[(DuelId, Given)]) -> Self {
        let answered = |(id, given): &(DuelId, Given)| Answered {
            id: id.0,
            outcome: given.outcome.map(Outcome::value),
            annotator: given.annotator.clone(),
            seconds: given.seconds,
        };
        Self::Answers(given.iter().map(answered).collect())
    }
}

/// A journal as read back.
#[derive(Debug, Default)]
pub(super) struct Past {
    pub(super) posed: BTreeMap<DuelId, Posed>,
    /// The last list of people.
    pub(super) list: Vec<String>,
    pub(super) sheets: Vec<Sheet>,
    pub(super) logged: VecDeque<Logged>,
    pub(super) chain: Chain,
}

impl Past {
    /// Reads a journal made of whole lines, which went as far as `kept` at least.
    pub(super) fn read(
        path: &Path,
        text: &[u8],
        kept: &Chain,
        check: impl Fn(&Header) -> Result<()>,
    ) -> Result<Self> {
        let mut past = Self::default();
        let lines = text.split(|&byte| byte == b'\n');
        for (line, bytes) in (1_u64..).zip(lines).filter(|(_, bytes)| !bytes.is_empty()) {
            let bad = |what: String| Error::record(Location::line(path, line), what);
            let parsed = past.parse(path, line, bytes)?;
            match (line, parsed) {
                (1, Line::Journal(header)) => check(&header)?,
                (1, _) => return Err(bad("a journal begins with its header".to_string())),
                (_, Line::Journal(_)) => return Err(bad("a second header".to_string())),
                (_, Line::People(list)) => past.list(list),
                (_, Line::Questions(batch)) => {
                    for asked in batch.asked {
                        past.pose(asked.into(), line).map_err(bad)?;
                    }
                    past.sheets.extend(batch.sheet);
                }
                (_, Line::Answers(answers)) => {
                    for answered in answers {
                        past.answer(answered).map_err(bad)?;
                    }
                }
            }
            if past.chain.lines == kept.lines && past.chain != *kept {
                return Err(
                    bad("another line than was logged here".to_string()).with_hint(AS_IT_IS)
                );
            }
        }
        match past.chain.lines < kept.lines {
            true => Err(Error::input(
                path,
                format!(
                    "ends after line {}, but {} were logged: questions or answers are missing",
                    past.chain.lines, kept.lines
                ),
            )
            .with_hint(AS_IT_IS)),
            false => Ok(past),
        }
    }

    fn parse(&mut self, path: &Path, line: u64, bytes: &[u8]) -> Result<Line> {
        let bad = |what: String| Error::record(Location::line(path, line), what);
        let Some(object) = self.chain.follow(bytes) else {
            // Journals of earlier versions had no chain.
            if line == 1
                && let Ok(Line::Journal(header)) = serde_json::from_slice(bytes)
            {
                check_version(path, &header)?;
            }
            let what =
                "not what was logged here: the line was changed, or one before it is missing";
            return Err(bad(what.to_string()).with_hint(
                "a journal cannot be edited; restore the campaign's folder from a copy of it",
            ));
        };
        serde_json::from_slice(&object)
            .map_err(|source| bad(format!("not a line of a journal: {source}")))
    }

    fn list(&mut self, list: Vec<String>) {
        self.logged.push_back(Logged::People(list.clone()));
        self.list = list;
    }

    fn pose(&mut self, question: Question, line: u64) -> Result<(), String> {
        let id = question.duel.id;
        if self
            .posed
            .last_key_value()
            .is_some_and(|last| *last.0 >= id)
        {
            return Err(format!("question {} is not the next one", id.0));
        }
        let given = None;
        self.posed.insert(id, Posed { question, given });
        self.logged.push_back(Logged::Question(question, line));
        Ok(())
    }

    fn answer(&mut self, answered: Answered) -> Result<(), String> {
        let outcome = match answered.outcome {
            None => None,
            Some(value) => Some(
                Outcome::from_value(value)
                    .ok_or_else(|| format!("outcome is {value}, expected 0, 0.5 or 1"))?,
            ),
        };
        let id = DuelId(answered.id);
        let posed = self.posed.get_mut(&id).filter(|posed| !posed.is_settled());
        posed
            .ok_or_else(|| format!("an answer to {}, which is not open", id.0))?
            .given = Some(Given {
            outcome,
            annotator: answered.annotator,
            seconds: answered.seconds,
        });
        self.logged.push_back(Logged::Given(id, outcome));
        Ok(())
    }
}

fn check_version(path: &Path, header: &Header) -> Result<()> {
    if header.version == VERSION {
        return Ok(());
    }
    let what = format!(
        "a journal of version {}, expected {VERSION}",
        header.version
    );
    Err(Error::record(Location::line(path, 1), what).with_hint(
        "the campaign was begun by another version of tiebreak: go on with that one, or begin anew in \
         another folder",
    ))
}

impl Header {
    /// That the journal belongs to a run of this signature.
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
        let mut keys = all.map(|(key, _)| key.as_str());
        keys.try_for_each(|key| {
            let now = signature.fields().iter().find(|(name, _)| name == key);
            self.require_same(path, key, now.map(|(_, value)| value.as_str()))
        })
    }

    /// That it has these settings, whatever else it has.
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

impl From<Question> for Asked {
    fn from(question: Question) -> Self {
        Self {
            id: question.duel.id.0,
            first: question.duel.pair.first.0,
            second: question.duel.pair.second.0,
            item: question.sample.item,
            judgment: question.sample.judgment,
            bet: question.duel.bet,
            person: question.sample.person,
        }
    }
}

impl From<Asked> for Question {
    fn from(asked: Asked) -> Self {
        Self {
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
        }
    }
}
