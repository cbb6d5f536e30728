//! A ranking as text.

use super::words::{ranked_from, ranking_lines};
use crate::ranking::result::{
    BaselineWinRates, CampaignFacts, Ranking, Ranks, Strength, StyleEffect, WinRate,
};
use crate::ranking::words::{dropped, predictions};
use std::fmt;
use tiebreak_base::layout::{decimals, optional, table};
use tiebreak_base::words::{interval, labelled};

/// Writes a ranking in full, as `tiebreak rank` prints it.
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
pub fn columns(ranking: &Ranking) -> Vec<&'static str> {
    let shown = RankingColumns::new(ranking);
    let mut columns = vec!["system", "strength"];
    columns.extend(shown.intervals.then_some("interval"));
    columns.extend(shown.ranks.then_some("rank"));
    columns.extend(ranking.new_annotators.as_ref().map(|_| NEW_RANK));
    columns.push("comparisons");
    columns
}

/// The columns that a table has. A campaign's has no intervals, and ranks once something is claimed.
struct RankingColumns {
    intervals: bool,
    ranks: bool,
}

impl RankingColumns {
    fn new(ranking: &Ranking) -> Self {
        Self {
            intervals: ranking.campaign.is_none(),
            ranks: ranking.campaign.is_none() || !ranking.ranks.is_empty(),
        }
    }
}

/// The column of ranks among people like those who answered.
const NEW_RANK: &str = "rank, new annotators";

/// The note on why the column of comparisons adds up to twice as many as there are.
pub const COUNTED: &str = "A comparison counts for both of its systems.";

/// All systems and their places.
pub fn rows(ranking: &Ranking) -> Vec<Vec<String>> {
    let shown = RankingColumns::new(ranking);
    let rank_of = |system: &str, all: &[Ranks]| {
        let own = all.iter().find(|ranks| ranks.system == system);
        own.map_or_else(|| "–".to_string(), ranks)
    };
    let row = |one: &Strength| {
        let mut row = vec![one.system.clone(), optional(one.strength)];
        let ends = || interval(one.lower, one.upper);
        row.extend(shown.intervals.then(ends));
        row.extend(shown.ranks.then(|| rank_of(&one.system, &ranking.ranks)));
        let others = ranking.new_annotators.as_ref();
        row.extend(others.map(|panel| rank_of(&one.system, &panel.ranks)));
        row.push(one.comparisons.to_string());
        row
    };
    ranking.strengths.iter().map(row).collect()
}

/// The runs of systems that are not told apart; nothing where all are, or none.
pub fn not_told_apart(ranking: &Ranking) -> Option<String> {
    let runs = ranking.groups.iter().filter(|run| run.len() > 1);
    let runs: Vec<String> = runs.map(|run| run.join(", ")).collect();
    let all = ranking.groups.first()?.len() == ranking.systems.len();
    (!runs.is_empty() && !all).then(|| format!("Not told apart: {}.", runs.join("; ")))
}

/// The columns of the effects of style.
pub const STYLE: [&str; 3] = ["style", "effect", "interval, by itself"];

/// A feature of style and its effect.
pub fn style(one: &StyleEffect) -> Vec<String> {
    vec![
        one.feature.clone(),
        optional(Some(one.effect)),
        interval(one.lower, one.upper),
    ]
}

/// The heading of win rates.
pub fn win_rates(against: &BaselineWinRates) -> String {
    format!(
        "Win rates against {}, a tie counting one half: as people said, and in equal style",
        against.baseline
    )
}

/// The columns of win rates.
pub const WIN_RATES: [&str; 7] = [
    "system",
    "win rate",
    "error",
    "comparisons",
    "equal style",
    "interval, by itself",
    "words",
];

/// The row of a system's win rate.
pub fn win_rate(one: &WinRate) -> Vec<String> {
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

/// The conduct of a campaign, by label.
pub fn conduct(conduct: &CampaignFacts) -> Vec<(&'static str, String)> {
    let leader = conduct.leader.as_deref().unwrap_or("nobody leads yet");
    let mut facts = vec![
        ("leader", leader.to_string()),
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
