//! Replays as people read them: how soon they name the winner of all records, and what each took.

mod facts;

use super::FILE;
use super::summary::{SimulatedComplexity, SimulatedStanding, Simulation};
use crate::report::chapter::{
    Chapter, ChapterSection, MeasureStandings, ReportAnswer, ReportField, Topic, field, lines,
};
use crate::report::document::{DocumentFigure, DocumentTable, ResultDocument};
use crate::report::headline::Headline;
use crate::report::plot::{Axis, Mark, Plot, Point, Scale, Series};
use facts::{enough, facts, reached, sentence, winner_shares};
use std::path::Path;
use tiebreak_base::error::{Result, is_there};
use tiebreak_base::layout::{decimals, percent};
use tiebreak_base::stats::wilson;
use tiebreak_data::tables::{Manifest, Meta, json};

/// The confidence of the bands around accuracies.
const CONFIDENCE: f64 = 0.95;

/// The title of the table of experiments.
const COMPARED: &str = "Judgments until 95 % of replays name the winner of all records, for good";

/// A simulation with its name.
type NamedSimulation = (String, Simulation);

/// The simulations of one run, by name.
struct Simulations(Vec<NamedSimulation>);

/// Reads the simulations of a run.
pub(in crate::stages) fn read(dir: &Path, run: &Manifest) -> Result<Box<dyn Chapter>> {
    let kinds = [super::NAME];
    let all = run.read_each(dir, &kinds, |path, _| json::read(&path.join(FILE)))?;
    Ok(Box::new(Simulations(all)))
}

/// The meta of the replays in a folder, from the simulation and the trace of its runs.
pub(in crate::stages) fn meta(dir: &Path) -> Result<Option<Meta>> {
    let found: Option<Simulation> = json::read_if_there(&dir.join(FILE))?;
    let Some(found) = found else {
        return Ok(None);
    };
    let trace = dir.join("trace/meta.json");
    let data = match is_there(&trace) {
        true => Meta::read(&trace)?.data,
        false => String::new(),
    };
    let meta = Meta::new("simulation", found.signature, found.seed, data);
    Ok(Some(meta))
}

impl Chapter for Simulations {
    fn topic(&self) -> Topic {
        Topic::Effort
    }

    fn json(&self) -> Result<Vec<ReportField>> {
        Ok(vec![field("simulations", &self.0)?])
    }

    fn sections(&self, _: &[MeasureStandings]) -> Vec<ChapterSection> {
        let title = "How many judgments it would have taken";
        let note = "share of runs that name the winner of all records, with 95 % bands";
        let compared = comparison_table(&self.0).map(ResultDocument::from);
        let plot = DocumentFigure::new(accuracy(&self.0), note);
        let first = compared.unwrap_or_default().side_by_side([plot]);
        let each = self.0.iter().map(|(name, found)| {
            let heading = ResultDocument::default().heading(3, name);
            let title = format!("{title}: {name}");
            heading.append(document(name, found)).under(title)
        });
        let document = ResultDocument::default()
            .on_page(first)
            .append(each.collect::<ResultDocument>());
        vec![ChapterSection::new("replays", title, document)]
    }

    fn caveat(&self) -> Option<Headline> {
        (!self.0.is_empty()).then(|| Headline {
            best: "Replays of recorded comparisons say nothing about which system is best."
                .to_string(),
            sure: "They plan and compare: how many judgments would have been enough.".to_string(),
            next: "`tiebreak rank DATA` says what the records themselves tell.".to_string(),
        })
    }

    fn answers(&self) -> Vec<ReportAnswer> {
        let answer = |(name, found): &NamedSimulation| ReportAnswer {
            about: name.clone(),
            sentence: sentence(found),
        };
        self.0.iter().map(answer).collect()
    }

    fn brief(&self) -> String {
        let Some(compared) = comparison_table(&self.0) else {
            return lines(self.answers());
        };
        ResultDocument::default()
            .paragraph(COMPARED)
            .append(compared)
            .paragraph("Replays plan and compare methods; they claim nothing about systems.")
            .text()
    }

    fn cost(&self) -> Vec<String> {
        enough(&self.0).into_iter().collect()
    }
}

/// Replays in full; also what `simulate` prints.
pub fn render(simulation: &Simulation) -> String {
    document("", simulation).text()
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
        .on_terminal(table.clone().gap().append(facts.clone()))
        .on_page(ResultDocument::default().side_by_side([facts, table]))
}

/// The simulations that were run more than once.
fn experiments(all: &[NamedSimulation]) -> impl Iterator<Item = &NamedSimulation> {
    all.iter().filter(|(_, one)| one.runs > 1)
}

/// Experiments beside each other: how many judgments each would have taken, and within how many half of its runs stop by
/// their own certificate. `None` where there are none.
fn comparison_table(all: &[NamedSimulation]) -> Option<DocumentTable> {
    let header = ["replays", "judgments", "95 % interval", "certificate after"];
    let rows: Vec<_> = experiments(all).map(taken).collect();
    (!rows.is_empty()).then(|| DocumentTable::new(COMPARED, &header, rows))
}

/// The cells of one experiment.
fn taken((name, simulation): &NamedSimulation) -> Vec<String> {
    let SimulatedComplexity {
        value,
        lower,
        upper,
    } = simulation.annotation_complexity;
    let judgments = match (value, simulation.condorcet) {
        (_, false) => "no winner".to_string(),
        (value, true) => reached(value),
    };
    let interval = value.map_or_else(String::new, |_| {
        format!("[{}, {}]", reached(lower), reached(upper))
    });
    let stopped = &simulation.stopped;
    let certificate = match stopped.annotations.median {
        None => "–".to_string(),
        Some(median) if stopped.share < 1.0 => {
            format!("{} ({})", decimals(median, 0), percent(stopped.share))
        }
        Some(median) => decimals(median, 0),
    };
    vec![name.clone(), judgments, interval, certificate]
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
        title: "Accuracy by annotations".to_string(),
        x: Axis::new("human annotations", Scale::log(along)),
        y: Axis::new("share of runs that are right", Scale::Linear(0.0, 1.0)),
        series,
    }
}
