//! How many answers, systems, items and annotators there are, and that counting is no verdict.

use super::cases::SYSTEMS;
use super::{Both, Walk, before, list, words};
use crate::truth::{Sayings, grids_of_text};

const KINDS: [&str; 2] = ["comparisons", "judgments"];

pub(super) fn say(walk: &Walk, sayings: &mut Sayings) {
    totals(walk, sayings);
    columns(&walk.check, sayings);
    people(walk, sayings);
    shares(&walk.check.text, sayings);
    no_winner(&walk.check, sayings);
}

fn totals(walk: &Walk, sayings: &mut Sayings) {
    let Both { json: found, text } = &walk.check;
    let report = words(&walk.report.json["run"], "contents");
    let of_text = walk.report.text.split("────\n").nth(1).unwrap_or_default();
    for key in ["items", "outputs", "comparisons", "judgments"] {
        sayings.say(key, &found[key], "check --json");
        let mut lines = text.lines().map(str::trim);
        let line = lines.find_map(|line| line.strip_prefix(key)?.split_whitespace().next());
        sayings.say(key, line.unwrap_or_default(), "check");
        for (place, contents) in [("report.json", report), ("report.txt", of_text)] {
            let n = before(contents, &format!(" {key}")).filter(|_| found[key] != 0);
            if let Some(n) = n {
                sayings.say(key, n, place);
            }
        }
    }
}

/// Columns add up, or it is said why not.
fn columns(check: &Both, sayings: &mut Sayings) {
    let found = &check.json;
    for (of, key) in ["systems", "annotators"]
        .iter()
        .flat_map(|of| KINDS.map(|key| (*of, key)))
    {
        let each = list(found, of).iter().filter_map(|one| one[key].as_u64());
        let (all, twice) = (each.sum::<u64>(), (of, key) == ("systems", "comparisons"));
        let times = if twice { 2 } else { 1 };
        let total = found[key].as_u64().unwrap();
        sayings.demand(
            all == times * total,
            format!("{key} of {of} are {all} of {total}"),
        );
        let said = check
            .text
            .contains("A comparison counts for both of its systems.");
        sayings.demand(
            !twice || said == (all > 0),
            "what is counted twice is not said",
        );
    }
    for one in list(found, "systems")
        .iter()
        .chain(list(found, "annotators"))
    {
        let name = one["system"].as_str().or(one["annotator"].as_str());
        let of = name.unwrap_or("(unknown)");
        for key in KINDS {
            sayings.say(format!("{key} of {of}"), &one[key], "check --json");
        }
    }
    let of = KINDS.map(|key| (key, key));
    for grid in grids_of_text(&check.text) {
        sayings.say_columns(&grid, &of, |kind, row| format!("{kind} of {row}"), "check");
    }
}

fn people(walk: &Walk, sayings: &mut Sayings) {
    let named = list(&walk.check.json, "annotators").iter();
    let named = named.filter(|one| !one["annotator"].is_null()).count();
    let who = words(&walk.report.json["summary"], "who");
    if let Some(n) = before(who, " annotators") {
        sayings.say("annotators", n, "report, who");
        sayings.say("annotators", named, "check --json");
    }
    if let Some(ranking) = &walk.rank {
        let claimed = &ranking.json["claim"]["annotators"];
        sayings.say("annotators", claimed, "rank --json");
        sayings.say("annotators", named.max(1), "check --json, or one unknown");
    }
}

fn shares(text: &str, sayings: &mut Sayings) {
    for line in text
        .lines()
        .filter(|line| line.starts_with("outcomes for "))
    {
        let shares = line
            .split_whitespace()
            .filter_map(|word| word.parse::<f64>().ok());
        let all: f64 = shares.sum();
        sayings.demand((all - 100.0).abs() < 1e-9, format!("{line}: {all} %"));
    }
}

/// Who wins most says nothing of who is best: that is for tests to say.
fn no_winner(check: &Both, sayings: &mut Sayings) {
    for line in check
        .text
        .lines()
        .filter(|line| line.contains("won more than half"))
    {
        let named = SYSTEMS.iter().any(|system| line.contains(system));
        sayings.demand(!named, format!("check names a winner: {line}"));
    }
    let winner = check.json["winner"].to_string();
    let named = SYSTEMS
        .iter()
        .any(|system| winner.contains(&format!("\"{system}\"")));
    sayings.demand(!named, format!("check names a winner: {winner}"));
}
