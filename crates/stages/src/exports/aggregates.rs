//! Every Eval Ever, schema 0.3.0: each system's mean judgments with interval, level, method and number, a file a system at
//! `data/COLLECTION/DEVELOPER/MODEL/UUID.json`. Its validator checks that path, too.
//!
//! There is no field for comparisons, so that only judgments are exported. A name of a file is a digest of its data, so
//! that the same data make the same file.

use super::lines::LineFileWriter;
use super::{Export, ExportRequest, ExportSummary};
use crate::inputs::judging::is_less_better;
use crate::stages::estimate::{self, EstimateRow, EstimateStage};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::UNIX_EPOCH;
use tiebreak_base::error::{Error, Flag, Result};
use tiebreak_metrics::metrics::is_lower_better;

/// Aggregates of judgments.
pub(crate) const EXPORT: Export = Export {
    name: "every-eval-ever",
    summary: "mean judgments with intervals for Every Eval Ever (a folder)",
    file: None,
    write,
};

/// The version of the schema.
const SCHEMA: &str = "0.3.0";

fn write(what: &ExportRequest<'_>, out: &Path) -> Result<ExportSummary> {
    let estimates = estimate::run(what.context, what.source, &[], &EstimateStage::default())?;
    let path = what.source.dataset.path();
    // When the data came to be: the same data make the same file.
    let changed = std::fs::metadata(path)
        .and_then(|meta| meta.modified())
        .map_err(Error::reading(path))?;
    let time = changed
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
        .to_string();
    // Every Eval Ever keeps the name `data` for the folder of all collections.
    let name = what.source.dataset.name();
    let collection = part(if name == "data" { "dataset" } else { &name })?;
    let systems = by_system(&estimates.rows);
    // A system that cannot be published is refused before anything is written.
    let (mut documents, mut rows, mut without) = (Vec::new(), Vec::new(), 0);
    for (system, of_system) in systems {
        let results: Vec<Value> = of_system
            .iter()
            .filter_map(|row| result(row, &collection))
            .collect();
        without += (of_system.len() - results.len()) as u64;
        if results.is_empty() {
            continue;
        }
        let (developer, model) = publisher(system, what.developer)?;
        let id = format!("{developer}/{model}");
        let document = json!({
            "schema_version": SCHEMA,
            "evaluation_id": format!("{collection}/{id}/{time}"),
            "retrieved_timestamp": time,
            "source_metadata": {
                "source_type": "evaluation_run",
                "source_organization_name": "unknown",
                "evaluator_relationship": "other",
            },
            "eval_library": {"name": "tiebreak", "version": env!("CARGO_PKG_VERSION")},
            "model_info": {
                "name": system,
                "id": id,
                "developer": developer,
                "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
            },
            "evaluation_results": results,
        });
        let folder = out
            .join("data")
            .join(&collection)
            .join(&developer)
            .join(&model);
        let path = folder.join(format!("{}.json", uuid(&document)));
        documents.push((path, document, results.len() as u64));
    }
    for (path, document, count) in documents {
        let mut file = LineFileWriter::create(&path)?;
        file.push(&document)?;
        rows.push((file.finish()?.0, count));
    }
    if rows.is_empty() {
        return Err(lacks_means(what));
    }
    Ok(ExportSummary {
        form: EXPORT.name.to_string(),
        rows,
        dropped: vec![(WITHOUT_ESTIMATE.to_string(), without)],
    })
}

/// The reason why a criterion of a system is left out.
pub(super) const WITHOUT_ESTIMATE: &str = "criteria of a system without an estimate";

/// The estimates of each system.
pub(super) fn by_system(rows: &[EstimateRow]) -> BTreeMap<&str, Vec<&EstimateRow>> {
    let mut systems: BTreeMap<&str, Vec<&EstimateRow>> = BTreeMap::new();
    for row in rows {
        systems.entry(&row.system).or_default().push(row);
    }
    systems
}

/// The error about data without an estimate.
pub(super) fn lacks_means(what: &ExportRequest<'_>) -> Error {
    what.source
        .lacks("export", "judgments with a mean that can be estimated")
}

/// One result; `None` without an estimate.
fn result(row: &EstimateRow, collection: &str) -> Option<Value> {
    let analysis = &row.analysis;
    let mut uncertainty = json!({"num_samples": analysis.n});
    if let Some(error) = analysis.standard_error.filter(|error| error.is_finite()) {
        uncertainty["standard_error"] = json!({"value": error, "method": "analytic"});
    }
    if let Some((lower, upper)) = analysis.lower.zip(analysis.upper) {
        let (method, over) = (analysis.interval.name(), analysis.over.name());
        uncertainty["confidence_interval"] = json!({
            "lower": lower,
            "upper": upper,
            "confidence_level": analysis.confidence,
            "method": format!("tiebreak estimate, estimator {}: {method} interval over {over}", row.estimator),
        });
    }
    let [lowest, highest] = match row.range {
        Some(range) => range.map(|end| json!(end)),
        None => ["-Infinity", "Infinity"].map(|end| json!(end)),
    };
    Some(json!({
        "evaluation_result_id": format!("{collection}:{}", row.criterion),
        "evaluation_name": collection,
        "source_data": {"dataset_name": collection, "source_type": "other"},
        "metric_config": {
            "metric_id": row.criterion,
            "metric_name": row.criterion,
            "lower_is_better": is_less_better(&row.criterion) || is_lower_better(&row.criterion),
            "score_type": "continuous",
            "min_score": lowest,
            "max_score": highest,
        },
        "score_details": {"score": analysis.estimate?, "uncertainty": uncertainty},
    }))
}

/// The developer and the model of a system: the parts of its name, or the developer who was named.
fn publisher(system: &str, developer: Option<&str>) -> Result<(String, String)> {
    let (developer, model) = match (system.split_once('/'), developer) {
        (Some((developer, model)), _) => (developer, model),
        (None, Some(developer)) => (developer, system),
        (None, None) => {
            let error = Error::usage(format!("no developer is named for the system `{system}`"));
            return Err(error.with_hint(format!(
                "name one for all systems whose names are not DEVELOPER/MODEL: {} NAME",
                Flag("developer")
            )));
        }
    };
    Ok((part(developer)?, part(model)?))
}

/// A part of a path, which has no other characters than names of files have everywhere.
pub(super) fn part(name: &str) -> Result<String> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_.+ ".contains(c);
    match !name.is_empty() && !name.starts_with('.') && name.chars().all(is_plain) {
        true => Ok(name.to_string()),
        false => Err(Error::usage(format!("`{name}` cannot be a part of a path"))
            .with_hint("rename it in the data: letters, digits, hyphens, underscores and dots")),
    }
}

/// A UUID of version 4 in form, made of a digest of the document.
fn uuid(document: &Value) -> String {
    let mut bytes: [u8; 16] = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(document.to_string())[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    format!(
        "{}-{}-{}-{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_published_under_a_developer_and_a_plain_path() {
        let of =
            |system, developer| publisher(system, developer).map_err(|error| error.to_string());
        let pair = |a: &str, b: &str| Ok((a.to_string(), b.to_string()));
        assert_eq!(of("acme/alpha", None), pair("acme", "alpha"));
        assert_eq!(of("alpha", Some("lab")), pair("lab", "alpha"));
        assert!(of("alpha", None).unwrap_err().contains("no developer"));
        assert!(of("acme/a:b", None).unwrap_err().contains("`a:b`"));
        assert!(of("acme/a/b", None).unwrap_err().contains("`a/b`"));
    }

    #[test]
    fn lower_errors_are_better() {
        for name in [
            "wer",
            "ter",
            "TER",
            "wer,none",
            "word_perplexity",
            "mean_absolute_error",
            "bits_per_byte,none",
            "toxicity_score",
            "hallucination_rate",
            "num-violations",
            "Cross entropy",
            "refusals",
        ] {
            assert!(is_lower_better(name), "{name}");
        }
        for name in [
            "acc,none",
            "bleu",
            "exact_match",
            "terror",
            "answer",
            "error_free",
            "non-toxicity",
        ] {
            assert!(!is_lower_better(name), "{name}");
        }
    }

    #[test]
    fn names_of_files_are_uuids_of_version_4() {
        let name = uuid(&json!({"a": 1}));
        let lengths: Vec<usize> = name.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        assert_eq!(&name[14..15], "4");
        assert!("89ab".contains(&name[19..20]), "{name}");
    }
}
