//! The status of a campaign of pairs, as text.

use super::status::{
    CampaignAgreement, Chance, Questions, ReceivedCounts, Rival, Status, WrittenSheet,
};
use std::fmt::Display;
use tiebreak_base::layout::{bar, number, table};
use tiebreak_base::words::counted;
use tiebreak_decide::ranking::result::CampaignState;
use tiebreak_decide::ranking::words::{dropped, predictions};

/// The width of a full bar of evidence, in characters.
const BAR: usize = 20;

/// Renders what `ask` and `tell` print.
pub(crate) fn render(status: &Status) -> String {
    let line = |label: &str, value: String| labelled(label, [value]);
    let mut text = String::new();
    if let Some(written) = written(status.told.as_ref(), status.sheet.as_ref(), status.state) {
        text += &line("written", written);
    }
    text += &labelled("verdict", status.verdict_lines.iter());
    if let Some(told) = &status.told {
        text += &line("read", read(told));
    }
    if !status.annotators.is_empty() {
        text += &line("annotators", status.annotators.join(", "));
    }
    text += &line(
        "questions",
        questions(&status.questions, status.model_answers),
    );
    if let Some(budget) = &status.budget {
        text += &line("budget", budget.words());
    }
    if let Some(leader) = &status.leader {
        text += &line("leader", leader.clone());
    }
    if !status.chances.is_empty() {
        text += &labelled("probability", probabilities(status));
    }
    if let Some(predicted) = &status.predictions {
        text += &line("predictions", predictions(predicted, false));
    }
    if !status.eliminated.is_empty() {
        text += &line("not judged", dropped(&status.eliminated));
    }
    for group in &status.identical {
        text += &line(
            "tied",
            format!("{} (their outputs never differ)", group.join(", ")),
        );
    }
    if let Some(agreement) = &status.agreement {
        text += &line("agreement", agreement.summary_line());
    }
    for finding in &status.findings {
        text += &line("stands out", finding.clone());
    }
    if let Some(notice) = &status.notice {
        text += &line("note", notice.clone());
    }
    let evidence = status.rivals.iter().any(|rival| rival.evidence > 0.0);
    if evidence && status.stopped.is_none() {
        text += &format!("\n{}\n", rivals(status));
    }
    text + &labelled("next", [&status.next])
}

/// Renders lines under a label.
pub(super) fn labelled(label: &str, lines: impl IntoIterator<Item = impl Display>) -> String {
    let labels = std::iter::once(label).chain(std::iter::repeat(""));
    labels
        .zip(lines)
        .fold(String::new(), |text, (label, line)| {
            text + &format!("{label:16}{line}\n")
        })
}

/// Returns the probabilities of being best, and what they rest on, in two lines.
fn probabilities(status: &Status) -> [String; 2] {
    let part = |one: &Chance| format!("{} {}", one.name, one.words);
    let parts: Vec<String> = status.chances.iter().map(part).collect();
    let whose = match status.model_answers {
        0 => "",
        _ => ", those of the model included",
    };
    let basis = format!(
        "to beat all others, by the bandit's model after {}{whose}: a guess, not a proof",
        counted(status.answers, "answer")
    );
    [parts.join(", "), basis]
}

/// Renders the sheet that was written, unless answers were read.
pub(super) fn written(
    told: Option<&ReceivedCounts>,
    sheet: Option<&WrittenSheet>,
    state: CampaignState,
) -> Option<String> {
    let Some(sheet) = sheet else {
        let nothing = match state {
            CampaignState::Waiting => "nothing: no new question can be asked now",
            state if state.is_at_rest() => "nothing: there is no question left for a sheet",
            _ => "nothing: no question is open",
        };
        return told.is_none().then(|| nothing.to_string());
    };
    let again = match sheet.again {
        0 => String::new(),
        again => format!(", {again} of them for the second time"),
    };
    let new = sheet.questions - sheet.again;
    let fewer = match sheet.wanted > new {
        true => format!(
            "; {} were asked for, and no others are left to ask now",
            sheet.wanted
        ),
        false => String::new(),
    };
    let path = sheet.path.display();
    Some(format!(
        "{} to {path}{again}{fewer}",
        counted(sheet.questions, "question")
    ))
}

impl CampaignAgreement {
    /// The value with its name.
    pub(super) fn summary_line(&self) -> String {
        let value = self.value.map_or_else(|| "not defined".to_string(), number);
        format!("{value} ({})", self.words)
    }
}

pub(super) fn read(told: &ReceivedCounts) -> String {
    let ReceivedCounts {
        new,
        known,
        taken_back,
        skipped,
        blank,
        named,
        second,
        others,
        is_of_panel,
    } = *told;
    let new_answers = match new {
        1 => "new answer",
        _ => "new answers",
    };
    let parts = [
        (new, new_answers),
        (second, "of them second opinions"),
        (skipped, "skipped"),
        (taken_back, "taken back"),
        (known, "known already"),
        (named, "known answers that now have a name"),
        (blank, "rows without an answer"),
        (
            others,
            match is_of_panel {
                false => "by another annotator than the one asked, which do not count as proof",
                true => {
                    "by an annotator who has had another sheet, or a second one on this sheet, which do not count as proof"
                }
            },
        ),
    ];
    let some: Vec<String> = parts
        .iter()
        .filter(|&&(count, what)| count > 0 || (what == new_answers && taken_back == 0))
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    some.join(", ")
}

pub(super) fn questions(questions: &Questions, by_model: u64) -> String {
    let Questions {
        asked,
        answered,
        skipped,
        open,
        lost,
        second,
        second_open,
        second_skipped,
    } = *questions;
    let mut text = format!("{asked} asked: {answered} answered, {open} open");
    if skipped > 0 {
        text += &format!(", {skipped} skipped");
    }
    if lost > 0 {
        text += &format!(", {lost} of annotators who are no longer listed");
    }
    if second + second_open + second_skipped > 0 {
        let given = counted(second, "second opinion");
        text += &format!("; {given} given, {second_open} open");
    }
    if second_skipped > 0 {
        text += &format!(", {second_skipped} skipped");
    }
    if by_model > 0 {
        text += &format!("; {by_model} more answered without people");
    }
    text
}

/// Renders the evidence against each rival, most first.
fn rivals(status: &Status) -> String {
    let mut rivals: Vec<&Rival> = status.rivals.iter().collect();
    rivals.sort_by(|a, b| {
        let most_first = b.evidence.total_cmp(&a.evidence);
        most_first.then_with(|| a.system.cmp(&b.system))
    });
    let row = |rival: &&Rival| {
        let drawn = bar(rival.evidence, BAR);
        vec![rival.system.clone(), drawn, rival.words.clone()]
    };
    let rows: Vec<Vec<String>> = rivals.iter().map(row).collect();
    table(
        &["against", "evidence so far (a verdict needs 100 %)", ""],
        &rows,
    )
}
