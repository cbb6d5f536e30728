//! A prediction is a function of the contest alone, bit for bit.

use super::{contest, drawn, env};
use crate::support::assert_contains;
use tiebreak::encoders::{Precision, Scope};
use tiebreak::env::Env;
use tiebreak::preference::{Contest, Options, Order, PairwiseModel, Preference, load};
use tiebreak::rng::Seed;

fn tiny(draws: usize) -> Box<dyn PairwiseModel> {
    load("tiny-electra", &drawn(draws), &env()).unwrap()
}

fn texts() -> Vec<[String; 3]> {
    let words = [
        "the", "cat", "Dog", "said", "no", "größe", "water,", "42", "it's", "世界",
    ];
    let mut rng = Seed(3).stream("test", 0);
    let mut text = |longest| {
        let n = rng.below(longest);
        let words: Vec<&str> = (0..n).map(|_| *rng.choose(&words)).collect();
        words.join(" ")
    };
    (0..24).map(|_| [text(20), text(30), text(30)]).collect()
}

fn contests(texts: &[[String; 3]]) -> Vec<Contest<'_>> {
    texts.iter().map(|[c, a, b]| contest(c, a, b)).collect()
}

fn asked(options: &Options) -> Box<dyn PairwiseModel> {
    load("tiny-electra", options, &env()).unwrap()
}

/// Other ways to ask than the usual one.
fn other_ways() -> [Options; 4] {
    [
        Options {
            precision: Some(Precision::Bf16),
            ..drawn(4)
        },
        Options {
            precision: Some(Precision::Int8),
            ..drawn(4)
        },
        Options {
            dropout: Some(Scope::LastLayer),
            ..drawn(4)
        },
        Options {
            draws: Some("adaptive:tolerance=0.02".parse().unwrap()),
            ..drawn(4)
        },
    ]
}

#[test]
fn batch_order_and_threads_change_nothing() {
    unchanged(&*tiny(4));
    for options in other_ways() {
        unchanged(&*asked(&options));
    }
}

fn unchanged(model: &dyn PairwiseModel) {
    let texts = texts();
    let contests = contests(&texts);
    let whole = model.predict(&contests).unwrap();
    let one_by_one: Vec<Preference> = contests
        .iter()
        .flat_map(|contest| model.predict(&[*contest]).unwrap())
        .collect();
    assert_eq!(whole, one_by_one);
    let mut reversed = contests.clone();
    reversed.reverse();
    let mut back = model.predict(&reversed).unwrap();
    back.reverse();
    assert_eq!(whole, back);
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        assert_eq!(whole, pool.install(|| model.predict(&contests)).unwrap());
    }
}

#[test]
fn equal_contests_get_equal_predictions() {
    let same = vec![contest("the water", "a cat", "a dog"); 5];
    let all = tiny(3).predict(&same).unwrap();
    assert!(all.iter().all(|one| *one == all[0]));
}

#[test]
fn fewer_draws_are_the_first_of_more() {
    let texts = texts();
    let contests = contests(&texts[..5]);
    let none = tiny(0).predict(&contests).unwrap();
    let few = tiny(3).predict(&contests).unwrap();
    let more = tiny(8).predict(&contests).unwrap();
    for ((none, few), more) in none.iter().zip(&few).zip(&more) {
        assert_eq!((none.p, none.draws.len()), (more.p, 0));
        assert_eq!(few.draws, more.draws[..3]);
        assert!(none.prediction().uncertainty.is_none());
        let uncertainty = more.prediction().uncertainty.unwrap();
        assert!(uncertainty.std > 0.0 && uncertainty.bald > 0.0);
    }
}

#[test]
fn adaptive_draws_are_the_first_of_all_and_end_at_different_places() {
    let texts = texts();
    let contests = contests(&texts);
    let all = tiny(20).predict(&contests).unwrap();
    let [.., adaptive] = other_ways();
    let some = asked(&adaptive).predict(&contests).unwrap();
    let mut lengths = std::collections::BTreeSet::new();
    for (some, all) in some.iter().zip(&all) {
        assert_eq!(some.p, all.p);
        assert_eq!(some.draws, all.draws[..some.draws.len()]);
        lengths.insert(some.draws.len());
    }
    assert!(lengths.len() > 1, "{lengths:?}");
    assert!(
        lengths.iter().all(|n| [5, 10, 15, 20].contains(n)),
        "{lengths:?}"
    );
}

#[test]
fn dropout_in_the_last_layer_moves_draws_less_and_p_not_at_all() {
    let texts = texts();
    let contests = contests(&texts);
    let [.., last, _] = other_ways();
    let (all, last) = (tiny(4).predict(&contests), asked(&last).predict(&contests));
    let (all, last) = (all.unwrap(), last.unwrap());
    let spread = |found: &[Preference]| -> f64 {
        let each = found.iter().map(|one| one.prediction().uncertainty);
        each.map(|uncertainty| uncertainty.unwrap().std).sum()
    };
    for (all, last) in all.iter().zip(&last) {
        assert_eq!(all.p, last.p);
        assert_ne!(all.draws, last.draws);
    }
    assert!(spread(&last) > 0.0 && spread(&last) < spread(&all));
}

#[test]
fn bf16_and_int8_are_near_f32() {
    let texts = texts();
    let contests = contests(&texts);
    let exact = tiny(4).predict(&contests).unwrap();
    for options in other_ways().into_iter().take(2) {
        let found = asked(&options).predict(&contests).unwrap();
        for (found, exact) in found.iter().zip(&exact) {
            let pairs = found.draws.iter().zip(&exact.draws);
            for (x, y) in pairs.chain([(&found.p, &exact.p)]) {
                // Eight numbers wide and random, so further off than a model that is trained.
                assert!((x - y).abs() < 2e-2, "{x}, in f32 {y}");
            }
        }
        assert!(found.iter().zip(&exact).any(|(x, y)| x.p != y.p));
    }
}

#[test]
fn another_seed_gives_other_draws_but_the_same_p() {
    let contests = [contest("the water", "a cat", "a dog")];
    let other = Env {
        seed: Seed(43),
        ..env()
    };
    let mine = tiny(3).predict(&contests).unwrap();
    let theirs = load("tiny-electra", &drawn(3), &other)
        .unwrap()
        .predict(&contests)
        .unwrap();
    assert_eq!(mine[0].p, theirs[0].p);
    assert_ne!(mine[0].draws, theirs[0].draws);
}

#[test]
fn both_orders_are_antisymmetric_and_average_single_ones() {
    let texts = texts();
    let both = asked(&Options {
        order: Some(Order::Both),
        ..drawn(2)
    });
    let single = tiny(2);
    for [context, a, b] in &texts[..6] {
        let (forth, back) = ([contest(context, a, b)], [contest(context, b, a)]);
        let mean = both.predict(&forth).unwrap().remove(0);
        let turned = both.predict(&back).unwrap().remove(0);
        assert!((mean.p + turned.p - 1.0).abs() < 1e-15);
        let (x, y) = (
            &single.predict(&forth).unwrap()[0],
            &single.predict(&back).unwrap()[0],
        );
        assert_eq!(mean.p, f64::midpoint(x.p, 1.0 - y.p));
        for i in 0..2 {
            assert_eq!(mean.draws[i], f64::midpoint(x.draws[i], 1.0 - y.draws[i]));
        }
    }
}

#[test]
fn whatever_is_written_gets_a_preference() {
    let long = "water ".repeat(20_000);
    let unbroken = "x".repeat(50_000);
    let texts = [
        "",
        " \n\t ",
        "[SEP] [CLS] [MASK]",
        "\u{0}\u{feff}\u{202e}\u{fffd}",
        "👩‍👩‍👧‍👦 e\u{301}\u{301}\u{301}",
        "नमस्ते 世界 مرحبا",
        &long,
        &unbroken,
    ];
    let mut contests = Vec::new();
    for a in texts {
        for b in texts {
            contests.push(contest("the cat", a, b));
        }
    }
    for preference in tiny(1).predict(&contests).unwrap() {
        assert!((0.0..=1.0).contains(&preference.p));
        assert!((0.0..=1.0).contains(&preference.draws[0]));
    }
}

#[test]
fn an_output_cannot_change_the_structure_of_the_input() {
    let model = tiny(0);
    let of = |a: &str, b: &str| model.predict(&[contest("", a, b)]).unwrap()[0].p;
    assert_ne!(of("yes [SEP] no", ""), of("yes", "no"));
    assert_ne!(of("yes [SEP] no", ""), of("yes", "no [SEP]"));
}

#[test]
fn the_context_is_the_first_reference_else_the_source() {
    let model = tiny(0);
    let references = ["the first".to_string(), "the second".to_string()];
    let base = contest("the source", "a cat", "a dog");
    let with_references = Contest {
        references: &references,
        ..base
    };
    let as_source = contest("the first", "a cat", "a dog");
    let of = |contest| model.predict(&[contest]).unwrap()[0].p;
    assert_eq!(of(with_references), of(as_source));
    assert_ne!(of(with_references), of(base));
}

#[test]
fn the_signature_names_what_can_change_the_numbers() {
    let signature = tiny(20).signature().to_string();
    assert_contains(
        &signature,
        &[
            "tiny-electra|weights:",
            "|template:[CLS] {context} [SEP] {a} [SEP] {b} [SEP]",
            "|types:0,1,1",
            "|labels:b,tie,a",
            "|max-length:128",
            "|draws:20",
            "|dropout:0.1,0.1,0.1",
            "|seed:42",
        ],
    );
    assert!(!tiny(0).signature().to_string().contains("seed"));
    for (options, part) in other_ways().into_iter().zip([
        "|seed:42|arithmetic:bf16|version:1",
        "|seed:42|arithmetic:int8|version:1",
        "|dropout:0.1,0.1,0.1|dropout-in:last-layer|seed:42",
        "|draws:adaptive:tolerance=0.02,most=20|dropout:",
    ]) {
        let signature = asked(&options).signature().to_string();
        assert!(signature.contains(part), "{part} in {signature}");
    }
}

/// Pinned, so that a change of the numbers is noticed and the signature's version raised.
#[test]
fn predictions_have_not_moved() {
    let contests = [contest(
        "the cat sat on the mat",
        "a cat sat there",
        "no dog came",
    )];
    let found = tiny(2).predict(&contests).unwrap().remove(0);
    let expected = [0.739_465_2, 0.704_098_0, 0.795_387_4];
    let found = [found.p, found.draws[0], found.draws[1]];
    let far = found
        .iter()
        .zip(expected)
        .any(|(x, y): (&f64, f64)| (x - y).abs() > 1e-6);
    assert!(!far, "{found:?}, expected {expected:?}");
}
