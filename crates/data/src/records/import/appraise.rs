//! Scores as Appraise exports them: a CSV without a header, of documents (DA, ESA) or of pairs.
//!
//! A name `sysA+sysB` stands for systems with the same text: each gets the score, and between them there is no vote.
//! Items `BAD`, `CHK` and `REF` are quality control. In ESA campaigns the document's name ends in `#<system>`; without
//! cutting that off no item would have two systems.

use super::frame::{
    DatasetBuilder, ExtraFields, ImportFile, ImportFiles, ImportFormat, ImportedComparison,
    JudgmentRow, RecordLayout, decimal,
};
use crate::records::reader::delimited::Records;
use tiebreak_base::cost::Cost;
use tiebreak_base::duel::Outcome;
use tiebreak_base::error::{Error, Location, Result};

/// The format of Appraise's scores.
pub(crate) const FORMAT: ImportFormat = ImportFormat {
    name: "appraise",
    summary: "Appraise scores (CSV without a header)",
    picks: &[],
    matching_files,
    read,
};

const TYPES: [&str; 4] = ["TGT", "BAD", "CHK", "REF"];

fn matching_files(files: &ImportFiles) -> Vec<&ImportFile> {
    files.that(|file| {
        let names = &file.look().names;
        let typed = names
            .get(3)
            .is_some_and(|name| TYPES.contains(&name.as_str()));
        // Invalid scores are reported when they are read; the times suffice to detect the format.
        let number = |name: &String| decimal(name).is_some();
        file.look().kind == Some(RecordLayout::Table) && typed && names.iter().skip(6).any(number)
    })
}

/// A row: the score of a text, which several systems may share.
#[derive(Debug, Clone, PartialEq)]
struct AppraiseRow {
    user: String,
    systems: Vec<String>,
    segment: String,
    kind: String,
    score: f64,
    /// The name in a document campaign, and whether the score is that of the document.
    document: Option<(String, bool)>,
    start: f64,
    end: f64,
}

fn read(found: &[&ImportFile], _: &ImportFiles, builder: &mut DatasetBuilder<'_>) -> Result<()> {
    builder.taken(
        "columns by place; item: document and segment; criterion: score; seconds: end less start",
    );
    for file in found {
        let mut records = Records::open(
            file.raw(),
            if file.name().contains(".tsv") {
                b'\t'
            } else {
                b','
            },
        )?;
        let mut beside: Vec<AppraiseRow> = Vec::new();
        while let Some((line, cells)) = records.next()? {
            let at = Location::line(&file.path, line);
            let row = AppraiseRow::parse(&cells, &at)?;
            let same = beside.first().is_none_or(|first| first.is_beside(&row));
            if !same {
                compared(&std::mem::take(&mut beside), builder)?;
            }
            if row.kind != "TGT" {
                builder.drop(format!("quality control {}", row.kind));
            } else if row.document.as_ref().is_some_and(|(_, whole)| *whole) {
                builder.drop("the score of a document");
            } else {
                row.judged(builder)?;
                beside.push(row);
            }
        }
        compared(&beside, builder)?;
    }
    Ok(())
}

impl AppraiseRow {
    fn parse(cells: &[String], at: &Location) -> Result<Self> {
        let error = |what: String| Error::record(at.clone(), what);
        let cell = |place: usize| cells.get(place).map_or("", String::as_str).trim();
        let number = |place: usize| {
            decimal(cell(place)).ok_or_else(|| {
                error(format!(
                    "cell {} is `{}`, expected a number",
                    place + 1,
                    cell(place)
                ))
            })
        };
        if let Some(damaged) = cells.iter().find(|cell| cell.contains('\0')) {
            return Err(error(format!("NUL in a cell: {damaged:?}")));
        }
        if cells.len() < 9 {
            return Err(error(format!(
                "cells: {}, expected at least 9",
                cells.len()
            )));
        }
        let system = cell(1).to_string();
        let document = match cell(8) {
            "True" | "False" => {
                let name = cell(7)
                    .strip_suffix(&format!("#{system}"))
                    .unwrap_or(cell(7));
                Some((name.to_string(), cell(8) == "True"))
            }
            _ => None,
        };
        // Error spans may come before the times.
        let first = if document.is_some() { 9 } else { 7 };
        let times = (first..cells.len()).find(|&place| decimal(cell(place)).is_some());
        let times = times.ok_or_else(|| error("no time of start and end".to_string()))?;
        let merged = system
            .split('+')
            .map(str::trim)
            .filter(|name| !name.is_empty());
        Ok(Self {
            user: cell(0).to_string(),
            systems: merged.map(ToString::to_string).collect(),
            segment: cell(2).to_string(),
            kind: cell(3).to_string(),
            score: number(6)?,
            document,
            start: number(times)?,
            end: number(times + 1)?,
        })
    }

    fn item(&self) -> String {
        match &self.document {
            Some((document, _)) => format!("{document}/{}", self.segment),
            None => self.segment.clone(),
        }
    }

    /// Whether two rows belong to one comparison.
    fn is_beside(&self, other: &Self) -> bool {
        let place = |row: &Self| {
            (
                row.user.clone(),
                row.segment.clone(),
                row.start.to_bits(),
                row.end.to_bits(),
            )
        };
        self.document.is_none() && other.document.is_none() && place(self) == place(other)
    }

    fn seconds(&self) -> Option<f64> {
        let took = self.end - self.start;
        // Unix times leave few significant digits for the difference.
        (took > 0.0).then(|| (took * 1e6).round() / 1e6)
    }

    fn judged(&self, builder: &mut DatasetBuilder<'_>) -> Result<()> {
        for system in &self.systems {
            builder.judgment(&JudgmentRow {
                item: &self.item(),
                system,
                criterion: "score",
                score: self.score,
                annotator: Some(&self.user),
                seconds: self.seconds(),
                ..JudgmentRow::default()
            })?;
        }
        Ok(())
    }
}

/// Reads the votes from rows that were answered side by side.
fn compared(rows: &[AppraiseRow], builder: &mut DatasetBuilder<'_>) -> Result<()> {
    for (i, one) in rows.iter().enumerate() {
        for other in &rows[i + 1..] {
            let outcome = Outcome::of_scores(one.score, other.score);
            let pairs = one
                .systems
                .iter()
                .flat_map(|a| other.systems.iter().map(move |b| (a, b)));
            for (system_a, system_b) in pairs {
                let compared = ImportedComparison {
                    item: &one.item(),
                    system_a,
                    system_b,
                    outcome,
                    label: None,
                    annotator: Some(&one.user),
                    cost: Cost::taking(one.seconds()),
                };
                builder.comparison(&compared, &ExtraFields::new())?;
            }
        }
    }
    Ok(())
}
