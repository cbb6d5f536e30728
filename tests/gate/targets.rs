//! Other things a run may find out, and whether a model passes its exam: at the level of the loop.

use super::{Path, Said, World};
use tiebreak::bandits::BANDITS;
use tiebreak::duel::{Arm, DuelId, Outcome, Verdict};
use tiebreak::evaluation::active::{Limits, Setup};
use tiebreak::evaluation::known::PriorKnowledge;
use tiebreak::feedback::matrix::{Bernoulli, PreferenceMatrix};
use tiebreak::model_based::trial::{QuestionForecast, Trial};
use tiebreak::registry::find_entry;
use tiebreak::rng::Seed;

/// `p_ij` for i < j of four systems.
type Upper = [f64; 6];

const EQUAL: Upper = [0.5; 6];
/// 0, 1 and 2 beat 3, and each other in a circle.
const CYCLE: Upper = [0.6, 0.4, 0.7, 0.6, 0.7, 0.7];
const ORDER: Upper = [0.7, 0.8, 0.9, 0.7, 0.8, 0.7];
/// 1 beats 0 by just more than ε.
const JUST_TOO_MUCH: Upper = [0.5 - 0.031, 0.6, 0.6, 0.6, 0.6, 0.5];

pub(super) const EPSILON: Path = Path {
    name: "a nearly best system",
    worlds: worlds![
        "a margin just above ε", [100, 1000], 0.0,
            |seed, run| played("epsilon=0.03", &JUST_TOO_MUCH, 4000, seed, run, |verdict|
                matches!(verdict, Verdict::Winner { arm: Arm(1), .. }
                    | Verdict::NearlyBest { arm: Arm(1), .. }));
        "equal systems", [30, 300], 0.9,
            |seed, run| played("epsilon=0.1", &EQUAL, 8000, seed, run, |verdict|
                matches!(verdict, Verdict::NearlyBest { .. }));
    ],
};

pub(super) const TOP: Path = Path {
    name: "the top two",
    worlds: worlds![
        "equal systems, nothing assumed", [80, 1000], 0.0,
            |seed, run| played("target=top-k,k=2,assume=none", &EQUAL, 1500, seed, run, |_| false);
        "an order", [30, 300], 0.9,
            |seed, run| played("target=top-k,k=2", &ORDER, 8000, seed, run, |verdict|
                matches!(verdict, Verdict::Top { arms, .. } if arms[..] == [Arm(0), Arm(1)]));
    ],
};

pub(super) const RANKING: Path = Path {
    name: "the order of all",
    worlds: worlds![
        "a cycle, nothing assumed", [80, 1000], 0.0,
            |seed, run| played("target=ranking,assume=none", &CYCLE, 1500, seed, run, |_| false);
        "an order", [30, 300], 0.9,
            |seed, run| played("target=ranking", &ORDER, 8000, seed, run, |verdict|
                matches!(verdict, Verdict::Ranking { arms, .. } if arms[..] == [0, 1, 2, 3].map(Arm)));
    ],
};

/// One run of `adaptive` on answers of a matrix; whether what it announces `holds`.
fn played(
    params: &str,
    upper: &Upper,
    budget: u64,
    seed: Seed,
    run: u64,
    holds: impl Fn(&Verdict) -> bool,
) -> Said {
    let named =
        tiebreak::keys::named::ParameterizedName::parse(&format!("adaptive:{params}")).unwrap();
    let entry = find_entry("bandit", BANDITS, "adaptive").unwrap();
    let arms = Arm::all(4).collect();
    let limits = Limits::new(budget, None);
    let known = PriorKnowledge {
        confidence: Some(0.95),
        ..PriorKnowledge::default()
    };
    let setup = Setup::new(entry, named.params, arms, limits, seed);
    let setup = setup.unwrap().with(known).unwrap();
    let matrix = PreferenceMatrix::from_upper(4, upper).unwrap();
    let mut people = Bernoulli::new(matrix, 0.1).unwrap();
    let verdict = setup.play(run, &mut people).unwrap().verdict;
    match verdict.is_claim() {
        false => Said::Nothing,
        true => Said::of(holds(&verdict)),
    }
}

/// The exam of `auto`: is a model better than chance?
pub(super) const EXAM: Path = Path {
    name: "the exam of a model",
    worlds: worlds![
        "a model that guesses", [300, 1000], 0.0, |seed, run| exam(0.5, seed, run);
        "a model right in 75 %", [100, 300], 0.9, |seed, run| exam(0.75, seed, run);
    ],
};

fn exam(accuracy: f64, seed: Seed, run: u64) -> Said {
    let mut rng = seed.stream("exam", run);
    let mut trial = Trial::default();
    for id in (0..400).map(DuelId) {
        let outcome = Outcome::Win;
        trial.ask(id, QuestionForecast { p: 0.7, outcome });
        let answer = match rng.bernoulli(accuracy) {
            true => outcome,
            false => outcome.flipped(),
        };
        trial.answer(id, answer);
    }
    match trial.passed() {
        false => Said::Nothing,
        true => Said::of(accuracy > 0.5),
    }
}
