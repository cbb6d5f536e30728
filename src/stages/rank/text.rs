//! A ranking as text.

use crate::layout::{decimals, optional, table};
use crate::report::words::{dropped, interval, labelled, predictions};
use crate::report::{ranked_from, ranking_lines};
use crate::tables::ranking::{Against, Conduct, Ranking, Ranks, StyleEffect, WinRate};
use std::fmt;

/// In full, as `tiebreak rank` prints it.
impl fmt::Display for Ranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render(self))
    }
}

/// A ranking in full; also what `rank` prints.
pub fn render(ranking: &Ranking) -> String {
    let mut text = format!("{}\n\n", ranking_lines(ranking).join("\n"));
    if ranking.strengths.is_empty() {
        return text;
    }
    text += &table(&columns(ranking), &rows(ranking));
    text += &format!("{COUNTED}\n");
    if let Some(apart) = not_told_apart(ranking) {
        text += &format!("\n{apart}\n");
    }
    if !ranking.style.is_empty() {
        let rows = ranking.style.iter().map(style).collect::<Vec<_>>();
        text += &format!("\n{}", table(&STYLE, &rows));
    }
    if let Some(against) = &ranking.against {
        let rows = against.rates.iter().map(win_rate).collect::<Vec<_>>();
        text += &format!("\n{}\n{}", win_rates(against), table(&WIN_RATES, &rows));
    }
    text += &format!("\n{}\n", ranked_from(&ranking.evidence));
    if let Some(campaign) = &ranking.campaign {
        text.push('\n');
        text += &labelled(conduct(campaign));
    }
    text
}

/// The columns of all systems by strength.
pub(super) fn columns(ranking: &Ranking) -> Vec<&'static str> {
    let mut columns = vec!["system", "strength", "interval", "rank"];
    columns.extend(ranking.new_annotators.as_ref().map(|_| NEW_RANK));
    columns.push("comparisons");
    columns
}

/// The column of ranks among people like those who answered.
const NEW_RANK: &str = "rank, new annotators";

/// Why the column of comparisons adds up to twice as many as there are.
pub(super) const COUNTED: &str = "A comparison counts for both of its systems.";

/// All systems and their places.
pub(super) fn rows(ranking: &Ranking) -> Vec<Vec<String>> {
    let both = ranking.strengths.iter().zip(&ranking.ranks);
    both.map(|(one, place)| {
        let mut row = vec![
            one.system.clone(),
            optional(one.strength),
            interval(one.lower, one.upper),
            ranks(place),
        ];
        let others = ranking.new_annotators.as_ref();
        row.extend(others.map(|panel| {
            let own = panel.ranks.iter().find(|other| other.system == one.system);
            own.map_or_else(String::new, ranks)
        }));
        row.push(one.comparisons.to_string());
        row
    })
    .collect()
}

/// The runs of systems that are not told apart; nothing where all are, or none.
pub(super) fn not_told_apart(ranking: &Ranking) -> Option<String> {
    let runs = ranking.groups.iter().filter(|run| run.len() > 1);
    let runs: Vec<String> = runs.map(|run| run.join(", ")).collect();
    let all = ranking.groups.first()?.len() == ranking.systems.len();
    (!runs.is_empty() && !all).then(|| format!("Not told apart: {}.", runs.join("; ")))
}

/// The columns of what style does.
pub(super) const STYLE: [&str; 3] = ["style", "effect", "interval, by itself"];

/// A feature of style and what it does.
pub(super) fn style(one: &StyleEffect) -> Vec<String> {
    vec![
        one.feature.clone(),
        optional(Some(one.effect)),
        interval(one.lower, one.upper),
    ]
}

/// What win rates are.
pub(super) fn win_rates(against: &Against) -> String {
    format!(
        "Win rates against {}, a tie counting one half: as people said, and in equal style",
        against.baseline
    )
}

/// The columns of win rates.
pub(super) const WIN_RATES: [&str; 7] = [
    "system",
    "win rate",
    "error",
    "comparisons",
    "equal style",
    "interval, by itself",
    "words",
];

/// How often a system wins.
pub(super) fn win_rate(one: &WinRate) -> Vec<String> {
    vec![
        one.system.clone(),
        optional(one.win_rate),
        optional(one.error),
        one.comparisons.to_string(),
        optional(one.equal_style),
        interval(one.lower, one.upper),
        decimals(one.words, 1),
    ]
}

/// How a campaign went, by label.
pub(super) fn conduct(conduct: &Conduct) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("bandit", conduct.bandit.clone()),
        (
            "asked of humans",
            format!("{} questions, {} answered", conduct.asked, conduct.answered),
        ),
        ("settled without people", conduct.model_answers.to_string()),
    ];
    if let Some(predicted) = &conduct.predictions {
        facts.push(("predictions", predictions(predicted, false)));
    }
    if !conduct.eliminated.is_empty() {
        facts.push(("not judged", dropped(&conduct.eliminated)));
    }
    facts
}

/// The ranks a system may have: `3` or `1–4`.
fn ranks(one: &Ranks) -> String {
    match one.rank_low == one.rank_high {
        true => one.rank_low.to_string(),
        false => format!("{}–{}", one.rank_low, one.rank_high),
    }
}
