//! Candidate matches between the words of a text and of the reference: all that any module matches.
//!
//! Matches of single words depend on the word of the reference only, so they are listed once for
//! each distinct one. Paraphrases are listed by the position where they begin in the reference:
//! first the paraphrases of its phrases that the text has, then the phrases of the text that have a
//! paraphrase there.

use super::paraphrases::Paraphrases;
use super::words::{LexiconEntry, Module};
use std::collections::BTreeMap;

/// A run of words of the text that could stand for a run of words of the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CandidateMatch {
    /// The position in the text where it begins.
    pub(super) at: usize,
    /// The number of its words in the text.
    pub(super) length: usize,
    /// The number of words of the reference that it stands for.
    pub(super) reference_length: usize,
    /// The module that matched it, by its place in the list of modules.
    pub(super) slot: usize,
}

/// All matches.
#[derive(Debug)]
pub(super) struct Candidates {
    /// The matches of each distinct word of the reference: module by module, from left to right.
    of_word: Vec<Vec<CandidateMatch>>,
    /// For each position of the reference, the place of its word in `of_word`.
    words: Vec<usize>,
    /// The paraphrases that begin at each position of the reference.
    paraphrases: Vec<Vec<CandidateMatch>>,
    /// The place of the module paraphrase in the list of modules.
    paraphrase_slot: usize,
}

impl Candidates {
    pub(super) fn new(
        text: &[&LexiconEntry],
        reference: &[&LexiconEntry],
        modules: &[Module],
        table: &Paraphrases,
    ) -> Self {
        let same = |(one, other): (&&LexiconEntry, &&LexiconEntry)| one.same(other);
        let identical = text.len() == reference.len() && text.iter().zip(reference).all(same);
        // Equal texts are left to the first module.
        let modules = if identical { &modules[..1] } else { modules };
        let mut places = BTreeMap::new();
        let mut of_word = Vec::new();
        let words = reference.iter().map(|wanted| {
            *places.entry(wanted.number).or_insert_with(|| {
                of_word.push(single_words(text, wanted, modules));
                of_word.len() - 1
            })
        });
        let words = words.collect();
        let paraphrase = modules
            .iter()
            .position(|module| *module == Module::Paraphrase);
        Self {
            of_word,
            words,
            paraphrases: match paraphrase {
                Some(slot) => phrases(text, reference, table, slot),
                None => vec![Vec::new(); reference.len()],
            },
            paraphrase_slot: paraphrase.unwrap_or(modules.len()),
        }
    }

    /// The matches that begin at a position of the reference, module by module.
    pub(super) fn at(&self, position: usize) -> impl Iterator<Item = CandidateMatch> {
        let words = &self.of_word[self.words[position]];
        let before = words.partition_point(|found| found.slot < self.paraphrase_slot);
        let (before, after) = words.split_at(before);
        let all = before
            .iter()
            .chain(&self.paraphrases[position])
            .chain(after);
        all.copied()
    }

    /// The number of matches.
    pub(super) fn count(&self) -> usize {
        let single: usize = self
            .words
            .iter()
            .map(|&word| self.of_word[word].len())
            .sum();
        single + self.paraphrases.iter().map(Vec::len).sum::<usize>()
    }

    /// The only match that begins at each position, if no other overlaps it on either side.
    pub(super) fn fixed(&self, text: usize) -> Vec<Option<CandidateMatch>> {
        let reference = self.words.len();
        let (mut in_text, mut in_reference) = (vec![0_usize; text], vec![0_usize; reference]);
        let mut occurrences = vec![0; self.of_word.len()];
        for (position, &word) in self.words.iter().enumerate() {
            occurrences[word] += 1;
            in_reference[position] += self.of_word[word].len();
        }
        for (found, times) in self.of_word.iter().zip(occurrences) {
            for found in found {
                in_text[found.at] += times;
            }
        }
        for (position, found) in self.paraphrases.iter().enumerate() {
            for found in found {
                let text = in_text[found.in_text()].iter_mut();
                for matches in text.chain(&mut in_reference[found.in_reference(position)]) {
                    *matches += 1;
                }
            }
        }
        let only = |position| {
            let mut found = self.at(position);
            let (first, None) = (found.next()?, found.next()) else {
                return None;
            };
            let text = &in_text[first.in_text()];
            let mut covered = text
                .iter()
                .chain(&in_reference[first.in_reference(position)]);
            covered.all(|&matches| matches == 1).then_some(first)
        };
        (0..reference).map(only).collect()
    }
}

impl CandidateMatch {
    /// The words of the text.
    pub(super) fn in_text(&self) -> std::ops::Range<usize> {
        self.at..self.at + self.length
    }

    /// The words of the reference, if it begins at `position` there.
    pub(super) fn in_reference(&self, position: usize) -> std::ops::Range<usize> {
        position..position + self.reference_length
    }
}

fn single_words(
    text: &[&LexiconEntry],
    wanted: &LexiconEntry,
    modules: &[Module],
) -> Vec<CandidateMatch> {
    let mut found = Vec::new();
    for (slot, module) in modules.iter().enumerate() {
        let matching = text.iter().enumerate();
        let matching = matching.filter(|(_, word)| module.matches(word, wanted));
        found.extend(matching.map(|(at, _)| CandidateMatch {
            at,
            length: 1,
            reference_length: 1,
            slot,
        }));
    }
    found
}

/// Finds the paraphrases of either side that the other has.
fn phrases(
    text: &[&LexiconEntry],
    reference: &[&LexiconEntry],
    table: &Paraphrases,
    slot: usize,
) -> Vec<Vec<CandidateMatch>> {
    let numbers =
        |words: &[&LexiconEntry]| -> Vec<u32> { words.iter().map(|word| word.in_table).collect() };
    let (text, reference) = (numbers(text), numbers(reference));
    let mut found = vec![Vec::new(); reference.len()];
    let places = PhraseIndex::new(&text);
    table.each(&reference, |position, length, paraphrase| {
        places.each(paraphrase, |at| {
            found[position].push(CandidateMatch {
                at,
                length: paraphrase.len(),
                reference_length: length,
                slot,
            });
        });
    });
    let places = PhraseIndex::new(&reference);
    table.each(&text, |at, length, paraphrase| {
        places.each(paraphrase, |position| {
            found[position].push(CandidateMatch {
                at,
                length,
                reference_length: paraphrase.len(),
                slot,
            });
        });
    });
    found
}

/// The positions of phrases in a text.
struct PhraseIndex<'a> {
    words: &'a [u32],
    /// Every word with its position, in ascending order.
    sorted: Vec<(u32, usize)>,
}

impl<'a> PhraseIndex<'a> {
    fn new(words: &'a [u32]) -> Self {
        let mut sorted: Vec<(u32, usize)> = words.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        Self { words, sorted }
    }

    /// Calls `emit` with the positions at which `phrase` begins, in order.
    fn each(&self, phrase: &[u32], mut emit: impl FnMut(usize)) {
        let first = phrase[0];
        let from = self.sorted.partition_point(|&(word, _)| word < first);
        let places = self.sorted[from..].iter();
        for &(_, at) in places.take_while(|(word, _)| *word == first) {
            if self.words[at..].starts_with(phrase) {
                emit(at);
            }
        }
    }
}
