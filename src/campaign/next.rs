//! The next step for whoever runs a campaign, in a sentence.

use super::Form;
use super::context::CampaignContext;
use super::kinds::Notices;
use super::status::Questions;
use super::task::Protocol;
use tiebreak_base::error::Flag;
use tiebreak_base::layout::path_argument;
use tiebreak_data::tables::destination::Destination;
use tiebreak_decide::evaluation::active::Stop;
use tiebreak_decide::feedback::dealing::People;
use tiebreak_decide::ranking::result::{CampaignState, LargerLimit};
use tiebreak_decide::ranking::words::{ask_command, next_sheet, raise_command};
use tiebreak_stages::journal::Journal;

/// The next step where nothing is left to ask, without a claim.
pub(super) const EXHAUSTED: &str = "begin another campaign with more items or more annotators: every question that could help is answered, \
     without a verdict";

/// The same where sheets have skipped questions, which can still be answered.
pub(super) const SKIPPED: &str = "fill in the skipped rows and give the sheets again, or begin another campaign: no other \
     question could help";

/// The same where questions were skipped that went out on no sheet, of a campaign in the folder `run`.
pub(super) fn skipped(run: &str) -> String {
    format!(
        "ask for answers to the skipped questions: tiebreak ask {run} {} {} open.csv. Or begin another campaign: no other \
         question could help",
        Flag("again"),
        Flag("out")
    )
}

/// The next step where there is none.
pub(super) const OVER: &str = "nothing: the campaign is over";

/// The next step of a run that is not at rest.
pub(super) fn step(
    campaign_context: &CampaignContext<'_>,
    journal: &Journal,
    questions: Questions,
    (stop, state): (Stop, CampaignState),
    notices: &Notices,
) -> String {
    let folder = path_argument(campaign_context.folder);
    if let Some(sheet) = &notices.sheet {
        let tell = |what: &str| match campaign_context.people() {
            People::Panel => format!("tiebreak tell {folder} {what} --annotator NAME"),
            People::One | People::Listed => format!("tiebreak tell {folder} {what}"),
        };
        let (path, typed) = (sheet.path.display(), path_argument(&sheet.path));
        match sheet.form {
            Form::Sheet => {}
            Form::Page => {
                return format!(
                    "send each page of {path} to its annotator. They open it in a browser, answer, and send back the \
                     file that it saves. Then: {}",
                    tell("FILE.json")
                );
            }
            Form::Friend(friend) => {
                return format!(
                    "import {path} into {}, and export the answers there. Then: {}",
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
            let fill = campaign_context.task.filling("their sheet");
            return format!(
                "send each annotator their sheet in {path}. They {fill}. Then: {}",
                tell(&typed)
            );
        }
        let fill = campaign_context.task.filling(&path.to_string());
        return format!("{fill}. Then: {}", tell(&typed));
    }
    if notices.served {
        return format!("serve it again; the links stay the same: tiebreak serve {folder}");
    }
    let (asked, sheets) = (
        journal.posed().count() as u64,
        journal.sheets().len() as u64,
    );
    let ask = ask_command(&folder, campaign_context.people(), asked, sheets);
    let awaited = awaited(&folder, questions.open, sheets, &ask);
    match (state, stop) {
        (CampaignState::TakenBack, _) if questions.open > 0 => {
            format!("{awaited}; without them nothing is proved")
        }
        (CampaignState::Waiting, Stop::Budget | Stop::Steps) => {
            format!(
                "{awaited}; no new questions are asked, since the {} is used up",
                limit(campaign_context, stop)
            )
        }
        (CampaignState::Waiting, _) => {
            format!("{awaited}; nothing new can be asked until then")
        }
        _ if questions.open == 0 => format!("ask the next questions: {ask}"),
        // The same command asks both.
        _ if sheets == 0 => format!("{awaited}, which then asks for more"),
        _ => format!("{awaited}. To ask for more: {ask}"),
    }
}

/// Returns how to go on where a limit of a campaign of pairs is used up: by a larger one.
pub(super) fn larger(
    campaign_context: &CampaignContext<'_>,
    journal: &Journal,
    stop: Stop,
    larger: Option<&LargerLimit>,
    served: bool,
) -> String {
    let (folder, limit) = (
        path_argument(campaign_context.folder),
        limit(campaign_context, stop),
    );
    let raise = format!("raise the {limit}, which is used up without a verdict");
    match larger {
        None => raise,
        Some(LargerLimit { key, value }) if served => {
            format!("{raise}, and serve again: tiebreak serve {folder} --{key} {value}")
        }
        Some(larger) => {
            let sheets = journal.sheets().len() as u64;
            format!("{raise}: {}", raise_command(&folder, larger, sheets))
        }
    }
}

/// Returns how to collect the answers to open questions, as a phrase.
fn awaited(folder: &str, open: u64, sheets: u64, at_terminal: &str) -> String {
    let answers = match open {
        1 => "1 answer is".to_string(),
        _ => format!("{open} answers are"),
    };
    if sheets == 0 {
        return format!("{answers} still to come: {at_terminal}");
    }
    format!(
        "{answers} still to come: give the sheets to `tiebreak tell {folder}` (`tiebreak ask {folder} --again --out {}` writes \
         open questions again)",
        next_sheet(sheets)
    )
}

fn limit(campaign_context: &CampaignContext<'_>, stop: Stop) -> &'static str {
    match stop {
        Stop::Steps => "limit of steps",
        _ if campaign_context.task.protocol != Protocol::Pairwise => "plan",
        _ => "budget",
    }
}
