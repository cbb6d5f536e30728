//! Battles: two outputs for one item, and a vote between them.

use super::{ANOTHER_TEXT, DatasetBuilder, ImportedComparison, digest, wide};
use crate::records::import::frame::record::RecordValue;
use crate::records::import::frame::writer::ExtraFields;
use tiebreak_base::error::Result;

/// The texts of a battle, as a format reader adds them.
pub(in crate::records::import) struct BattleTexts<'a> {
    pub source: Option<&'a str>,
    /// The outputs of both systems, null where they are.
    pub outputs: [Option<&'a str>; 2],
    pub at: RecordValue<'a>,
    /// The reason to leave out a battle whose item has another source already.
    pub another_source: &'static str,
}

impl DatasetBuilder<'_> {
    /// Adds a battle: its texts, where there are any, and its comparison. One that cannot count leaves no texts.
    ///
    /// # Errors
    /// As [`output`](Self::output).
    pub(crate) fn battle(
        &mut self,
        compared: &ImportedComparison<'_>,
        texts: Option<&BattleTexts<'_>>,
        more: &ExtraFields,
    ) -> Result<()> {
        let systems = [compared.system_a, compared.system_b];
        match self.battle_texts(compared.item, systems, texts)? {
            true => self.comparison(compared, more),
            false => Ok(()),
        }
    }

    /// Adds the texts of a battle, where there are any; false, counted, where others are there already.
    ///
    /// # Errors
    /// As [`output`](Self::output).
    pub(crate) fn battle_texts(
        &mut self,
        item: &str,
        [system_a, system_b]: [&str; 2],
        texts: Option<&BattleTexts<'_>>,
    ) -> Result<bool> {
        if let Some(texts) = texts.filter(|_| system_a != system_b) {
            let outputs = [(system_a, texts.outputs[0]), (system_b, texts.outputs[1])];
            let differs = |&(system, output): &(&str, Option<&str>)| {
                let known = self.outputs.get(&wide(&(wide(&item), system)));
                known.is_some_and(|known| *known != digest(&output.unwrap_or_default()))
            };
            if outputs.iter().any(differs) {
                self.drop(ANOTHER_TEXT);
                return Ok(false);
            }
            if !self.item(item, texts.source, &[])? {
                self.drop(texts.another_source);
                return Ok(false);
            }
            for (system, output) in outputs {
                self.output(item, system, output, texts.at)?;
            }
        }
        Ok(true)
    }
}
