//! How many documents each word piece occurs in, and the weight that follows from it.

/// Document frequencies of word pieces.
#[derive(Debug, Clone, Default)]
pub(super) struct DocumentFrequencies {
    documents: u64,
    /// By the piece's id; pieces beyond the end occur nowhere.
    counts: Vec<u64>,
}

impl DocumentFrequencies {
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

    /// N, the number of documents.
    pub(super) fn documents(&self) -> u64 {
        self.documents
    }

    /// ln((N + 1) / (df + 1)): 0 for what every document has, ln(N + 1) for what none has.
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
        let mut frequencies = DocumentFrequencies::default();
        frequencies.add(&[1, 5, 5, 2]);
        frequencies.add(&[1, 7, 2]);
        frequencies.add(&[1, 2, 2, 2]);
        assert_eq!(frequencies.documents(), 3);
        assert_eq!(frequencies.idf(1), 0.0);
        assert_eq!(frequencies.idf(5), 2.0_f64.ln());
        assert_eq!(frequencies.idf(999), 4.0_f64.ln());
    }
}
