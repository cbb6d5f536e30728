//! Random texts that repeat themselves, so that clipping, ties and long matches occur.

use tiebreak::rng::{Rng, Seed};

const PIECES: &[&str] = &[
    "the", "cat", "the cat", "running", "flies", "a", "b", "1", "20", "3.5", "1,000", ".", ",",
    "-", "..", "!", "(", ")", "'", "\"", "&", "/", "é", "Σ", "我", "。", "€", "½", "\u{2014}",
    "\u{a0}", "\u{3000}", "\t", "\n", "🍕",
];

/// `n` items: a text and one to four references that resemble it.
pub(super) fn items(stream: &str, n: u64) -> impl Iterator<Item = (String, Vec<String>)> {
    (0..n).map(move |index| {
        let mut rng = Seed(7).stream(stream, index);
        let length = rng.below(25);
        let pieces = pieces(&mut rng, length);
        let references = 1 + rng.below(4);
        let references = (0..references)
            .map(|_| altered(&mut rng, &pieces))
            .collect();
        (join(&mut rng, &pieces), references)
    })
}

fn pieces(rng: &mut Rng, length: usize) -> Vec<&'static str> {
    (0..length).map(|_| *rng.choose(PIECES)).collect()
}

fn altered(rng: &mut Rng, pieces: &[&'static str]) -> String {
    let mut kept: Vec<&str> = pieces
        .iter()
        .copied()
        .filter(|_| rng.bernoulli(0.8))
        .collect();
    let added = rng.below(5);
    kept.extend(self::pieces(rng, added));
    if rng.bernoulli(0.3) {
        rng.shuffle(&mut kept);
    }
    join(rng, &kept)
}

fn join(rng: &mut Rng, pieces: &[&str]) -> String {
    let mut text = String::new();
    for piece in pieces {
        text.push_str(piece);
        if rng.bernoulli(0.7) {
            text.push(' ');
        }
    }
    text
}
