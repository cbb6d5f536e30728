//! Agreement between annotators against krippendorff, scikit-learn and statsmodels, and the label
//! models against crowd-kit.

use super::cases::own_lines;
use serde_json::Value;
use tiebreak::annotators::alpha::{MeasurementLevel, alpha};
use tiebreak::annotators::kappa::{cohen, fleiss};
use tiebreak::annotators::{ClassOrder, LabelModel, QuestionAnswer};
use tiebreak::rng::Seed;

#[test]
fn coefficients_and_labels_are_the_references() {
    for line in own_lines("agreement") {
        let (questions, annotators) = read(&line["answers"]);
        for (scale, name) in [
            (MeasurementLevel::Nominal, "nominal"),
            (MeasurementLevel::Ordinal, "ordinal"),
            (MeasurementLevel::Interval, "interval"),
            (MeasurementLevel::Ratio, "ratio"),
        ] {
            close(alpha(&questions, scale), &line["alpha"][name], 1e-9, name);
        }
        let expected = line["cohen"].as_array().unwrap();
        let found: Vec<_> = cohen(&questions, false).collect();
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            close(found.kappa, expected, 1e-9, "cohen");
        }
        if !line["fleiss"].is_null() {
            close(fleiss(&questions), &line["fleiss"], 1e-9, "fleiss");
        }
        for model in LabelModel::ALL {
            let expected = &line[model.name().replace('-', "_")];
            labels(model, &questions, annotators, expected);
        }
    }
}

/// Posteriors within 1e-5, which is how far 300 rounds of crowd-kit are from where rounds end.
fn labels(
    model: LabelModel,
    questions: &[Vec<QuestionAnswer>],
    annotators: usize,
    expected: &Value,
) {
    let expected = expected.as_array().unwrap();
    let classes = expected[0].as_array().unwrap().len();
    let number = |one: &QuestionAnswer| (one.annotator.unwrap(), (2.0 * one.value) as usize);
    let numbered: Vec<Vec<(usize, usize)>> = questions
        .iter()
        .map(|answers| answers.iter().map(number).collect())
        .collect();
    let fitted = model.fit(
        &numbered,
        annotators,
        classes,
        (ClassOrder::Nominal, Seed(1)),
    );
    for (question, expected) in expected.iter().enumerate() {
        for (class, expected) in expected.as_array().unwrap().iter().enumerate() {
            let found = fitted.posteriors()[question][class];
            close(Some(found), expected, 1e-5, &model.name());
        }
    }
}

fn close(found: Option<f64>, expected: &Value, tolerance: f64, what: &str) {
    let (found, expected) = (found.unwrap(), expected.as_f64().unwrap());
    assert!(
        (found - expected).abs() < tolerance,
        "{what}: {found}, expected {expected}"
    );
}

/// A matrix by annotator and question as answers by question, and the number of annotators.
fn read(matrix: &Value) -> (Vec<Vec<QuestionAnswer>>, usize) {
    let rows = matrix.as_array().unwrap();
    let questions = rows[0].as_array().unwrap().len();
    let question = |at: usize| {
        let answers = rows.iter().enumerate();
        let answer = |(annotator, row): (usize, &Value)| {
            let value = row[at].as_f64()?;
            Some(QuestionAnswer {
                annotator: Some(annotator),
                value,
            })
        };
        answers.filter_map(answer).collect()
    };
    ((0..questions).map(question).collect(), rows.len())
}
