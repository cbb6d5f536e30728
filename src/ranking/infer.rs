//! A ranking from a collection of comparisons, alone or beside the predictions of a model.

use super::Collection;
use super::claim::claim;
use super::table::{Table, table};
use crate::estimators::margins::{Powered, Predicted, powered};
use crate::evaluation::standing::Collected;
use crate::rng::Seed;
use crate::signature::Signature;
use crate::tables::ranking::{Clusters, Evidence, Ranking, Scale};

impl Collection {
    /// What the comparisons say of all systems, at a confidence between 0 and 1: strengths in log-odds.
    pub fn rank(&self, confidence: f64, seed: Seed) -> Ranking {
        let strengths = self.strengths();
        let compared = |system| strengths.comparisons(system);
        let table = table(
            self.systems(),
            &strengths,
            compared,
            Collected::AsPlanned,
            confidence,
        );
        let signature = Signature::new("bradley-terry")
            .with("ties", "half wins")
            .with("clusters", self.clusters().name())
            .with("confidence", confidence);
        let signature = match self.holds_style() {
            true => signature.with("style", "held equal"),
            false => signature,
        };
        let signature = signature.with("version", 3);
        let evidence = Evidence {
            scale: Scale::LogOdds,
            predictions: 0,
            unlinked: strengths.groups() as u64,
            ..self.evidence(confidence)
        };
        self.ranking(table, evidence, seed, &signature)
    }

    /// The same where a model predicted all pairs of outputs and people's comparisons correct it: margins.
    /// `predictor` is what made the predictions.
    pub fn rank_predicted(
        &self,
        predicted: &[Predicted],
        predictor: &str,
        confidence: f64,
        seed: Seed,
    ) -> Ranking {
        let (k, annotators) = (self.systems().len(), self.annotators());
        let Powered { margins, .. } = powered(k, self.comparisons(), annotators, predicted, seed);
        let compared = |system| margins.readings(system);
        let table = table(
            self.systems(),
            &margins,
            compared,
            Collected::AsPlanned,
            confidence,
        );
        let signature = Signature::new("prediction-powered margins")
            .with("predictions", format!("[{predictor}]"))
            .with("clusters", self.clusters().name())
            .with("confidence", confidence)
            .with("version", 1);
        let evidence = Evidence {
            scale: Scale::Margin,
            predictions: predicted.len() as u64,
            unlinked: margins.groups() as u64,
            ..self.evidence(confidence)
        };
        self.ranking(table, evidence, seed, &signature)
    }

    /// What answers may have in common.
    fn clusters(&self) -> Clusters {
        match self.annotators() {
            Some(_) => Clusters::ItemsAndAnnotators,
            None => Clusters::Items,
        }
    }

    /// From what either is made, but for what is its own.
    fn evidence(&self, confidence: f64) -> Evidence {
        Evidence {
            answers: self.comparisons().len() as u64,
            identical: 0,
            predictions: 0,
            scale: Scale::LogOdds,
            confidence,
            clusters: self.clusters(),
            adaptive: false,
            unlinked: 0,
        }
    }

    fn ranking(
        &self,
        (strengths, ranks, groups): Table,
        evidence: Evidence,
        seed: Seed,
        signature: &Signature,
    ) -> Ranking {
        Ranking {
            claim: claim(self, &ranks, evidence.confidence),
            systems: self.systems().to_vec(),
            strengths,
            ranks,
            groups,
            evidence,
            campaign: None,
            style: Vec::new(),
            against: None,
            seed: seed.0,
            signature: signature.to_string(),
        }
    }
}
