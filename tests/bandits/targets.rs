//! What `adaptive` claims beyond a winner: an ε-best system, the top k, a ranking.

use super::adaptive::{Truth, answer, arena, build, clear, close, equal, tolerated};
use tiebreak::bandits::{Arena, BANDITS, DuelingBandit, Square};
use tiebreak::duel::{Arm, Origin, Verdict};
use tiebreak::registry::{Params, find_entry};
use tiebreak::rng::Seed;

/// Two systems tied exactly, the others a twentieth worse.
fn tied_at_the_top(i: usize, j: usize) -> f64 {
    let worse = |system: usize| f64::from(u8::from(system > 1));
    0.5 + 0.05 * (worse(j) - worse(i))
}

/// Plays at most `steps` questions; what is claimed in the end, and after how many questions.
fn play(spec: &str, arena: &Arena, truth: Truth, steps: u64, run: u64) -> (Verdict, u64) {
    let mut bandit = build(spec, arena);
    let mut choices = Seed(21).stream("choices", run);
    let mut answers = Seed(21).stream("answers", run);
    let mut asked = 0;
    while asked < steps {
        let Some(duel) = bandit.ask(&mut choices) else {
            break;
        };
        bandit.record_outcome(duel.id, answer(&duel, truth, &mut answers), Origin::Human);
        asked += 1;
    }
    (bandit.verdict(), asked)
}

/// How many of some runs claim something, and of how many of them it is false.
fn claims(
    (spec, arena, truth): (&str, &Arena, Truth),
    (runs, steps): (u64, u64),
    holds: impl Fn(&Verdict) -> bool,
) -> (u64, u64) {
    let verdicts = (0..runs).map(|run| play(spec, arena, truth, steps, run).0);
    let claimed: Vec<Verdict> = verdicts.filter(Verdict::is_claim).collect();
    let wrong = claimed.iter().filter(|verdict| !holds(verdict)).count();
    (claimed.len() as u64, wrong as u64)
}

/// Whether what is claimed is true where lower systems are better, by 0.005 each.
fn holds_of_close(verdict: &Verdict, epsilon: f64) -> bool {
    match verdict {
        Verdict::Winner { arm, .. } => *arm == Arm(0),
        Verdict::NearlyBest { arm, .. } => close(0, arm.index()) < 0.5 + epsilon,
        Verdict::Top { arms, .. } => arms.iter().map(|arm| arm.index()).max() < Some(arms.len()),
        Verdict::Ranking { arms, .. } => arms.is_sorted(),
        Verdict::Open | Verdict::NoWinner | Verdict::Undecided(_) => true,
    }
}

#[test]
fn practically_tied_systems_end_a_run_that_a_winner_never_would() {
    let (runs, steps) = (20, 6000);
    let arena = arena(4, 0.9);
    let nearly = |verdict: &Verdict| match verdict {
        Verdict::NearlyBest { arm, margins } => {
            assert_eq!(*margins, [0.04, 0.04]);
            arm.index() < 2
        }
        _ => false,
    };
    let tied = ("adaptive:epsilon=0.04", &arena, tied_at_the_top as Truth);
    let (claimed, wrong) = claims(tied, (runs, steps), nearly);
    assert!(claimed >= 18 && wrong == 0, "{claimed}, {wrong} wrong");
    let only_best = ("adaptive", &arena, tied_at_the_top as Truth);
    let (claimed, _) = claims(only_best, (runs, steps), |_| false);
    assert!(claimed <= tolerated(runs, 0.1), "{claimed}");
}

#[test]
fn an_eps_best_system_is_as_good_as_claimed_also_where_the_margin_is_just_too_large() {
    // The margin of 0 is just above ε, so that 1 may not be called ε-best.
    fn just_too_large(i: usize, j: usize) -> f64 {
        0.5 + 0.0201 * (f64::from(u8::from(j > 0)) - f64::from(u8::from(i > 0)))
    }
    let (runs, delta) = (200, 0.2);
    let arena = arena(2, 1.0 - delta);
    let setting = ("adaptive:epsilon=0.02", &arena, just_too_large as Truth);
    let holds = |verdict: &Verdict| match verdict {
        Verdict::Winner { arm, .. } | Verdict::NearlyBest { arm, .. } => *arm == Arm(0),
        _ => false,
    };
    let (claimed, wrong) = claims(setting, (runs, 2500), holds);
    assert!(
        claimed > 60 && wrong <= tolerated(runs, delta),
        "{claimed}, {wrong} wrong"
    );
}

#[test]
fn the_scale_of_an_eps_claim_is_said() {
    let table = Square::from_fn(2, |i, j| if i == j { 0.0 } else { 0.4 });
    let arena = arena(2, 0.8).with_differing(table).unwrap();
    let (verdict, _) = play("adaptive:epsilon=0.1", &arena, equal, 20_000, 0);
    let Verdict::NearlyBest { margins, .. } = verdict else {
        panic!("{verdict:?}");
    };
    // ε = 0.1 on two items in five is 0.04 over all items.
    assert!((margins[0] - 0.1).abs() < 1e-12 && (margins[1] - 0.04).abs() < 1e-12);
}

#[test]
fn the_top_k_and_a_ranking_are_wrong_no_more_often_than_they_say() {
    let (runs, delta) = (100, 0.2);
    let arena = arena(3, 1.0 - delta);
    for spec in [
        "adaptive:target=top-k,k=1",
        "adaptive:target=top-k,k=2",
        "adaptive:target=ranking",
    ] {
        let holds = |verdict: &Verdict| holds_of_close(verdict, 0.0);
        let (_, wrong) = claims((spec, &arena, close), (runs, 1500), holds);
        assert!(wrong <= tolerated(runs, delta), "{spec}: {wrong}");
    }
    for spec in [
        "adaptive:target=top-k,k=1,assume=none",
        "adaptive:target=ranking,assume=none",
    ] {
        let (claimed, _) = claims((spec, &arena, equal), (runs, 1500), |_| true);
        assert!(claimed <= tolerated(runs, delta), "{spec}: {claimed}");
    }
}

#[test]
fn clear_targets_are_announced_and_rightly() {
    let (runs, steps) = (12, 30_000);
    let arena = arena(5, 0.9);
    for (spec, assumes) in [
        ("adaptive:target=top-k,k=2", false),
        ("adaptive:target=ranking", false),
        ("adaptive:target=ranking,assume=none", false),
        ("adaptive:draws=one", true),
    ] {
        let holds = |verdict: &Verdict| {
            let (Verdict::Winner { condorcet, .. }
            | Verdict::Top { condorcet, .. }
            | Verdict::Ranking { condorcet, .. }) = verdict
            else {
                return false;
            };
            assert_eq!(*condorcet, assumes);
            holds_of_close(verdict, 0.0)
        };
        let (claimed, wrong) = claims((spec, &arena, clear), (runs, steps), holds);
        assert!(
            claimed == runs && wrong <= 2,
            "{spec}: {claimed}, {wrong} wrong"
        );
    }
}

#[test]
fn each_target_asks_where_it_is_unsure() {
    let far = |i: usize, j: usize| 0.5 + 0.06 * (j as f64 - i as f64);
    let asked = |spec: &str| {
        let mut bandit = build(spec, &Arena::new(6, 10_000).unwrap());
        let mut rng = Seed(5).stream("test", 0);
        let mut pairs = [[0_u32; 6]; 6];
        for step in 0..1500 {
            let duel = bandit.ask(&mut rng).unwrap();
            let outcome = answer(&duel, far, &mut rng);
            bandit.record_outcome(duel.id, outcome, Origin::Human);
            if step >= 300 {
                let (i, j) = duel.pair.indices();
                pairs[i.min(j)][i.max(j)] += 1;
            }
        }
        pairs
    };
    let neighbours = |pairs: [[u32; 6]; 6]| [0, 1, 2, 3, 4].map(|i| pairs[i][i + 1]);
    let top = neighbours(asked("adaptive:target=top-k,k=3"));
    assert!(
        top[2] > 600,
        "the cut is between the third and the fourth: {top:?}"
    );
    let best = neighbours(asked("adaptive"));
    assert!(best[0] > 600 && best[4] < 60, "{best:?}");
    let ranking = neighbours(asked("adaptive:target=ranking"));
    let neighbouring: u32 = ranking.iter().sum();
    assert!(
        neighbouring > 1100 && ranking.iter().all(|&n| n > 15),
        "which neighbours are hardest to tell apart is luck: {ranking:?}"
    );
    let one = neighbours(asked("adaptive:draws=one"));
    assert!(one[0] > 600, "{one:?}");
}

#[test]
fn settings_that_do_not_go_together_are_refused_by_name() {
    let entry = find_entry("bandit", BANDITS, "adaptive").unwrap();
    let refused = |text: &str, k: usize| {
        let (_, params) = Params::parse(text).unwrap();
        let built: Result<Box<dyn DuelingBandit>, _> =
            (entry.build)(&params, &Arena::new(k, 100).unwrap());
        let error = built.err().unwrap_or_else(|| panic!("{text}"));
        assert_eq!(error.exit_code(), 2);
        error.to_string()
    };
    assert!(refused("adaptive:epsilon=0.5", 4).contains("epsilon is 0.5"));
    assert!(refused("adaptive:epsilon=nan", 4).contains("epsilon"));
    assert!(refused("adaptive:target=top-k,k=4", 4).contains("fewer than the 4 systems"));
    assert!(refused("adaptive:target=top-k,k=0", 4).contains("k is 0"));
    assert!(refused("adaptive:k=2", 4).contains("target=top-k"));
    assert!(refused("adaptive:target=ranking,epsilon=0.02", 4).contains("epsilon"));
    assert!(refused("adaptive:target=ranking,draws=one", 4).contains("draws"));
    assert!(refused("adaptive:draws=three", 4).contains("draws"));
}
