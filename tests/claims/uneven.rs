//! Whoever answers most, or is asked about most, is one person, or one item: what `rank` says of new annotators, and of
//! items like these, is no more often wrong for that.

use tiebreak::claims::ClaimPopulation;
use tiebreak::rng::{Rng, Seed};
use tiebreak::{Comparison, Outcome, rank};

/// Data sets of each kind.
const RUNS: u64 = 200;

/// Two equal systems; each item, or each person, likes one of them better by so much.
struct Crowd {
    /// How many comparisons each item has.
    items: Vec<usize>,
    /// How likely each person is to give an answer; nobody is named where there are none.
    people: Vec<f64>,
    taste: f64,
}

impl Crowd {
    /// Whether a system is called best, for new annotators or for the only one, on items like these.
    fn is_wrong(&self, rng: &mut Rng) -> bool {
        let mut taste = || self.taste * if rng.bernoulli(0.5) { 1.0 } else { -1.0 };
        let of_people: Vec<f64> = self.people.iter().map(|_| taste()).collect();
        let of_items: Vec<f64> = self.items.iter().map(|_| taste()).collect();
        let names = |what: &str, n: usize| -> Vec<String> {
            (0..n).map(|i| format!("{what}{i}")).collect()
        };
        let (items, people) = (
            names("item", self.items.len()),
            names("person", self.people.len()),
        );
        let mut comparisons = Vec::new();
        for (item, &n) in self.items.iter().enumerate() {
            for _ in 0..n {
                let person = (!people.is_empty()).then(|| drawn(&self.people, rng));
                // Tastes are those of people where there are some, else of items.
                let liked = person.map_or(of_items[item], |person| of_people[person]);
                let outcome = match rng.bernoulli(0.5 + liked) {
                    true => Outcome::Win,
                    false => Outcome::Loss,
                };
                let one = Comparison::new("x", "y", outcome).on(&items[item]);
                comparisons.push(match person {
                    Some(person) => one.by(&people[person]),
                    None => one,
                });
            }
        }
        let ranking = rank(comparisons, 0.95).unwrap();
        match ranking.claim.about {
            ClaimPopulation::OneAnnotator => ranking.claim.is_made(),
            _ => ranking
                .new_annotators
                .is_some_and(|panel| panel.claim.is_made()),
        }
    }
}

fn drawn(shares: &[f64], rng: &mut Rng) -> usize {
    let mut left = rng.uniform() * shares.iter().sum::<f64>();
    let place = shares.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    place.unwrap_or(shares.len() - 1)
}

#[test]
fn equal_systems_are_told_apart_as_seldom_as_is_said_however_uneven_the_answers() {
    let geometric: Vec<f64> = (0..12).map(|i| 0.7_f64.powi(i)).collect();
    let zipf: Vec<f64> = (1..=30).map(|i| f64::from(i).powf(-1.5)).collect();
    let of_people = |people: Vec<f64>, items| Crowd {
        items: vec![1; items],
        people,
        taste: 0.15,
    };
    let of_items = |items: Vec<usize>| Crowd {
        items,
        people: Vec::new(),
        taste: 0.4,
    };
    let long_tail = (1..=20).map(|i| (200.0 / f64::from(i).powf(1.2)) as usize);
    let crowds = [
        ("eight alike", of_people(vec![1.0; 8], 160)),
        (
            "one gives nine tenths",
            of_people([vec![9.0], vec![1.0 / 7.0; 7]].concat(), 400),
        ),
        (
            "one gives half",
            of_people([vec![9.0], vec![1.0; 9]].concat(), 200),
        ),
        ("twelve, each less", of_people(geometric, 400)),
        ("thirty, most few", of_people(zipf, 300)),
        ("four items", of_items(vec![30; 4])),
        (
            "one item in all",
            of_items([vec![200], vec![1; 19]].concat()),
        ),
        ("a long tail of items", of_items(long_tail.collect())),
    ];
    // Habits that have two values only are the hardest there are; and two standard errors of so many runs.
    let most = RUNS as f64 / 16.0 + 2.0 * (RUNS as f64 / 16.0).sqrt();
    for (what, crowd) in crowds {
        let wrong = (0..RUNS).filter(|&run| crowd.is_wrong(&mut Seed(31).stream(what, run)));
        let wrong = wrong.count();
        assert!(wrong as f64 <= most, "{what}: {wrong} of {RUNS}");
    }
}
