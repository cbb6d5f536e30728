//! Replays of a race by scores: what a proof costs, beside methods that prove nothing.

use super::table_with_facts;
use crate::report::chapter::ChapterSection;
use crate::report::document::{DocumentTable, ResultDocument};
use crate::stages::simulate::ScoreSimulation;
use tiebreak_base::layout::{column, decimals, or_dash, percent, thousands};
use tiebreak_base::words::counted;
use tiebreak_decide::race::replay::RaceMethod;

/// The number of scores of all systems on all items.
fn all(found: &ScoreSimulation) -> u64 {
    found.systems.len() as u64 * found.items
}

/// A method as a sentence has it.
fn method(method: RaceMethod) -> &'static str {
    match method {
        RaceMethod::Race => "race",
        RaceMethod::Uniform => "the same proof, no system dropped",
        RaceMethod::SuccessiveHalving => "successive halving",
        RaceMethod::SuccessiveRejects => "successive rejects",
    }
}

/// What the replays took, in a sentence or two.
pub(super) fn verdict(found: &ScoreSimulation) -> String {
    let runs = counted(found.runs, "replay");
    let proved = match (found.method, found.stopped.share) {
        (RaceMethod::SuccessiveHalving | RaceMethod::SuccessiveRejects, _) => {
            format!("{runs} without proof")
        }
        (_, share) if share < 1.0 => format!("{} of {runs} stopped with proof", percent(share)),
        _ => format!("{runs}, all with proof"),
    };
    let best = match &found.best {
        Some(best) => format!("{best} is the best by all scores"),
        None => "Several systems share the highest mean of all scores".to_string(),
    };
    format!(
        "{proved}, after {} scores on average: {} of a full run. {best}; {} of the replays are wrong.",
        decimals(found.calls.mean, 0),
        percent(found.share_of_all),
        percent(found.wrong)
    )
}

fn facts(found: &ScoreSimulation) -> Vec<(&'static str, String)> {
    let drawn = match found.repeated {
        true => "again and again: a proof is about means over these items",
        false => "once each: a proof is about the scores that a full run gives",
    };
    let mut facts = vec![
        ("method", method(found.method).to_string()),
        (
            "scores",
            format!(
                "{} a replay, median {}",
                decimals(found.calls.mean, 0),
                decimals(found.calls.median, 0)
            ),
        ),
        (
            "full run",
            format!(
                "{} of {} on {}",
                counted(all(found), "score"),
                counted(found.systems.len() as u64, "system"),
                counted(found.items, "item")
            ),
        ),
        ("items drawn", drawn.to_string()),
    ];
    if let Some(correct) = found.stopped.correct {
        facts.push(("right proofs", percent(correct)));
    }
    if found.epsilon > 0.0 {
        facts.push(("margin", format!("{}", found.epsilon)));
    }
    facts
}

/// The race beside methods that prove nothing.
fn unproved(found: &ScoreSimulation) -> ResultDocument {
    if found.unproved.is_empty() {
        return ResultDocument::default();
    }
    let allowed = percent(1.0 - found.confidence);
    let needed = format!("scores for {allowed} wrong");
    let calls = || decimals(found.calls.mean, 0);
    // A race that mostly ends without proof names no system, and is not wrong for that.
    let is_enough = found.stopped.share >= found.confidence;
    let mut rows = vec![vec![
        method(found.method).to_string(),
        calls(),
        percent(found.wrong),
        or_dash(is_enough.then(calls), |calls| calls),
    ]];
    rows.extend(found.unproved.iter().map(|one| {
        vec![
            method(one.method).to_string(),
            decimals(one.calls, 0),
            percent(one.wrong),
            or_dash(one.needed, thousands),
        ]
    }));
    let header = ["method", "scores", "wrong", &needed];
    let table = DocumentTable::new("A race and methods without proof", &header, rows);
    ResultDocument::default().gap().append(table).note(format!(
        "Only the race proves anything. The last column is known in hindsight: in how many scores {allowed} of replays are wrong."
    ))
}

/// Replays in full; also what `simulate` prints.
pub(super) fn document(name: &str, found: &ScoreSimulation) -> ResultDocument {
    let means: Vec<Option<f64>> = found.standings.iter().map(|one| Some(one.mean)).collect();
    let rows = found.standings.iter().zip(column(&means));
    let rows = rows.map(|(one, mean)| vec![one.system.clone(), mean]);
    let caption = format!("Means of all scores {name}");
    let table = DocumentTable::new(caption.trim_end(), &["system", "mean"], rows.collect());
    let facts = ResultDocument::default().facts(facts(found));
    let table = ResultDocument::from(table);
    ResultDocument::default()
        .paragraph(verdict(found))
        .append(unproved(found))
        .append(table_with_facts(table, facts))
}

/// The section of a report: all methods in a table, then each.
pub(super) fn section(found: &[(String, ScoreSimulation)]) -> ChapterSection {
    let title = "How many scores it would have taken";
    let row = |(name, one): &(String, ScoreSimulation)| {
        vec![
            name.clone(),
            decimals(one.calls.mean, 0),
            percent(one.share_of_all),
            percent(one.wrong),
            percent(one.stopped.share),
        ]
    };
    let header = ["replays", "scores", "of a full run", "wrong", "with proof"];
    let table = DocumentTable::new(title, &header, found.iter().map(row).collect());
    let each = found.iter().map(|(name, one)| {
        let heading = ResultDocument::default().heading(3, name);
        let title = format!("{title}: {name}");
        heading.append(document(name, one)).under(title)
    });
    let document = ResultDocument::from(table).under(title);
    ChapterSection::new(
        "replays-of-scores",
        title,
        document.append(each.collect::<ResultDocument>()),
    )
}
