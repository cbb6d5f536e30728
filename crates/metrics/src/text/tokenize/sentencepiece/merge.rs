//! Byte-pair encoding: neighbours become one piece, those first whose union scores best.

use super::{Part, PieceKind, SentencePiece};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// Two neighbours that may become one.
struct Pair {
    score: f32,
    left: usize,
    right: usize,
    /// The length of both; where it differs one of them has changed since.
    length: usize,
}

impl Ord for Pair {
    /// The best score first, then the leftmost.
    fn cmp(&self, other: &Self) -> Ordering {
        let score = self.score.total_cmp(&other.score);
        score.then(other.left.cmp(&self.left))
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pair {}

/// A symbol among its neighbours; one that became a part of another is empty.
struct Symbol {
    part: Part,
    is_fixed: bool,
    before: Option<usize>,
    after: Option<usize>,
}

impl Symbol {
    fn length(&self) -> usize {
        self.part.end - self.part.start
    }
}

/// A line that is being merged.
struct Merging<'a> {
    model: &'a SentencePiece,
    text: &'a str,
    symbols: Vec<Symbol>,
    pairs: BinaryHeap<Pair>,
    /// Where a piece that is not used is cut in two again.
    cuts: HashMap<&'a str, usize>,
}

impl SentencePiece {
    pub(super) fn merged(&self, text: &str) -> Vec<Part> {
        let mut merging = Merging {
            model: self,
            text,
            symbols: Vec::new(),
            pairs: BinaryHeap::new(),
            cuts: HashMap::new(),
        };
        for (at, (part, is_fixed)) in self.characters(text).enumerate() {
            merging.symbols.push(Symbol {
                part,
                is_fixed,
                before: at.checked_sub(1),
                after: Some(at + 1).filter(|_| part.end < text.len()),
            });
        }
        for right in 1..merging.symbols.len() {
            merging.consider(Some(right - 1), Some(right));
        }
        merging.run()
    }
}

impl Merging<'_> {
    /// Adds two neighbours, if their union is a piece.
    fn consider(&mut self, left: Option<usize>, right: Option<usize>) {
        let Some((left, right)) = left.zip(right) else {
            return;
        };
        let (one, two) = (&self.symbols[left], &self.symbols[right]);
        if one.is_fixed || two.is_fixed {
            return;
        }
        let both = &self.text[one.part.start..two.part.end];
        let Some(id) = self.model.pieces.find_token(both) else {
            return;
        };
        let kind = self.model.kinds[id as usize];
        if !kind.is_of_text() {
            return;
        }
        if kind == PieceKind::Unused {
            self.cuts.insert(both, one.length());
        }
        self.pairs.push(Pair {
            score: self.model.scores[id as usize],
            left,
            right,
            length: both.len(),
        });
    }

    fn run(mut self) -> Vec<Part> {
        while let Some(Pair {
            left,
            right,
            length,
            ..
        }) = self.pairs.pop()
        {
            let (one, two) = (&self.symbols[left], &self.symbols[right]);
            let (first, second) = (one.length(), two.length());
            if first == 0 || second == 0 || first + second != length {
                continue;
            }
            let (end, after) = (two.part.end, two.after);
            self.symbols[right].part.start = end;
            let one = &mut self.symbols[left];
            one.part.end = end;
            one.after = after;
            let before = one.before;
            if let Some(after) = after {
                self.symbols[after].before = Some(left);
            }
            self.consider(before, Some(left));
            self.consider(Some(left), after);
        }
        let mut parts = Vec::new();
        let mut at = Some(0).filter(|_| !self.symbols.is_empty());
        while let Some(here) = at {
            let symbol = &self.symbols[here];
            self.cut(symbol.part.start, symbol.part.end, &mut parts);
            at = symbol.after;
        }
        parts
    }

    /// Adds a piece, or, if it is not used, those that it was made of.
    fn cut(&self, start: usize, end: usize, parts: &mut Vec<Part>) {
        let mut open = vec![(start, end)];
        while let Some((start, end)) = open.pop() {
            let text = &self.text[start..end];
            match self.cuts.get(text) {
                Some(cut) => open.extend([(start + cut, end), (start, start + cut)]),
                None => parts.push(self.model.part(self.text, start, end)),
            }
        }
    }
}
