//! Replays as people read them: how soon they name the winner of all records, and what each took.

mod facts;
mod scores;

use super::summary::{SimulatedQuartiles, SimulatedStanding, Simulation};
use super::{FILE, Replays, ScoreSimulation};
use crate::report::chapter::{
    Chapter, ChapterSection, MeasureStandings, ReportAnswer, ReportField, Topic, field, lines,
};
use crate::report::document::{DocumentFigure, DocumentTable, DocumentedResult, ResultDocument};
use crate::report::headline::{BEST, Headline};
use crate::report::plot::{Axis, Mark, Plot, Point, Scale, Series};
use facts::{enough, facts, reached, sentence, winner_shares};
use std::cmp::Ordering;
use std::path::Path;
use tiebreak_base::error::{Result, is_there};
use tiebreak_base::layout::{decimals, or_dash, percent};
use tiebreak_base::stats::wilson;
use tiebreak_data::tables::{Manifest, Meta, json};

/// The confidence of the bands around accuracies.
const CONFIDENCE: f64 = 0.95;

/// The note below the plot.
const BANDS: &str = "share of replays that name the winner of all records, with 95 % bands";

/// The title of the table of experiments.
const COMPARED: &str = "Judgments until a campaign stops with proof: median of replays";

/// The note below the table of experiments.
const NEEDED: &str = "Of all replays, those without proof last. –: never proved. Judgments needed (annotation complexity): from \
                      there on 95 % of replays are right, as seen in hindsight.";

/// A simulation with its name.
type NamedSimulation = (String, Simulation);

/// The simulations of one run, by name.
struct Simulations {
    comparisons: Vec<NamedSimulation>,
    scores: Vec<(String, ScoreSimulation)>,
}

/// Reads the simulations of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    let kinds = [super::NAME];
    let mut all = Simulations {
        comparisons: Vec::new(),
        scores: Vec::new(),
    };
    for (name, found) in run.read_each(dir, &kinds, |path, _| json::read(&path.join(FILE)))? {
        match found {
            Replays::Comparisons(found) => all.comparisons.push((name, *found)),
            Replays::Scores(found) => all.scores.push((name, *found)),
        }
    }
    Ok(Box::new(all))
}

/// The meta of the replays in a folder, from the simulation and the trace of its runs.
pub(in crate::stages) fn meta(dir: &Path) -> Result<Option<Meta>> {
    let found: Option<Replays> = json::read_if_there(&dir.join(FILE))?;
    let Some(found) = found else {
        return Ok(None);
    };
    let trace = dir.join("trace/meta.json");
    let data = match is_there(&trace) {
        true => Meta::read(&trace)?.data,
        false => String::new(),
    };
    let meta = Meta::new(
        "simulation",
        found.signature().to_string(),
        found.seed(),
        data,
    );
    Ok(Some(meta))
}

impl Chapter for Simulations {
    fn topic(&self) -> Topic {
        Topic::Effort
    }

    fn json(&self) -> Result<Vec<ReportField>> {
        let named = |(name, found): &NamedSimulation| {
            (name.clone(), Replays::Comparisons(Box::new(found.clone())))
        };
        let mut all: Vec<(String, Replays)> = self.comparisons.iter().map(named).collect();
        let scores = self.scores.iter();
        all.extend(
            scores.map(|(name, found)| (name.clone(), Replays::Scores(Box::new(found.clone())))),
        );
        Ok(vec![field("simulations", &all)?])
    }

    fn sections(&self, _: &[MeasureStandings]) -> Vec<ChapterSection> {
        let mut sections = Vec::new();
        if !self.comparisons.is_empty() {
            sections.push(replays_of_comparisons(&self.comparisons));
        }
        if !self.scores.is_empty() {
            sections.push(scores::section(&self.scores));
        }
        sections
    }

    fn caveat(&self) -> Option<Headline> {
        let (of, next) = match (self.comparisons.is_empty(), self.scores.is_empty()) {
            (true, true) => return None,
            (false, _) => (
                "comparisons",
                "`tiebreak rank` ranks the systems by these records.",
            ),
            (true, false) => ("scores", "`tiebreak ask` begins a race by new scores."),
        };
        Some(Headline {
            question: BEST,
            best: format!("Replays of recorded {of} say nothing about which system is best."),
            sure: format!(
                "They plan and compare: how many {} would have been enough.",
                if of == "scores" { of } else { "judgments" }
            ),
            assumptions: Vec::new(),
            next: next.to_string(),
        })
    }

    fn answers(&self) -> Vec<ReportAnswer> {
        let answer = |(name, found): &NamedSimulation| ReportAnswer {
            about: name.clone(),
            sentence: sentence(found),
        };
        let scores = self.scores.iter().map(|(name, found)| ReportAnswer {
            about: name.clone(),
            sentence: scores::verdict(found),
        });
        self.comparisons.iter().map(answer).chain(scores).collect()
    }

    fn brief(&self) -> String {
        let Some(compared) = comparison_table(&self.comparisons).filter(|_| self.scores.is_empty())
        else {
            return lines(self.answers());
        };
        ResultDocument::default()
            .paragraph(COMPARED)
            .append(compared)
            .paragraph(NEEDED)
            .text()
    }

    fn cost(&self) -> Vec<String> {
        enough(&self.comparisons).into_iter().collect()
    }
}

/// The section of replays of comparisons.
fn replays_of_comparisons(all: &[NamedSimulation]) -> ChapterSection {
    let title = "How many judgments it would have taken";
    let compared = comparison_table(all);
    let compared = compared.map(|table| ResultDocument::from(table).note(NEEDED));
    let plot = DocumentFigure::new(accuracy(all), BANDS);
    let first = compared.unwrap_or_default().side_by_side([plot]);
    let each = all.iter().map(|(name, found)| {
        let heading = ResultDocument::default().heading(3, name);
        let title = format!("{title}: {name}");
        heading.append(document(name, found)).under(title)
    });
    let document = ResultDocument::default()
        .on_page(first)
        .append(each.collect::<ResultDocument>());
    ChapterSection::new("replays", title, document)
}

impl DocumentedResult for Replays {
    fn document(&self) -> ResultDocument {
        match self {
            Self::Comparisons(found) => {
                let plot = accuracy(&[(String::new(), found.as_ref().clone())]);
                document("", found).side_by_side([DocumentFigure::new(plot, BANDS)])
            }
            Self::Scores(found) => scores::document("", found),
        }
    }
}

/// The facts of one simulation; and of each system, how many replays end with it, how many others it beats in the
/// records and how often it is preferred there.
fn document(name: &str, simulation: &Simulation) -> ResultDocument {
    let header = ["system", "replays end with it", "beats", "preferred"];
    let row = |(standing, named): (&SimulatedStanding, String)| {
        vec![
            standing.system.clone(),
            named,
            standing.copeland.to_string(),
            decimals(standing.preference, 3),
        ]
    };
    let rows = simulation.standings.iter().zip(winner_shares(simulation));
    let shares = simulation.standings.iter().map(|standing| standing.named);
    let caption = format!("Replays of {name}");
    let table = ResultDocument::from(DocumentTable {
        bars: shares.collect(),
        ..DocumentTable::new(caption, &header, rows.map(row).collect())
    });
    let facts = ResultDocument::default().facts(facts(simulation));
    ResultDocument::default()
        .paragraph(simulation.verdict.as_str())
        .append(table_with_facts(table, facts))
}

/// A table and the facts below it; on a page beside it.
fn table_with_facts(table: ResultDocument, facts: ResultDocument) -> ResultDocument {
    ResultDocument::default()
        .on_terminal(
            ResultDocument::default()
                .gap()
                .append(table.clone())
                .gap()
                .append(facts.clone()),
        )
        .on_page(ResultDocument::default().side_by_side([facts, table]))
}

/// The simulations that were run more than once.
fn experiments(all: &[NamedSimulation]) -> impl Iterator<Item = &NamedSimulation> {
    all.iter().filter(|(_, one)| one.runs > 1)
}

/// Experiments, the soonest proof first: within how many judgments half of their replays stop, and how many it takes
/// until nearly all are right. `None` where there are none.
fn comparison_table(all: &[NamedSimulation]) -> Option<DocumentTable> {
    let header = [
        "way of asking",
        "judgments",
        "middle half",
        "judgments needed",
    ];
    let mut shown: Vec<_> = experiments(all).collect();
    shown.sort_by(|(_, one), (_, other)| {
        soonness(one)
            .partial_cmp(&soonness(other))
            .unwrap_or(Ordering::Equal)
    });
    let rows: Vec<_> = shown.into_iter().map(taken).collect();
    (!rows.is_empty()).then(|| DocumentTable::new(COMPARED, &header, rows))
}

/// The numbers by which experiments are put in order: those of which fewer than half stop with proof come last, the
/// most proofs first.
fn soonness(simulation: &Simulation) -> (f64, f64) {
    let stopped = &simulation.stopped;
    let median = stopped.annotations.median;
    (median.unwrap_or(f64::INFINITY), -stopped.share)
}

/// The cells of one experiment.
fn taken((name, simulation): &NamedSimulation) -> Vec<String> {
    let needed = match simulation.condorcet {
        false => "no winner".to_string(),
        true => reached(simulation.annotation_complexity.value),
    };
    let stopped = &simulation.stopped;
    let SimulatedQuartiles { median, q25, q75 } = stopped.annotations;
    let over = stopped.median_taken.filter(|_| stopped.share > 0.0);
    let over = || or_dash(over, |least| format!("over {}", decimals(least, 0)));
    let mut proof = median.map_or_else(over, |median| decimals(median, 0));
    if (f64::MIN_POSITIVE..1.0).contains(&stopped.share) {
        proof += &format!(" ({})", percent(stopped.share));
    }
    let middle = match (q25, q75) {
        (Some(low), Some(high)) => format!("{}–{}", decimals(low, 0), decimals(high, 0)),
        (Some(low), None) => format!("from {}", decimals(low, 0)),
        (None, _) => String::new(),
    };
    vec![name.clone(), proof, middle, needed]
}

/// Plots accuracy by annotations of all experiments.
fn accuracy(simulations: &[NamedSimulation]) -> Plot {
    let curve = |(title, simulation): &NamedSimulation| {
        let point = |&(annotations, share): &(u64, f64)| Point {
            x: annotations as f64,
            y: share,
            interval: Some(wilson::interval(share, simulation.runs, CONFIDENCE)),
        };
        let points = simulation
            .accuracy
            .iter()
            .filter(|&&(annotations, _)| annotations > 0);
        Series::new(title.clone(), Mark::Steps, points.map(point))
    };
    let series: Vec<Series> = experiments(simulations).map(curve).collect();
    let along = series
        .iter()
        .flat_map(|one| &one.points)
        .map(|point| point.x);
    Plot {
        title: "Accuracy by judgments".to_string(),
        x: Axis::new("human judgments", Scale::log(along)),
        y: Axis::new("share of replays that are right", Scale::Linear(0.0, 1.0)),
        series,
    }
}
