//! Checks in a campaign, which are tasks whose answer is known: for training, and to find annotators who do not read
//! what they judge.
//!
//! Checks are no evidence. Otherwise they are like questions: they have names, count as answered, are journalled, can
//! be taken back as long, and invalid answers are refused in the same words.

use crate::campaign::session::{AnswerReceipt, CampaignSession};
use crate::campaign::state::{Wording, due_check};
use crate::campaign::task::{Content, Protocol, Task};
use serde_json::{Value, json};
use tiebreak_base::duel::DuelId;
use tiebreak_base::error::Result;
use tiebreak_stages::journal::{Assignment, CheckResult, Response};

/// The assignment under which answers to checks are read and repeated. It is the same both times, so an answer stays
/// as it was given, whatever the sides.
pub(super) const UNSIDED: Assignment = Assignment {
    id: DuelId(0),
    second: None,
};

/// Returns how annotators can tell checks from questions: by what all questions show beside their texts and a check
/// does not, or none and it does.
pub(super) fn telltale(task: &Task, mut questions: [f64; 2]) -> Option<String> {
    if !task.shows_references() {
        questions[1] = 0.0;
    }
    let answers_passages = task.protocol == Protocol::QuestionAnswering;
    let references = if answers_passages {
        "passage"
    } else {
        "references"
    };
    // Without a rate none is served.
    let mut mixed = task.checks.mixed.iter().filter(|_| task.checks.rate > 0.0);
    mixed.find_map(|check| {
        let Content {
            source,
            passage,
            references: own,
            ..
        } = check.content();
        let has = [
            source.is_some(),
            if answers_passages {
                passage.is_some()
            } else {
                !own.is_empty()
            },
        ];
        let fields = ["source", references].into_iter().zip(has).zip(questions);
        let mut telling = fields.filter(|((_, has), share)| *share == f64::from(!*has));
        let ((field, has), _) = telling.next()?;
        let (check, questions) = match has {
            true => ("a", "no question does"),
            false => ("no", "every question does"),
        };
        Some(format!(
            "annotators can tell checks from questions: a check shows {check} `{field}`, and {questions}. Checks of your \
             own belong into the campaign's task.toml, `[[checks.mixed]]`"
        ))
    })
}

/// Takes an answer to a check; returns the feedback to it, where it is new.
pub(super) fn take(
    session: &mut CampaignSession<'_>,
    person: u32,
    wording: &Wording,
    (number, given): (u64, &Response),
) -> Result<(AnswerReceipt, Option<String>)> {
    let answer = wording.task.words(given, session.seed(), UNSIDED);
    let due = due_check(session, person, wording);
    let Some((served, check)) = due.filter(|(due, _)| *due == number) else {
        let journal = session.journal();
        let mut done = journal.checked(person).iter();
        let is_known = done.any(|one| one.served == number && one.answer == answer);
        let taken = if is_known {
            AnswerReceipt::Known
        } else {
            AnswerReceipt::Closed
        };
        return Ok((taken, None));
    };
    let rated = given.rated.clone().unwrap_or_default();
    let right = check.is_right(Some(&answer), &rated.scores);
    let is_last = served + 1 == wording.task.checks.training();
    let over = is_last.then(|| wording.words.text("training-over"));
    let feedback: Vec<&str> = check.feedback(right).into_iter().chain(over).collect();
    session.check(CheckResult {
        person,
        served,
        answer,
        right,
        training: served < wording.task.checks.training(),
        seconds: given.seconds,
    })?;
    let feedback = (!feedback.is_empty()).then(|| feedback.join(" "));
    Ok((AnswerReceipt::New, feedback))
}

/// Flags annotators who did not pass all checks after training, with the number.
pub(super) fn flag(session: &CampaignSession<'_>, status: &mut Value) {
    for person in status["annotators"].as_array_mut().into_iter().flatten() {
        let Ok(place) = session.find_person(person["name"].as_str()) else {
            continue;
        };
        let journal = session.journal();
        let done = journal.checked(place).iter();
        let done: Vec<bool> = done
            .filter(|one| !one.training)
            .map(|one| one.right)
            .collect();
        let failed = done.iter().filter(|right| !**right).count();
        if failed > 0
            && let Some(flags) = person["flags"].as_array_mut()
        {
            flags.push(json!(format!("{failed} of {} checks failed", done.len())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_shows_other_fields_than_questions_is_told() {
        let task = |fields: &str| -> Task {
            let check = format!("{{ texts = [\"a\", \"b\"], {fields} }}");
            let text = format!(
                "protocol = \"pairwise\"\nprompt = \"Which?\"\n[checks]\nrate = 0.5\nmixed = [{check}]\n"
            );
            toml::from_str(&text).unwrap()
        };
        let said = |fields: &str, questions| telltale(&task(fields), questions).unwrap_or_default();
        let mut unchecked = task("");
        unchecked.checks.rate = 0.0;
        assert_eq!(telltale(&unchecked, [0.0, 1.0]), None);
        assert!(said("", [0.0, 1.0]).contains("no `references`"));
        assert!(said("references = [\"r\"]", [1.0, 1.0]).contains("no `source`"));
        assert!(said("source = \"s\"", [0.0, 0.0]).contains("a `source`"));
        for (fields, questions) in [
            ("", [0.0, 0.0]),
            ("source = \"s\", references = [\"r\"]", [1.0, 1.0]),
            ("source = \"s\"", [0.5, 0.5]),
            ("", [0.5, 0.5]),
        ] {
            assert_eq!(said(fields, questions), "", "{fields}");
        }
    }
}
