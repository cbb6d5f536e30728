//! Every form of coefficients, of these annotators and of new ones.

use super::{Walk, ends, forms, list, words};
use crate::truth::Sayings;
use serde_json::Value;
use tiebreak::layout::decimals;

pub(super) fn say(walk: &Walk, sayings: &mut Sayings) {
    let stored = &walk.report.json["correlations"][0][1];
    for (place, found) in [
        ("correlate --json", &walk.correlate.json),
        ("report.json", stored),
    ] {
        for one in list(found, "correlations") {
            let (of, new) = (coefficient_of(one), &one["new_annotators"]);
            sayings.say(&of, coefficient(one), place);
            if !new.is_null() {
                sayings.say(format!("{of}, new annotators"), coefficient(new), place);
            }
            if one["human"] == "comparisons" && one["grouping"] == "global" {
                sayings.say("comparisons", &one["n"], place);
            }
        }
    }
    for (place, grids) in forms(&walk.correlate.text, "correlate", walk) {
        for grid in grids.iter().filter(|grid| grid.title.starts_with("With ")) {
            let of_new = grid.header[1] == "annotators";
            let more = if of_new { ", new annotators" } else { "" };
            let title = grid.title.split(". ").next().unwrap_or_default();
            let coefficients = grid.header.iter().skip(2);
            for column in coefficients.filter(|name| *name != "tie within") {
                let of = |column: &str, _: &str| format!("{column} {title}{more}");
                sayings.say_columns(grid, &[(column, column)], of, place);
            }
        }
    }
}

/// A coefficient's name and the title of its table.
fn coefficient_of(one: &Value) -> String {
    let (human, criterion) = (words(one, "human"), one["criterion"].as_str());
    let with = criterion.map_or(human.to_string(), |criterion| {
        format!("judgments of {criterion}")
    });
    let among = match (words(one, "grouping"), criterion) {
        ("item", _) => "per item, then averaged",
        ("global", Some(_)) => "all outputs pooled",
        ("global", None) => "all pooled",
        _ => "system means",
    };
    format!("{} With {with}: {among}", words(one, "coefficient"))
}

/// `0.612 [0.551, 0.668]`
fn coefficient(of: &Value) -> String {
    let three = |x: f64| decimals(x, 3);
    match (of["value"].as_f64(), ends(of).0) {
        (None, _) => "–".to_string(),
        (Some(value), None) => three(value),
        (Some(value), Some((low, high))) => {
            format!("{} [{}, {}]", three(value), three(low), three(high))
        }
    }
}
