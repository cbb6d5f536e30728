//! The parameters of `adaptive`, as typed and as checked.

use super::target::{CertificateAssumption, Target};
use serde::{Deserialize, Serialize};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::registry::Params;

/// The parameters as typed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct AdaptiveParameters {
    assume: CertificateAssumption,
    target: TargetName,
    k: usize,
    draws: PosteriorDraws,
    epsilon: f64,
    controls: bool,
    memory: bool,
}

impl Default for AdaptiveParameters {
    fn default() -> Self {
        Self {
            assume: CertificateAssumption::default(),
            target: TargetName::default(),
            k: 3,
            draws: PosteriorDraws::default(),
            epsilon: 0.0,
            controls: true,
            memory: true,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum TargetName {
    #[default]
    Best,
    TopK,
    Ranking,
}

/// The number of draws from the posterior that choose a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PosteriorDraws {
    /// The winner of one, against the system most likely to beat it.
    One,
    /// The winners of two.
    #[default]
    Two,
}

/// The parameters as checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct AdaptiveSettings {
    pub assume: CertificateAssumption,
    pub target: Target,
    pub draws: PosteriorDraws,
    /// ε, 0 where only the best will do.
    pub epsilon: f64,
    /// Whether predictions of items are taken off their answers.
    pub controls: bool,
    /// Whether answers about other pairs of an item are taken off, too.
    pub memory: bool,
}

impl AdaptiveSettings {
    /// # Errors
    /// [`Error::Usage`] for a value out of range, or for one that another makes pointless.
    pub(super) fn read(params: &Params) -> Result<Self> {
        let read: AdaptiveParameters = params.read("adaptive")?;
        if !(0.0..0.5).contains(&read.epsilon) {
            return Err(Error::usage(format!(
                "adaptive: epsilon is {}, expected a number from 0 to below 0.5",
                read.epsilon
            ))
            .with_hint("0.02 treats systems as tied that differ by two judgments in 100"));
        }
        if read.k == 0 {
            return Err(Error::usage("adaptive: k is 0, expected at least 1"));
        }
        let only_best = |key: &str| {
            Error::usage(format!("adaptive: {key} is for target=best only"))
                .with_hint(format!("leave out {key} or target"))
        };
        match read.target {
            TargetName::Best => {}
            _ if read.epsilon > 0.0 => return Err(only_best("epsilon")),
            _ if read.draws == PosteriorDraws::One => return Err(only_best("draws=one")),
            TargetName::TopK | TargetName::Ranking => {}
        }
        if read.target != TargetName::TopK && read.k != AdaptiveParameters::default().k {
            return Err(Error::usage(format!(
                "adaptive: k={} is for target=top-k (the number of systems to find)",
                read.k
            )));
        }
        Ok(Self {
            assume: read.assume,
            target: match read.target {
                TargetName::Best => Target::Best,
                TargetName::TopK => Target::Top(read.k),
                TargetName::Ranking => Target::Ranking,
            },
            draws: read.draws,
            epsilon: read.epsilon,
            controls: read.controls,
            memory: read.memory,
        })
    }

    /// # Errors
    /// [`Error::Usage`] where as many systems are looked for as there are.
    pub(super) fn check(self, systems: usize) -> Result<()> {
        match self.target {
            Target::Top(top) if top >= systems => Err(Error::usage(format!(
                "adaptive: k is {top}, expected fewer than the {systems} systems whose outputs differ"
            ))),
            _ => Ok(()),
        }
    }
}
