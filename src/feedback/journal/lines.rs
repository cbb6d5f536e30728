//! The lines of a journal: their form, and reading them back.

use crate::duel::{Arm, Duel, DuelId, Origin, Outcome, Pair};
use crate::error::{Error, Location, Result};
use crate::feedback::{Answer, Question, Sample};
use crate::signature::Signature;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::path::Path;

const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Line {
    Journal(Header),
    Question(Asked),
    Answer(Answered),
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
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Answered {
    id: u64,
    outcome: f64,
    human: bool,
}

impl Line {
    pub(super) fn header(signature: &Signature) -> Self {
        Self::Journal(Header {
            version: VERSION,
            run: signature.name().to_string(),
            settings: signature.fields().to_vec(),
        })
    }

    pub(super) fn question(question: Question) -> Self {
        Self::Question(question.into())
    }

    pub(super) fn answer(answer: Answer) -> Self {
        Self::Answer(Answered {
            id: answer.question.duel.id.0,
            outcome: answer.outcome.value(),
            human: answer.origin == Origin::Human,
        })
    }
}

/// An answer as read back, beside its question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exchange {
    pub(super) question: Question,
    pub(super) answer: Option<(Outcome, Origin)>,
    pub(super) line: u64,
}

/// The exchanges of a journal made of whole lines.
pub(super) fn read_back(
    path: &Path,
    text: &[u8],
    signature: &Signature,
) -> Result<VecDeque<Exchange>> {
    let mut past: VecDeque<Exchange> = VecDeque::new();
    let lines = text.split(|&byte| byte == b'\n');
    for (line, bytes) in (1_u64..).zip(lines).filter(|(_, bytes)| !bytes.is_empty()) {
        let bad = |what: String| Error::record(Location::line(path, line), what);
        let parsed: Line = serde_json::from_slice(bytes)
            .map_err(|source| bad(format!("not a line of a journal: {source}")))?;
        match (line, parsed) {
            (1, Line::Journal(header)) => check_header(path, &header, signature)?,
            (1, _) => return Err(bad("a journal begins with its header".to_string())),
            (_, Line::Journal(_)) => return Err(bad("a second header".to_string())),
            (_, Line::Question(asked)) => {
                if let Some(open) = past.back().filter(|last| last.answer.is_none()) {
                    let id = open.question.duel.id.0;
                    return Err(bad(format!(
                        "question {id} has no answer, expected it here"
                    )));
                }
                past.push_back(Exchange {
                    question: asked.into(),
                    answer: None,
                    line,
                });
            }
            (_, Line::Answer(answered)) => {
                let outcome = Outcome::from_value(answered.outcome).ok_or_else(|| {
                    bad(format!(
                        "outcome is {}, expected 0, 0.5 or 1",
                        answered.outcome
                    ))
                })?;
                let open = past
                    .back_mut()
                    .filter(|last| last.answer.is_none() && last.question.duel.id.0 == answered.id);
                let origin = if answered.human {
                    Origin::Human
                } else {
                    Origin::Model
                };
                open.ok_or_else(|| {
                    bad(format!("an answer to {}, which is not open", answered.id))
                })?
                .answer = Some((outcome, origin));
            }
        }
    }
    Ok(past)
}

fn check_header(path: &Path, header: &Header, signature: &Signature) -> Result<()> {
    if header.version != VERSION {
        let what = format!(
            "a journal of version {}, expected {VERSION}",
            header.version
        );
        return Err(Error::record(Location::line(path, 1), what));
    }
    let changed = |key: &str, was: Option<&str>, now: Option<&str>| {
        Err(Error::Changed {
            path: path.to_path_buf(),
            key: key.to_string(),
            was: was.unwrap_or("(none)").to_string(),
            now: now.unwrap_or("(none)").to_string(),
        })
    };
    if header.run != signature.name() {
        return changed("run", Some(&header.run), Some(signature.name()));
    }
    let value = |fields: &[(String, String)], key: &str| -> Option<String> {
        let field = fields.iter().find(|(name, _)| name == key);
        field.map(|(_, value)| value.clone())
    };
    for (key, _) in header.settings.iter().chain(signature.fields()) {
        let (was, now) = (value(&header.settings, key), value(signature.fields(), key));
        if was != now {
            return changed(key, was.as_deref(), now.as_deref());
        }
    }
    Ok(())
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
            },
        }
    }
}
