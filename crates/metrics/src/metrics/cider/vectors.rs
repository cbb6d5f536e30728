//! Texts as vectors of tf-idf weights, one vector for each order of n-grams.

use super::document_frequencies::NgramDocumentFrequencies;
use crate::text::ngram_ids::{NgramIds, Node};
use crate::text::whitespace::words;

/// The vectors of one text.
#[derive(Debug, Default, Clone)]
pub(super) struct Vector {
    /// The n-grams in the order of first occurrence, so that sums do not depend on other texts.
    pub(super) terms: Vec<TfIdfTerm>,
    /// The norm of each order's vector.
    pub(super) norms: Vec<f64>,
    /// The number of bigrams: what CIDEr-D takes for the length.
    pub(super) bigrams: usize,
    /// The numbers and weights of n-grams, sorted by number.
    weights: Vec<(u32, f64)>,
}

/// An n-gram of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct TfIdfTerm {
    id: u32,
    /// The order n, less 1.
    pub(super) order: usize,
    /// Its count times its inverse document frequency.
    pub(super) weight: f64,
}

impl Vector {
    /// The weight of the same n-gram in this text, 0 if it has none.
    pub(super) fn weight(&self, term: TfIdfTerm) -> f64 {
        let found = self.weights.binary_search_by_key(&term.id, |&(id, _)| id);
        found.map_or(0.0, |at| self.weights[at].1)
    }
}

/// Turns texts into vectors.
pub(super) struct Vectors<'a> {
    order: usize,
    frequencies: &'a NgramDocumentFrequencies,
    ids: NgramIds,
    /// Each n-gram's node in the references of the data set, and its inverse document frequency.
    inverse: Vec<(Option<Node>, f64)>,
    /// Occurrences in the text being read, by n-gram.
    counts: Vec<u32>,
}

impl<'a> Vectors<'a> {
    pub(super) fn new(order: usize, frequencies: &'a NgramDocumentFrequencies) -> Self {
        Self {
            order,
            frequencies,
            ids: NgramIds::default(),
            inverse: Vec::new(),
            counts: Vec::new(),
        }
    }

    pub(super) fn read(&mut self, text: &str) -> Vector {
        let split: Vec<&str> = words(text).collect();
        let mut terms: Vec<TfIdfTerm> = Vec::new();
        let (inverse, counts, frequencies) =
            (&mut self.inverse, &mut self.counts, self.frequencies);
        let mut before = None;
        self.ids.read(&split, self.order, |ngram, id| {
            let at = id as usize;
            if ngram.len() == 1 {
                before = Some(Node::ROOT);
            }
            if at == inverse.len() {
                let node = before
                    .and_then(|before| frequencies.find_ngram(before, ngram[ngram.len() - 1]));
                inverse.push((node, frequencies.inverse(node)));
                counts.push(0);
            }
            before = inverse[at].0;
            if counts[at] == 0 {
                let (order, weight) = (ngram.len() - 1, 0.0);
                terms.push(TfIdfTerm { id, order, weight });
            }
            counts[at] += 1;
        });
        let mut norms = vec![0.0; self.order];
        for term in &mut terms {
            let at = term.id as usize;
            term.weight = f64::from(self.counts[at]) * self.inverse[at].1;
            norms[term.order] += term.weight * term.weight;
            self.counts[at] = 0;
        }
        for norm in &mut norms {
            *norm = norm.sqrt();
        }
        let mut weights: Vec<_> = terms.iter().map(|term| (term.id, term.weight)).collect();
        weights.sort_unstable_by_key(|&(id, _)| id);
        Vector {
            terms,
            norms,
            bigrams: split.len().saturating_sub(1),
            weights,
        }
    }
}
