//! `rank --predictions` where people compared what the judge was unsure of: their answers are about other outputs than its
//! predictions, and correct nothing.

use tiebreak::duel::{Arm, Pair};
use tiebreak::estimators::bradley_terry::StrengthComparison;
use tiebreak::estimators::margins::MarginPrediction;
use tiebreak::ranking::{Collection, Ranking};
use tiebreak::rng::{Rng, Seed};
use tiebreak::scope::ResultScope;
use tiebreak::{Outcome, claims::NoClaimReason};

const ITEMS: u32 = 400;

/// The first of two systems is better, most of all where the judge is sure; where it is not, the second is.
fn ranking(unsure_only: bool, run: u64) -> Ranking {
    let mut rng = Seed(run).stream("selected", 0);
    let pair = Pair::new(Arm::from(0), Arm::from(1));
    let scores: Vec<f64> = (0..ITEMS).map(|_| 2.0 * rng.uniform() - 0.8).collect();
    let predicted: Vec<MarginPrediction> = (0..ITEMS)
        .zip(&scores)
        .map(|(item, &score)| MarginPrediction { item, pair, score })
        .collect();
    let mut collection = Collection::new(vec!["first".to_string(), "second".to_string()]);
    for (item, score) in (0..ITEMS).zip(&scores) {
        let compared = match unsure_only {
            true => score.abs() < 0.3,
            false => rng.bernoulli(0.3),
        };
        if compared {
            let outcome = answer(*score, &mut rng);
            collection.push(
                StrengthComparison {
                    item,
                    pair,
                    outcome,
                },
                None,
            );
        }
    }
    let scope = ResultScope::default();
    collection.rank_predicted((&predicted, "a judge"), None, scope, 0.95, Seed(1))
}

fn answer(score: f64, rng: &mut Rng) -> Outcome {
    let p = if score.abs() < 0.3 { 0.3 } else { 0.85 };
    match rng.bernoulli(p) {
        true => Outcome::Win,
        false => Outcome::Loss,
    }
}

#[test]
fn nothing_is_ranked_where_predictions_chose_what_was_compared() {
    let (mut right, mut suspected) = (0, 0);
    for run in 0..60 {
        let chosen = ranking(true, run);
        assert_eq!(chosen.claim.why, Some(NoClaimReason::ComparedByPrediction));
        assert!(chosen.ranks.is_empty() && !chosen.claim.is_made());
        assert_eq!(
            chosen.claim.to_string(),
            "No ranks. The pairs that people compared were chosen with the predictions in view, so ranks without \
             predictions would mislead, too. Collect comparisons that do not depend on them: `tiebreak ask RUN DATA` \
             draws items at random."
        );
        let drawn = ranking(false, run);
        suspected += u32::from(drawn.ranks.is_empty());
        right += u32::from(drawn.claim.systems == ["first"]);
        assert_ne!(drawn.claim.systems, ["second"]);
    }
    assert!(
        right > 30 && suspected <= 3,
        "{right} right, {suspected} suspected"
    );
}
