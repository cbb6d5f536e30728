//! The data itself in a report: who judged, and examples of outputs side by side: those of the strongest system, the next
//! and the last.

use super::rows::{AnnotatorTotals, ComparisonPayment, ExampleOutput, ItemExample};
use super::{EXAMPLES, PEOPLE};
use crate::rendering::Rendering;
use crate::report::chapter::{Chapter, MeasureStandings, ReportField, Topic, field};
use crate::report::headline::Headline;
use crate::report::html::folding::{example, folding};
use crate::report::html::markup::{Html, element, name, with};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::layout::{duration, money, number, percent, thousands};
use tiebreak_base::words::counted;
use tiebreak_data::tables::json;

/// Examples on the first page.
const SHOWN: usize = 3;

/// The note on how the examples were chosen.
const CHOSEN: &str = "These items have the most answers about the first system among those where outputs differ. Its \
                      output comes first, then those of the next and of the last system that people judged there. `tiebreak \
                      view` shows all items.";

/// The overview of one run's data.
struct DataOverviewChapter {
    people: Option<AnnotatorTotals>,
    /// Whether a stage used their answers.
    is_used: bool,
    examples: Vec<ItemExample>,
}

/// Reads the overview of a run, of which a stage used people's answers or none did; none where none is stored.
pub(in crate::stages) fn read(dir: &Path, is_used: bool) -> Result<Box<dyn Chapter>> {
    Ok(Box::new(DataOverviewChapter {
        people: json::read_if_there(&dir.join(PEOPLE))?,
        is_used,
        examples: json::read_if_there(&dir.join(EXAMPLES))?,
    }))
}

impl Chapter for DataOverviewChapter {
    fn topic(&self) -> Topic {
        Topic::People
    }

    fn json(&self) -> Result<Vec<ReportField>> {
        Ok(vec![
            field("people", &self.people)?,
            field("examples", &self.examples)?,
        ])
    }

    fn caveat(&self) -> Option<Headline> {
        let people = self.people.as_ref().filter(|one| one.answers > 0)?;
        let next = match people.answers - people.judgments {
            0 => format!(
                "`tiebreak estimate`, or `[[estimate]]` in a pipeline, estimates mean ratings from the {}.",
                counted(people.judgments, "judgment")
            ),
            comparisons => format!(
                "`tiebreak rank`, or `[[rank]]` in a pipeline, ranks the systems by the {}.",
                counted(comparisons, "comparison")
            ),
        };
        Some(Headline::without_answer(next))
    }

    fn cost(&self) -> Vec<String> {
        let people = self.people.as_ref().filter(|_| self.is_used);
        let timed = people.filter(|one| one.timed > 0).map(time);
        let paid = people.and_then(|one| one.paid).map(paid);
        timed.into_iter().chain(paid).collect()
    }

    fn who(&self) -> Option<String> {
        let people = self.people.as_ref().filter(|one| one.answers > 0)?;
        Some(who(people))
    }

    fn examples(&self, people: &[MeasureStandings]) -> Html {
        people
            .first()
            .map_or_else(Html::default, |judged| examples(&self.examples, judged))
    }
}

/// A sentence on how long people worked, as far as that is known.
fn time(people: &AnnotatorTotals) -> String {
    let worked = duration(people.seconds);
    let known = match people.timed == people.sittings {
        true => String::new(),
        false => {
            let share = people.timed as f64 / people.sittings as f64;
            format!(" (times are known for {} of answers)", percent(share))
        }
    };
    format!("People worked {worked}{known}.")
}

fn paid(paid: ComparisonPayment) -> String {
    let (price, all) = (money(paid.price), paid.comparisons);
    match paid.priced {
        1 if all == 1 => format!("{price} was paid for one comparison."),
        n if n == all => format!("{price} was paid for {n} comparisons."),
        n => format!(
            "{price} was paid for {n} of {all} comparisons (the price of the others is unknown)."
        ),
    }
}

fn who(people: &AnnotatorTotals) -> String {
    let (all, unnamed) = (people.answers, people.unnamed);
    let what = match people.judgments == all {
        true => "judgments",
        false => "answers",
    };
    if people.annotators == 0 {
        let all = thousands(all);
        return format!("{all} {what} have no annotator's name; they count as one annotator's.");
    }
    let named = all - unnamed;
    let gave = format!("gave {} {what}", thousands(named));
    let busiest = match people.annotators {
        1 => format!("One annotator {gave}"),
        n => format!(
            "{n} annotators {gave} (at most {} by one)",
            percent(people.most as f64 / named as f64)
        ),
    };
    match unnamed {
        0 => format!("{busiest}."),
        unnamed => format!("{busiest}; {unnamed} more have no name."),
    }
}

/// The examples with most answers about the strongest system.
fn examples(all: &[ItemExample], judged: &MeasureStandings) -> Html {
    let known = judged.systems.iter().filter(|one| one.value.is_some());
    let order: Vec<&str> = known.map(|one| one.system.as_str()).collect();
    let Some(first) = order.first() else {
        return Html::default();
    };
    let answers = |one: &ItemExample| {
        let mut outputs = one.outputs.iter();
        outputs
            .find(|one| one.system == *first)
            .map_or(0, ExampleOutput::answers)
    };
    let mut chosen: Vec<&ItemExample> = all.iter().filter(|one| answers(one) > 0).collect();
    chosen.sort_by_key(|one| (Reverse(one.outputs.len().min(2)), Reverse(answers(one))));
    let chosen = of_different_sources(chosen);
    if chosen.is_empty() {
        return Html::default();
    }
    let note = with("p", &[("class", "note")], CHOSEN);
    let shown = chosen.into_iter().map(|one| item_example(one, &order));
    std::iter::once(note).chain(shown).collect()
}

/// The first few examples whose source does not begin another's; the others follow where these are fewer.
fn of_different_sources(chosen: Vec<&ItemExample>) -> Vec<&ItemExample> {
    let (mut first, mut others): (Vec<&ItemExample>, Vec<&ItemExample>) = Default::default();
    let source = |one: &ItemExample| one.source.as_deref().unwrap_or_default().trim().to_string();
    for one in chosen {
        let own = source(one);
        let shares = |other: &&ItemExample| {
            let other = source(other);
            !own.is_empty()
                && !other.is_empty()
                && (own.starts_with(&other) || other.starts_with(&own))
        };
        match first.iter().any(shares) {
            true => others.push(one),
            false => first.push(one),
        }
    }
    first.append(&mut others);
    first.truncate(SHOWN);
    first
}

fn item_example(one: &ItemExample, order: &[&str]) -> Html {
    let place = |shown: &&ExampleOutput| order.iter().position(|system| *system == shown.system);
    let mut outputs: Vec<&ExampleOutput> = one
        .outputs
        .iter()
        .filter(|one| place(one).is_some())
        .collect();
    outputs.sort_by_key(place);
    let mut texts = BTreeSet::new();
    outputs.retain(|one| texts.insert(one.output.trim()));
    if outputs.len() > SHOWN {
        outputs.drain(SHOWN - 1..outputs.len() - 1);
    }
    let sides = outputs.into_iter().map(|output| side(output, one.render));
    let heading = element("h3", [Html::from("Item "), name(&one.item)]);
    let given = [&one.source, &one.reference];
    example(heading, given, one.render, sides.collect())
}

fn side(one: &ExampleOutput, rendering: Rendering) -> Html {
    let system = element("p", element("strong", name(&one.system)));
    let said = with("p", &[("class", "label")], judgment_summary(one));
    let text = folding(&one.output, rendering);
    element("div", [system, said, text])
}

/// A summary of people's answers about an output.
fn judgment_summary(one: &ExampleOutput) -> String {
    let compared = (one.comparisons > 0).then(|| {
        format!(
            "preferred in {} of {} comparisons",
            one.won, one.comparisons
        )
    });
    let rated = one.ratings.iter().map(|(criterion, mean, n)| match n {
        1 => format!("{criterion} {}", number(*mean)),
        n => format!("{criterion} {} (mean of {n})", number(*mean)),
    });
    let all: Vec<String> = compared.into_iter().chain(rated).collect();
    all.join(", ")
}
