//! Replies of a judge to a batch of requests (OpenAI's file format, which vLLM writes too).
//!
//! Results are joined to their requests by `custom_id`, in any order: `pairs.csv` beside them has item, systems and
//! order; without it an id may be `item|system_a|system_b|0` (1: the second was shown first). A reply is
//! read from the probabilities of its first token: those of A, B and C (a tie) are summed over spellings and others
//! ignored. Where the three together are unlikely the reply is none. Without probabilities the text must be one of the
//! three letters; prose is not searched.

use super::frame::{
    DatasetBuilder, ImportFile, ImportFiles, ImportFormat, ImportRecord, Orders, PredictionRow,
    RecordValue, content, mean, position,
};
use std::collections::BTreeMap;
use tiebreak_base::duel::LEAST_LABEL_PROBABILITY;
use tiebreak_base::error::{Error, Result, is_there};

/// The format of a judge's replies.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "judge-batch",
    summary: "replies of an LLM judge in a batch",
    picks: &[],
    matching_files: |files| files.that(is_reply),
    read,
};

fn is_reply(file: &ImportFile) -> bool {
    file.has(&["custom_id", "response"])
}

fn is_question(file: &ImportFile) -> bool {
    file.has(&["custom_id", "item", "system_a", "system_b", "first"])
}

/// The question of a reply.
#[derive(Debug, Clone)]
struct BatchQuestion {
    item: String,
    system_a: String,
    system_b: String,
    /// Whether `system_a` was shown first.
    given: bool,
}

/// A reply that could be read.
struct BatchVerdict {
    /// The probability that the first system is preferred.
    p: f64,
    /// The probability that the output shown first is preferred.
    first: f64,
    /// Whether the first system was shown first.
    given: bool,
    /// The model that replied.
    judge: Option<String>,
}

fn read(
    found: &[&ImportFile],
    files: &ImportFiles,
    builder: &mut DatasetBuilder<'_>,
) -> Result<()> {
    builder.taken(
        "item, systems and order: by custom_id; p: of A, B and C among the likeliest first tokens",
    );
    let mut asked = BTreeMap::new();
    for file in files.that(is_question) {
        questions(file, &mut asked)?;
    }
    if asked.is_empty() {
        let beside = found[0].path.with_file_name("pairs.csv");
        if is_there(&beside) {
            let files = ImportFiles::discover(std::slice::from_ref(&beside), builder.options)?;
            match files.that(is_question)[..] {
                [file] => questions(file, &mut asked)?,
                _ => return Err(Error::input(beside, NO_QUESTIONS).with_hint(PAIRS)),
            }
        }
    }
    let mut verdicts: BTreeMap<(String, String, String), Vec<BatchVerdict>> = BTreeMap::new();
    let mut orders = Orders::default();
    for file in found {
        file.records(&[], &mut |record| {
            let id = record.get("custom_id").name()?;
            if builder.is_again("reply", &id) {
                return Ok(());
            }
            let question = match asked.get(&id) {
                Some(question) => question.clone(),
                None => by_id(&id)
                    .filter(|_| asked.is_empty())
                    .ok_or_else(|| unasked(&record, &id))?,
            };
            match reply(&record) {
                Ok(first) => {
                    orders.shown(first);
                    let p = if question.given { first } else { 1.0 - first };
                    let pair = (question.item, question.system_a, question.system_b);
                    let body = record.get("response").get("body");
                    verdicts.entry(pair).or_default().push(BatchVerdict {
                        p,
                        first,
                        given: question.given,
                        judge: body.get("model").filled()?,
                    });
                }
                Err(why) => builder.drop(why),
            }
            Ok(())
        })?;
    }
    for ((item, system_a, system_b), readable) in &verdicts {
        let each = |of: fn(&BatchVerdict) -> f64| readable.iter().map(of).collect::<Vec<_>>();
        let both = readable.iter().any(|one| one.given) && readable.iter().any(|one| !one.given);
        if let Some(p) = mean(&each(|one| one.p)) {
            builder.prediction(&PredictionRow {
                item,
                system_a,
                system_b,
                p,
                judge: readable.first().and_then(|one| one.judge.as_deref()),
                position: position(&each(|one| one.first)).filter(|_| both),
                more: None,
            })?;
        }
    }
    if let Some(told) = orders.position_bias_note() {
        builder.note(told);
    }
    Ok(())
}

const NO_QUESTIONS: &str = "does not say what was asked";

/// The ways to identify a question, in words.
const PAIRS: &str = "put pairs.csv into the same folder, with the columns custom_id, item, system_a, system_b and first";

fn unasked(record: &ImportRecord, id: &str) -> Error {
    record
        .error(format!("no row of pairs.csv says what `{id}` asked"))
        .with_hint(PAIRS)
}

fn questions(file: &ImportFile, asked: &mut BTreeMap<String, BatchQuestion>) -> Result<()> {
    file.records(&[], &mut |record| {
        let (system_a, system_b) = (
            record.get("system_a").name()?,
            record.get("system_b").name()?,
        );
        let first = record.get("first").name()?;
        if first != system_a && first != system_b {
            return Err(record.get("first").wrong("one of the two systems"));
        }
        let question = BatchQuestion {
            item: record.get("item").name()?,
            given: first == system_a,
            system_a,
            system_b,
        };
        asked.insert(record.get("custom_id").name()?, question);
        Ok(())
    })
}

fn by_id(id: &str) -> Option<BatchQuestion> {
    let mut parts = id.rsplitn(4, '|');
    let order = parts.next()?;
    let (system_b, system_a, item) = (parts.next()?, parts.next()?, parts.next()?);
    Some(BatchQuestion {
        item: item.to_string(),
        system_a: system_a.to_string(),
        system_b: system_b.to_string(),
        given: match order {
            "0" => true,
            "1" => false,
            _ => return None,
        },
    })
}

/// Returns the probability that the output shown first is preferred, or the reason why it cannot be read.
fn reply(record: &ImportRecord) -> Result<f64, String> {
    let response = record.get("response");
    let status = response.get("status_code").value().as_u64();
    if let Some(status) = status.filter(|status| *status != 200) {
        return Err(format!("http {status}"));
    }
    if !record.get("error").is_null() || response.is_null() {
        return Err("failed".to_string());
    }
    let mut readable = Vec::new();
    let mut why = "no choices".to_string();
    for choice in response.get("body").get("choices").items() {
        match verdict(choice) {
            Ok(p) => readable.push(p),
            Err(reason) => why = reason,
        }
    }
    mean(&readable).ok_or(why)
}

fn verdict(choice: RecordValue<'_>) -> Result<f64, String> {
    let message = choice.get("message");
    let finished = choice
        .get("finish_reason")
        .value()
        .as_str()
        .unwrap_or_default();
    if !message.get("refusal").is_null() || finished == "content_filter" {
        return Err("refusal".to_string());
    }
    let likeliest = choice
        .get("logprobs")
        .get("content")
        .nth(0)
        .get("top_logprobs");
    if likeliest.items().len() > 0 {
        return by_tokens(likeliest);
    }
    let said = content(message.get("content").value()).unwrap_or_default();
    match said.trim() {
        "A" => Ok(1.0),
        "B" => Ok(0.0),
        "C" => Ok(0.5),
        _ if finished == "length" => Err("cut off".to_string()),
        _ => Err("unreadable".to_string()),
    }
}

/// (P_A + P_C / 2) / (P_A + P_B + P_C), each summed over the spellings of its letter.
fn by_tokens(likeliest: RecordValue<'_>) -> Result<f64, String> {
    let mut mass = [0.0; 3];
    for token in likeliest.items() {
        let letter = token.get("token").value().as_str().unwrap_or_default();
        let place = ["A", "B", "C"]
            .iter()
            .position(|known| *known == letter.trim());
        if let (Some(place), Some(logprob)) = (place, token.get("logprob").measure()) {
            mass[place] += logprob.exp();
        }
    }
    let [a, b, tie] = mass;
    let total = a + b + tie;
    match total >= LEAST_LABEL_PROBABILITY && total.is_finite() {
        true => Ok((a + tie / 2.0) / total),
        false => Err("no verdict token".to_string()),
    }
}
