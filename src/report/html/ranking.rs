//! Who is best: what is claimed, then all systems by strength, groups of tied systems set apart.

use super::figure::{Dots, dots, figure, figures};
use super::markup::{Html, Table, element, facts, name, with};
use crate::error::Result;
use crate::layout::optional;
use crate::report::claims::{claim_sentence, ranked_from};
use crate::report::text::RANKED;
use crate::report::words;
use crate::tables::ranking::{Ranking, Ranks, Strength};

type Named = (String, Ranking);

pub(super) fn section(rankings: &[Named]) -> Result<Html> {
    let several = rankings.len() > 1;
    rankings
        .iter()
        .map(|(title, ranking)| one(title, ranking, several))
        .collect()
}

fn one(title: &str, ranking: &Ranking, several: bool) -> Result<Html> {
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
    let row = |(one, place): &(&Strength, &Ranks)| {
        vec![
            name(&one.system),
            optional(one.strength).into(),
            words::interval(one.lower, one.upper).into(),
            words::ranks(place).into(),
            place.group.to_string().into(),
            one.comparisons.to_string().into(),
        ]
    };
    let rows: Vec<(&Strength, &Ranks)> = ranking.strengths.iter().zip(&ranking.ranks).collect();
    let groups = rows.chunk_by(|a, b| a.1.group == b.1.group);
    let table = Table {
        caption: heading,
        header: RANKED.map(str::to_string).to_vec(),
        texts: 1,
        groups: groups
            .map(|group| group.iter().map(row).collect())
            .collect(),
    };
    let conduct = ranking.campaign.as_ref().map(words::conduct);
    Ok(Html::from([
        element("p", claim_sentence(&ranking.claim)),
        figures([
            figure(
                &plot,
                "systems between two lines of the table cannot be told apart",
            )?,
            table.html(),
        ]),
        with("p", &[("class", "note")], ranked_from(&ranking.evidence)),
        conduct.map_or_else(Html::default, facts),
    ]))
}
