//! Rankings as people read them, those of campaigns among them: the verdict, then all systems by strength.

use super::FILE;
use crate::report::chapter::{
    Chapter, ChapterSection, MeasureStandings, ReportField, SystemPlacement, Topic, field,
};
use crate::report::document::{DocumentFigure, DocumentedResult, PagePiece, ResultDocument};
use crate::report::headline::{self, Headline};
use crate::report::html::figure::{Dots, dots, with_zero};
use crate::stages::slices::tell::sliced_differences;
use std::path::Path;
use tiebreak_base::error::Result;
use tiebreak_base::layout::path_argument;
use tiebreak_base::words::counted;
use tiebreak_data::tables::{CAMPAIGN, Manifest, Meta, json};
use tiebreak_decide::ranking::result::{Ranking, Strength};
use tiebreak_decide::ranking::text;
use tiebreak_decide::ranking::words;

/// The rankings of one run, by name.
struct Rankings {
    all: Vec<(String, Ranking)>,
    /// The name of the run's folder, as commands take it.
    run: String,
}

/// Reads the rankings of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    let kinds = [super::NAME, CAMPAIGN];
    let all = run.read_each(dir, &kinds, |path, _| json::read(&path.join(FILE)))?;
    // What is written holds no path: the folder's own name, from wherever it is called.
    let whole = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
    let run = path_argument(Path::new(whole.file_name().unwrap_or(dir.as_os_str())));
    Ok(Box::new(Rankings { all, run }))
}

/// The meta of the ranking in a folder, from the ranking itself.
pub(in crate::stages) fn meta(dir: &Path) -> Result<Option<Meta>> {
    Ok(super::stored(dir)?.map(|one| Meta::new("ranking", one.signature, one.seed, String::new())))
}

impl Chapter for Rankings {
    fn topic(&self) -> Topic {
        Topic::Best
    }

    fn json(&self) -> Result<Vec<ReportField>> {
        Ok(vec![field("rankings", &self.all)?])
    }

    fn sections(&self, _: &[MeasureStandings]) -> Vec<ChapterSection> {
        let several = self.all.len() > 1;
        let each = self.all.iter().map(|(name, ranking)| {
            let document = document(name, ranking, several);
            document.under(format!("Who is best: {name}"))
        });
        let title = "Who is best";
        vec![ChapterSection::new("ranking", title, each.collect())]
    }

    fn headline(&self) -> Option<Headline> {
        let (_, first) = self.all.first()?;
        let mut headline = headline::of_ranking(first, &self.run);
        if let Some(note) = first.evidence.shared_confidence() {
            headline.sure = format!("{} {note}", headline.sure);
        }
        Some(headline)
    }

    fn judged(&self) -> Vec<MeasureStandings> {
        let first = self.all.first().map(|(_, first)| first.as_asked());
        let first = first.map(|first| MeasureStandings {
            what: "strength".to_string(),
            scale: Some(first.evidence.scale),
            of: first.evidence.compared(),
            answer: first.claim.to_string(),
            meaning: format!(
                "{} {}",
                first.evidence.preferred_from(),
                first.evidence.counting_note()
            ),
            systems: first
                .strengths
                .iter()
                .map(|one| placed(one, &first))
                .collect(),
        });
        first.into_iter().collect()
    }

    fn cost(&self) -> Vec<String> {
        let first = self.all.first().map(|(_, first)| cost(first));
        first.into_iter().collect()
    }

    fn who(&self) -> Option<String> {
        let (_, first) = self.all.first()?;
        Some(words::answered(&first.claim))
    }
}

/// Places a system: nowhere without an interval, except in a campaign, whose claim implies the places.
pub(crate) fn placed(one: &Strength, ranking: &Ranking) -> SystemPlacement {
    let interval = one.lower.zip(one.upper);
    let own = ranking.ranks.iter().find(|own| own.system == one.system);
    let known = own.filter(|_| interval.is_some() || ranking.campaign.is_some());
    SystemPlacement {
        system: one.system.clone(),
        places: known.map(|ranks| (ranks.rank_low, ranks.rank_high)),
        value: one.strength,
        interval,
        n: one.comparisons,
    }
}

fn cost(ranking: &Ranking) -> String {
    match &ranking.campaign {
        _ if ranking.evidence.judge.is_some() => words::answered(&ranking.claim),
        None => {
            let comparisons = counted(ranking.evidence.answers, "comparison");
            format!("The ranking uses {comparisons} by people.")
        }
        Some(conduct) => {
            let (asked, answered) = (conduct.asked, conduct.answered);
            let without = match conduct.model_answers {
                0 => String::new(),
                n => {
                    format!(" {n} more needed no person: identical outputs, or a model's answers.")
                }
            };
            let skipped = match conduct.skipped {
                0 => String::new(),
                n => format!("; {n} were skipped"),
            };
            format!("People answered {answered} of {asked} questions{skipped}.{without}")
        }
    }
}

impl DocumentedResult for Ranking {
    fn document(&self) -> ResultDocument {
        document("", self, false)
    }

    fn text(&self) -> String {
        text::render(self) + &sliced(self).text()
    }
}

fn document(name: &str, ranking: &Ranking, several: bool) -> ResultDocument {
    let heading = match several {
        true => format!("Strength of the systems, {name}"),
        false => "Strength of the systems".to_string(),
    };
    let known = |one: &Strength| {
        let ends = one.lower.zip(one.upper);
        Some((one.system.clone(), one.strength?, ends))
    };
    let list = Dots {
        name: name.to_string(),
        values: ranking.strengths.iter().filter_map(known).collect(),
    };
    let note = match ranking.campaign {
        Some(_) => {
            "without intervals, since questions depended on earlier answers; dashed: preferred in 50 %"
        }
        None => {
            "systems differ significantly where their intervals do not overlap; dashed: preferred in 50 %"
        }
    };
    let names = list.values.len();
    let plot = with_zero(dots(&heading, "strength", &[list]), names);
    let plot = DocumentFigure::new(plot, note);
    text::document(ranking, &heading, Some(PagePiece::Figure(plot))).append(sliced(ranking))
}

fn sliced(ranking: &Ranking) -> ResultDocument {
    ranking.slices.iter().map(sliced_differences).collect()
}
