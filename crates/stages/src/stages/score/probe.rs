//! A probe for metrics that are 0 by construction: a reference compared with itself must score above 0.
//!
//! A tokenizer may drop the letters of a whole script, and document frequencies say nothing about one item. The numbers are
//! then those of the reference implementation, and say nothing about the outputs.

use super::Scorer;
use crate::inputs::source::Source;
use tiebreak_base::error::Result;
use tiebreak_base::words::counted;
use tiebreak_metrics::metrics::{Direction, Segment, direction};

/// The most references that are tried.
const MOST: usize = 8;

impl Scorer {
    /// The warning about a metric of which more is better and that gives 0 to every reference tried; `None` where it does not,
    /// or there is none to try.
    ///
    /// # Errors
    /// Those of the metric; if the data set cannot be read.
    pub(super) fn zero_warning(&self, source: &Source) -> Result<Option<String>> {
        // Neural metrics read any text, and take time.
        let is_error_rate = direction(&self.label) == Direction::Lower;
        if is_error_rate || !self.metric.needs_references() || self.metric.has_dropout() {
            return Ok(None);
        }
        let mut references = Vec::new();
        for group in source.index.all() {
            let group = group?;
            let mut of_item = group.references.into_iter();
            let text = of_item.find(|text| !text.trim().is_empty());
            references.extend(text.map(|text| (text, group.source)));
            if references.len() == MOST {
                break;
            }
        }
        let each = references.iter().map(|(text, source)| Segment {
            hypothesis: text,
            references: std::slice::from_ref(text),
            context: source.as_deref(),
        });
        let segments: Vec<Segment<'_>> = each.collect();
        let scores = match segments.is_empty() {
            true => return Ok(None),
            false => self.metric.score(&segments)?,
        };
        let all_zero = scores.iter().all(|score| *score == 0.0);
        Ok(all_zero.then(|| {
            let help = match self.label.starts_with("rouge-") {
                true => {
                    ". rouge keeps only a-z and digits: tokenizer=unicode keeps words of every script, and tokenizer=letters \
                     each letter, for scripts without spaces"
                }
                false => "",
            };
            format!(
                "{} gives 0 even to a reference compared with itself, so its 0 means nothing here. It reads nothing in these \
                 texts, or needs more than {}{help}",
                self.label,
                counted(source.index.items(), "item")
            )
        }))
    }
}
