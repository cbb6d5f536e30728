//! The outcome of a test as a table.

use super::{PairedTest, SystemSignificance};
use crate::columns::SIGNIFICANCE;
use crate::engine::context::Context;
use crate::engine::parts::{Parts, produce};
use crate::stages::score::Scorer;
use arrow_array::RecordBatch;
use tiebreak_base::error::Result;
use tiebreak_data::tables::destination::Destination;
use tiebreak_data::tables::meta::Meta;
use tiebreak_data::tables::schema::{TableBuilder, TableCell};

impl PairedTest<'_> {
    /// Tests as [`PairedTest::compare`] does and writes the rows. A folder gets one folder per metric;
    /// metrics that it already has are not computed again.
    ///
    /// # Errors
    /// As [`PairedTest::compare`] and [`produce`].
    pub fn write(
        &self,
        context: &Context<'_>,
        scorers: &[Scorer],
        destination: &Destination,
    ) -> Result<()> {
        let write = |scorers: &[Scorer], destination: &Destination| {
            let meta = self.meta(context, scorers);
            let parts = Parts::new(scorers.len() as u64, 1);
            produce(context, destination, SIGNIFICANCE, &meta, parts, |part| {
                let scorers = &scorers[part.start as usize..part.end as usize];
                Ok(batch(&self.compare(context, scorers)?))
            })
        };
        match destination {
            Destination::File(..) => write(scorers, destination),
            Destination::Folder(_) => scorers.chunks(1).try_for_each(|scorer| {
                let inside = destination.inside(&scorer[0].slug);
                write(scorer, &inside)
            }),
        }
    }

    fn meta(&self, context: &Context<'_>, scorers: &[Scorer]) -> Meta {
        let signatures: Vec<String> = scorers
            .iter()
            .map(|scorer| self.signature(context, scorer))
            .collect();
        let labels: Vec<&str> = scorers.iter().map(|scorer| &*scorer.label).collect();
        let (signatures, data) = (signatures.join(" "), &self.source.digest);
        Meta::new("significance", signatures, context.seed.0, data)
            .with("metric", labels.join(" "))
            .with("baseline", self.baseline())
    }
}

fn batch(compared: &[SystemSignificance]) -> RecordBatch {
    let mut rows = TableBuilder::new(SIGNIFICANCE);
    for row in compared {
        rows.push(&[
            TableCell::Text(&row.system),
            TableCell::Text(&row.metric),
            TableCell::Number(Some(row.score)),
            TableCell::Number(row.mean),
            TableCell::Number(row.ci),
            TableCell::Number(row.p_value),
            TableCell::Count(row.n),
            TableCell::Text(&row.signature),
        ]);
    }
    rows.finish()
}
