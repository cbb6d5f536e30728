//! Every form of means and differences of judgments: intervals, verdicts, places, and who leads.

use super::cases::SYSTEMS;
use super::{Both, Walk, before, ends, forms, list, places, words};
use crate::truth::{Sayings, plain};
use serde_json::{Value, json};
use tiebreak::layout::optional;

/// Columns of means, and of what they are.
const MEANS: [(&str, &str); 3] = [
    ("estimate", "mean"),
    ("interval", "interval of the mean"),
    ("judgments", "judgments under"),
];

/// Columns of differences.
const DIFFERENCES: [(&str, &str); 4] = [
    ("difference", "difference"),
    ("interval", "interval of the difference"),
    ("corrected", "corrected interval of the difference"),
    ("verdict", "verdict on the difference"),
];

pub(super) fn say(estimate: &Both, walk: &Walk, systems: usize, sayings: &mut Sayings) {
    let report = &walk.report.json;
    let rows = report["estimates"][0][1]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    means(
        list(&estimate.json, "estimates"),
        "estimate --json",
        sayings,
    );
    means(rows, "report.json", sayings);
    differences(&estimate.json, estimate, "estimate --json", sayings);
    differences(
        &report["comparisons"][0][1],
        estimate,
        "report.json",
        sayings,
    );
    left_open(estimate, systems, sayings);
    tables(estimate, walk, sayings);
    counts(estimate, walk, sayings);
    for standing in list(&report["summary"], "standings") {
        if standing["of"] == "judgments" {
            standings(standing, sayings);
            answer(standing, estimate, walk, sayings);
        }
    }
}

fn means(rows: &[Value], place: &str, sayings: &mut Sayings) {
    for one in rows {
        let of = format!("{} of {}", words(one, "criterion"), words(one, "system"));
        let mean = optional(one["estimate"].as_f64());
        sayings.say(format!("mean {of}"), mean, place);
        sayings.say(format!("interval of the mean {of}"), ends(one).1, place);
        sayings.say(format!("judgments under {of}"), &one["n"], place);
        sayings.demand(is_within(one), format!("{place}: {one}"));
    }
}

/// Whether an interval holds its mean and reaches not beyond a known range.
fn is_within(one: &Value) -> bool {
    let range = one["range"][0].as_f64().zip(one["range"][1].as_f64());
    let (low, high) = range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let known = ends(one).0.zip(one["estimate"].as_f64());
    known.is_none_or(|((lower, upper), mean)| {
        low <= lower && lower <= mean && mean <= upper && upper <= high
    })
}

/// How many judgments there are of each criterion: counted, as the sum of each table's column, and in words.
fn counts(estimate: &Both, walk: &Walk, sayings: &mut Sayings) {
    let cost = words(&walk.report.json["summary"], "cost");
    for one in list(&walk.check.json, "criteria") {
        let criterion = words(one, "criterion");
        let all = format!("judgments of {criterion}");
        sayings.say(all, &one["judgments"], "check --json");
        if let Some(n) = before(cost, &format!(" of {criterion}")) {
            sayings.say(judgments_of(estimate, criterion), n, "report, cost");
        }
    }
}

/// The quantity that estimates use: all judgments, unless it is said that some do not count.
fn judgments_of(estimate: &Both, criterion: &str) -> String {
    let mut hints = list(&estimate.json, "hints").iter();
    match hints.any(|hint| hint.to_string().contains("nothing counts of those")) {
        true => format!("judgments of {criterion} that count"),
        false => format!("judgments of {criterion}"),
    }
}

/// Differences are what means leave when subtracted, unless they leave out items, and differ where corrected intervals
/// leave out 0.
fn differences(found: &Value, estimate: &Both, place: &str, sayings: &mut Sayings) {
    for one in list(found, "differences") {
        let pair = ["system_a", "system_b"].map(|key| words(one, key));
        let of = format!(
            "{} between {} – {}",
            words(one, "criterion"),
            pair[0],
            pair[1]
        );
        let found = one["difference"].as_f64();
        sayings.say(format!("difference {of}"), optional(found), place);
        sayings.say(
            format!("interval of the difference {of}"),
            ends(one).1,
            place,
        );
        let corrected = json!({"lower": one["corrected_lower"], "upper": one["corrected_upper"]});
        let (corrected, written) = ends(&corrected);
        sayings.say(
            format!("corrected interval of the difference {of}"),
            written,
            place,
        );
        let verdict = verdict(one);
        sayings.say(format!("verdict on the difference {of}"), verdict, place);
        let leaves_out = corrected.map(|(lower, upper)| lower > 0.0 || upper < 0.0);
        let agrees = leaves_out.is_none_or(|leaves_out| leaves_out == (verdict == "differ"));
        sayings.demand(agrees, format!("{place}: {one}"));
        let means = pair.map(|system| mean(estimate, words(one, "criterion"), system));
        let found = found.filter(|_| one["left_out"] == 0);
        if let ([Some(a), Some(b)], Some(difference)) = (means, found) {
            let fault = format!("{place}: means leave {}, and it says {one}", a - b);
            sayings.demand((a - b - difference).abs() < 1e-9, fault);
        }
    }
}

fn verdict(one: &Value) -> &'static str {
    match (one["significant"] == true, ends(one).0) {
        (true, _) => "differ",
        (false, Some(_)) => "undecided",
        (false, None) => "not tested",
    }
}

fn mean(estimate: &Both, criterion: &str, system: &str) -> Option<f64> {
    let mut rows = list(&estimate.json, "estimates").iter();
    let row = rows.find(|row| row["system"] == system && row["criterion"] == criterion);
    row.and_then(|row| row["estimate"].as_f64())
}

/// The pairs of a system that are told apart: how many it has the higher mean of, and how many the lower.
fn apart(estimate: &Both, criterion: &str, system: &str) -> [usize; 2] {
    let mut found = [0, 0];
    for pair in list(&estimate.json, "differences") {
        let side = ["system_a", "system_b"].map(|key| pair[key] == system);
        if pair["criterion"] == criterion && pair["significant"] == true && side != [false; 2] {
            let higher = (pair["difference"].as_f64() > Some(0.0)) == side[0];
            found[usize::from(!higher)] += 1;
        }
    }
    found
}

/// The places that verdicts leave open.
fn left_open(estimate: &Both, systems: usize, sayings: &mut Sayings) {
    for row in list(&estimate.json, "estimates") {
        let (system, criterion) = (words(row, "system"), words(row, "criterion"));
        let [higher, lower] = apart(estimate, criterion, system);
        let (better, worse) = match criterion {
            "hter" => (lower, higher),
            _ => (higher, lower),
        };
        let open = places(&(1 + worse).into(), &(systems - better).into());
        let quantity = format!("places by {criterion} of {system}");
        sayings.say(
            quantity,
            open.unwrap_or_default(),
            "estimate --json, verdicts",
        );
    }
}

fn tables(estimate: &Both, walk: &Walk, sayings: &mut Sayings) {
    for (place, grids) in forms(&estimate.text, "estimate", walk) {
        for grid in &grids {
            let about = |title: &str| {
                Some(
                    grid.title
                        .strip_prefix(title)?
                        .split(':')
                        .next()?
                        .to_string(),
                )
            };
            if let Some(criterion) = about("Mean score of ") {
                let of =
                    |quantity: &str, system: &str| format!("{quantity} {criterion} of {system}");
                sayings.say_columns(grid, &MEANS, of, place);
                let leader = grid.rows.first().map_or("", |row| row[0].as_str());
                sayings.say(format!("leader by {criterion}"), leader, place);
                let counted = judgments_of(estimate, &criterion);
                sayings.say(counted, grid.sum("judgments"), &format!("{place}, sum"));
            }
            if let Some(criterion) = about("Differences of ") {
                let of =
                    |quantity: &str, pair: &str| format!("{quantity} {criterion} between {pair}");
                sayings.say_columns(grid, &DIFFERENCES, of, place);
            }
        }
    }
}

fn standings(standing: &Value, sayings: &mut Sayings) {
    let (criterion, place) = (words(standing, "what"), "report, standings");
    for one in list(standing, "systems") {
        let of = format!("{criterion} of {}", words(one, "system"));
        let mean = optional(one["value"].as_f64());
        sayings.say(format!("mean {of}"), mean, place);
        sayings.say(format!("judgments under {of}"), &one["n"], place);
        let interval = json!({"lower": one["interval"][0], "upper": one["interval"][1]});
        sayings.say(
            format!("interval of the mean {of}"),
            ends(&interval).1,
            place,
        );
        if let Some(open) = places(&one["places"][0], &one["places"][1]) {
            sayings.say(format!("places by {of}"), open, place);
        }
    }
}

/// The answer names the leader, and all without a significant difference from it.
fn answer(standing: &Value, estimate: &Both, walk: &Walk, sayings: &mut Sayings) {
    let (criterion, answer) = (words(standing, "what"), words(standing, "answer"));
    let leader = answer.split(' ').next().unwrap_or_default();
    sayings.say(format!("leader by {criterion}"), leader, "report, answer");
    let first = answer.split(". ").next().unwrap_or_default();
    let page = plain(&walk.page);
    for (place, text) in [("report.txt", &walk.report.text), ("report.html", &page)] {
        sayings.demand(
            text.contains(first),
            format!("{place} does not say: {first}"),
        );
    }
    let after = |said: &str| answer.split(said).nth(1).unwrap_or_default();
    let (near, untested) = (
        after("does not differ significantly from"),
        after("is not tested against"),
    );
    for one in list(standing, "systems") {
        let system = words(one, "system");
        let mut pairs = list(&estimate.json, "differences").iter();
        let pair = pairs.find(|pair| {
            let both = [&pair["system_a"], &pair["system_b"]];
            pair["criterion"] == criterion
                && both
                    .iter()
                    .all(|name| [leader, system].contains(&name.as_str().unwrap()))
        });
        if let Some(pair) = pair.filter(|_| SYSTEMS.contains(&leader) && !near.contains("other")) {
            let quantity = format!("by {criterion} {system} differs from the leader");
            let by_json = match pair["corrected_lower"].is_null() {
                true => "not tested",
                false if pair["significant"] == true => "yes",
                false => "no",
            };
            let by_report = match near.contains(system) {
                true => "no",
                false if untested.contains(system) => "not tested",
                false => "yes",
            };
            sayings.say(&quantity, by_json, "estimate --json");
            sayings.say(&quantity, by_report, "report, answer");
        }
    }
}

#[test]
fn intervals_beyond_a_range_are_seen() {
    let one = |upper: f64| json!({"estimate": 4.0, "lower": 3.0, "upper": upper, "range": [1, 5]});
    assert!(is_within(&one(5.0)) && !is_within(&one(5.1)) && !is_within(&one(3.9)));
}
