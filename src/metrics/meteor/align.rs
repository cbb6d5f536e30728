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
    let mut taken = vec![false; text.len()];
    fixed
        .iter()
        .flatten()
        .for_each(|found| taken[found.at] = true);
    let mut paths = vec![Path {
        state: State::default(),
        taken,
        last: None,
    }];
    let mut trail = Vec::new();
    for (position, candidates) in candidates.iter().enumerate() {
        if let Some(found) = fixed[position] {
            for path in &mut paths {
                path.state.add(found, modules);
                path.state.distance += found.at.abs_diff(position);
                path.keep(position, found, &mut trail);
            }
            paths.sort_by_key(|path| path.state.rank());
            continue;
        }
        let mut steps = Vec::with_capacity(paths.len());
        for (parent, path) in paths.iter().enumerate() {
            path.branch(parent, position, candidates, modules, &mut steps);
        }
        steps.sort_by_key(|step| step.state.rank());
        steps.truncate(beam);
        let follow = |step: &Step| step.taken_from(&paths, position, &mut trail);
        paths = steps.iter().map(follow).collect();
    }
    best(paths, &trail, reference.len())
}

/// The alignment of the best path, the first of equals.
fn best(mut paths: Vec<Path>, trail: &[Kept], length: usize) -> Alignment {
    for path in &mut paths {
        path.state.end_chunk();
    }
    let best = paths.iter().min_by_key(|path| path.state.rank());
    let best = best.expect("a beam holds at least one path");
    let mut matches = vec![None; length];
    let mut next = best.last;
    while let Some(at) = next {
        matches[trail[at].position] = Some(trail[at].found);
        next = trail[at].before;
    }
    Alignment {
        matches,
        chunks: best.state.chunks,
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

/// What paths are ranked by.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    exact: usize,
    chunks: usize,
    distance: usize,
    /// The position in the text after the match that the open chunk ends with.
    open: Option<usize>,
}

impl State {
    /// Better states rank lower.
    fn rank(&self) -> (Reverse<usize>, usize, usize) {
        (Reverse(self.exact), self.chunks, self.distance)
    }

    fn add(&mut self, found: Match, modules: &[Module]) {
        self.exact += usize::from(modules[found.slot] == Module::Exact);
        if self.open.is_some_and(|next| next != found.at) {
            self.chunks += 1;
        }
        self.open = Some(found.at + 1);
    }

    fn end_chunk(&mut self) {
        self.chunks += usize::from(self.open.take().is_some());
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
    taken: Vec<bool>,
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
        self.taken[found.at] = true;
        self.last = Some(trail.len() - 1);
    }

    /// Adds a step for every candidate that is still free, and one that skips the word.
    fn branch(
        &self,
        parent: usize,
        position: usize,
        candidates: &[Match],
        modules: &[Module],
        steps: &mut Vec<Step>,
    ) {
        let mut skipping = self.state;
        for &found in candidates {
            if self.taken[found.at] {
                continue;
            }
            let mut state = skipping;
            state.add(found, modules);
            steps.push(Step {
                state,
                parent,
                found: Some(found),
            });
            skipping.distance += found.at.abs_diff(position);
        }
        skipping.end_chunk();
        steps.push(Step {
            state: skipping,
            parent,
            found: None,
        });
    }
}

/// A way in which a path may go on; only those within the beam become paths.
#[derive(Debug)]
struct Step {
    state: State,
    parent: usize,
    found: Option<Match>,
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
