//! Examples of what systems wrote, side by side: the strongest one beside the next and the last.

use super::rows::{ExampleOutput, ItemExample};
use crate::report::chapter::MeasureStandings;
use crate::report::html::markup::folding;
use crate::report::html::markup::{Html, element, name, with};
use std::cmp::Reverse;
use tiebreak_base::layout::number;

/// Examples on the first page.
const SHOWN: usize = 3;

/// The note on how the examples were chosen.
const CHOSEN: &str = "Nobody picked these: they are the items with most answers about the system on top, whose \
                      output stands first, beside those of the next and the last that people judged there.";

/// The examples with most answers about the strongest system.
pub(super) fn examples(all: &[ItemExample], judged: &MeasureStandings) -> Html {
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
    chosen.truncate(SHOWN);
    if chosen.is_empty() {
        return Html::default();
    }
    let note = with("p", &[("class", "note")], CHOSEN);
    let shown = chosen.into_iter().map(|one| example(one, &order));
    std::iter::once(note).chain(shown).collect()
}

fn example(one: &ItemExample, order: &[&str]) -> Html {
    let place = |shown: &&ExampleOutput| order.iter().position(|system| *system == shown.system);
    let mut outputs: Vec<&ExampleOutput> = one
        .outputs
        .iter()
        .filter(|one| place(one).is_some())
        .collect();
    outputs.sort_by_key(place);
    if outputs.len() > SHOWN {
        outputs.drain(SHOWN - 1..outputs.len() - 1);
    }
    let given = [("Source", &one.source), ("Reference", &one.reference)];
    let given = given.into_iter().filter_map(|(label, text)| {
        let label = with("p", &[("class", "label")], label);
        Some(Html::from([label, folding(text.as_ref()?)]))
    });
    let sides = outputs.into_iter().map(side).collect::<Html>();
    let heading = element("h3", Html::from([Html::from("Item "), name(&one.item)]));
    let body = [
        heading,
        given.collect(),
        with("div", &[("class", "sides")], sides),
    ];
    with("article", &[("class", "example")], body)
}

fn side(one: &ExampleOutput) -> Html {
    let system = element("p", element("strong", name(&one.system)));
    let said = with("p", &[("class", "label")], judgment_summary(one));
    let text = match one.output.trim().is_empty() {
        true => with("p", &[("class", "note")], "(nothing: the output is empty)"),
        false => folding(&one.output),
    };
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
