//! The alignment: which word of a text stands for which word of the reference.
//!
//! Source: Denkowski and Lavie 2014, with the search of METEOR 1.5 as it is. Candidates that
//! compete with no other are fixed; the rest is a beam search over the reference from left to right.
//!
//! Two traits of the original's search decide ties and are kept: only exact matches count when paths
//! are ranked (others weigh half a word each and are cut off to none), and the distance of a match
//! chosen is added to the path it branched from, so that it counts for the branches that follow
//! and for skipping the word, not for the path that has the match.

use super::words::{Module, Word};
use std::cmp::Reverse;

/// A match of one word of the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Match {
    /// Its position in the text.
    pub(super) at: usize,
    /// The module that matched it, by its place in the list of modules.
    pub(super) slot: usize,
}

/// The best alignment found.
#[derive(Debug)]
pub(super) struct Alignment {
    /// For each word of the reference, the word of the text that stands for it.
    pub(super) matches: Vec<Option<Match>>,
    /// The number of runs of matches that are contiguous in both texts.
    pub(super) chunks: usize,
}

/// Aligns a text with a reference, at most `beam` paths at a time.
pub(super) fn align(
    text: &[&Word],
    reference: &[&Word],
    modules: &[Module],
    beam: usize,
) -> Alignment {
    let candidates = candidates(text, reference, modules);
    let fixed = fixed(&candidates, text.len());
    let mut paths = vec![Path::new(&fixed, text.len())];
    for (position, candidates) in candidates.iter().enumerate() {
        let mut extended = Vec::with_capacity(paths.len());
        for mut path in paths {
            if let Some(found) = fixed[position] {
                path.add(position, found, modules);
                path.distance += found.at.abs_diff(position);
            } else {
                path.branch(position, candidates, modules, &mut extended);
                path.end_chunk();
            }
            extended.push(path);
        }
        if extended.len() > 1 {
            extended.sort_by_key(Path::rank);
            extended.truncate(beam);
        }
        paths = extended;
    }
    paths.iter_mut().for_each(Path::end_chunk);
    // The first of equals, as a stable sort would have it.
    let best = paths.into_iter().min_by_key(Path::rank);
    let best = best.expect("a beam holds at least one path");
    Alignment {
        matches: best.matches,
        chunks: best.chunks,
    }
}

/// All matches of each word of the reference, module by module, from left to right.
fn candidates(text: &[&Word], reference: &[&Word], modules: &[Module]) -> Vec<Vec<Match>> {
    let same = |(one, other): (&&Word, &&Word)| one.same(other);
    let identical = text.len() == reference.len() && text.iter().zip(reference).all(same);
    let of = |wanted: &Word| {
        let mut found = Vec::new();
        for (slot, module) in modules.iter().enumerate() {
            if identical && *module != Module::Exact {
                continue;
            }
            for (at, word) in text.iter().enumerate() {
                if module.matches(word, wanted) {
                    found.push(Match { at, slot });
                }
            }
        }
        found
    };
    reference.iter().map(|wanted| of(wanted)).collect()
}

/// The only candidate of a word of the reference, if it is its word's only one too.
fn fixed(candidates: &[Vec<Match>], length: usize) -> Vec<Option<Match>> {
    let mut rivals = vec![0; length];
    for found in candidates.iter().flatten() {
        rivals[found.at] += 1;
    }
    let only = |found: &Vec<Match>| match found[..] {
        [only] if rivals[only.at] == 1 => Some(only),
        _ => None,
    };
    candidates.iter().map(only).collect()
}

/// Decisions about the words of the reference so far.
#[derive(Debug, Clone)]
struct Path {
    matches: Vec<Option<Match>>,
    /// Which words of the text are taken.
    used: Vec<bool>,
    exact: usize,
    chunks: usize,
    distance: usize,
    /// The position in the text after the match that the open chunk ends with.
    open: Option<usize>,
}

impl Path {
    fn new(fixed: &[Option<Match>], length: usize) -> Self {
        let mut used = vec![false; length];
        fixed
            .iter()
            .flatten()
            .for_each(|found| used[found.at] = true);
        Self {
            matches: vec![None; fixed.len()],
            used,
            exact: 0,
            chunks: 0,
            distance: 0,
            open: None,
        }
    }

    /// Better paths rank lower.
    fn rank(&self) -> (Reverse<usize>, usize, usize) {
        (Reverse(self.exact), self.chunks, self.distance)
    }

    fn add(&mut self, position: usize, found: Match, modules: &[Module]) {
        self.matches[position] = Some(found);
        self.used[found.at] = true;
        self.exact += usize::from(modules[found.slot] == Module::Exact);
        if self.open.is_some_and(|next| next != found.at) {
            self.chunks += 1;
        }
        self.open = Some(found.at + 1);
    }

    /// Adds a path to `extended` for every candidate that is still free.
    fn branch(
        &mut self,
        position: usize,
        candidates: &[Match],
        modules: &[Module],
        extended: &mut Vec<Self>,
    ) {
        for &found in candidates {
            if self.used[found.at] {
                continue;
            }
            let mut path = self.clone();
            path.add(position, found, modules);
            extended.push(path);
            self.distance += found.at.abs_diff(position);
        }
    }

    fn end_chunk(&mut self) {
        self.chunks += usize::from(self.open.take().is_some());
    }
}
