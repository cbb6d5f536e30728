//! A ranking as people read it.

use super::words::{counted, ranked_from, ranking_lines};
use crate::ranking::result::{
    BaselineWinRates, CampaignFacts, PositionBias, Ranking, Ranks, Strength, StyleEffect, WinRate,
};
use crate::ranking::words::{dropped, predictions};
use std::convert::Infallible;
use std::fmt;
use tiebreak_base::document::{BlockDocument, DocumentBlock, DocumentTable};
use tiebreak_base::layout::{decimals, number, optional, or_dash};
use tiebreak_base::words::{self, interval};

/// Writes a ranking in full, as `tiebreak rank` prints it.
impl fmt::Display for Ranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render(self))
    }
}

/// A ranking in full; also what `rank` prints.
pub fn render(ranking: &Ranking) -> String {
    document::<Infallible>(ranking, "", None).text()
}

/// A ranking in full: what is claimed, then all systems by strength, under `caption` and beside a plot of them, where
/// there is one.
pub fn document<P>(ranking: &Ranking, caption: &str, plot: Option<P>) -> BlockDocument<P> {
    let told = BlockDocument::default();
    let told = ranking_lines(ranking)
        .into_iter()
        .fold(told, BlockDocument::paragraph);
    let told = told.gap();
    if ranking.strengths.is_empty() {
        return told;
    }
    let plot = plot.map(DocumentBlock::Piece);
    let table = DocumentBlock::Table(strengths(ranking, caption));
    let mut told = told
        .side_by_side(plot.into_iter().chain([table]))
        .note(counted(&ranking.evidence));
    if let Some(apart) = not_told_apart(ranking) {
        told = told.gap().paragraph(apart);
    }
    if !ranking.style.is_empty() {
        told = told.gap().append(styles(&ranking.style));
    }
    if let Some(against) = &ranking.against {
        told = told.append(win_rates(ranking, against));
    }
    if let Some(bias) = &ranking.position {
        told = told.gap().paragraph(position(bias));
    }
    let told = told.gap().note(ranked_from(&ranking.evidence));
    match &ranking.campaign {
        Some(campaign) => told.gap().facts(conduct(campaign)),
        None => told,
    }
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

/// What is counted: comparisons, or a judge's verdicts.
fn compared(ranking: &Ranking) -> &'static str {
    match ranking.evidence.judge {
        Some(_) => "verdicts",
        None => "comparisons",
    }
}

/// All systems by strength, and their places.
fn strengths(ranking: &Ranking, caption: &str) -> DocumentTable {
    let shown = RankingColumns::new(ranking);
    let mut columns = vec!["system", "strength"];
    columns.extend(shown.intervals.then_some("interval"));
    columns.extend(shown.ranks.then_some("rank"));
    columns.extend(ranking.new_annotators.as_ref().map(|_| NEW_RANK));
    columns.push(compared(ranking));
    let rank_of = |system: &str, all: &[Ranks]| {
        let own = all.iter().find(|ranks| ranks.system == system);
        or_dash(own, ranks)
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
    let rows = ranking.strengths.iter().map(row).collect();
    DocumentTable::new(caption, &columns, rows)
}

/// The runs of systems that are not told apart; nothing where all are, or none.
fn not_told_apart(ranking: &Ranking) -> Option<String> {
    let is_all = |run: &Vec<String>| run.len() == ranking.systems.len();
    let groups = ranking.groups.iter().filter(|run| !is_all(run));
    words::not_told_apart(groups)
}

/// The effects of style, a row for each feature.
fn styles(effects: &[StyleEffect]) -> DocumentTable {
    let row = |one: &StyleEffect| {
        vec![
            one.feature.clone(),
            optional(Some(one.effect)),
            interval(one.lower, one.upper),
        ]
    };
    let header = ["style", "effect", "interval, by itself"];
    DocumentTable::new(
        "What style does",
        &header,
        effects.iter().map(row).collect(),
    )
}

/// The win rates of all systems against one of them; in equal style too, where that is held.
fn win_rates(ranking: &Ranking, against: &BaselineWinRates) -> DocumentTable {
    let styled = !ranking.style.is_empty();
    let row = |one: &WinRate| {
        let mut row = vec![
            one.system.clone(),
            optional(one.win_rate),
            interval(one.rate_lower, one.rate_upper),
            one.comparisons.to_string(),
        ];
        if styled {
            row.extend([optional(one.equal_style), interval(one.lower, one.upper)]);
        }
        row.push(decimals(one.words, 1));
        row
    };
    let mut header = vec![
        "system",
        "win rate",
        "interval, by itself",
        compared(ranking),
    ];
    if styled {
        header.extend(["equal style", "interval, by itself"]);
    }
    header.push("words");
    let said = match &ranking.evidence.judge {
        Some(judge) => format!("as {judge} said"),
        None => "as people said".to_string(),
    };
    let style = if styled { ", and in equal style" } else { "" };
    let title = format!(
        "Win rates against {}, a tie counting one half: {said}{style}",
        against.baseline
    );
    DocumentTable {
        is_titled: true,
        ..DocumentTable::new(title, &header, against.rates.iter().map(row).collect())
    }
}

/// The position bias of a judge, in a sentence.
fn position(bias: &PositionBias) -> String {
    let side = match bias.value {
        value if value > 0.0 => "towards the output shown first",
        value if value < 0.0 => "towards the output shown second",
        _ => "to neither side",
    };
    format!(
        "Position bias {side}: {} {} (0 is none, 1 always the first), from {} verdicts.",
        number(bias.value),
        interval(bias.lower, bias.upper),
        bias.verdicts
    )
}

/// The conduct of a campaign, by label.
fn conduct(conduct: &CampaignFacts) -> Vec<(&'static str, String)> {
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
