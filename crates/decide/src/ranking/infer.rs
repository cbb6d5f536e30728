//! A ranking from a collection of comparisons, alone or beside the predictions of a model.

use super::Collection;
use super::claim::claim;
use super::table::{StrengthTable, table};
use super::viewpoint::Viewpoint;
use crate::estimators::contrasts::Contrasts;
use crate::estimators::margins::{MarginPrediction, PredictionPoweredMargins};
use crate::ranking::result::{Evidence, PanelRanking, Ranking, Strength, StrengthScale};
use std::borrow::Cow;
use tiebreak_base::claims::{ClaimPopulation, Items, NoClaimReason};
use tiebreak_base::rng::Seed;
use tiebreak_base::scope::{ItemScope, ResultScope};
use tiebreak_base::signature::Signature;
use tiebreak_base::words::listed;

impl Collection {
    /// Ranks all systems at a confidence between 0 and 1, with strengths in log-odds.
    pub fn rank(&self, scope: ResultScope, confidence: f64, seed: Seed) -> Ranking {
        let new = scope.people.includes_new(self.people());
        let (these, new) = self.viewpoints(new);
        let (ranking, new_annotators) = rayon::join(
            || self.ranked(&these, scope, confidence, seed),
            || new.map(|viewpoint| self.panel(&viewpoint, scope, confidence)),
        );
        self.with_preferred_side(Ranking {
            new_annotators,
            ..ranking
        })
    }

    /// The ranking from one viewpoint.
    fn ranked(
        &self,
        viewpoint: &Viewpoint<'_>,
        scope: ResultScope,
        confidence: f64,
        seed: Seed,
    ) -> Ranking {
        let signature = Signature::new("bradley-terry")
            .with("ties", "half wins")
            .with("weights", weights(viewpoint))
            .with("confidence", confidence);
        let signature = match &self.verdicts {
            Some(held) => signature.with("verdicts", format!("[{}]", held.signature)),
            None => signature,
        };
        let signature = match self.holds_style() {
            true => signature.with("style", "held equal"),
            false => signature,
        };
        let signature = self.with_grouping(signature).with("version", 7);
        let signature = format!("{signature}{}", scope.signature());
        let strengths = viewpoint.strengths();
        let compared = |system: usize| match &self.verdicts {
            Some(held) => held.of_system[system],
            None => strengths.comparisons(system),
        };
        let evidence = Evidence {
            unlinked: strengths.groups() as u64,
            ..self.evidence(viewpoint, confidence)
        };
        let table = self.table(viewpoint, &strengths, compared, confidence);
        self.ranking(viewpoint, table, evidence, (scope, seed), signature)
    }

    /// Ranks all systems where a model predicted all pairs of outputs and people's comparisons correct it, in margins.
    /// `predictor` is what made the predictions. `cluster` names the item that stands for those of its cluster, where items
    /// are dependent; the collection itself is not grouped. Where the choice of comparisons is associated with the predictions,
    /// nothing is ranked.
    pub fn rank_predicted(
        &self,
        (predicted, predictor): (&[MarginPrediction], &str),
        cluster: Option<&dyn Fn(u32) -> u32>,
        scope: ResultScope,
        confidence: f64,
        seed: Seed,
    ) -> Ranking {
        let counted = match cluster {
            Some(cluster) => Cow::Owned(self.clone().grouped(cluster)),
            None => Cow::Borrowed(self),
        };
        let viewpoint = counted.these_annotators();
        let k = self.systems().len();
        let weighed = viewpoint.weights();
        let cluster_of = |item| cluster.map_or(item, |cluster| cluster(item));
        let PredictionPoweredMargins { margins, .. } = PredictionPoweredMargins::by_cluster(
            k,
            self.comparisons(),
            weighed,
            (predicted, cluster_of),
            seed,
        );
        let compared = |system| margins.readings(system);
        let signature = Signature::new("prediction-powered margins")
            .with("predictions", format!("[{predictor}]"))
            .with("weights", weights(&viewpoint))
            .with("confidence", confidence)
            .with("version", 3);
        let signature = counted.with_grouping(signature);
        let signature = format!("{signature}{}", scope.signature());
        let evidence = Evidence {
            scale: StrengthScale::Margin,
            predictions: predicted.len() as u64,
            unlinked: margins.groups() as u64,
            ..counted.evidence(&viewpoint, confidence)
        };
        let table = counted.table(&viewpoint, &margins, compared, confidence);
        let ranking = counted.ranking(&viewpoint, table, evidence, (scope, seed), signature);
        let ranking = counted.with_preferred_side(ranking);
        match MarginPrediction::are_selected(self.comparisons(), predicted) {
            true => unranked(ranking),
            false => ranking,
        }
    }

    /// Adds to a signature that items are groups of items, where they are.
    fn with_grouping(&self, signature: Signature) -> Signature {
        match self.is_grouped {
            true => signature.with("items", "grouped"),
            false => signature,
        }
    }

    fn table(
        &self,
        viewpoint: &Viewpoint<'_>,
        strengths: &impl Contrasts,
        compared: impl Fn(usize) -> u64,
        confidence: f64,
    ) -> StrengthTable {
        let strengths = viewpoint.restricted(strengths);
        table(self.systems(), &strengths, compared, confidence)
    }

    /// The ranking for people like those who answered.
    fn panel(
        &self,
        viewpoint: &Viewpoint<'_>,
        scope: ResultScope,
        confidence: f64,
    ) -> PanelRanking {
        let strengths = viewpoint.strengths();
        let compared = |system| strengths.comparisons(system);
        let (strengths, ranks, groups) = self.table(viewpoint, &strengths, compared, confidence);
        PanelRanking {
            claim: claim(self, viewpoint, &ranks, items(scope), confidence),
            strengths,
            ranks,
            groups,
        }
    }

    /// The evidence that both kinds of ranking share.
    fn evidence(&self, viewpoint: &Viewpoint<'_>, confidence: f64) -> Evidence {
        let systems = self.systems().iter().zip(&viewpoint.unjudged);
        Evidence {
            answers: self.answers(),
            judge: self.judge().map(str::to_string),
            unmet: self.unmet(),
            identical: 0,
            repeated: 0,
            predictions: 0,
            scale: StrengthScale::LogOdds,
            confidence,
            sharing: 0,
            adaptive: false,
            unlinked: 0,
            reweighted: self.judge().is_none() && viewpoint.weights().is_some(),
            unjudged: systems
                .filter(|(_, unjudged)| **unjudged)
                .map(|(name, _)| name.clone())
                .collect(),
        }
    }

    fn ranking(
        &self,
        viewpoint: &Viewpoint<'_>,
        (strengths, ranks, groups): StrengthTable,
        evidence: Evidence,
        (scope, seed): (ResultScope, Seed),
        signature: String,
    ) -> Ranking {
        let lacking = no_interval(&strengths, &evidence);
        Ranking {
            claim: claim(self, viewpoint, &ranks, items(scope), evidence.confidence),
            systems: self.systems().to_vec(),
            strengths,
            ranks,
            groups,
            people: scope.people,
            new_annotators: None,
            evidence,
            campaign: None,
            style: Vec::new(),
            against: None,
            position: None,
            slices: None,
            hints: self.hints().into_iter().chain(lacking).collect(),
            seed: seed.0,
            signature,
        }
    }
}

/// Says why systems that were compared have no interval, where it is not that some annotators never judged them.
fn no_interval(strengths: &[Strength], evidence: &Evidence) -> Option<String> {
    let lacks = |one: &&Strength| {
        one.comparisons > 0 && one.lower.is_none() && !evidence.unjudged.contains(&one.system)
    };
    let names = strengths.iter().filter(lacks);
    let names: Vec<&str> = names.map(|one| one.system.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "No interval for {}: it takes about five items of equal weight or more.",
            listed(&names)
        )
    })
}

/// The weighting of comparisons, as signatures write it.
fn weights(viewpoint: &Viewpoint<'_>) -> &'static str {
    match viewpoint.weights() {
        Some(_) if viewpoint.about == ClaimPopulation::Judge => "verdicts alike",
        Some(_) => "pair by pair",
        None => "alike",
    }
}

/// The items that claims are about. An interval about items like these holds of these as well.
fn items(scope: ResultScope) -> Items {
    match scope.items {
        ItemScope::LikeThese => Items::AtLarge,
        ItemScope::These => Items::AtHand,
    }
}

/// Empties a ranking, as the choice of comparisons is associated with the predictions.
fn unranked(ranking: Ranking) -> Ranking {
    Ranking {
        claim: ranking.claim.withdrawn(NoClaimReason::ComparedByPrediction),
        strengths: Vec::new(),
        ranks: Vec::new(),
        groups: Vec::new(),
        ..ranking
    }
}
