//! Who is best: what is claimed, then all systems by strength, groups of tied systems set apart.

use crate::report::html::figure::{Dots, dots, figure, figures};
use crate::report::html::markup::{Html, HtmlTable, element, facts, row_cells, with};
use tiebreak_base::error::Result;
use tiebreak_decide::ranking::result::{Ranking, Strength};
use tiebreak_decide::ranking::text::{
    COUNTED, STYLE, WIN_RATES, columns, conduct, not_told_apart, rows, style, win_rate, win_rates,
};
use tiebreak_decide::ranking::words::{ranked_from, ranking_lines};

type NamedRanking = (String, Ranking);

pub(super) fn section(rankings: &[NamedRanking]) -> Result<Html> {
    let several = rankings.len() > 1;
    rankings
        .iter()
        .map(|(title, ranking)| ranking_html(title, ranking, several))
        .collect()
}

/// One ranking as a piece of HTML: what is claimed, a plot, a table.
///
/// # Errors
/// If the plot cannot be drawn.
pub fn html(ranking: &Ranking) -> Result<String> {
    Ok(ranking_html("", ranking, false)?.into_string())
}

fn ranking_html(title: &str, ranking: &Ranking, several: bool) -> Result<Html> {
    let known = |one: &Strength| {
        let ends = one.lower.zip(one.upper);
        one.strength
            .map(|strength| (one.system.clone(), strength, ends))
    };
    let list = Dots {
        name: title.to_string(),
        values: ranking.strengths.iter().filter_map(known).collect(),
    };
    let heading = match several {
        true => format!("Strength of the systems, {title}"),
        false => "Strength of the systems".to_string(),
    };
    let plot = dots(&heading, "strength", &[list]);
    let columns = columns(ranking).into_iter();
    let table = HtmlTable {
        caption: heading,
        header: columns.map(str::to_string).collect(),
        texts: 1,
        rows: rows(ranking).iter().map(|row| row_cells(row)).collect(),
    };
    let sentences = ranking_lines(ranking).into_iter();
    let sentences = sentences.map(|line| element("p", line)).collect::<Html>();
    if ranking.strengths.is_empty() {
        return Ok(sentences);
    }
    let conduct = ranking.campaign.as_ref().map(conduct);
    let note = match ranking.campaign {
        Some(_) => "without intervals: what was asked depended on answers",
        None => "systems whose intervals have nothing in common are told apart",
    };
    Ok(Html::from([
        sentences,
        figures([figure(&plot, note)?, table.html()]),
        with("p", &[("class", "note")], COUNTED),
        not_told_apart(ranking).map_or_else(Html::default, |runs| element("p", runs)),
        styles(ranking),
        with("p", &[("class", "note")], ranked_from(&ranking.evidence)),
        conduct.map_or_else(Html::default, facts),
    ]))
}

/// The effects of style, and win rates in equal style, where it is held equal.
fn styles(ranking: &Ranking) -> Html {
    let table = |caption: String, header: &[&str], rows: Vec<Vec<String>>| HtmlTable {
        caption,
        header: header.iter().map(ToString::to_string).collect(),
        texts: 1,
        rows: rows.iter().map(|row| row_cells(row)).collect(),
    };
    let effects = ranking.style.iter().map(style).collect::<Vec<_>>();
    let effects =
        (!effects.is_empty()).then(|| table("What style does".to_string(), &STYLE, effects).html());
    let rates = ranking.against.as_ref().map(|against| {
        let rows = against.rates.iter().map(win_rate).collect();
        table(win_rates(against), &WIN_RATES, rows).html()
    });
    Html::from([effects.unwrap_or_default(), rates.unwrap_or_default()])
}
