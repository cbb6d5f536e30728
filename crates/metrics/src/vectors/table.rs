//! Words with one vector each.

use crate::text::vocabulary::Vocabulary;

/// Rows of numbers by word.
#[derive(Debug)]
pub(super) struct WordVectorTable {
    words: Vocabulary,
    width: usize,
    /// The rows, row-major.
    rows: Vec<f32>,
}

impl WordVectorTable {
    /// An empty table of vectors of length `width`, with room for `words` of them.
    pub(super) fn new(width: usize, words: usize) -> Self {
        Self {
            words: Vocabulary::default(),
            width,
            rows: Vec::with_capacity(width * words),
        }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Inserts the vector of a word, which `put` appends. A word that is already there keeps its
    /// own, as in gensim.
    pub(super) fn insert<E>(
        &mut self,
        word: &[u8],
        put: impl FnOnce(&mut Vec<f32>) -> Result<(), E>,
    ) -> Result<(), E> {
        let before = self.words.len();
        // What is no UTF-8 cannot be asked for, but counts in the mean.
        let row = self.words.id(&String::from_utf8_lossy(word));
        put(&mut self.rows)?;
        if (row as usize) < before {
            self.rows.truncate(before * self.width);
        }
        Ok(())
    }

    pub(super) fn word_vector(&self, word: &str) -> Option<&[f32]> {
        let row = self.words.find_token(word)? as usize;
        Some(&self.rows[row * self.width..(row + 1) * self.width])
    }

    /// The mean of all vectors, summed in f32 one after the other, as numpy does it.
    pub(super) fn mean(&self) -> Vec<f32> {
        mean(&self.rows, self.width)
    }
}

/// The mean of rows; zeros if there is none.
pub(super) fn mean(rows: &[f32], width: usize) -> Vec<f32> {
    let mut mean = vec![0.0; width];
    for row in rows.chunks_exact(width) {
        super::add(&mut mean, row);
    }
    let count = (rows.len() / width).max(1) as f32;
    for x in &mut mean {
        *x /= count;
    }
    mean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_vector_of_a_word_is_kept() {
        let mut table = WordVectorTable::new(1, 3);
        for (word, x) in [("a", 1.0), ("b", 2.0), ("a", 9.0)] {
            let put = |row: &mut Vec<f32>| -> Result<(), ()> {
                row.push(x);
                Ok(())
            };
            table.insert(word.as_bytes(), put).unwrap();
        }
        assert_eq!((table.len(), table.word_vector("a")), (2, Some(&[1.0][..])));
        assert_eq!(
            (table.word_vector("b"), table.word_vector("A")),
            (Some(&[2.0][..]), None)
        );
        assert_eq!(table.mean(), [1.5]);
    }
}
