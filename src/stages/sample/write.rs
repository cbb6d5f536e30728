//! A sample in a folder: `sample.csv`, which says what each question is about, and `sheet.csv` for the
//! judges, who see texts in random order and not whose they are.

use super::{Drawn, Sample};
use crate::engine::context::Context;
use crate::error::{Error, Result};
use crate::inputs::source::Source;
use crate::records::index::Group;
use crate::sheets::{Codes, Row, Sheet};
use crate::tables::file::TableFile;
use crate::tables::format::{Compression, Format};
use crate::tables::meta::Meta;
use crate::tables::schema::{Cell, Rows, SAMPLE, schema};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The file that says what each question is about.
pub(super) const KEY: &str = "sample.csv";

/// The file for the judges.
const SHEET: &str = "sheet.csv";

/// Writes both files.
///
/// # Errors
/// Where the folder has a sheet, which may hold judgments; if it cannot be written.
pub fn write(context: &Context<'_>, source: &Source, sample: &Sample, folder: &Path) -> Result<()> {
    let sheet = Sheet::new(&folder.join(SHEET))?;
    let (seed, digest) = (context.seed, &source.digest);
    let Sample { drawn, signature } = sample;
    let run = signature.clone().with("data", digest).with("seed", seed.0);
    let codes = Codes::new(&run, 0..drawn.len() as u64);
    let groups = groups(source, drawn)?;
    let questions = drawn.iter().zip(0..);
    let questions: Vec<Question<'_>> = questions
        .map(|(one, number)| Question::new(source, one, codes.code(number), &groups))
        .collect::<Result<_>>()?;

    let mut rows = Rows::new(SAMPLE);
    for question in &questions {
        rows.push(&[
            Cell::Text(question.row.code),
            Cell::Text(question.item),
            Cell::Text(question.system),
            Cell::Number(Some(question.probability)),
        ]);
    }
    let meta = Meta::new("sample", signature.to_string(), seed.0, digest);
    let format = Format::Csv(Compression::Plain);
    let mut file = TableFile::create(&folder.join(KEY), format, &schema(SAMPLE), &meta)?;
    file.write(&rows.finish())?;
    file.finish()?;

    let mut asked: Vec<Row<'_>> = questions.into_iter().map(|question| question.row).collect();
    seed.stream("sheet", 0).shuffle(&mut asked);
    sheet.write(&asked, &["score", "annotator", "seconds"])
}

/// The items that outputs were drawn of.
fn groups(source: &Source, drawn: &[Drawn]) -> Result<BTreeMap<u64, Group>> {
    let items: BTreeSet<u64> = drawn.iter().map(|one| one.item).collect();
    let mut groups = BTreeMap::new();
    for item in items {
        let found = source.groups(item..item + 1)?;
        groups.extend(found.into_iter().map(|group| (item, group)));
    }
    Ok(groups)
}

/// An output as judges see it, and what they do not see.
struct Question<'a> {
    row: Row<'a>,
    item: &'a str,
    system: &'a str,
    probability: f64,
}

impl<'a> Question<'a> {
    fn new(
        source: &'a Source,
        drawn: &Drawn,
        code: &'a str,
        groups: &'a BTreeMap<u64, Group>,
    ) -> Result<Self> {
        let group = &groups[&drawn.item];
        let mut outputs = group.outputs.iter();
        let output = outputs.find(|output| output.system.index() == drawn.system);
        let output = output.ok_or_else(|| Error::failed("a sampled output is gone"))?;
        Ok(Self {
            row: Row {
                code,
                source: group.source.as_deref(),
                references: &group.references,
                texts: vec![("text", output.text.as_str())],
                annotator: None,
            },
            item: &group.item,
            system: &source.systems()[drawn.system],
            probability: drawn.probability,
        })
    }
}
