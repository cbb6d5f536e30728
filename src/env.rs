//! What builders may need from outside: where models lie, on which device they run, the seed.

use crate::rng::Seed;
use std::path::PathBuf;

/// Passed to every builder of a metric or model.
#[derive(Debug, Clone)]
pub struct Env {
    /// The folder of model descriptors and calibrations.
    pub models: PathBuf,
    /// Where neural models run.
    pub device: Device,
    /// The seed of dropout masks.
    pub seed: Seed,
}

impl Default for Env {
    fn default() -> Self {
        Self {
            models: PathBuf::from("models"),
            device: Device::Cpu,
            seed: Seed::default(),
        }
    }
}

/// Where neural models run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Device {
    /// The processor.
    #[default]
    Cpu,
    /// An NVIDIA GPU, by number.
    Cuda(usize),
    /// Apple's GPU.
    Metal,
}
