//! The first 200 pairs of every bandit, pinned: a seed means the same run in every release.
//!
//! When an algorithm changes on purpose, run the test with `TIEBREAK_BLESS=1` to write the new
//! pairs, and say in the changelog that runs move.

use super::{all_variants, answer, build};
use std::fmt::Write;
use std::path::Path;
use tiebreak::duel::Origin;
use tiebreak::rng::Seed;

#[test]
fn the_first_200_pairs_are_those_of_earlier_releases() {
    for (entry, params) in all_variants() {
        let mut bandit = build(entry, &params, 6);
        let mut choices = Seed(42).stream("bandit", 0);
        let mut answers = Seed(42).stream("answers", 0);
        let mut pairs = String::new();
        for step in 1..=200 {
            let duel = bandit.ask(&mut choices).unwrap();
            let outcome = answer(duel.pair, 0.7, &mut answers);
            bandit.record_outcome(duel.id, outcome, Origin::Human);
            let end = if step % 20 == 0 { '\n' } else { ' ' };
            write!(pairs, "{}-{}{end}", duel.pair.first.0, duel.pair.second.0).unwrap();
        }
        let name = format!("{}.{params}", entry.name).replace("variant=", "");
        let file = format!("tests/bandits/pairs/{}.txt", name.trim_end_matches('.'));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&file);
        if std::env::var_os("TIEBREAK_BLESS").is_some() {
            std::fs::write(&path, &pairs).unwrap();
        }
        let pinned = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("no {file}"));
        assert_eq!(pairs, pinned, "{file}");
    }
}
