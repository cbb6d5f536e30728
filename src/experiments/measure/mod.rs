//! What is measured in a cell, one file for each measure.

mod annotation_complexity;
mod assessment;
mod correlation;
mod data_efficiency;
mod improvements;
mod judgments;
mod rated;
mod savings;
mod sentence_accuracy;
mod variance;

use super::materials::Model;
use super::outcome::Outcome;
use super::spec::Measure;
use crate::engine::context::Context;
use crate::error::Result;

/// Computes a cell.
pub(super) fn measure(context: &Context<'_>, cell: &Model<'_>) -> Result<Outcome> {
    match cell.settings.measure {
        Measure::AnnotationComplexity => annotation_complexity::measure(context, cell),
        Measure::Assessment => assessment::measure(context, cell),
        Measure::SentenceAccuracy if cell.settings.model.is_some() => {
            assessment::measure(context, cell)
        }
        Measure::SentenceAccuracy => sentence_accuracy::measure(context, cell),
        Measure::Judgments => judgments::measure(context, cell),
        Measure::Variance => variance::measure(context, cell),
        Measure::Correlation => correlation::measure(context, cell),
        Measure::DataEfficiency => data_efficiency::measure(context, cell),
        Measure::Savings => savings::measure(context, cell),
        Measure::Improvements => improvements::measure(context, cell),
    }
}
