//! `score`: outputs to metric scores, part by part.

mod corpus;
mod keys;
mod probe;
pub mod significance;
mod systems;
mod table;
pub(super) mod tell;

pub use keys::ScoreStage;
pub use systems::SystemScore;
use table::run_one;
pub(crate) use table::{columns, score_groups};
pub use table::{run, table};

use crate::engine::context::Context;
use crate::engine::parts::Parts;
use crate::inputs::source::Source;
use std::ops::Range;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::keys::named::ParameterizedName;
use tiebreak_base::message;
use tiebreak_base::registry::find_entry;
use tiebreak_base::signature::Signature;
use tiebreak_data::records::Kind;
use tiebreak_data::records::index::Group;
use tiebreak_metrics::metrics::{METRICS, Metric, Segment, with_references};

/// The stage's name: its verb, and its list in a pipeline.
pub(crate) const NAME: &str = "score";

/// Items per part: large enough that writing costs nothing, small enough that a killed command
/// loses little.
const ITEMS_PER_PART: u64 = 256;

/// A metric that is ready to run on a data set.
pub struct Scorer {
    /// The name in tables: as the user gave it, parameters included.
    pub label: String,
    slug: String,
    pub(crate) metric: Box<dyn Metric>,
    draws: Option<usize>,
    /// The number of items that were observed before each part.
    observed_before: Vec<u64>,
}

impl Source {
    /// Checks that there is something to score.
    ///
    /// # Errors
    /// [`Error::Input`] where no system wrote anything.
    pub fn require_outputs(&self) -> Result<()> {
        match self.index.rows(Kind::Outputs) {
            0 => Err(Error::input(
                self.dataset.path(),
                "holds no outputs, so there is nothing to score",
            )
            .with_hint("a row of `outputs` has an item, a system and its output")),
            _ => Ok(()),
        }
    }
}

impl Scorer {
    /// Builds a metric and checks that it can be run on this data set.
    ///
    /// # Errors
    /// Unknown metrics and parameters; `--draws` for a metric without dropout; a metric that needs
    /// references on items without any.
    pub fn new(
        context: &Context<'_>,
        spec: &ParameterizedName,
        draws: Option<usize>,
    ) -> Result<Self> {
        let entry = find_entry("metric", METRICS, &spec.name)?;
        let metric = (entry.build.build)(&spec.params, &context.env)?;
        if draws.is_some() && !metric.has_dropout() {
            let what = format!("{} has no dropout, so it has no draws", spec.name);
            return Err(Error::key("draws", what)
                .with_hint(message!("leave {} out for this metric", Key("draws"))));
        }
        Ok(Self {
            label: spec.label(),
            slug: spec.slug(),
            metric,
            draws,
            observed_before: Vec::new(),
        })
    }

    /// Refuses a data set the metric is not defined on.
    ///
    /// # Errors
    /// [`Error::Input`] naming the first item without references.
    pub fn require_references(&self, source: &Source) -> Result<()> {
        if !self.metric.needs_references() || source.index.references().0 > 0 {
            return Ok(());
        }
        for group in source.index.all() {
            let group = group?;
            if group.references.is_empty() && !group.outputs.is_empty() {
                return Err(Error::input(
                    source.dataset.path(),
                    format!(
                        "item `{}` has no references, and {} needs them",
                        group.item, self.label
                    ),
                )
                .with_hint("give every item `references`, in `items` or in `outputs`"));
            }
        }
        Ok(())
    }

    /// Shows the whole data set to a metric that must see it before it scores any of it; warns of a metric that is 0
    /// whatever the outputs are.
    ///
    /// # Errors
    /// [`Error::Interrupted`]; if the data set or a text of it cannot be read.
    pub fn prepare(&mut self, context: &Context<'_>, source: &Source) -> Result<()> {
        if self.metric.needs_corpus() {
            self.require_references(source)?;
            self.observed_before = self.show(context, source)?;
            while self.metric.observed() {
                self.observed_before = self.show(context, source)?;
            }
        }
        if let Some(warning) = self.zero_warning(source)? {
            context.progress.warn(&warning);
        }
        Ok(())
    }

    /// Shows the whole data set once, and counts by part the items with outputs that came before it.
    fn show(&mut self, context: &Context<'_>, source: &Source) -> Result<Vec<u64>> {
        let parts = Parts::new(source.index.items(), ITEMS_PER_PART);
        let mut observed = 0;
        let mut before = Vec::new();
        for part in parts.mine() {
            context.check()?;
            let groups = source.groups(parts.range(part))?;
            self.metric.observe(&segments(&groups))?;
            before.push(observed);
            observed += groups
                .iter()
                .filter(|group| !group.outputs.is_empty())
                .count() as u64;
        }
        Ok(before)
    }

    /// The number of items with outputs that a metric that sees the whole data set saw before a part; 0
    /// for the others.
    fn observed_before(&self, part: &Range<u64>) -> u64 {
        let part = (part.start / ITEMS_PER_PART) as usize;
        self.observed_before.get(part).copied().unwrap_or(0)
    }

    /// The metric's signature with the number of references in this data set.
    pub fn signature(&self, source: &Source) -> Signature {
        with_references(self.metric.signature(), source.index.references())
    }
}

/// The outputs of some items, with what they are judged against.
pub(crate) fn segments(groups: &[Group]) -> Vec<Segment<'_>> {
    groups
        .iter()
        .flat_map(|group| {
            group.outputs.iter().map(move |output| Segment {
                hypothesis: &output.text,
                references: &group.references,
                context: group.source.as_deref(),
            })
        })
        .collect()
}

/// Returns the score if it is finite: NaN or infinity is a fault that must not travel on.
fn finite(score: f64, metric: &str, item: &str, system: &str) -> Result<f64> {
    if score.is_finite() {
        return Ok(score);
    }
    Err(Error::failed(format!(
        "{metric} gave {score} on item `{item}`, system `{system}`"
    )))
}
