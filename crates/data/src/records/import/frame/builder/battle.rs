//! Battles: two outputs for one item, and a vote between them.

use super::{DatasetBuilder, ImportedComparison, digest, key_of, wide};
use crate::records::import::frame::record::RecordValue;
use crate::records::import::frame::writer::ExtraFields;
use tiebreak_base::error::Result;

/// The reason to leave out a battle whose outputs are not those that its item has.
pub(in crate::records::import) const OTHER_OUTPUTS: &str =
    "a vote on other outputs of the same systems for the same item";

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
    /// Names the item of a battle without a name: a hash of its prompt, and of both outputs too where a system has another
    /// one for that prompt.
    pub(crate) fn battle_item(
        &self,
        prompt: &str,
        systems: [&str; 2],
        outputs: [Option<&str>; 2],
    ) -> String {
        let item = key_of(prompt);
        let mut sides: Vec<_> = systems.into_iter().zip(outputs).collect();
        if !sides.iter().any(|side| self.has_other_output(&item, *side)) {
            return item;
        }
        sides.sort_unstable();
        let outputs = sides.iter().map(|(_, output)| output.unwrap_or_default());
        let whole: Vec<&str> = [prompt].into_iter().chain(outputs).collect();
        key_of(&whole.join("\n"))
    }

    /// Whether a system has another output for an item.
    fn has_other_output(&self, item: &str, (system, output): (&str, Option<&str>)) -> bool {
        let known = self.outputs.get(&wide(&(wide(&item), system)));
        known.is_some_and(|known| *known != digest(&output.unwrap_or_default()))
    }

    /// Adds a battle: its texts, where there are any, and its comparison. One that cannot count leaves no texts.
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
    pub(crate) fn battle_texts(
        &mut self,
        item: &str,
        [system_a, system_b]: [&str; 2],
        texts: Option<&BattleTexts<'_>>,
    ) -> Result<bool> {
        if let Some(texts) = texts.filter(|_| system_a != system_b) {
            let outputs = [(system_a, texts.outputs[0]), (system_b, texts.outputs[1])];
            if outputs
                .iter()
                .any(|side| self.has_other_output(item, *side))
            {
                self.drop(OTHER_OUTPUTS);
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
