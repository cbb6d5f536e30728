//! The number of documents that each word piece occurs in, and the weight that follows from it.

use std::collections::BTreeMap;
use tiebreak_base::error::{Error, Result};

/// Document frequencies of word pieces.
#[derive(Debug, Clone, Default)]
pub(super) struct PieceDocumentFrequencies {
    documents: u64,
    /// The counts by piece id; pieces beyond the end occur nowhere.
    counts: Vec<u64>,
}

impl PieceDocumentFrequencies {
    /// Counts one document's distinct pieces.
    pub(super) fn add(&mut self, ids: &[u32]) {
        let mut distinct = ids.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        for id in distinct {
            let id = id as usize;
            if id >= self.counts.len() {
                self.counts.resize(id + 1, 0);
            }
            self.counts[id] += 1;
        }
        self.documents += 1;
    }

    /// The distinct pieces of a document as terms, and the document itself as the term without a piece; of one
    /// `kind` of documents where a metric has several.
    pub(super) fn terms(kind: &str, ids: &[u32]) -> impl Iterator<Item = String> {
        let mut distinct = ids.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let pieces: Vec<String> = distinct.iter().map(|id| format!("{kind}{id}")).collect();
        std::iter::once(kind.to_string()).chain(pieces)
    }

    /// Takes the number of documents that have each term of a kind.
    ///
    /// # Errors
    /// [`Error::Usage`] where the number of documents is missing.
    pub(super) fn counted(kind: &str, counts: &BTreeMap<String, u64>) -> Result<Self> {
        let documents = counts.get(kind).copied().filter(|&documents| documents > 0);
        let documents =
            documents.ok_or_else(|| Error::usage("counts without the number of documents"))?;
        let of_piece = |(term, &n): (&String, &u64)| {
            let id: usize = term.strip_prefix(kind)?.parse().ok()?;
            Some((id, n))
        };
        let pieces: Vec<(usize, u64)> = counts.iter().filter_map(of_piece).collect();
        let mut by_id = vec![0; pieces.iter().map(|(id, _)| id + 1).max().unwrap_or(0)];
        for (id, n) in pieces {
            by_id[id] = n;
        }
        Ok(Self {
            documents,
            counts: by_id,
        })
    }

    /// N, the number of documents.
    pub(super) fn documents(&self) -> u64 {
        self.documents
    }

    /// The weight ln((N + 1) / (df + 1)): 0 for what every document has, ln(N + 1) for what none has.
    pub(super) fn idf(&self, id: u32) -> f64 {
        let count = self.counts.get(id as usize).copied().unwrap_or(0);
        ((self.documents + 1) as f64 / (count + 1) as f64).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_counts_once_per_document() {
        let mut frequencies = PieceDocumentFrequencies::default();
        frequencies.add(&[1, 5, 5, 2]);
        frequencies.add(&[1, 7, 2]);
        frequencies.add(&[1, 2, 2, 2]);
        assert_eq!(frequencies.documents(), 3);
        assert_eq!(frequencies.idf(1), 0.0);
        assert_eq!(frequencies.idf(5), 2.0_f64.ln());
        assert_eq!(frequencies.idf(999), 4.0_f64.ln());
    }
}
