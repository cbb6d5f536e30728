//! Who judged and what systems wrote, in a report.

use super::rows::{AnnotatorTotals, ComparisonPayment, ItemExample};
use super::{EXAMPLES, PEOPLE, page};
use crate::report::chapter::{Chapter, MeasureStandings, ReportField, Topic, field};
use crate::report::html::Section;
use crate::report::html::markup::Html;
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::layout::{duration, money, percent};
use tiebreak_data::tables::json;

/// The overview of one run's data.
struct DataOverviewChapter {
    people: Option<AnnotatorTotals>,
    examples: Vec<ItemExample>,
}

/// Reads the overview of a run; none where none is stored.
pub(in crate::stages) fn read(dir: &Path) -> Result<Box<dyn Chapter>> {
    let examples = json::read_if_there(&dir.join(EXAMPLES))?;
    Ok(Box::new(DataOverviewChapter {
        people: json::read_if_there(&dir.join(PEOPLE))?,
        examples: examples.unwrap_or_default(),
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

    fn page(&self, _: &[MeasureStandings]) -> Result<Vec<Section>> {
        Ok(Vec::new())
    }

    fn cost(&self) -> Vec<String> {
        let people = self.people.as_ref();
        let timed = people.filter(|one| one.timed > 0).map(time);
        let paid = people.and_then(|one| one.paid).map(paid);
        timed.into_iter().chain(paid).collect()
    }

    fn who(&self) -> Option<String> {
        let people = self.people.as_ref().filter(|one| one.answers > 0)?;
        Some(who(people))
    }

    fn examples(&self, people: &[MeasureStandings]) -> Html {
        people.first().map_or_else(Html::default, |judged| {
            page::examples(&self.examples, judged)
        })
    }
}

/// A sentence on how long people worked, as far as that is known.
fn time(people: &AnnotatorTotals) -> String {
    let worked = duration(people.seconds);
    let known = match people.timed == people.sittings {
        true => String::new(),
        false => {
            let share = people.timed as f64 / people.sittings as f64;
            format!(
                ", as far as times were recorded ({} of answers)",
                percent(share)
            )
        }
    };
    format!("It took people {worked}{known}.")
}

fn paid(paid: ComparisonPayment) -> String {
    let (price, all) = (money(paid.price), paid.comparisons);
    match paid.priced {
        1 if all == 1 => format!("{price} was paid for one comparison."),
        n if n == all => format!("{price} was paid for {n} comparisons."),
        n => format!(
            "{price} was paid for {n} of {all} comparisons, as far as prices were recorded."
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
        return format!(
            "{all} {what} without names: it is not known how many people gave them, and they are taken to \
             be one person's."
        );
    }
    let named = all - unnamed;
    let busiest = match people.annotators {
        1 => format!("One annotator gave {named} {what}"),
        n => format!(
            "{n} annotators gave {named} {what}, the busiest of them {}",
            percent(people.most as f64 / named as f64)
        ),
    };
    match unnamed {
        0 => format!("{busiest}."),
        unnamed => format!("{busiest}; {unnamed} more carry no name."),
    }
}
