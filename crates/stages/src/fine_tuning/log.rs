//! The log of a training as a table and as a plot.

use super::folder::TrainingFolder;
use crate::report::plot::{Axis, Mark, Plot, Scale, Series, svg};
use tiebreak_base::error::Result;
use tiebreak_preference::preference::training::Evaluation;

const HEADER: &str =
    "step,epoch,rate,training_loss,gradient_norm,validation_loss,validation_accuracy\n";

/// Writes the table and the plot into a model's folder.
pub(super) fn write(folder: &TrainingFolder, looks: &[Evaluation]) -> Result<()> {
    folder.write("training.csv", table(looks).as_bytes())?;
    match plot(looks)? {
        Some(plot) => folder.write("training.svg", plot.as_bytes()),
        None => Ok(()),
    }
}

/// The text of `training.csv`: one row an evaluation. Losses are means over judgments in nats; those that do not
/// exist before the first step are empty.
fn table(looks: &[Evaluation]) -> String {
    let optional = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let row = |look: &Evaluation| {
        format!(
            "{},{},{},{},{},{},{}\n",
            look.step,
            look.epoch,
            look.rate,
            optional(look.training_loss),
            optional(look.gradient_norm),
            look.loss,
            look.accuracy
        )
    };
    HEADER.to_string() + &looks.iter().map(row).collect::<String>()
}

/// The drawing of `training.svg`: both losses by epoch; `None` in a build that draws nothing.
fn plot(looks: &[Evaluation]) -> Result<Option<String>> {
    let series = |name: &str, loss: fn(&Evaluation) -> Option<f64>| {
        Series::new(
            name,
            Mark::Lines,
            looks
                .iter()
                .filter_map(|look| Some((look.epoch, loss(look)?))),
        )
    };
    let mut all = vec![
        series("training (under dropout)", |look| look.training_loss),
        series("validation", |look| Some(look.loss)),
    ];
    all.retain(|one| !one.points.is_empty());
    let losses = all.iter().flat_map(|one| &one.points).map(|point| point.y);
    svg(&Plot {
        title: "Loss".to_string(),
        x: Axis::new("epochs", Scale::linear(looks.iter().map(|look| look.epoch))),
        y: Axis::new("nats per judgment", Scale::linear(losses)),
        series: all,
    })
}
