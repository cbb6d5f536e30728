//! Every form of a ranking: strengths, intervals, ranks, groups, what is claimed, and who leads.

use super::cases::SYSTEMS;
use super::{Both, Walk, before, ends, forms, list, names, places, words};
use crate::truth::{Sayings, grids_of_page, plain};
use serde_json::{Value, json};
use tiebreak::layout::{number, optional, percent};

/// Columns, and of what they are.
const COLUMNS: [(&str, &str); 5] = [
    ("strength", "strength"),
    ("interval", "interval of the strength"),
    ("rank", "rank"),
    ("comparisons", "comparisons"),
    ("rank, new annotators", "rank for new annotators"),
];

const LEADER: &str = "leader by comparisons";
const CONFIDENCE: &str = "confidence of the ranking";

pub(super) fn say(rank: &Both, walk: &Walk, sayings: &mut Sayings) {
    let stored = &walk.report.json["rankings"][0][1];
    for (place, found) in [("rank --json", &rank.json), ("report.json", stored)] {
        numbers(found, place, sayings);
        together(found, place, sayings);
        claimed(found, place, sayings);
    }
    for (place, grids) in forms(&rank.text, "rank", walk) {
        let shown = |name: &String| name == "strength";
        for grid in grids.iter().filter(|grid| grid.header.iter().any(shown)) {
            let of = |quantity: &str, system: &str| format!("{quantity} of {system}");
            sayings.say_columns(grid, &COLUMNS, of, place);
            let leader = grid.rows.first().map_or("", |row| row[0].as_str());
            sayings.say(LEADER, leader, place);
        }
    }
    answer(rank, walk, sayings);
    headline(rank, walk, sayings);
    for (place, text) in [("rank", &rank.text), ("report.txt", &walk.report.text)] {
        notes(text, place, sayings);
    }
    standings(&walk.report.json["summary"]["standings"][0], sayings);
    first_table(&walk.page, sayings);
}

fn numbers(found: &Value, place: &str, sayings: &mut Sayings) {
    for one in list(found, "strengths") {
        let system = words(one, "system");
        let strength = optional(one["strength"].as_f64());
        sayings.say(format!("strength of {system}"), strength, place);
        sayings.say(
            format!("interval of the strength of {system}"),
            ends(one).1,
            place,
        );
        sayings.say(
            format!("comparisons of {system}"),
            &one["comparisons"],
            place,
        );
    }
    sayings.say(LEADER, words(&found["strengths"][0], "system"), place);
    let new = &found["new_annotators"];
    for (of, whose) in [(found, "rank"), (new, "rank for new annotators")] {
        for one in list(of, "ranks") {
            let ranks = places(&one["rank_low"], &one["rank_high"]).unwrap_or_default();
            sayings.say(format!("{whose} of {}", words(one, "system")), ranks, place);
        }
    }
    sayings.say("comparisons", &found["claim"]["n"], place);
    sayings.say("comparisons", &found["evidence"]["answers"], place);
    sayings.say("claim", words(&found["claim"], "kind"), place);
    sayings.say(
        CONFIDENCE,
        as_percent(&found["evidence"]["confidence"]),
        place,
    );
}

/// As texts write a confidence.
fn as_percent(confidence: &Value) -> String {
    format!("{} %", number(100.0 * confidence.as_f64().unwrap()))
}

/// Systems whose intervals have nothing in common are told apart, those that are not told apart are in a group together,
/// and ranks are what that leaves open. Systems that no comparison links were not tested, and are in no group either.
fn together(found: &Value, place: &str, sayings: &mut Sayings) {
    let strengths = list(found, "strengths");
    let apart = |a: &Value, b: &Value| {
        let both = [words(a, "system"), words(b, "system")];
        let mut groups = list(found, "groups").iter().map(names);
        !groups.any(|group| both.iter().all(|name| group.contains(name)))
    };
    for (at, one) in strengths.iter().enumerate() {
        let apart_from = |others: &[Value]| others.iter().filter(|other| apart(one, other)).count();
        let above = apart_from(&strengths[..at]);
        let below = apart_from(&strengths[at + 1..]);
        let open = places(&(1 + above).into(), &(strengths.len() - below).into());
        let rank = format!("rank of {}", words(one, "system"));
        if found["evidence"]["unlinked"].as_u64().unwrap_or(1) == 1 {
            sayings.say(rank, open.unwrap_or_default(), &format!("{place}, groups"));
        }
        for other in &strengths[at + 1..] {
            let fault = format!("{place}: disjoint and in a group: {one}, {other}");
            sayings.demand(!disjoint(one, other) || apart(one, other), fault);
        }
        let inside = ends(one).0.zip(one["strength"].as_f64());
        let holds = inside.is_none_or(|((lower, upper), value)| lower <= value && value <= upper);
        sayings.demand(holds, format!("{place}: {one}"));
    }
    let values = strengths.iter().filter_map(|one| one["strength"].as_f64());
    let values: Vec<f64> = values.collect();
    let sorted = values.is_sorted_by(|a, b| a >= b);
    sayings.demand(sorted, format!("{place}: order of {values:?}"));
}

fn disjoint(one: &Value, other: &Value) -> bool {
    let both = ends(one).0.zip(ends(other).0);
    both.is_some_and(|(ours, theirs)| ours.0 > theirs.1 || theirs.0 > ours.1)
}

/// A best system is alone on rank 1; where none is claimed none is, unless style is held equal or a system is not shown to
/// win its own comparisons.
fn claimed(found: &Value, place: &str, sayings: &mut Sayings) {
    let claim = &found["claim"];
    let first = list(found, "ranks")
        .iter()
        .find(|one| one["rank_high"] == 1);
    let claimed = names(&claim["systems"]);
    if claim["kind"] != "best" {
        let silent = claim["confidence"].is_null() && claimed.is_empty();
        sayings.demand(silent, format!("{place}: {claim}"));
        let why = !claim["why"]["own-duels"].is_null() || !list(found, "style").is_empty();
        sayings.demand(
            first.is_none() || why,
            format!("{place}: {first:?}, yet {claim}"),
        );
        return;
    }
    let best = claimed.first().copied().unwrap_or_default();
    sayings.say(LEADER, best, place);
    let alone = first.is_some_and(|one| one["system"] == best) && claimed.len() == 1;
    sayings.demand(
        alone,
        format!("{place}: {claim}, and alone on rank 1 is {first:?}"),
    );
    let groups = list(found, "groups").iter().map(names);
    let mut joined = groups.filter(|group| group.len() > 1);
    let joined = joined.any(|group| group.contains(&best));
    sayings.demand(
        !joined,
        format!("{place}: {best} is claimed and in a group"),
    );
    sayings.say(CONFIDENCE, as_percent(&claim["confidence"]), place);
}

/// The answer is the same everywhere; its assumptions may follow in one line or in several.
fn answer(rank: &Both, walk: &Walk, sayings: &mut Sayings) {
    let said = rank.text.lines().next().unwrap_or_default();
    let stored = words(&walk.report.json["summary"]["standings"][0], "answer");
    let page = plain(&walk.page);
    let report = &walk.report.text;
    for (place, text) in [
        ("report.json", stored),
        ("report.txt", report),
        ("report.html", &page),
    ] {
        sayings.demand(text.contains(said), format!("{place} does not say: {said}"));
    }
}

/// The headline names the claimed system, or none; what to do next is about the leader.
fn headline(rank: &Both, walk: &Walk, sayings: &mut Sayings) {
    let summary = &walk.report.json["summary"];
    let said = words(summary, "best");
    let named = SYSTEMS.iter().find(|system| said.starts_with(**system));
    let claimed = names(&rank.json["claim"]["systems"]);
    let claimed = claimed.first().copied().unwrap_or("nobody");
    sayings.say("best in the headline", claimed, "rank --json");
    sayings.say("best in the headline", named.unwrap_or(&"nobody"), "report");
    let next = words(summary, "next").split(" would separate ").nth(1);
    if let Some(leader) = next.and_then(|rest| rest.split(' ').next()) {
        sayings.say(LEADER, leader, "report, next");
    }
}

/// What stands below the table.
fn notes(text: &str, place: &str, sayings: &mut Sayings) {
    let holding = text.split("all ranks together hold with ").nth(1);
    if let Some(confidence) = holding.and_then(|rest| rest.split(" confidence").next()) {
        sayings.say(CONFIDENCE, confidence, place);
    }
    for words in [
        " comparisons cannot separate",
        " comparisons. All",
        " comparisons by people",
    ] {
        let n = before(text, words);
        if let Some(n) = n {
            sayings.say("comparisons", n, place);
        }
    }
}

fn standings(standing: &Value, sayings: &mut Sayings) {
    let place = "report, standings";
    for one in list(standing, "systems") {
        let system = words(one, "system");
        sayings.say(format!("comparisons of {system}"), &one["n"], place);
        if let Some(rank) = places(&one["places"][0], &one["places"][1]) {
            sayings.say(format!("rank of {system}"), rank, place);
        }
        let strength = optional(one["value"].as_f64());
        sayings.say(format!("strength of {system}"), strength, place);
        let shares = [&one["value"], &one["interval"][0], &one["interval"][1]].map(preferred);
        if let [Some(value), Some(low), Some(high)] = shares {
            let written = format!("{value} [{low}, {high}]");
            sayings.say(format!("how often {system} is preferred"), written, place);
        }
    }
    let said = words(standing, "meaning").contains("counts for both of its systems");
    sayings.demand(
        said,
        format!("{place}: counted twice, and not said: {standing}"),
    );
    let leader = &standing["systems"][0]["system"];
    sayings.say(LEADER, leader.as_str().unwrap_or_default(), place);
}

/// How often a system is preferred to the average one, from log-odds.
fn preferred(strength: &Value) -> Option<String> {
    let share = |x: f64| percent(1.0 / (1.0 + (-x).exp()));
    strength.as_f64().map(share)
}

fn first_table(page: &str, sayings: &mut Sayings) {
    let place = "report.html, first table";
    let all = grids_of_page(page);
    let mut tables = all.iter();
    let Some(top) = tables.find(|grid| grid.title.starts_with("How the systems stand")) else {
        sayings.demand(false, "the page has no first table");
        return;
    };
    for row in &top.rows {
        let [rank, system, preferred, n] = [0, 1, 2, 3].map(|at| row[at].as_str());
        sayings.say(format!("comparisons of {system}"), n, place);
        if rank != "–" {
            sayings.say(format!("rank of {system}"), rank, place);
            sayings.say(format!("how often {system} is preferred"), preferred, place);
        }
    }
}

#[test]
fn disjoint_intervals_are_seen() {
    let ends = |lower: f64, upper: f64| json!({"lower": lower, "upper": upper});
    assert!(disjoint(&ends(1.0, 2.0), &ends(2.1, 3.0)));
    assert!(!disjoint(&ends(1.0, 2.0), &ends(1.9, 3.0)) && !disjoint(&ends(1.0, 2.0), &json!({})));
}
