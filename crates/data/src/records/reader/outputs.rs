//! Outputs in columns: the texts of a row, borrowed, and whether it repeats the row before.

use super::column::ArrowColumn;
use super::columns::TableHeader;
use crate::records::{ContextTexts, OutputTexts};

/// The columns of a table of outputs.
pub(super) struct OutputColumns<'a> {
    item: &'a ArrowColumn,
    system: &'a ArrowColumn,
    output: &'a ArrowColumn,
    source: Option<&'a ArrowColumn>,
    references: Option<&'a ArrowColumn>,
}

impl<'a> OutputColumns<'a> {
    /// Finds the columns in a batch, where it has the required ones.
    pub(super) fn from_columns(header: &TableHeader, columns: &'a [ArrowColumn]) -> Option<Self> {
        let column = |name| Some(&columns[header.position(name)?]);
        Some(Self {
            item: column("item")?,
            system: column("system")?,
            output: column("output")?,
            source: column("source"),
            references: column("references"),
        })
    }

    /// Returns the texts of a row, if all its values are texts. It may repeat the row before.
    pub(super) fn texts(&self, row: usize, repeats: bool) -> Option<OutputTexts<'a>> {
        let name = |column: &'a ArrowColumn| column.text(row).filter(|name| !name.is_empty());
        Some(OutputTexts {
            item: name(self.item)?.into(),
            system: name(self.system)?.into(),
            output: self.output.text(row)?.into(),
            against: match repeats && self.repeats(row) {
                true => None,
                false => Some(self.against(row)?),
            },
        })
    }

    /// Whether a row has the item of the one before, with the same source and references.
    fn repeats(&self, row: usize) -> bool {
        let columns = [Some(self.item), self.source, self.references];
        let mut columns = columns.into_iter().flatten();
        columns.all(|column| column.is_known_same(row - 1, row))
    }

    fn against(&self, row: usize) -> Option<ContextTexts<'a>> {
        let given = |column: Option<&'a ArrowColumn>| column.filter(|column| !column.is_null(row));
        let source = given(self.source).map(|column| column.text(row));
        let references = given(self.references).map(|column| column.texts(row));
        Some(ContextTexts {
            source: match source {
                Some(text) => Some(text?.into()),
                None => None,
            },
            references: match references {
                Some(texts) => Some(texts?),
                None => None,
            },
        })
    }
}
