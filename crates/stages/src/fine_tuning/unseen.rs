//! Texts that a model must not have seen, so that it can be tested on them afterwards.
//!
//! Data sets overlap: shared tasks of one year translate the same sentences from several
//! languages, so their references are the same. Items are left out by their texts, never by the
//! names of data sets.

use super::data::JudgedItem;
use crate::engine::context::Context;
use crate::inputs::source::Source;
use std::collections::BTreeSet;
use tiebreak_base::error::Result;

/// The sources and references of the data sets to test on, but for case and spacing.
#[derive(Default)]
pub(super) struct ExcludedTexts {
    texts: BTreeSet<String>,
}

impl ExcludedTexts {
    /// Reads the texts of data sets.
    pub(super) fn read(context: &Context<'_>, sources: &[Source]) -> Result<Self> {
        let mut unseen = Self::default();
        for source in sources {
            for group in source.index.all() {
                let group = group?;
                let texts = group.source.iter().chain(&group.references);
                unseen.texts.extend(texts.filter_map(|text| plain(text)));
                context.check()?;
            }
        }
        Ok(unseen)
    }

    /// Leaves out the items that share a text, and returns their number.
    pub(super) fn leave_out(&self, items: &mut Vec<JudgedItem>) -> usize {
        let before = items.len();
        items.retain(|item| item.texts().all(|text| !self.texts.contains(&text)));
        before - items.len()
    }
}

/// A text without its case and spacing; `None` where nothing is left.
pub(super) fn plain(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" ").to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_and_references_count_outputs_do_not() {
        let item = |source: &str, reference: &str| JudgedItem {
            source: Some(source.to_string()),
            references: vec![reference.to_string(), String::new()],
            outputs: vec!["Seen".to_string()],
            pairs: Vec::new(),
        };
        let mut items = vec![
            item("eins", "One."),
            item("zwei", "seen  "),
            item(" SEEN", "Three."),
            item("", ""),
        ];
        let unseen = ExcludedTexts {
            texts: plain("Seen").into_iter().collect(),
        };
        assert_eq!(unseen.leave_out(&mut items), 2);
        assert_eq!(items[0].source.as_deref(), Some("eins"));
        assert_eq!(items[1].source.as_deref(), Some(""));
    }
}
