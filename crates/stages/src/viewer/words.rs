//! Search: all texts in lower case, one after the other in a temporary file, read from end to end by all threads.

use memchr::memmem::Finder;
use rayon::prelude::*;
use std::fs::File;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use tiebreak_base::disk::Scratch;
use tiebreak_base::error::{Error, Result};

/// Slots that a thread searches at a time.
const PIECE: usize = 8192;

/// Ends each text, and is in no query.
const END: char = '\0';

/// The texts of a data set in slots: of each item one for what is about all of it, then one for each output.
pub(super) struct WordFile {
    folder: Scratch,
    out: BufWriter<File>,
    /// The first byte of each slot, and after the last.
    bounds: Vec<u64>,
}

impl WordFile {
    pub(super) fn new() -> Result<Self> {
        let folder = Scratch::new()?;
        let path = folder.path().join("words");
        let file = File::create(&path).map_err(Error::writing(&path))?;
        Ok(Self {
            folder,
            out: BufWriter::with_capacity(1 << 18, file),
            bounds: vec![0],
        })
    }

    /// Adds a slot with its texts.
    pub(super) fn add<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let mut end = self.bounds[self.bounds.len() - 1];
        for text in texts {
            let lower = text.to_lowercase();
            end += lower.len() as u64 + 1;
            write!(self.out, "{lower}{END}").map_err(Error::failed)?;
        }
        self.bounds.push(end);
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        self.out.flush().map_err(Error::failed)
    }

    /// Whether each slot has a text, whatever its case.
    pub(super) fn slots_with(&self, text: &str) -> Result<Vec<bool>> {
        let text = text.to_lowercase().replace(END, " ");
        let finder = Finder::new(&text);
        let mut found = vec![false; self.bounds.len() - 1];
        let pieces = found.par_chunks_mut(PIECE).enumerate();
        pieces
            .try_for_each(|(at, found)| self.search(&finder, &self.bounds[at * PIECE..], found))?;
        Ok(found)
    }

    /// Finds in which slots from the first of these bounds on a text is.
    fn search(&self, finder: &Finder<'_>, bounds: &[u64], found: &mut [bool]) -> Result<()> {
        let path = self.folder.path().join("words");
        let mut bytes = vec![0; (bounds[found.len()] - bounds[0]) as usize];
        let mut file = File::open(&path).map_err(Error::reading(&path))?;
        let read = file.seek(SeekFrom::Start(bounds[0]));
        let read = read.and_then(|_| file.read_exact(&mut bytes));
        read.map_err(Error::reading(&path))?;
        let (mut from, mut slot) = (0, 0);
        while let Some(at) = finder.find(&bytes[from..]) {
            let place = bounds[0] + (from + at) as u64;
            slot += bounds[slot..].partition_point(|&bound| bound <= place) - 1;
            found[slot] = true;
            from = (bounds[slot + 1] - bounds[0]) as usize;
        }
        Ok(())
    }
}
