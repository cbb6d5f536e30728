//! The next step for whoever runs a campaign, in a sentence.

use super::Form;
use super::context::CampaignContext;
use super::forms::PAGE;
use super::kinds::Notices;
use super::status::Questions;
use super::task::Protocol;
use std::path::Path;
use tiebreak_base::error::Flag;
use tiebreak_base::layout::path_argument;
use tiebreak_data::tables::destination::Destination;
use tiebreak_decide::evaluation::active::Stop;
use tiebreak_decide::feedback::dealing::People;
use tiebreak_decide::ranking::result::{CampaignState, LargerLimit};
use tiebreak_decide::ranking::words::{ask_command, raise_command};
use tiebreak_stages::journal::Journal;

/// The next step where nothing is left to ask, without a claim; `once`: no comparison is drawn twice.
pub(super) fn exhausted(once: bool) -> String {
    let other = match once {
        true => String::new(),
        false => format!(
            " So does {}: its verdict is about these answers alone.",
            Flag("without-replacement")
        ),
    };
    format!(
        "begin another campaign: all questions that could decide are answered, without a verdict. More items or more \
         annotators help.{other}"
    )
}

/// The same where sheets have skipped questions, which can still be answered.
pub(super) const SKIPPED: &str = "fill in the skipped rows and give the sheets again, or begin another campaign: no other \
     question could help";

/// The same where questions were skipped that went out on no sheet; `again` is the command that writes them.
pub(super) fn skipped(again: &str) -> String {
    format!(
        "ask for answers to the skipped questions: {again}. Or begin another campaign: no other question could help"
    )
}

/// The same where annotators answer at links.
pub(super) fn skipped_at_links(folder: &str) -> String {
    format!(
        "ask for answers to the skipped questions, which people find under Earlier answers on their page (tiebreak serve \
         {folder}). Or begin another campaign: no other question could help"
    )
}

/// The command that writes open questions again, or where none is open the skipped ones.
pub(super) fn again_command(campaign_context: &CampaignContext<'_>, journal: &Journal) -> String {
    format!(
        "tiebreak ask {} {} {}",
        path_argument(campaign_context.folder),
        Flag("again"),
        next_sheet(campaign_context.people(), journal)
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
        let tell = |what: &str| tell_command(campaign_context, what);
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
    let sheet = next_sheet(campaign_context.people(), journal);
    let ask = ask_command(&folder, campaign_context.people(), asked, sheets, &sheet);
    let awaited = match sheets {
        0 => format!("{} still to come: {ask}", answers(questions.open)),
        _ => format!(
            "{} still to come: give the sheets to `{}` (`{}` writes open questions again)",
            answers(questions.open),
            match campaign_context.people() {
                People::Panel => tell_command(campaign_context, "SHEET"),
                People::One | People::Listed => format!("tiebreak tell {folder}"),
            },
            again_command(campaign_context, journal)
        ),
    };
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
            let sheet = next_sheet(campaign_context.people(), journal);
            format!("{raise}: {}", raise_command(&folder, larger, &sheet))
        }
    }
}

/// Returns the flags that write the next questions in the form of the last ones: to a file, or for listed annotators to
/// a folder with a file for each, since nobody may see what others have. An existing name is not written again.
pub(super) fn next_sheet(people: People, journal: &Journal) -> String {
    let last = journal.sheets().last();
    let form = last.and_then(|sheet| sheet.form.as_deref());
    let form_flag = match form {
        None => String::new(),
        Some(PAGE) => format!("{} ", Flag("page")),
        Some(tool) => format!("{} {tool} ", Flag("as")),
    };
    let extension = last
        .filter(|_| form.is_some())
        .and_then(|sheet| Path::new(&sheet.name).extension()?.to_str());
    let (stem, extension) = match (people, form) {
        (People::Listed, Some(PAGE)) => ("pages", None),
        (People::Listed, _) => ("sheets", None),
        _ => ("questions", Some(extension.unwrap_or("csv"))),
    };
    let name = free_name(stem, extension, journal.sheets().len());
    format!("{form_flag}{} {name}", Flag("out"))
}

/// A name that no file has, after so many: `questions.csv`, then `questions-2.csv`.
pub(super) fn free_name(stem: &str, extension: Option<&str>, before: usize) -> String {
    let ending = extension.map_or(String::new(), |extension| format!(".{extension}"));
    let name = |number: usize| match number {
        1 => format!("{stem}{ending}"),
        _ => format!("{stem}-{number}{ending}"),
    };
    let mut names = (before + 1..).map(name);
    let free = names.find(|name| !Path::new(name).exists());
    free.unwrap_or_default()
}

/// The command that reads filled sheets. Of a panel each sheet is one annotator's, who needs a name.
fn tell_command(campaign_context: &CampaignContext<'_>, sheets: &str) -> String {
    let folder = path_argument(campaign_context.folder);
    match campaign_context.people() {
        People::Panel => format!("tiebreak tell {folder} {sheets} {} NAME", Flag("annotator")),
        People::One | People::Listed => format!("tiebreak tell {folder} {sheets}"),
    }
}

/// So many answers, as the subject of a clause.
fn answers(open: u64) -> String {
    match open {
        1 => "1 answer is".to_string(),
        _ => format!("{open} answers are"),
    }
}

fn limit(campaign_context: &CampaignContext<'_>, stop: Stop) -> &'static str {
    match stop {
        Stop::Steps => "limit of steps",
        _ if campaign_context.task.protocol != Protocol::Pairwise => "plan",
        _ => "budget",
    }
}
