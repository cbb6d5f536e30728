//! The alignment: which words of a text stand for which words of the reference.
//!
//! Source: Denkowski and Lavie 2014, with the search of METEOR 1.5 as it is. Candidates that
//! compete with no other are fixed; the rest is a beam search over the reference from left to right.
//!
//! Two traits of the original's search decide ties and are kept: paths are ranked by a whole number of
//! matched words in which an exact match weighs one word on either side, and any other half its
//! words, rounded down, so that inexact matches of single words count nothing; and the distance of
//! a match chosen is added to the path it branched from, so that it counts for the branches that
//! follow and for skipping the word, not for the path that has the match.

use super::candidates::{Candidates, Match};
use super::paraphrases::Paraphrases;
use super::words::{Module, Word};
use std::cmp::Reverse;

/// More candidates than this are not searched: that would take minutes.
const MOST_CANDIDATES: usize = 20_000_000;

/// The best alignment found.
#[derive(Debug)]
pub(super) struct Alignment {
    /// For each word of the reference at which a match begins, the match.
    pub(super) matches: Vec<Option<Match>>,
    /// The number of runs of matches that are contiguous in both texts.
    pub(super) chunks: usize,
}

/// Aligns a text with a reference, at most `beam` paths at a time; `None` if there are too many
/// candidates.
pub(super) fn align(
    text: &[&Word],
    reference: &[&Word],
    modules: &[Module],
    table: &Paraphrases,
    beam: usize,
) -> Option<Alignment> {
    let candidates = Candidates::new(text, reference, modules, table);
    if candidates.count() > MOST_CANDIDATES {
        return None;
    }
    let fixed = candidates.fixed(text.len());
    let mut search = Search {
        candidates,
        modules,
        beam,
        taken: vec![false; reference.len()],
        trail: Vec::new(),
    };
    let mut taken = Words::none(text.len());
    for (position, found) in fixed.iter().enumerate() {
        if let Some(found) = found {
            taken.take(found);
            search.taken[found.in_reference(position)].fill(true);
        }
    }
    let mut paths = vec![Path {
        state: State::default(),
        taken,
        last: None,
    }];
    for (position, found) in fixed.iter().enumerate() {
        if let Some(found) = found {
            search.follow(*found, position, &mut paths);
        } else if !search.taken[position] {
            paths = search.advance(position, &paths);
        }
    }
    Some(search.best(paths, reference.len()))
}

struct Search<'a> {
    candidates: Candidates,
    modules: &'a [Module],
    beam: usize,
    /// Which words of the reference have a fixed match.
    taken: Vec<bool>,
    /// The matches that paths have chosen.
    trail: Vec<Kept>,
}

impl Search<'_> {
    /// Adds a fixed match to all paths.
    fn follow(&mut self, found: Match, position: usize, paths: &mut [Path]) {
        for path in &mut *paths {
            path.state.add(found, position, self.modules);
            path.state.distance += found.at.abs_diff(position);
            path.keep(position, found, &mut self.trail);
        }
        paths.sort_by_key(|path| path.state.rank());
    }

    /// The best ways in which the paths may go on from a word of the reference.
    fn advance(&mut self, position: usize, paths: &[Path]) -> Vec<Path> {
        let mut steps = Vec::with_capacity(paths.len());
        for (parent, path) in paths.iter().enumerate() {
            self.branch(path, parent, position, &mut steps);
        }
        // Of equals the first: a step's place is part of its rank.
        let rank = |step: &Step| (step.state.rank(), step.place);
        if steps.len() > self.beam {
            steps.select_nth_unstable_by_key(self.beam, rank);
            steps.truncate(self.beam);
        }
        steps.sort_unstable_by_key(rank);
        let taken = |step: &Step| step.taken_from(paths, position, &mut self.trail);
        steps.iter().map(taken).collect()
    }

    /// Adds a step for every candidate that is still free, and one that skips the word; or only one
    /// that goes on, if the path has matched this word together with one before.
    fn branch(&self, path: &Path, parent: usize, position: usize, steps: &mut Vec<Step>) {
        let mut push = |state, found| {
            let place = steps.len();
            steps.push(Step {
                state,
                parent,
                found,
                place,
            });
        };
        let mut skipping = path.state;
        if position < skipping.until {
            push(skipping, None);
            return;
        }
        for found in self.candidates.at(position) {
            if path.taken.any(&found) || self.taken[found.in_reference(position)].contains(&true) {
                continue;
            }
            let mut state = skipping;
            state.add(found, position, self.modules);
            push(state, Some(found));
            skipping.distance += found.at.abs_diff(position);
        }
        skipping.end_chunk();
        push(skipping, None);
    }

    /// The alignment of the best path, the first of equals.
    fn best(&self, mut paths: Vec<Path>, length: usize) -> Alignment {
        for path in &mut paths {
            path.state.end_chunk();
        }
        let best = paths.iter().min_by_key(|path| path.state.rank());
        let best = best.expect("a beam holds at least one path");
        let mut matches = vec![None; length];
        let mut next = best.last;
        while let Some(at) = next {
            let kept = &self.trail[at];
            matches[kept.position] = Some(kept.found);
            next = kept.before;
        }
        Alignment {
            matches,
            chunks: best.state.chunks,
        }
    }
}

/// What paths are ranked by.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    /// Words matched on both sides, as ranking counts them.
    matched: usize,
    chunks: usize,
    distance: usize,
    /// The position in the text after the match that the open chunk ends with.
    open: Option<usize>,
    /// The position in the reference after the last match.
    until: usize,
}

impl State {
    /// Better states rank lower.
    fn rank(&self) -> (Reverse<usize>, usize, usize) {
        (Reverse(self.matched), self.chunks, self.distance)
    }

    fn add(&mut self, found: Match, position: usize, modules: &[Module]) {
        self.matched += match modules[found.slot] {
            Module::Exact => 2,
            _ => found.length / 2 + found.reference_length / 2,
        };
        if self.open.is_some_and(|next| next != found.at) {
            self.chunks += 1;
        }
        self.open = Some(found.at + found.length);
        self.until = position + found.reference_length;
    }

    fn end_chunk(&mut self) {
        self.chunks += usize::from(self.open.take().is_some());
    }
}

/// A set of words of the text.
#[derive(Debug, Clone)]
struct Words(Vec<u64>);

impl Words {
    fn none(length: usize) -> Self {
        Self(vec![0; length.div_ceil(64)])
    }

    fn take(&mut self, found: &Match) {
        for at in found.in_text() {
            self.0[at / 64] |= 1 << (at % 64);
        }
    }

    fn any(&self, found: &Match) -> bool {
        let mut words = found.in_text();
        words.any(|at| self.0[at / 64] >> (at % 64) & 1 == 1)
    }
}

/// A match that some path has; those of one path are linked from the last to the first.
#[derive(Debug)]
struct Kept {
    position: usize,
    found: Match,
    before: Option<usize>,
}

/// Decisions about the words of the reference so far.
#[derive(Debug, Clone)]
struct Path {
    state: State,
    /// Which words of the text are taken, by this path or by a fixed match.
    taken: Words,
    /// Where its last match stands in the trail.
    last: Option<usize>,
}

impl Path {
    fn keep(&mut self, position: usize, found: Match, trail: &mut Vec<Kept>) {
        trail.push(Kept {
            position,
            found,
            before: self.last,
        });
        self.taken.take(&found);
        self.last = Some(trail.len() - 1);
    }
}

/// A way in which a path may go on; only those within the beam become paths.
#[derive(Debug)]
struct Step {
    state: State,
    parent: usize,
    found: Option<Match>,
    /// Its place among the steps.
    place: usize,
}

impl Step {
    fn taken_from(&self, paths: &[Path], position: usize, trail: &mut Vec<Kept>) -> Path {
        let mut path = paths[self.parent].clone();
        path.state = self.state;
        if let Some(found) = self.found {
            path.keep(position, found, trail);
        }
        path
    }
}
