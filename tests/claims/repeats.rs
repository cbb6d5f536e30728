//! Few items: the draw puts the same question to the same person again, her recorded answer is the answer and
//! the draw counts. However often it does, claims are true as often as they say: of answers that are
//! given once and for all, and of people who would toss a coin each time.

use super::{Claims, Preferences, outcome, setup};
use tiebreak::duel::Pair;
use tiebreak::error::Result;
use tiebreak::feedback::recollected::DeduplicatedFeedback;
use tiebreak::feedback::{DuelAnswer, FeedbackSource, PairQuestion, Reply, Sample};
use tiebreak::rng::Rng;

/// How people come to their answers; of all but the last nobody is better.
#[derive(Debug, Clone, Copy)]
enum World {
    /// Everybody prefers either system on half of the items, once and for all.
    Halves,
    /// Everybody tosses a coin.
    Coin,
    /// Every other item speaks for either system, nine times in ten.
    Items,
    /// Every other person does, in three answers of four.
    Tastes,
    /// The first system is preferred, in so many hundredths of the answers.
    Clear(u32),
}

struct People {
    world: World,
    items: usize,
    people: usize,
    /// For each person the items in an order of her own.
    orders: Vec<Vec<usize>>,
    rng: Rng,
}

impl People {
    fn new(world: World, items: usize, people: usize, rng: &mut Rng) -> DeduplicatedFeedback<Self> {
        let order = |_| {
            let mut order: Vec<usize> = (0..items).collect();
            rng.shuffle(&mut order);
            order
        };
        DeduplicatedFeedback::new(Self {
            world,
            items,
            people,
            orders: (0..people).map(order).collect(),
            rng: rng.clone(),
        })
    }

    /// The probability that a person prefers the first system on an item.
    fn preference(&self, Sample { item, person, .. }: Sample) -> f64 {
        let (item, person) = (item as usize, person as usize);
        match self.world {
            World::Halves if 2 * self.orders[person][item] < self.items => 1.0,
            World::Halves => 0.0,
            World::Coin => 0.5,
            World::Items if item.is_multiple_of(2) => 0.9,
            World::Items => 0.1,
            World::Tastes if person.is_multiple_of(2) => 0.75,
            World::Tastes => 0.25,
            World::Clear(hundredths) => f64::from(hundredths) / 100.0,
        }
    }
}

impl FeedbackSource for People {
    fn draw(&mut self, _: Pair, rng: &mut Rng) -> Result<Sample> {
        let (item, person) = (rng.below(self.items) as u32, rng.below(self.people) as u32);
        Ok(Sample {
            item,
            judgment: 0,
            person,
        })
    }

    fn ask(&mut self, question: PairQuestion) -> Result<Reply> {
        let of_first = self.preference(question.sample);
        let Pair { first, second } = question.duel.pair;
        let p = if first < second {
            of_first
        } else {
            1.0 - of_first
        };
        let outcome = outcome(p, self.rng.uniform());
        Ok(Reply::Answer(DuelAnswer::human(question, outcome)))
    }
}

fn claims(world: World, (items, people): (usize, usize), runs: u64) -> Claims {
    let p = match world {
        World::Clear(hundredths) => f64::from(hundredths) / 100.0,
        _ => 0.5,
    };
    let truth = Preferences::from_fn(2, |_, _| p);
    // Until everybody has answered everything, and a hundred draws bring nothing new.
    let setup = setup("adaptive", 2, 20_000);
    Claims::of(&setup, runs, |rng| {
        (People::new(world, items, people, rng), truth.clone())
    })
}

const EQUAL: [World; 4] = [World::Halves, World::Coin, World::Items, World::Tastes];

#[test]
fn few_items_make_no_more_wrong_claims() {
    for world in EQUAL {
        for (items, people) in [(20, 2), (50, 2)] {
            claims(world, (items, people), 40).assert_valid(&format!("{world:?}, {items} items"));
        }
    }
}

#[test]
#[ignore = "a thousand runs of every world take some minutes"]
fn few_items_make_no_more_wrong_claims_in_a_thousand_runs() {
    for world in EQUAL {
        for (items, people) in [(20, 2), (20, 4), (50, 2), (100, 2), (100, 4)] {
            let found = claims(world, (items, people), 1000);
            found.assert_valid_in_a_thousand(&format!("{world:?}, {items} items, {people} people"));
        }
    }
}

#[test]
fn a_clear_winner_is_found_on_few_items() {
    for (hundredths, items, people) in [(90, 20, 2), (80, 50, 2), (75, 100, 2)] {
        let found = claims(World::Clear(hundredths), (items, people), 20);
        assert!(
            found.made >= 16 && found.wrong == 0,
            "{hundredths}: {found:?}"
        );
    }
}
