//! The first page: the answer, the standings of all systems, and examples. All else is folded below it.

use super::markup::{Html, HtmlTable, element, folded, name, prose, with};
use crate::report::chapter::{MeasureStandings, SystemPlacement};
use crate::report::plot::Scale;
use crate::report::summary::{ReportSummary, SummaryAnswer};

/// The answers to the questions that everybody has.
pub(super) fn opening(summary: &ReportSummary) -> Html {
    let row = |answer: SummaryAnswer<'_>| {
        let items = answer.assumptions.iter();
        let items: Html = items.map(|one| element("li", prose(one))).collect();
        let folded = (!items.is_empty()).then(|| folded("Assumptions", element("ul", items)));
        let told = [prose(answer.text), folded.unwrap_or_default()];
        element("div", [element("dt", answer.question), element("dd", told)])
    };
    let rows: Html = summary.answers().into_iter().map(row).collect();
    with("dl", &[("class", "opening")], rows)
}

/// The standings of all systems by the measure that the answer is from.
pub(super) fn standing(judged: &MeasureStandings) -> Html {
    let scale = DrawnScale::around(judged);
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
    let row = |(place, one): (usize, &SystemPlacement)| {
        let last = place + 1 == judged.systems.len();
        let drawn = scale.as_ref().map(|scale| scale.drawn(judged, one, last));
        let cells = cells(judged, one, drawn.unwrap_or_default());
        element("tr", cells.into_iter().skip(unranked).collect::<Html>())
    };
    let rows: Html = judged.systems.iter().enumerate().map(row).collect();
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
    let drawn = match (judged.has_intervals(), judged.scale) {
        (true, Some(_)) => {
            "Lines are intervals; the dashed line is 50 %, as often preferred as not."
        }
        (true, None) => "Lines are intervals.",
        (false, Some(_)) => "The dashed line is 50 %, as often preferred as not.",
        (false, None) => "",
    };
    let drawn = if scale.is_some() { drawn } else { "" };
    let note = format!("{} {drawn}", judged.meaning);
    Html::from([table, with("p", &[("class", "note")], note.trim())])
}

/// The cells of a system: rank, name, measure, and number of answers.
fn cells(judged: &MeasureStandings, one: &SystemPlacement, drawn: Html) -> Vec<Html> {
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
        with("th", &heading, [system, drawn]),
        number(Html::from([value, ends])),
        number(n),
    ]
}

/// The interval, or the value alone where there is none.
fn reach(one: &SystemPlacement) -> Option<(f64, f64)> {
    one.interval.or(one.value.zip(one.value))
}

/// Most numbers below the intervals.
const TICKS: usize = 5;

/// As often preferred as not.
const HALF: f64 = 0.5;

/// The scale on which the intervals of a table are drawn, in the unit in which they are written.
struct DrawnScale {
    low: f64,
    high: f64,
    ticks: Vec<f64>,
}

impl DrawnScale {
    /// The scale around all intervals, and around one half where the measure is a preference; `None` where all are one
    /// point.
    fn around(judged: &MeasureStandings) -> Option<Self> {
        let ends = judged.systems.iter().filter_map(reach);
        let ends = ends.flat_map(|(lower, upper)| [lower, upper]);
        let ends: Vec<f64> = ends.map(|end| judged.on_scale(end)).collect();
        if ends.is_empty() {
            return None;
        }
        let all = ends.into_iter().chain(judged.scale.map(|_| HALF));
        let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), end| {
            (low.min(end), high.max(end))
        });
        // Preferences have their ticks at even steps from one half.
        let middle = judged.scale.map_or(0.0, |_| HALF);
        let ticks = Scale::Linear(low - middle, high - middle).ticks(TICKS);
        let ticks = ticks.into_iter().map(|tick| middle + tick).collect();
        (high > low).then_some(Self { low, high, ticks })
    }

    /// The place of a number from the left, in percent; there is room for half a dot at either end.
    fn position(&self, x: f64) -> f64 {
        2.0 + 96.0 * (x - self.low) / (self.high - self.low)
    }

    fn mark(&self, class: &str, x: f64) -> Html {
        let style = format!("left:{:.1}%", self.position(x));
        with("span", &[("class", class), ("style", &style)], "")
    }

    /// The lines that lead from the numbers of the axis upward, dashed at one half.
    fn lines(&self, judged: &MeasureStandings) -> Html {
        let line = |&x: &f64| match judged.scale.is_some() && x == HALF {
            true => self.mark("tick half", x),
            false => self.mark("tick", x),
        };
        self.ticks.iter().map(line).collect()
    }

    /// The interval of a system, and below the last one the axis. Screen readers have the numbers.
    fn drawn(&self, judged: &MeasureStandings, one: &SystemPlacement, last: bool) -> Html {
        let axis = if last {
            self.axis(judged)
        } else {
            Html::default()
        };
        Html::from([self.interval(judged, one), axis])
    }

    /// The interval as a line with its value as a dot.
    fn interval(&self, judged: &MeasureStandings, one: &SystemPlacement) -> Html {
        let Some((value, (lower, upper))) = one.value.zip(reach(one)) else {
            return Html::default();
        };
        let [value, lower, upper] = [value, lower, upper].map(|x| judged.on_scale(x));
        let whisker = format!(
            "left:{:.1}%;width:{:.1}%",
            self.position(lower),
            self.position(upper) - self.position(lower)
        );
        let whisker = with("span", &[("class", "whisker"), ("style", &whisker)], "");
        let dot = self.mark("dot", value);
        let drawn = [self.lines(judged), whisker, dot];
        with(
            "span",
            &[("class", "drawn"), ("aria-hidden", "true")],
            drawn,
        )
    }

    /// The numbers below the intervals, as labels that the style sheet writes: they are no words of the table.
    fn axis(&self, judged: &MeasureStandings) -> Html {
        let percent = judged.scale.is_some();
        let factor = if percent { 100.0 } else { 1.0 };
        let scale = Scale::Linear(factor * self.low, factor * self.high);
        let number = |&x: &f64| {
            let unit = if percent { " %" } else { "" };
            let style = format!("left:{:.1}%", self.position(x));
            let label = scale.label(factor * x) + unit;
            let all = [
                ("class", "mark"),
                ("style", &*style),
                ("data-label", &*label),
            ];
            with("span", &all, "")
        };
        let numbers: Html = self.ticks.iter().map(number).collect();
        let class = [("class", "drawn axis"), ("aria-hidden", "true")];
        with("span", &class, numbers)
    }
}

/// The systems by every measure, where there are several: a row for each system, a column for each measure.
pub(super) fn overview(people: &[MeasureStandings]) -> Html {
    if people.len() < 2 {
        return Html::default();
    }
    let names = people.iter().flat_map(|one| &one.systems);
    let names = crate::report::distinct(names.map(|one| one.system.as_str()));
    let cell = |measure: &MeasureStandings, system: &str| {
        let found = measure.systems.iter().find(|one| one.system == system);
        found.map_or_else(Html::default, |one| {
            let [rank, _, value, ..] = measure.row(one);
            let rank = measure.is_ranked().then(|| format!("rank {rank}"));
            let rank = rank.map(|rank| with("span", &[("class", "under")], rank));
            Html::from([value.into(), rank.unwrap_or_default()])
        })
    };
    let row = |system: &&str| {
        let cells = people.iter().map(|measure| cell(measure, system));
        std::iter::once(name(system)).chain(cells).collect()
    };
    let measures = people.iter().map(|one| one.columns()[2].to_string());
    let table = HtmlTable {
        caption: "All measures".to_string(),
        header: std::iter::once("system".to_string())
            .chain(measures)
            .collect(),
        texts: 1,
        rows: names.iter().map(row).collect(),
    };
    table.html()
}

/// Other measures that are shown unfolded.
const OTHERS: usize = 4;

/// The answers by other measures, in a sentence each.
pub(super) fn others(others: &[MeasureStandings]) -> Html {
    let answer = |one: &MeasureStandings| {
        let about = with("p", &[("class", "label")], one.what.as_str());
        element("li", [about, element("p", prose(&one.answer))])
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
