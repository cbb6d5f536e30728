//! Kernels on batches in memory give the numbers of the stages, whatever the batches.

use crate::support::assert_contains;
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, RecordBatch};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tiebreak::engine::{Context, SilentProgress};
use tiebreak::inputs::source::Source;
use tiebreak::kernels::{self, ScorePlan};
use tiebreak::rng::Seed;
use tiebreak::stages::score::{self, ScoreStage};
use tiebreak::{Env, Error};

static STOP: AtomicBool = AtomicBool::new(false);

fn context() -> Context<'static> {
    Context {
        seed: Seed::default(),
        env: Env::default(),
        progress: &SilentProgress,
        stop: &STOP,
    }
}

fn tiny(context: &Context<'_>) -> Source {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/tiny");
    Source::open(context, &folder, &[]).unwrap()
}

/// What a row says: item, system, output, source, references.
type Row = (String, String, String, String, Vec<String>);

/// The rows of a data set, in an order that a seed draws.
fn rows(source: &Source, seed: u64) -> Vec<Row> {
    let mut rows = Vec::new();
    for group in source.index.all().map(Result::unwrap) {
        for output in &group.outputs {
            rows.push((
                group.item.clone(),
                source.system(output.system).to_string(),
                output.text.clone(),
                group.source.clone().unwrap_or_default(),
                group.references.clone(),
            ));
        }
    }
    Seed(seed).stream("test", 0).shuffle(&mut rows);
    rows
}

fn batch(rows: &[Row]) -> RecordBatch {
    let text = |of: fn(&Row) -> &str| -> ArrayRef {
        let mut column = StringBuilder::new();
        for row in rows {
            column.append_value(of(row));
        }
        Arc::new(column.finish())
    };
    let mut references = ListBuilder::new(StringBuilder::new());
    for row in rows {
        for text in &row.4 {
            references.values().append_value(text);
        }
        references.append(true);
    }
    let references: ArrayRef = Arc::new(references.finish());
    RecordBatch::try_from_iter([
        ("item", text(|row| &row.0)),
        ("system", text(|row| &row.1)),
        ("output", text(|row| &row.2)),
        ("source", text(|row| &row.3)),
        ("references", references),
    ])
    .unwrap()
}

/// The rows of batches as texts and numbers to the bit, sorted.
fn cells(batches: &[RecordBatch], texts: usize) -> Vec<(Vec<String>, Vec<u64>)> {
    let mut cells = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            let (names, numbers) = batch.columns().split_at(texts);
            let name = |column: &ArrayRef| column.as_string::<i32>().value(row).to_string();
            let bits = |column: &ArrayRef| {
                let column = column.as_primitive::<Float64Type>();
                column.value(row).to_bits()
            };
            cells.push((
                names.iter().map(name).collect(),
                numbers.iter().map(bits).collect(),
            ));
        }
    }
    cells.sort();
    cells
}

fn keys(metrics: &[&str]) -> ScoreStage {
    serde_json::from_value(serde_json::json!({ "metric": metrics })).unwrap()
}

#[test]
fn scores_of_batches_are_those_of_the_stage() {
    let context = context();
    let source = tiny(&context);
    let keys = keys(&["chrf", "bleu", "ter", "cider-d", "rouge-l"]);
    let mut scorers = keys.scorers(&context).unwrap();
    for scorer in &mut scorers {
        scorer.prepare(&context, &source).unwrap();
    }
    let expected = score::table(&context, &source, &scorers).unwrap();

    let counted: Vec<RecordBatch> = {
        // Each item in one batch.
        let plan = ScorePlan::new(&context, &keys).unwrap();
        let mut rows = rows(&source, 1);
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        let items: Vec<&[Row]> = rows.chunk_by(|a, b| a.0 == b.0).collect();
        let parts = items.chunks(7).map(|items| batch(&items.concat()));
        parts
            .map(|part| plan.count(&context, &part).unwrap())
            .collect()
    };
    let counts = kernels::counts(&[kernels::merge(&counted).unwrap()]).unwrap();
    for size in [1, 13, 1000] {
        let plan = ScorePlan::new(&context, &keys).unwrap();
        let plan = plan.counted(&counts).unwrap();
        let rows = rows(&source, size as u64);
        let parts = rows.chunks(size).map(batch);
        let parts: Vec<_> = parts
            .map(|part| plan.score(&context, &part).unwrap())
            .collect();
        assert_eq!(cells(&parts, 3), cells(expected.batches(), 3), "{size}");
    }
}

#[test]
fn what_a_batch_lacks_is_told_with_its_row() {
    let context = context();
    let source = tiny(&context);
    let all = rows(&source, 3);
    let told = |error: Error| error.with_its_hint();
    let plan = ScorePlan::new(&context, &keys(&["cider"])).unwrap();
    let error = plan.score(&context, &batch(&all)).unwrap_err();
    assert!(told(error).contains("needs counts over all items first"));
    let plan = ScorePlan::new(&context, &keys(&["bleu"])).unwrap();
    let mut rows = all[..5].to_vec();
    rows[3].4.clear();
    let error = told(plan.score(&context, &batch(&rows)).unwrap_err());
    assert!(
        error.contains(&rows[3].0) && error.contains("references"),
        "{error}"
    );
    rows[4].1.clear();
    let error = told(plan.score(&context, &batch(&rows)).unwrap_err());
    assert!(
        error.starts_with("batch: row 5: `system` is empty"),
        "{error}"
    );
    let nothing = plan.score(&context, &batch(&[])).unwrap();
    assert_eq!((nothing.num_rows(), nothing.num_columns()), (0, 4));
    let missing = batch(&all).project(&[0, 1]).unwrap();
    let error = told(plan.score(&context, &missing).unwrap_err());
    assert_contains(&error, &["no column `output`"]);
}

#[cfg(feature = "neural")]
#[test]
fn predictions_of_batches_are_those_of_the_stage() {
    use tiebreak::kernels::PredictPlan;
    use tiebreak::stages::predict::{self, Predict, PredictOptions, Predictor};
    let context = context();
    let source = tiny(&context);
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/tiny-electra");
    let keys = serde_json::json!({ "model": model, "draws": 3 });
    let keys: Predict = serde_json::from_value(keys).unwrap();
    let options = PredictOptions {
        pairs: None,
        keep_draws: false,
        shard: tiebreak::engine::parts::Shard::default(),
    };
    let predictor: Predictor = keys.load(&context, Path::new("")).unwrap().unwrap();
    let expected = predict::table(&context, &source, &predictor, &options).unwrap();
    let plan = PredictPlan::new(&context, &keys).unwrap();
    let found = plan.predict(&context, &batch(&rows(&source, 5))).unwrap();
    assert_eq!(found.schema().fields(), expected.schema().fields());
    assert_eq!(cells(&[found], 3), cells(expected.batches(), 3));

    let mut rows = rows(&source, 6);
    rows.push(rows[0].clone());
    let error = plan.predict(&context, &batch(&rows)).unwrap_err();
    let last = rows.len();
    assert!(
        error
            .to_string()
            .starts_with(&format!("batch: row {last}: system")),
        "{error}"
    );
    rows.pop();
    let same_item = rows
        .iter()
        .skip(1)
        .position(|row| row.0 == rows[0].0)
        .unwrap()
        + 1;
    rows[same_item].3 += "!";
    let error = plan.predict(&context, &batch(&rows)).unwrap_err();
    assert!(error.to_string().contains("another source"), "{error}");
}
