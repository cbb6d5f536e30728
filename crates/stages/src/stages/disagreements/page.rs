//! Examples of outputs on which a metric or a model and people disagree, with their texts.

use super::rows::{Disagreement, DisagreementSide};
use crate::report::distinct;
use crate::report::html::markup::{Html, element, folding, name, with};
use tiebreak_base::layout::number;

pub(super) fn section(found: &[Disagreement]) -> Html {
    let intro = "Of two outputs, the one preferred by the metric or model and the one preferred by \
                 people, where both are most decided.";
    let judges = distinct(found.iter().map(|one| one.judge.as_str()));
    let of_judge = |(place, judge): (usize, &str)| {
        let examples = found.iter().filter(|one| one.judge == judge);
        let examples: Html = examples.map(example).collect();
        let open: &[(&str, &str)] = if place == 0 { &[("open", "open")] } else { &[] };
        with("details", open, [element("summary", judge), examples])
    };
    let judges: Html = judges.into_iter().enumerate().map(of_judge).collect();
    Html::from([with("p", &[("class", "note")], intro), judges])
}

fn example(one: &Disagreement) -> Html {
    let by = one
        .criterion
        .as_ref()
        .map_or_else(String::new, |criterion| format!(", {criterion}"));
    let heading = element(
        "h4",
        Html::from([Html::from("Item "), name(&one.item), Html::from(by)]),
    );
    let given = [("Source", &one.source), ("Reference", &one.reference)];
    let given = given.into_iter().filter_map(|(label, text)| {
        let label = with("p", &[("class", "label")], label);
        Some(Html::from([label, folding(text.as_ref()?)]))
    });
    let sides = Html::from([
        side(&format!("{} prefers", one.judge), &one.its_choice, one),
        side("People prefer", &one.peoples_choice, one),
    ]);
    let body = [
        heading,
        given.collect(),
        with("div", &[("class", "sides")], sides),
    ];
    with("article", &[("class", "example")], body)
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
    element("div", [label, system, folding(&side.output)])
}
