//! Criteria of ratings: a name, a question, a scale. Custom criteria are typed with the task,
//! `rating:adequacy=0..100,length`: the second takes any number.

use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::layout::number;
use tiebreak_base::message;

/// The prefix of custom criteria.
const OWN: &str = "rating:";

/// The signs between the name of such a criterion and its scale, and between the ends of that.
const SCALE: char = '=';
const TO: &str = "..";

/// A criterion of ratings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Criterion {
    /// The name in judgments.
    pub name: String,
    /// The question that people read.
    pub label: String,
    /// The lowest score; any number is valid if neither bound is given.
    pub low: Option<f64>,
    /// The highest score.
    pub high: Option<f64>,
    /// The step between scores; any number is valid if there is none.
    pub step: Option<f64>,
    /// The labels of scores: of each of them, or of the lowest and the highest.
    pub labels: Option<Vec<String>>,
}

/// Parses the criteria of a typed task; `None` where it has no custom ones.
///
/// # Errors
/// [`Error::Usage`] for an invalid scale.
pub(super) fn typed(task: &str) -> Option<Result<Vec<Criterion>>> {
    let own = task.strip_prefix(OWN)?;
    Some(own.split(',').map(Criterion::typed).collect())
}

impl Criterion {
    fn typed(text: &str) -> Result<Self> {
        let (name, scale) = match text.split_once(SCALE) {
            Some((name, scale)) => (name, Some(scale)),
            None => (text, None),
        };
        let ends = |scale: &str| -> Option<[f64; 2]> {
            let (low, high) = scale.split_once(TO)?;
            Some([low.trim().parse().ok()?, high.trim().parse().ok()?])
        };
        let range = scale.map(|scale| {
            ends(scale).ok_or_else(|| {
                let what = format!("`{text}`: expected the lowest and the highest score");
                let task = format!("{OWN}{name}{SCALE}0{TO}100");
                Error::usage(what).with_hint(message!("{}", Key("task").set(&task)))
            })
        });
        let range = range.transpose()?;
        Ok(Self {
            name: name.trim().to_string(),
            label: name.trim().to_string(),
            low: range.map(|[low, _]| low),
            high: range.map(|[_, high]| high),
            step: None,
            labels: None,
        })
    }

    /// The lowest and highest score; `None` where any number is valid.
    pub(crate) fn range(&self) -> Option<[f64; 2]> {
        Some([self.low?, self.high?])
    }

    /// The scale in words.
    pub(in crate::campaign) fn scale(&self) -> String {
        match self.range() {
            Some([low, high]) => format!("{} to {}", number(low), number(high)),
            None => "any number".to_string(),
        }
    }

    /// The question with the scale, in one line.
    pub(in crate::campaign) fn question(&self) -> String {
        let labels = self.labels.as_ref().map(|labels| labels.join(", "));
        let labels = labels.map_or_else(String::new, |labels| format!(": {labels}"));
        format!("{} ({}{labels})", self.label, self.scale())
    }

    /// Checks the criterion; an error says what is wrong.
    pub(super) fn check(&self) -> Result<(), String> {
        let name = &self.name;
        let ([low, high], step) = match (self.range(), self.step) {
            (Some(range), step) => (range, step),
            (None, None) if self.low.is_none() && self.high.is_none() && self.labels.is_none() => {
                return Ok(());
            }
            (None, _) => {
                return Err(format!(
                    "criterion `{name}` has a step or labels, which need both `low` and `high`"
                ));
            }
        };
        let is_range = low.is_finite() && high.is_finite() && low < high;
        if !is_range {
            return Err(format!(
                "criterion `{name}` goes from {low} to {high}, expected a range"
            ));
        }
        if step.is_some_and(|step| !(step > 0.0 && step <= high - low)) {
            return Err(format!(
                "criterion `{name}` has a step that does not fit its range"
            ));
        }
        let points = step.map(|step| ((high - low) / step).round() as usize + 1);
        let fits = |labels: &Vec<String>| labels.len() == 2 || Some(labels.len()) == points;
        match self.labels.as_ref().is_none_or(fits) {
            true => Ok(()),
            false => Err(format!(
                "criterion `{name}` needs a label for each score, or two for the ends"
            )),
        }
    }

    /// Parses the score of a cell that is not a plain number: one of the labels, or a number with a decimal comma (of
    /// at most two digits: with three it could be thousands).
    pub(in crate::campaign) fn score_of_cell(&self, cell: &str) -> Option<f64> {
        let cell = cell.trim();
        if cell.parse::<f64>().is_ok() {
            return None;
        }
        let labels = self.labels.as_deref().unwrap_or_default();
        let is_label = |label: &String| label.trim().to_lowercase() == cell.to_lowercase();
        if let (Some(at), Some([low, high])) = (labels.iter().position(is_label), self.range()) {
            return Some(low + (high - low) * at as f64 / (labels.len() - 1) as f64);
        }
        let (_, decimals) = cell.split_once(',')?;
        match (1..=2).contains(&decimals.len()) {
            true => cell.replacen(',', ".", 1).parse().ok(),
            false => None,
        }
    }

    /// # Errors
    /// A score off the scale.
    pub(in crate::campaign) fn takes(&self, score: f64) -> Result<(), String> {
        let [low, high] = self.range().unwrap_or([f64::MIN, f64::MAX]);
        let steps = self.step.map(|step| (score - low) / step);
        let between = steps.is_some_and(|steps| (steps - steps.round()).abs() > 1e-6);
        match (low..=high).contains(&score) && !between {
            true => Ok(()),
            false => {
                let step = self.step.map(|step| format!(" by {}", number(step)));
                Err(format!(
                    "{} is {}, expected {}{}",
                    self.name,
                    number(score),
                    self.scale(),
                    step.unwrap_or_default()
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_are_typed_with_their_scales() {
        let typed = |task| typed(task).unwrap();
        let criteria = typed("rating:adequacy=0..100, length,tone=-1.5..2").unwrap();
        let told: Vec<(&str, String)> = criteria
            .iter()
            .map(|one| (one.name.as_str(), one.scale()))
            .collect();
        assert_eq!(
            told,
            [
                ("adequacy", "0 to 100".to_string()),
                ("length", "any number".to_string()),
                ("tone", "-1.500 to 2".to_string())
            ]
        );
        assert!(criteria.iter().all(|one| one.check().is_ok()));
        let backwards = typed("rating:a=3..1").unwrap();
        assert!(backwards[0].check().unwrap_err().contains("a range"));
        let error = typed("rating:a=3").unwrap_err();
        assert!(error.hint().unwrap().contains("rating:a=0..100"));
        assert!(super::typed("rating").is_none());
    }

    #[test]
    fn labels_and_decimal_commas_are_scores() {
        let mut clarity = typed("rating:clarity=1..5").unwrap().unwrap().remove(0);
        for (cell, score) in [("4,5", Some(4.5)), (" -2,25 ", Some(-2.25))] {
            assert_eq!(clarity.score_of_cell(cell), score, "{cell}");
        }
        for cell in ["4", "1,000", "a,b", "4,", "1.000,5", "1,2,3", "good"] {
            assert_eq!(clarity.score_of_cell(cell), None, "{cell}");
        }
        let labels = |labels: &[&str]| Some(labels.iter().map(ToString::to_string).collect());
        clarity.labels = labels(&["bad", "Good"]);
        assert_eq!(clarity.score_of_cell("good "), Some(5.0));
        clarity.step = Some(1.0);
        clarity.labels = labels(&["a", "b", "c", "d", "e"]);
        assert_eq!(
            (clarity.score_of_cell("D"), clarity.check()),
            (Some(4.0), Ok(()))
        );
        clarity.labels = labels(&["5", "4", "3", "2", "1"]);
        assert_eq!(clarity.score_of_cell("5"), None, "a number is that number");
    }

    #[test]
    fn any_number_is_a_number() {
        let any = &typed("rating:length").unwrap().unwrap()[0];
        for score in [-1e9, 0.0, 0.123, 1e300] {
            assert_eq!(any.takes(score), Ok(()));
        }
        for score in [f64::NAN, f64::INFINITY] {
            assert!(any.takes(score).unwrap_err().contains("any number"));
        }
        let half = Criterion {
            low: Some(1.0),
            ..any.clone()
        };
        let stepped = Criterion {
            step: Some(1.0),
            ..any.clone()
        };
        assert!(half.check().is_err() && stepped.check().is_err());
    }
}
