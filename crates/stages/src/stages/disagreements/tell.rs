//! Disagreements as a report tells them: examples of outputs on which a metric or a model and people disagree, with
//! their texts.

use super::FILE;
use super::rows::{Disagreement, DisagreementSide};
use crate::report::chapter::{
    Chapter, ChapterSection, MeasureStandings, ReportField, Topic, field,
};
use crate::report::distinct;
use crate::report::document::ResultDocument;
use crate::report::html::folding::{example, folding};
use crate::report::html::markup::{Html, element, name, with};
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::layout::number;
use tiebreak_data::tables::json;

/// The disagreements of one run.
struct DisagreementsChapter(Vec<Disagreement>);

/// Reads the disagreements of a run; none where none are stored.
pub(in crate::stages) fn read(dir: &Path) -> Result<Box<dyn Chapter>> {
    let found = json::read_if_there(&dir.join(FILE))?;
    Ok(Box::new(DisagreementsChapter(found)))
}

impl Chapter for DisagreementsChapter {
    fn topic(&self) -> Topic {
        Topic::Examples
    }

    fn json(&self) -> Result<Vec<ReportField>> {
        Ok(vec![field("disagreements", &self.0)?])
    }

    fn sections(&self, _: &[MeasureStandings]) -> Vec<ChapterSection> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let title = "Where metrics and people disagree";
        vec![ChapterSection::new(
            "disagreements",
            title,
            on_page(&self.0),
        )]
    }
}

const INTRO: &str = "The clearest disagreements: the output that the metric or model prefers, and the one that people \
                     prefer.";

/// The texts are for pages: a terminal has no room for them.
fn on_page(found: &[Disagreement]) -> ResultDocument {
    let judges = distinct(found.iter().map(|one| one.judge.as_str()));
    let of_judge = |(place, judge): (usize, &str)| {
        let examples = found.iter().filter(|one| one.judge == judge);
        let examples: Html = examples.map(disagreement).collect();
        let open: &[(&str, &str)] = if place == 0 { &[("open", "open")] } else { &[] };
        with("details", open, [element("summary", judge), examples])
    };
    let judges: Html = judges.into_iter().enumerate().map(of_judge).collect();
    let intro = ResultDocument::default().note(INTRO);
    ResultDocument::default().on_page(intro.append(judges))
}

fn disagreement(one: &Disagreement) -> Html {
    let by = one
        .criterion
        .as_ref()
        .map_or_else(String::new, |criterion| format!(", {criterion}"));
    let heading = [Html::from("Item "), name(&one.item), Html::from(by)];
    let sides = Html::from([
        side(&format!("{} prefers", one.judge), &one.its_choice, one),
        side("People prefer", &one.peoples_choice, one),
    ]);
    let given = [&one.source, &one.reference];
    example(element("h4", heading), given, one.render, sides)
}

fn side(label: &str, side: &DisagreementSide, one: &Disagreement) -> Html {
    let people = match &one.criterion {
        Some(criterion) => format!("{criterion} {}", number(side.human)),
        None => format!(
            "wins {} of {}",
            number(side.human * one.judgments as f64),
            one.judgments
        ),
    };
    let label = with("p", &[("class", "label")], label);
    let score = format!("{} {}", one.judge, number(side.score));
    let system = element(
        "p",
        [
            element("strong", name(&side.system)),
            Html::from(format!(" · {score} · {people}")),
        ],
    );
    element("div", [label, system, folding(&side.output, one.render)])
}
