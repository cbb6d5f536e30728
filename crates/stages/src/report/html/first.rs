//! The first page: the answer, the standings of all systems, and examples. All else is folded below it.

use super::markup::{Html, element, folded, with};
use crate::report::chapter::{MeasureStandings, SystemPlacement};
use crate::report::summary::ReportSummary;

/// The answers to the questions that everybody has.
pub(super) fn opening(summary: &ReportSummary) -> Html {
    let row = |(_, question, answer): (&str, &str, &str)| {
        element("div", [element("dt", question), element("dd", answer)])
    };
    let rows: Html = summary.sentences().into_iter().map(row).collect();
    with("dl", &[("class", "opening")], rows)
}

/// The standings of all systems by the measure that the answer is from.
pub(super) fn standing(judged: &MeasureStandings) -> Html {
    let ends = judged.systems.iter().filter_map(reach);
    let scale = ends.fold(
        (f64::INFINITY, f64::NEG_INFINITY),
        |(low, high), (lower, upper)| (low.min(lower), high.max(upper)),
    );
    let column = |(place, text): (usize, Html)| {
        let class = if place == 1 { "text" } else { "number" };
        with("th", &[("class", class), ("scope", "col")], text)
    };
    let [rank, system, what, interval, of] = judged.columns();
    let under = |text: &str| with("span", &[("class", "under")], text);
    let under = judged.has_intervals().then(|| under(interval));
    let value = [Html::from(what), under.unwrap_or_default()];
    let columns = [rank.into(), system.into(), Html::from(value), of.into()];
    let unranked = usize::from(!judged.is_ranked());
    let columns = columns.into_iter().enumerate().skip(unranked);
    let head = element("tr", columns.map(column).collect::<Html>());
    let row = |one: &SystemPlacement| {
        let cells = cells(judged, one, scale).into_iter().skip(unranked);
        element("tr", cells.collect::<Html>())
    };
    let rows: Html = judged.systems.iter().map(row).collect();
    let caption = format!("How the systems stand by {}", judged.what);
    let table = with(
        "table",
        &[("class", "standing")],
        [
            with("caption", &[("class", "heard")], caption),
            element("thead", head),
            element("tbody", rows),
        ],
    );
    let drawn = match judged.has_intervals() {
        true => "Lines are intervals, all",
        false => "Dots are",
    };
    let drawn = format!(
        "{drawn} on one scale from {} to {}.",
        judged.format_value(scale.0),
        judged.format_value(scale.1)
    );
    let drawn = if scale.0 <= scale.1 {
        drawn
    } else {
        String::new()
    };
    let note = format!("{} {drawn}", judged.meaning);
    Html::from([table, with("p", &[("class", "note")], note.trim())])
}

/// The cells of a system: rank, name, measure, and number of answers.
fn cells(judged: &MeasureStandings, one: &SystemPlacement, scale: (f64, f64)) -> Vec<Html> {
    let [rank, system, value, interval, n] = judged.row(one).map(Html::from);
    let ends = judged
        .has_intervals()
        .then(|| with("span", &[("class", "under")], interval));
    let ends = ends.unwrap_or_default();
    let number = |inner: Html| with("td", &[("class", "number")], inner);
    let system = element("bdi", system);
    let heading = [("class", "text"), ("scope", "row")];
    vec![
        number(rank),
        with("th", &heading, [system, drawn(judged, one, scale)]),
        number(Html::from([value, ends])),
        number(n),
    ]
}

/// The interval, or the value alone where there is none.
fn reach(one: &SystemPlacement) -> Option<(f64, f64)> {
    one.interval.or(one.value.zip(one.value))
}

/// The interval as a line with its value as a dot; screen readers have the numbers.
fn drawn(judged: &MeasureStandings, one: &SystemPlacement, (low, high): (f64, f64)) -> Html {
    let Some((value, (lower, upper))) = one.value.zip(reach(one)) else {
        return Html::default();
    };
    let [low, high, value, lower, upper] =
        [low, high, value, lower, upper].map(|x| judged.on_scale(x));
    if high <= low {
        return Html::default();
    }
    // Room for half a dot at either end.
    let share = |x: f64| 8.0 + 84.0 * (x - low) / (high - low);
    let whisker = format!(
        "left:{:.1}%;width:{:.1}%",
        share(lower),
        share(upper) - share(lower)
    );
    let dot = format!("left:{:.1}%", share(value));
    let piece = |class: &str, style: &str| with("span", &[("class", class), ("style", style)], "");
    with(
        "span",
        &[("class", "drawn"), ("aria-hidden", "true")],
        [piece("whisker", &whisker), piece("dot", &dot)],
    )
}

/// Other measures that are shown unfolded.
const OTHERS: usize = 4;

/// The answers by other measures, in a sentence each.
pub(super) fn others(others: &[MeasureStandings]) -> Html {
    let answer = |one: &MeasureStandings| {
        let about = with("p", &[("class", "label")], one.what.as_str());
        element("li", [about, element("p", one.answer.as_str())])
    };
    let list = |some: &[MeasureStandings]| {
        let answers: Html = some.iter().map(answer).collect();
        with("ul", &[("class", "answers")], answers)
    };
    match others.split_at_checked(OTHERS) {
        _ if others.is_empty() => Html::default(),
        None | Some((_, [])) => list(others),
        Some((first, rest)) => {
            let more = format!("{} more measures", rest.len());
            Html::from([list(first), folded(&more, list(rest))])
        }
    }
}
