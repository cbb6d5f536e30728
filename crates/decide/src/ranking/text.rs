//! A ranking as people read it.

use super::words::new_annotators;
use crate::ranking::result::{
    BaselineWinRates, CampaignFacts, PositionBias, Ranking, Ranks, Strength, StyleEffect, WinRate,
};
use crate::ranking::words::{dropped, predictions};
use std::convert::Infallible;
use std::fmt;
use tiebreak_base::claims::{Claim, Items};
use tiebreak_base::document::{BlockDocument, DocumentBlock, DocumentTable};
use tiebreak_base::error::Flag;
use tiebreak_base::layout::{decimals, number, or_dash, percent, same_decimals};
use tiebreak_base::scope::PeopleScope;
use tiebreak_base::words::{self, interval, interval_in};

/// Writes a ranking in full, as `tiebreak rank` prints it.
impl fmt::Display for Ranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render(self))
    }
}

/// A ranking in full, as `rank` prints it.
pub fn render(ranking: &Ranking) -> String {
    document::<Infallible>(ranking, "", None).text()
}

/// A ranking in full: the verdict, then all systems by strength, under `caption` and next to a plot of them, where there
/// is one.
pub fn document<P>(ranking: &Ranking, caption: &str, plot: Option<P>) -> BlockDocument<P> {
    let told = answer(ranking).gap();
    if ranking.strengths.is_empty() {
        return told;
    }
    let plot = plot.map(DocumentBlock::Piece);
    let table = DocumentBlock::Table(strengths(ranking, caption));
    let mut told = told
        .side_by_side(plot.into_iter().chain([table]))
        .note(ranking.evidence.counting_note())
        .notes(ranking.hints.iter().cloned());
    if overlaps_despite_ranks(ranking) {
        told = told.note(OVERLAP);
    }
    if let Some(apart) = not_told_apart(ranking) {
        told = told.gap().paragraph(apart);
    }
    if !ranking.style.is_empty() {
        told = told.gap().append(styles(&ranking.style));
        if ranking.style.iter().any(|one| one.effect.is_none()) {
            told = told.note(CONFOUNDED);
        }
    }
    if let Some(against) = &ranking.against {
        told = told.append(win_rates(ranking, against));
    }
    if let Some(bias) = &ranking.position {
        told = told.gap().paragraph(position(bias));
    }
    let told = told.gap().note(ranking.evidence.ranked_from());
    let told = told.notes(these_items(ranking));
    match &ranking.campaign {
        Some(campaign) => told.gap().facts(conduct(campaign)),
        None => told,
    }
}

/// A note on intervals where the claim is about these items alone; none of a campaign, which has no intervals.
fn these_items(ranking: &Ranking) -> Option<String> {
    let is_asked = ranking.claim.items == Items::AtHand && ranking.campaign.is_none();
    is_asked.then(|| {
        let flag = Flag("items");
        format!(
            "`{flag} these` makes no interval narrower: those for items like these hold for these items, too."
        )
    })
}

/// The verdict about these annotators, then about new ones, or the other way round where these were asked for.
fn answer<P>(ranking: &Ranking) -> BlockDocument<P> {
    let new = new_annotators(ranking).into_iter();
    let new = new.fold(BlockDocument::default(), BlockDocument::paragraph);
    match &ranking.new_annotators {
        Some(panel) if ranking.people == PeopleScope::NewAnnotators => {
            let verdict = ranking.claim.verdict();
            new.append(assumptions(&panel.claim))
                .paragraph(format!("These annotators: {verdict}"))
        }
        _ => BlockDocument::default()
            .paragraph(ranking.claim.verdict())
            .append(assumptions(&ranking.claim))
            .append(new),
    }
}

/// The assumptions of a claim as a list, which a page opens on request; nothing without any.
fn assumptions<P>(claim: &Claim) -> BlockDocument<P> {
    let on_terminal = claim.lines().split_off(1);
    let on_page = claim
        .assumptions()
        .into_iter()
        .map(|one| words::as_sentence(&one));
    let on_page = BlockDocument::default().list(on_page.collect());
    BlockDocument::default()
        .on_terminal(BlockDocument::default().list(on_terminal))
        .on_page(BlockDocument::default().fold("Assumptions", on_page))
}

/// The columns that a table has. A campaign's has no intervals, and ranks once something is proved.
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

/// All systems by strength, and their places.
fn strengths(ranking: &Ranking, caption: &str) -> DocumentTable {
    let shown = RankingColumns::new(ranking);
    let mut columns = vec!["system", "strength"];
    columns.extend(shown.intervals.then_some("interval"));
    columns.extend(shown.ranks.then_some("rank"));
    columns.extend(ranking.new_annotators.as_ref().map(|_| NEW_RANK));
    columns.push(ranking.evidence.compared());
    let rank_of = |system: &str, all: &[Ranks]| {
        let own = all.iter().find(|ranks| ranks.system == system);
        or_dash(own, ranks)
    };
    let write = same_decimals(ranking.strengths.iter().filter_map(|one| one.strength));
    let row = |one: &Strength| {
        let mut row = vec![one.system.clone(), or_dash(one.strength, write)];
        let ends = || interval_in(one.lower, one.upper, write);
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

/// Why the intervals of two systems may overlap although one is proved to be stronger.
const OVERLAP: &str =
    "Ranks come from differences between systems, so intervals of different ranks may overlap.";

/// Whether a system is proved to be stronger than another although their intervals overlap.
fn overlaps_despite_ranks(ranking: &Ranking) -> bool {
    let place = |one: &&Ranks| {
        let strength = ranking
            .strengths
            .iter()
            .find(|other| other.system == one.system);
        strength.and_then(|strength| strength.lower.zip(strength.upper))
    };
    let places: Vec<_> = ranking
        .ranks
        .iter()
        .filter_map(|one| Some((one, place(&one)?)))
        .collect();
    places.iter().any(|(better, (lower, _))| {
        places
            .iter()
            .any(|(worse, (_, upper))| better.rank_high < worse.rank_low && lower <= upper)
    })
}

/// The groups of systems without a significant difference; nothing where these are all systems, or none.
fn not_told_apart(ranking: &Ranking) -> Option<String> {
    let is_all = |group: &Vec<String>| group.len() == ranking.systems.len();
    let groups = ranking.groups.iter().filter(|group| !is_all(group));
    words::not_told_apart(groups)
}

/// Why a feature of style has no effect.
const CONFOUNDED: &str = "No effect (–): two systems always differ alike in it, so it cannot be separated from strengths.";

/// The effects of style, a row for each feature.
fn styles(effects: &[StyleEffect]) -> DocumentTable {
    let write = same_decimals(effects.iter().filter_map(|one| one.effect));
    let row = |one: &StyleEffect| {
        vec![
            one.feature.clone(),
            or_dash(one.effect, write),
            interval_in(one.lower, one.upper, write),
        ]
    };
    let header = ["style", "effect", "its own interval"];
    DocumentTable::new(
        "Effects of style",
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
            or_dash(one.win_rate, percent),
            interval_in(one.rate_lower, one.rate_upper, percent),
            one.comparisons.to_string(),
        ];
        if styled {
            row.extend([
                or_dash(one.equal_style, percent),
                interval_in(one.lower, one.upper, percent),
            ]);
        }
        row.push(decimals(one.words, 1));
        row
    };
    let mut header = vec![
        "system",
        "win rate",
        "its own interval",
        ranking.evidence.compared(),
    ];
    if styled {
        header.extend(["equal style", "its own interval"]);
    }
    header.push("words");
    let said = match &ranking.evidence.judge {
        Some(judge) => format!("as {judge} said"),
        None => "as people answered".to_string(),
    };
    let style = if styled { ", and in equal style" } else { "" };
    let title = format!(
        "Win rates against {} (a tie counts half): {said}{style}",
        against.baseline
    );
    DocumentTable {
        is_titled: true,
        ..DocumentTable::new(title, &header, against.rates.iter().map(row).collect())
    }
}

/// The position bias of a judge, in a sentence.
fn position(bias: &PositionBias) -> String {
    // Rounding is no side.
    let side = match (1e9 * bias.value).round() {
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
    let leader = conduct.leader.as_deref().unwrap_or("none yet");
    let mut facts = vec![
        ("leader", leader.to_string()),
        ("bandit", conduct.bandit.clone()),
        (
            "asked of people",
            format!(
                "{}, {} answered",
                words::counted(conduct.asked, "question"),
                conduct.answered
            ),
        ),
        ("answered without people", conduct.model_answers.to_string()),
    ];
    for raised in &conduct.raised {
        facts.push(("budget", raised.words()));
    }
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
