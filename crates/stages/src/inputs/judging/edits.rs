//! Criteria counted from post-edits: how much people had to change an output until they liked it.
//!
//! Source: Snover et al., AMTA 2006: HTER is the TER of an output against its own post-edit, so edits
//! per word of the post-edit, 0 for an output that nobody changed; lower is better. `hter` counts
//! moved blocks as one edit; `hwer` knows no moves.
//!
//! Deviations: shares, not percent, as in Chaganty, Mussmann and Liang (ACL 2018). A post-edit that
//! stands in several rows of one annotator (under several criteria) counts once.

use crate::inputs::source::Source;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::{Params, find_entry};
use tiebreak_data::records::import::EDITED;
use tiebreak_data::records::index::{Group, GroupJudgment};
use tiebreak_metrics::env::Env;
use tiebreak_metrics::metrics::{Direction, METRICS, Metric, Segment, direction, is_lower_better};

/// (criterion, metric, its score of one edit per word)
const CRITERIA: [(&str, &str, f64); 2] = [("hter", "ter", 100.0), ("hwer", "wer", 100.0)];

/// Whether less of a criterion is known to be better: it counts what people changed, or is one of our error rates.
pub(crate) fn is_less_better(criterion: &str) -> bool {
    let is_edited = criterion == EDITED || CRITERIA.iter().any(|one| one.0 == criterion);
    is_edited || direction(&criterion.to_lowercase()) == Direction::Lower
}

/// A note on a criterion whose higher scores count as better, though its name says the opposite.
pub(crate) fn direction_doubt(criterion: &str) -> Option<String> {
    (is_lower_better(criterion) && !is_less_better(criterion)).then(|| {
        format!(
            "Higher scores of `{criterion}` count as better here. If lower ones are better, turn their sign first."
        )
    })
}

/// A metric with post-edits as its references.
pub(super) struct HumanTargeted {
    name: &'static str,
    metric: Box<dyn Metric>,
    unit: f64,
}

impl HumanTargeted {
    /// The criterion of that name, if there is one.
    pub(super) fn from_name(name: &str) -> Result<Option<Self>> {
        let Some(&(name, metric, unit)) = CRITERIA.iter().find(|one| one.0 == name) else {
            return Ok(None);
        };
        let build = find_entry("metric", METRICS, metric)?.build.build;
        Ok(Some(Self {
            name,
            metric: build(&Params::default(), &Env::default())?,
            unit,
        }))
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Edits per word of each output until it is its post-edit.
    pub(super) fn edits(&self, output: &str, edited: &str) -> Result<f64> {
        let references = [edited.to_string()];
        let segment = Segment {
            hypothesis: output,
            references: &references,
            context: None,
        };
        let scores = self.metric.score(&[segment])?;
        Ok(scores.first().copied().unwrap_or_default() / self.unit)
    }

    /// One judgment under criterion `number` for every post-edit of an item's outputs.
    pub(super) fn judgments(
        &self,
        source: &Source,
        group: &Group,
        number: usize,
    ) -> Result<Vec<GroupJudgment>> {
        let mut judgments: Vec<GroupJudgment> = Vec::new();
        for one in &group.judgments {
            let Some(edited) = &one.post_edit else {
                continue;
            };
            let same = |other: &GroupJudgment| {
                other.system == one.system
                    && other.annotator == one.annotator
                    && other.part == one.part
                    && other.post_edit == one.post_edit
            };
            if one.annotator.is_some() && judgments.iter().any(same) {
                continue;
            }
            judgments.push(GroupJudgment {
                criterion: number,
                score: self.edits(text(source, group, one)?, edited)?,
                ..one.clone()
            });
        }
        Ok(judgments)
    }
}

/// The output that a judgment is about.
pub(super) fn text<'a>(
    source: &Source,
    group: &'a Group,
    judgment: &GroupJudgment,
) -> Result<&'a str> {
    group.output(judgment.system).ok_or_else(|| {
        let system = source.system(judgment.system);
        let what = format!(
            "a post-edit of system `{system}` on item `{}`, which has no output",
            group.item
        );
        Error::input(source.dataset.path(), what)
    })
}
