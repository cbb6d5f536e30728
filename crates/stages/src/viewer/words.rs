//! Search: all texts in lower case, one after the other in a temporary file, read from end to end by all threads.

use super::notes::RowNotes;
use rayon::prelude::*;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use tiebreak_base::disk::Scratch;
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::index::Group;

/// Bytes that a thread reads at a time, or more: whole items.
const PIECE: u64 = 4 << 20;

/// Ends each text, and is in no query.
const END: char = '\0';

/// The texts of a data set, to be searched.
#[derive(Default)]
pub(super) struct WordFile {
    folder: Option<Scratch>,
    /// The first byte of each item, and after the last: its name, source, references and notes on comparisons, then each
    /// output with the notes on its judgments.
    items: Vec<u64>,
    /// The first byte of each output.
    outputs: Vec<u64>,
}

/// The texts in which a query was found.
pub(super) struct FoundWords {
    /// The items of which another text than those of outputs has it.
    pub items: Vec<bool>,
    pub outputs: Vec<bool>,
}

/// A writer of the texts of one item after the other.
pub(super) struct WordWriter {
    words: WordFile,
    out: BufWriter<File>,
    at: u64,
}

impl WordWriter {
    pub(super) fn new() -> Result<Self> {
        let folder = Scratch::new()?;
        let path = folder.path().join("words");
        let file = File::create(&path).map_err(Error::writing(&path))?;
        Ok(Self {
            words: WordFile {
                folder: Some(folder),
                items: vec![0],
                outputs: Vec::new(),
            },
            out: BufWriter::with_capacity(1 << 18, file),
            at: 0,
        })
    }

    fn put(&mut self, text: &str) -> Result<()> {
        let lower = text.to_lowercase();
        self.at += lower.len() as u64 + 1;
        write!(self.out, "{lower}{END}").map_err(Error::failed)
    }

    fn put_notes(&mut self, notes: &RowNotes, row: u64) -> Result<()> {
        let mut texts = notes.get(row)?.into_iter();
        texts.try_for_each(|(_, text)| self.put(&text))
    }

    /// Adds an item, whose outputs are those of these systems, with the notes on comparisons and judgments.
    pub(super) fn add(
        &mut self,
        group: &Group,
        systems: &[u16],
        [compared, judged]: &[RowNotes; 2],
    ) -> Result<()> {
        self.put(&group.item)?;
        for text in group.source.iter().chain(&group.references) {
            self.put(text)?;
        }
        for one in &group.comparisons {
            self.put_notes(compared, one.place)?;
        }
        let mut outputs = group.outputs.iter().peekable();
        for &system in systems {
            self.words.outputs.push(self.at);
            let output = outputs.next_if(|one| one.system.0 == system);
            self.put(output.map_or("", |output| &output.text))?;
            for one in group.judgments.iter().filter(|one| one.system.0 == system) {
                self.put_notes(judged, one.place)?;
            }
        }
        self.words.items.push(self.at);
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<WordFile> {
        self.out.flush().map_err(Error::failed)?;
        Ok(self.words)
    }
}

impl WordFile {
    /// Finds a text, whatever its case.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub(super) fn find_text(&self, query: &str) -> Result<FoundWords> {
        let query = query.to_lowercase().replace(END, " ");
        let mut bounds = vec![0];
        for &at in &self.items {
            if at >= bounds[bounds.len() - 1] + PIECE {
                bounds.push(at);
            }
        }
        bounds.extend(self.items.last());
        let pieces = bounds.par_windows(2);
        let found = pieces.map(|piece| self.find_in(piece[0]..piece[1], &query));
        let found: Result<Vec<Vec<u64>>> = found.collect();
        let mut words = FoundWords {
            items: vec![false; self.items.len().saturating_sub(1)],
            outputs: vec![false; self.outputs.len()],
        };
        let (mut item, mut output) = (0, 0);
        for at in found?.into_iter().flatten() {
            while self.items[item + 1] <= at {
                item += 1;
            }
            while self.outputs.get(output).is_some_and(|&start| start <= at) {
                output += 1;
            }
            // The last output that begins before; of another item where this one's outputs follow.
            match output
                .checked_sub(1)
                .filter(|&one| self.outputs[one] >= self.items[item])
            {
                Some(output) => words.outputs[output] = true,
                None => words.items[item] = true,
            }
        }
        Ok(words)
    }

    /// The places of a query in a piece of the file, which has whole texts; one in each text.
    fn find_in(&self, piece: Range<u64>, query: &str) -> Result<Vec<u64>> {
        let Some(folder) = &self.folder else {
            return Ok(Vec::new());
        };
        let path = folder.path().join("words");
        let reading = Error::reading(&path);
        let mut file = File::open(&path).map_err(&reading)?;
        let mut bytes = vec![0; (piece.end - piece.start) as usize];
        let read = file.seek(SeekFrom::Start(piece.start));
        read.and_then(|_| file.read_exact(&mut bytes))
            .map_err(&reading)?;
        let text = String::from_utf8(bytes).map_err(Error::failed)?;
        let (mut places, mut from) = (Vec::new(), 0);
        while let Some(at) = text[from..].find(query) {
            places.push(piece.start + (from + at) as u64);
            let rest = text[from + at..].find(END);
            from = rest.map_or(text.len(), |rest| from + at + rest + 1);
        }
        Ok(places)
    }
}
