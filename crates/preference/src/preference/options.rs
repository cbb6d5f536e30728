//! How a preference model is asked: keys of whatever names one.

use super::choice::CalibrationChoice;
use super::{Draws, NO_CALIBRATION, Order};
use crate::judges::JudgeOptions;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::keys::Keys;
use tiebreak_base::message;
use tiebreak_encoders::{Precision, Scope};

/// How a preference model is asked. The default is what the paper does: 20 draws with dropout
/// everywhere, in full precision, each pair shown as it is given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Options {
    /// Monte Carlo draws: a number, or adaptive: as many as a pair needs [default: 20; simulate and ask: 0 unless
    /// uncertainty is used]
    #[cfg_attr(feature = "cli", arg(long, value_name = "L|adaptive:…", value_parser = tiebreak_base::keys::flag::<Draws>))]
    pub draws: Option<Draws>,
    /// Where draws have dropout: all, or last-layer (with the head), which takes a quarter of the time [default: all]
    #[cfg_attr(feature = "cli", arg(long, value_name = "all|last-layer", value_parser = tiebreak_base::keys::flag::<Scope>))]
    pub dropout: Option<Scope>,
    /// Precision on the processor: f32; bf16, fast with AMX or AVX512-BF16; int8, fast with VNNI [default: f32]
    #[cfg_attr(feature = "cli", arg(long, value_name = "f32|bf16|int8", value_parser = tiebreak_base::keys::flag::<Precision>))]
    pub precision: Option<Precision>,
    /// Order of a pair's outputs: as given, both and averaged, or random for each pair [default: given; judges:
    /// random]
    #[cfg_attr(feature = "cli", arg(long, value_name = "given|both|random", value_parser = tiebreak_base::keys::flag::<Order>))]
    pub order: Option<Order>,
    /// Use a calibration of `tiebreak fit calibration` instead of the model's own; none uses none
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE|none"))]
    pub calibration: Option<PathBuf>,
    /// Ask a judge so often: a number, or adaptive: as often as a pair needs [default: 1]
    #[cfg_attr(feature = "cli", arg(long, value_name = "N|adaptive:…", value_parser = tiebreak_base::keys::flag::<Draws>))]
    pub samples: Option<Draws>,
    /// How else a judge is asked.
    #[serde(flatten)]
    #[cfg_attr(feature = "cli", command(flatten))]
    pub judging: JudgeOptions,
}

impl Options {
    /// The number of draws, or its default.
    pub fn draws(&self) -> Draws {
        self.draws.unwrap_or_default()
    }

    /// The first key that is given, other than `others`.
    pub fn first_but(&self, others: &[&str]) -> Option<String> {
        let mut given = self.non_default();
        given.retain(|key| !others.contains(&key.as_str()));
        given.into_iter().next()
    }

    /// Checks that the options suit a judge, or a model that is none.
    ///
    /// # Errors
    /// [`Error::Key`], naming the key to blame.
    pub fn suits(&self, model: &str, is_judge: bool) -> Result<()> {
        if is_judge && self.draws.is_some() {
            let error = Error::key("draws", "a judge is not run under dropout");
            return Err(error.with_hint(message!(
                "its draws are orders, templates and samples: {}, {}",
                Key("order").set("both"),
                Key("samples").set(5)
            )));
        }
        let samples = self.samples.map(|_| "samples".to_string());
        let of_judges = samples.or_else(|| self.judging.non_default().into_iter().next());
        match of_judges {
            Some(key) if !is_judge => {
                let what = format!("this is for a judge, and `{model}` is none");
                Err(Error::key(&key, what))
            }
            _ => Ok(()),
        }
    }

    /// The files and folders that the options name.
    pub fn paths_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let calibration = self.calibration.iter_mut();
        let calibration = calibration.filter(|path| *path != Path::new(NO_CALIBRATION));
        let JudgeOptions {
            prompt, answers, ..
        } = &mut self.judging;
        calibration.chain(prompt).chain(answers)
    }

    /// Returns the options with paths that were relative to `folder` made relative to here.
    #[must_use]
    pub fn rebase_paths(mut self, folder: &Path) -> Self {
        for path in self.paths_mut() {
            *path = folder.join(&path);
        }
        self
    }

    /// The choice of the calibration.
    ///
    /// # Errors
    /// [`Error::Key`] where it cannot be read.
    pub(super) fn calibration(&self) -> Result<CalibrationChoice> {
        let choice = CalibrationChoice::read(self.calibration.as_deref());
        choice.map_err(Error::of_key("calibration"))
    }
}

impl Keys for Options {
    fn check(&self) -> Result<()> {
        match self.dropout.is_some() && self.draws.is_some_and(|draws| !draws.any()) {
            true => Err(Error::key(
                "dropout",
                message!("without {} there is none", Key("draws")),
            )),
            false => Ok(()),
        }
    }
}

impl Keys for JudgeOptions {}
