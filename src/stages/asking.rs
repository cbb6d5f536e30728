//! How a preference model is asked, wherever one is named.

use crate::encoders::{Precision, Scope};
use crate::engine::Context;
use crate::error::{Error, Result};
use crate::preference::{self, Choice, Draws, NO_CALIBRATION, Options, Order};
use crate::stages::judging::Judging;
use crate::stages::site::model_beside;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// How a preference model is asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Asking {
    /// Monte Carlo draws: their number, or adaptive, as many as a pair needs [default: 20; of `simulate` and
    /// `ask` 0 without selection or elimination]
    #[cfg_attr(feature = "cli", arg(long, value_name = "L|adaptive:key=value,…", value_parser = crate::keys::flag::<Draws>))]
    pub draws: Option<Draws>,
    /// Where draws have dropout: all, or last-layer (and the head), which makes draws nearly free
    /// [default: all]
    #[cfg_attr(feature = "cli", arg(long, value_name = "all|last-layer", value_parser = crate::keys::flag::<Scope>))]
    pub dropout: Option<Scope>,
    /// In which precision the encoder multiplies, on the processor: f32, bf16, which is faster on processors
    /// with AMX or AVX512-BF16, or int8, faster on those with AVX-512 VNNI or AVX-VNNI [default: f32]
    #[cfg_attr(feature = "cli", arg(long, value_name = "f32|bf16|int8", value_parser = crate::keys::flag::<Precision>))]
    pub precision: Option<Precision>,
    /// Show the model a pair as given, in both orders and average, or in one drawn for each pair [default:
    /// given; of a judge random]
    #[cfg_attr(feature = "cli", arg(long, value_name = "given|both|random", value_parser = crate::keys::flag::<Order>))]
    pub order: Option<Order>,
    /// A calibration of the model fitted by `tiebreak fit calibration`, in place of its own; none leaves that
    /// out
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE|none"))]
    pub calibration: Option<PathBuf>,
    /// Where it is a judge.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub judging: Judging,
}

impl Asking {
    /// The same, with what it does not say taken from `others`, but for what only judges are told.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            draws: self.draws.or(others.draws),
            dropout: self.dropout.or(others.dropout),
            precision: self.precision.or(others.precision),
            order: self.order.or(others.order),
            calibration: self.calibration.or(others.calibration),
            judging: self.judging,
        }
    }

    /// The first key that is given.
    pub fn first(&self) -> Option<&'static str> {
        let calibrated = self.calibration.is_some().then_some("calibration");
        self.first_but_calibration().or(calibrated)
    }

    /// The same, but for the calibration, which links have too.
    pub fn first_but_calibration(&self) -> Option<&'static str> {
        let all = [
            ("draws", self.draws.is_some()),
            ("dropout", self.dropout.is_some()),
            ("precision", self.precision.is_some()),
            ("order", self.order.is_some()),
        ];
        let said = all.into_iter().find_map(|(key, said)| said.then_some(key));
        said.or(self.judging.first())
    }

    /// How many draws that comes to.
    pub fn draws(&self) -> Draws {
        self.draws.unwrap_or_default()
    }

    /// The same from here, where the path of a calibration is relative to `folder`.
    #[must_use]
    pub fn beside(mut self, folder: &Path) -> Self {
        if let Some(path) = &mut self.calibration
            && path != Path::new(NO_CALIBRATION)
        {
            *path = folder.join(&path);
        }
        self.judging = self.judging.beside(folder);
        self
    }

    /// Checks that there are such a model, by its name or relative to `folder`, and such a calibration,
    /// before anything runs for minutes.
    ///
    /// # Errors
    /// [`Error::Key`], naming `model` or `calibration`.
    pub fn find(&self, model: &str, folder: &Path, context: &Context<'_>) -> Result<()> {
        let options = self.clone().beside(folder).options()?;
        let model = model_beside(folder, model);
        let is_judge = preference::find(&model, &options, &context.env);
        let is_judge = is_judge.map_err(Error::of_key("model"))?;
        match (is_judge, self.draws, self.judging.first()) {
            (true, Some(_), _) => Err(draws_of_a_judge()),
            (false, _, Some(key)) => {
                let what = format!("this is for a judge, and `{model}` is none");
                Err(Error::key(key, what))
            }
            _ => Ok(()),
        }
    }

    /// As a model takes it.
    ///
    /// # Errors
    /// As [`Choice::read`].
    pub fn options(&self) -> Result<Options> {
        if self.dropout.is_some() && self.draws.is_some_and(|draws| !draws.any()) {
            return Err(Error::key("dropout", "without `draws` there is none"));
        }
        Ok(Options {
            draws: self.draws(),
            dropout: self.dropout.unwrap_or_default(),
            precision: self.precision.unwrap_or_default(),
            order: self.order,
            samples: self.judging.samples,
            judging: self.judging.asked(),
            calibration: Choice::read(self.calibration.as_deref())
                .map_err(Error::of_key("calibration"))?,
        })
    }
}

/// What is wrong with draws where the model is a judge.
pub(super) fn draws_of_a_judge() -> Error {
    Error::key("draws", "a judge is not run under dropout")
        .with_hint("its draws are orders, templates and samples: `order` both, `samples` 5")
}
