//! The next step for whoever runs a campaign, in a sentence.

use super::Form;
use super::context::CampaignContext;
use super::kinds::Notices;
use super::status::Questions;
use super::task::Protocol;
use tiebreak_base::layout::path_argument;
use tiebreak_data::tables::destination::Destination;
use tiebreak_decide::evaluation::active::Stop;
use tiebreak_decide::feedback::dealing::People;
use tiebreak_stages::journal::Journal;
#[cfg(feature = "serve")]
use tiebreak_stages::journal::batch::MOST_OPEN;

/// The next step where nothing is left to ask, without a claim.
pub(super) const EXHAUSTED: &str = "nothing: every question that could help is answered, without a verdict; outputs on more items, or more \
     annotators, would help";

/// The next step of a served campaign: whether it is over, intervals are as narrow as wanted, or everything is
/// answered. `waited_for` is an annotator with too many open questions.
#[cfg(feature = "serve")]
pub(super) fn served(
    stopped: bool,
    enough: bool,
    exhausted: bool,
    waited_for: Option<&str>,
) -> String {
    let taken = "the report and all answers can be taken away here";
    if stopped {
        return format!("end the server (Ctrl-C): nothing more is asked; {taken}");
    }
    if enough {
        return format!("end the server (Ctrl-C) if that is enough; {taken}");
    }
    if exhausted {
        return EXHAUSTED.to_string();
    }
    match waited_for {
        Some(name) => format!(
            "{MOST_OPEN} questions wait for {name}, and nothing new is asked until some are answered: ask \
             {name} to go on, or begin anew without (serve RUN --annotators with the others' names; \
             evidence begins anew)"
        ),
        None => "people go on answering at their links; nothing else is needed".to_string(),
    }
}

/// The next step of a run.
pub(super) fn step(
    ground: &CampaignContext<'_>,
    journal: &Journal,
    questions: Questions,
    stop: Stop,
    notices: &Notices,
) -> String {
    let folder = path_argument(ground.folder);
    if let Some(sheet) = &notices.sheet {
        let tell = |what: &str| match ground.people() {
            People::Panel => format!("tiebreak tell {folder} {what} --annotator NAME"),
            People::One | People::Listed => format!("tiebreak tell {folder} {what}"),
        };
        let (path, typed) = (sheet.path.display(), path_argument(&sheet.path));
        match sheet.form {
            Form::Sheet => {}
            Form::Page => {
                return format!(
                    "send each page of {path} to its annotator, who opens it in a browser, answers and sends back the file \
                     that it saves, then: {}",
                    tell("FILE.json")
                );
            }
            Form::Friend(friend) => {
                return format!(
                    "import {path} into {}, export what people answered there, then: {}",
                    friend.name,
                    tell("EXPORT")
                );
            }
        }
        // The sheet may not be there yet.
        if matches!(
            Destination::from_path(&sheet.path),
            Ok(Destination::Folder(_))
        ) {
            let fill = ground.task.filling("it");
            return format!(
                "give each annotator their sheet in {path} to {fill}, then: {}",
                tell(&typed)
            );
        }
        let fill = ground.task.filling(&path.to_string());
        return format!("{fill}, then: {}", tell(&typed));
    }
    // An existing sheet is not written again.
    let sheet = match journal.sheets().len() {
        0 => "questions.csv".to_string(),
        before => format!("questions-{}.csv", before + 1),
    };
    let ask = format!("tiebreak ask {folder} --out {sheet}");
    let open = questions.open;
    match stop {
        Stop::Certificate | Stop::Finished => "nothing: the run is over".to_string(),
        Stop::Budget | Stop::Steps if open == 0 => {
            format!("nothing: the {} is spent", limit(ground, stop))
        }
        _ if notices.served => {
            format!("serve it again, and people go on at the same links: tiebreak serve {folder}")
        }
        Stop::Budget | Stop::Steps => {
            format!(
                "tell the {} still to come (`ask --again` writes their questions again); nothing more is asked (the {} is spent)",
                answers(open),
                limit(ground, stop)
            )
        }
        Stop::Ended if open > 0 => format!(
            "tell the {} still to come (`ask --again` writes their questions again), or ask for more: {ask}",
            answers(open)
        ),
        Stop::Ended => format!("ask the next questions: {ask}"),
    }
}

fn answers(open: u64) -> String {
    match open {
        1 => "answer".to_string(),
        _ => format!("{open} answers"),
    }
}

fn limit(ground: &CampaignContext<'_>, stop: Stop) -> &'static str {
    match stop {
        Stop::Steps => "limit of steps",
        _ if ground.task.protocol != Protocol::Pairwise => "plan",
        _ => "budget",
    }
}
