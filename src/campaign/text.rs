//! The status of a campaign of pairs, as text.

use super::status::{
    CampaignAgreement, Chance, Questions, ReceivedCounts, Rival, Status, WrittenSheet,
};
use tiebreak_base::layout::{bar, number, table};
use tiebreak_decide::ranking::words::{dropped, predictions};

/// The width of a full bar of evidence, in characters.
const BAR: usize = 20;

/// Renders what `ask` and `tell` print.
pub(crate) fn render(status: &Status) -> String {
    let mut text = String::new();
    let mut line = |label: &str, value: String| text += &format!("{label:16}{value}\n");
    if let Some(told) = &status.told {
        line("read", read(told));
    }
    if let Some(written) = written(status.told.as_ref(), status.sheet.as_ref()) {
        line("written", written);
    }
    if !status.annotators.is_empty() {
        line("annotators", status.annotators.join(", "));
    }
    line(
        "questions",
        questions(&status.questions, status.model_answers),
    );
    let leader = status.leader.as_deref().unwrap_or("nobody leads yet");
    line("leader", leader.to_string());
    if let Some((nobody, somebody)) = status.chances.split_last() {
        line("probability", probabilities(status, somebody, nobody));
    }
    line("verdict", status.verdict.clone());
    if let Some(predicted) = &status.predictions {
        line("predictions", predictions(predicted, false));
    }
    if !status.eliminated.is_empty() {
        line("not judged", dropped(&status.eliminated));
    }
    for group in &status.identical {
        line(
            "tied",
            format!("{} (their outputs never differ)", group.join(", ")),
        );
    }
    if let Some(agreement) = &status.agreement {
        line("agreement", agreement.summary_line());
    }
    for finding in &status.findings {
        line("stands out", finding.clone());
    }
    if let Some(notice) = &status.notice {
        line("note", notice.clone());
    }
    let evidence = status.rivals.iter().any(|rival| rival.evidence > 0.0);
    if evidence && status.stopped.is_none() {
        text += &format!("\n{}\n", rivals(status));
    }
    if let Some(left) = &status.left {
        text += &format!("{:16}{}\n", "still needed", left.words);
    }
    text + &format!("{:16}{}\n", "next", status.next)
}

/// Renders the probabilities of being best, beside the number of answers.
fn probabilities(status: &Status, somebody: &[Chance], nobody: &Chance) -> String {
    let part = |one: &Chance| format!("{} {}", one.name, one.words);
    let parts: Vec<String> = somebody.iter().map(part).collect();
    let whose = match status.model_answers {
        0 => "",
        _ => ", those of the model among them",
    };
    format!(
        "to beat all others: {}; nobody does: {} (by the model's draws after {} answers{whose}, no guarantee)",
        parts.join(", "),
        nobody.words,
        status.answers
    )
}

/// Renders the sheet that was written, unless answers were read.
pub(super) fn written(
    told: Option<&ReceivedCounts>,
    sheet: Option<&WrittenSheet>,
) -> Option<String> {
    let Some(sheet) = sheet else {
        let nothing = "nothing: no question is left to be put on a sheet";
        return told.is_none().then(|| nothing.to_string());
    };
    let again = match sheet.again {
        0 => String::new(),
        again => format!(", {again} of them again"),
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
        "{} questions to {path}{again}{fewer}",
        sheet.questions
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
    } = *told;
    let parts = [
        (new, "new answers"),
        (second, "of them second opinions"),
        (skipped, "skipped"),
        (taken_back, "taken back"),
        (known, "known already"),
        (named, "of these now with a name"),
        (blank, "rows without an answer"),
        (
            others,
            "by others than they were dealt to, which prove nothing",
        ),
    ];
    let some: Vec<String> = parts
        .iter()
        .filter(|&&(count, what)| count > 0 || (what == "new answers" && taken_back == 0))
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
    } = *questions;
    let mut text = format!("{asked} asked: {answered} answered, {open} open");
    if skipped > 0 {
        text += &format!(", {skipped} skipped");
    }
    if lost > 0 {
        text += &format!(", {lost} of people who are not listed any more");
    }
    if second + second_open > 0 {
        text += &format!("; {second} second opinions, {second_open} open");
    }
    if by_model > 0 {
        text += &format!("; {by_model} more settled without people");
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
        &["against", "evidence so far, of what a verdict needs", ""],
        &rows,
    )
}
