//! The encoder of BERT and its relatives; [DeBERTa](super::deberta) and
//! [ModernBERT](super::modernbert) have modules of their own.
//!
//! Devlin et al., "BERT", NAACL 2019; Clark et al., "ELECTRA", ICLR 2020; Liu et al., "RoBERTa",
//! 2019; Conneau et al., "XLM-R", ACL 2020. Embeddings of word, type and position, normalised; in
//! ELECTRA projected to the hidden width where theirs is smaller; in MPNet (Song et al., NeurIPS 2020) attention also
//! has a bias by [distance](super::distances). Then layers of attention and feed-forward network, each normalised
//! after its residual. Dropout is where the originals have it: after the embeddings' normalisation, on
//! attention probabilities, and on what attention and feed-forward network add.
//!
//! On the processor it is run by [`packed`](super::packed), elsewhere by
//! [`tensors`](super::tensors), from the same parameters and under the same masks.

use super::config::{Config, PositionEncoding};
use super::deberta::Deberta;
use super::dropout::Dropout;
use super::engine::{EncoderEngine, HiddenStates, Pass, StateSelection};
use super::modernbert::ModernBert;
use super::packed::{Arithmetic, Level, PackedEncoder};
use super::parameters::EncoderParameters;
use super::tensors::Tensors;
use super::{Precision, Tokens, Weights};
use std::ops::RangeInclusive;
use tiebreak_base::error::{Error, Key, Result};
use tiebreak_base::message;
use tiebreak_base::rng::Seed;

/// The encoder of any family.
pub struct Encoder {
    model: String,
    config: Config,
    engine: Box<dyn EncoderEngine>,
}

impl Encoder {
    /// Reads its parameters from the weights of a checkpoint called `model`.
    ///
    /// # Errors
    /// [`Error::Model`] naming the first tensor that is missing or has another shape; also for a
    /// precision that the family does not have.
    pub fn new(model: &str, config: &Config, weights: &Weights) -> Result<Self> {
        let is_packed = matches!(
            config.places,
            PositionEncoding::Absolute | PositionEncoding::Biased
        );
        if weights.precision() != Precision::F32 && !is_packed {
            let what = format!("{} is computed in f32 only", config.family.name());
            return Err(
                Error::model(model, what).with_hint(message!("leave out {}", Key("precision")))
            );
        }
        let engine: Box<dyn EncoderEngine> = match &config.places {
            PositionEncoding::Relative(shape) => Box::new(Deberta::read(weights, config, shape)?),
            PositionEncoding::Rotary(shape) => Box::new(ModernBert::read(weights, config, shape)?),
            PositionEncoding::Absolute | PositionEncoding::Biased => {
                let parameters = EncoderParameters::read(weights, config)?;
                if weights.device().is_cpu() {
                    let arithmetic = Arithmetic::fastest(weights.precision());
                    let packed = PackedEncoder::new(Level::best(), arithmetic, config, &parameters);
                    Box::new(packed.map_err(|source| weights.failed(source))?)
                } else {
                    Box::new(Tensors::new(config, parameters))
                }
            }
        };
        Ok(Self {
            model: model.to_string(),
            config: config.clone(),
            engine,
        })
    }

    /// Its shape.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The hidden states of some layers for each input, in evaluation mode; 0 is what enters the
    /// first layer. Layers above the last of them are not run. Inputs are run in parallel; no bit
    /// of a result depends on what else is requested.
    ///
    /// # Errors
    /// [`Error::Model`] for the first input that is empty, too long, or has an id out of range.
    ///
    /// # Panics
    /// If there is no such layer.
    pub fn states(
        &self,
        inputs: &[Tokens],
        layers: RangeInclusive<usize>,
    ) -> Result<Vec<HiddenStates>> {
        assert!(*layers.end() <= self.config.layers, "no such layer");
        let pass = |tokens| Pass {
            tokens,
            dropout: None,
        };
        let passes: Vec<Pass<'_>> = inputs.iter().map(pass).collect();
        self.run(&passes, &StateSelection::Layers(layers))
    }

    /// Runs each pass, and returns the states that are wanted.
    pub(super) fn run(
        &self,
        passes: &[Pass<'_>],
        wanted: &StateSelection,
    ) -> Result<Vec<HiddenStates>> {
        for pass in passes {
            check(pass.tokens, &self.config).map_err(|what| self.failed(what))?;
            if pass.dropout.is_some() {
                self.config.check_dropout(&self.model)?;
            }
        }
        let states = self.engine.run(passes, wanted);
        states.map_err(|source| self.failed(source))
    }

    /// One run over some tokens: with dropout off, or under the masks of draw `draw` of a seed, in
    /// the scope of the configuration.
    pub(super) fn pass<'a>(&self, tokens: &'a Tokens, draw: Option<(Seed, u32)>) -> Pass<'a> {
        let Config { scope, layers, .. } = self.config;
        let masks = |(seed, draw)| Dropout::new(seed, tokens, draw).within(scope, layers);
        Pass {
            tokens,
            dropout: draw.map(masks),
        }
    }

    pub(super) fn failed(&self, source: impl std::fmt::Display) -> Error {
        Error::model(&self.model, source)
    }
}

/// Checks that an encoder can read an input; the error says what is wrong.
pub(super) fn check(tokens: &Tokens, config: &Config) -> Result<(), String> {
    let n = tokens.ids.len();
    if n == 0 || n > config.positions || tokens.types.len() != n {
        return Err(format!(
            "an input of {n} tokens with {} types, expected 1 to {} of both",
            tokens.types.len(),
            config.positions
        ));
    }
    let outside = |ids: &[u32], rows: usize| ids.iter().find(|&&id| id as usize >= rows).copied();
    if let Some(id) = outside(&tokens.ids, config.vocabulary) {
        return Err(format!(
            "token id {id}, expected below {}",
            config.vocabulary
        ));
    }
    let typed = config.family.has_types() && config.types > 0;
    if let Some(id) = outside(&tokens.types, config.types).filter(|_| typed) {
        return Err(format!("token type {id}, expected below {}", config.types));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::engine::largest_difference;
    use super::super::packed::{Bf16Kernel, Int8Kernel, say_what_is_skipped};
    use super::super::{Checkpoint, Device, Scope};
    use super::*;
    use std::path::Path;

    /// A family without and one with a bias by distance.
    const FOLDERS: [&str; 2] = [
        "../../models/tiny-electra",
        "../../tests/golden/families/mpnet",
    ];

    fn inputs(config: &Config) -> Vec<Tokens> {
        let mut rng = Seed(5).stream("test", 0);
        let words = config.vocabulary.min(200);
        // Lengths on both sides of every tile's, and more in all than one group takes.
        let lengths = [1, 2, 3, 4, 5, 13, 14, 15, 29, 64, 127, 128, 90, 100, 60];
        let input = |n: usize| Tokens {
            ids: (0..n).map(|_| rng.below(words) as u32).collect(),
            types: (0..n).map(|i| u32::from(i > n / 2)).collect(),
        };
        let lengths = lengths.map(|n| n.min(config.positions));
        lengths.into_iter().map(input).collect()
    }

    fn passes(inputs: &[Tokens]) -> Vec<Pass<'_>> {
        let of = |(i, tokens)| Pass {
            tokens,
            dropout: (i % 3 > 0).then(|| Dropout::new(Seed(1), tokens, i as u32)),
        };
        inputs.iter().enumerate().map(of).collect()
    }

    fn parameters(folder: &str) -> (Config, EncoderParameters) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let checkpoint = Checkpoint::in_folder(&folder).unwrap();
        let config = Config::read(&checkpoint).unwrap();
        let weights = Weights::read(&checkpoint, Device::Cpu).unwrap();
        let parameters = EncoderParameters::read(&weights, &config).unwrap();
        (config, parameters)
    }

    fn engines(folder: &str) -> (Config, Vec<PackedEncoder>, Tensors) {
        say_what_is_skipped();
        let (config, parameters) = parameters(folder);
        let packed =
            |level| PackedEncoder::new(level, Arithmetic::F32, &config, &parameters).unwrap();
        let packed = Level::all().into_iter().map(packed).collect();
        (config.clone(), packed, Tensors::new(&config, parameters))
    }

    fn by(folder: &str, arithmetic: Arithmetic) -> PackedEncoder {
        let (config, parameters) = parameters(folder);
        PackedEncoder::new(Level::best(), arithmetic, &config, &parameters).unwrap()
    }

    fn in_bf16(folder: &str) -> impl Iterator<Item = PackedEncoder> {
        let all = Bf16Kernel::all().into_iter().map(Arithmetic::Bf16);
        all.map(|arithmetic| by(folder, arithmetic))
    }

    fn in_int8(folder: &str) -> impl Iterator<Item = PackedEncoder> {
        let all = Int8Kernel::all().into_iter().map(Arithmetic::Int8);
        all.map(|arithmetic| by(folder, arithmetic))
    }

    fn other_ways(folder: &str) -> impl Iterator<Item = PackedEncoder> {
        in_bf16(folder).chain(in_int8(folder))
    }

    #[test]
    fn engines_and_instruction_sets_agree_under_the_same_masks() {
        for folder in FOLDERS {
            let (config, packed, tensors) = engines(folder);
            let inputs = inputs(&config);
            let passes = passes(&inputs);
            for wanted in [
                StateSelection::Layers(0..=config.layers),
                StateSelection::First,
            ] {
                let expected = tensors.run(&passes, &wanted).unwrap();
                for engine in &packed {
                    let found = engine.run(&passes, &wanted).unwrap();
                    assert!(largest_difference(&found, &expected) < 1e-5);
                }
            }
        }
    }

    #[test]
    fn the_first_token_alone_is_that_of_all_to_the_bit() {
        for folder in FOLDERS {
            let (config, mut packed, _) = engines(folder);
            packed.extend(other_ways(folder));
            let inputs = inputs(&config);
            let passes = passes(&inputs);
            let last = StateSelection::Layers(config.layers..=config.layers);
            for engine in &packed {
                let all = engine.run(&passes, &last).unwrap();
                let first = engine.run(&passes, &StateSelection::First).unwrap();
                for (all, first) in all.iter().zip(&first) {
                    assert_eq!(all.layers[0][..all.width], first.layers[0]);
                }
            }
        }
    }

    #[test]
    fn neither_company_nor_threads_change_a_bit() {
        for folder in FOLDERS {
            let (config, mut packed, _) = engines(folder);
            packed.extend(other_ways(folder));
            let inputs = inputs(&config);
            let passes = passes(&inputs);
            let wanted = StateSelection::Layers(0..=config.layers);
            for engine in &packed {
                let together = engine.run(&passes, &wanted).unwrap();
                for (pass, expected) in passes.iter().zip(&together) {
                    assert_eq!(&engine.run(&[*pass], &wanted).unwrap()[0], expected);
                }
                let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
                let alone = pool.unwrap().install(|| engine.run(&passes, &wanted));
                assert_eq!(alone.unwrap(), together);
            }
        }
    }

    /// One chain of fused multiply-adds per element: the width of a vector does not matter.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn fused_instruction_sets_give_the_same_bits() {
        let (config, packed, _) = engines(FOLDERS[0]);
        let inputs = inputs(&config);
        let run = |engine: &PackedEncoder| {
            let wanted = StateSelection::Layers(0..=config.layers);
            engine.run(&passes(&inputs), &wanted).unwrap()
        };
        for pair in packed[..packed.len() - 1].windows(2) {
            assert_eq!(run(&pair[0]), run(&pair[1]));
        }
    }

    /// States are normalised to a variance of 1. Numbers are rounded by up to 0.4 % in bf16, by up to 0.2 % of
    /// the range of their row in int8.
    #[test]
    fn roundings_are_near_f32_and_the_same_whatever_computes_them() {
        let (config, packed, _) = engines(FOLDERS[0]);
        let inputs = inputs(&config);
        let passes = passes(&inputs);
        let wanted = StateSelection::Layers(config.layers..=config.layers);
        let run = |engine: &PackedEncoder| engine.run(&passes, &wanted).unwrap();
        let exact = run(&packed[0]);
        let of = |states: &[HiddenStates]| -> Vec<f32> {
            states
                .iter()
                .flat_map(|one| one.layers[0].clone())
                .collect()
        };
        for (all, least, most) in [
            (in_bf16(FOLDERS[0]).collect::<Vec<_>>(), 1e-4, 1e-2),
            (in_int8(FOLDERS[0]).collect(), 1e-4, 3e-2),
        ] {
            let rounded = run(&all[0]);
            for engine in &all[1..] {
                assert_eq!(run(engine), rounded);
            }
            let (exact, rounded) = (of(&exact), of(&rounded));
            let away = exact
                .iter()
                .zip(&rounded)
                .map(|(x, y)| f64::from((x - y).abs()));
            let mean = away.sum::<f64>() / exact.len() as f64;
            assert!(mean > least && mean < most, "{mean}");
        }
    }

    /// Draws of the last layer alone share the layers below, which must not change results.
    #[test]
    fn passes_that_share_their_trunk_are_what_they_are_alone() {
        for folder in FOLDERS {
            let (config, mut packed, tensors) = engines(folder);
            packed.extend(other_ways(folder));
            let inputs = inputs(&config);
            let draws = |tokens| {
                let dropout = move |draw| {
                    let dropout = Dropout::new(Seed(1), tokens, draw);
                    dropout.within(Scope::LastLayer, config.layers)
                };
                let all = [None, Some(dropout(0)), Some(dropout(1)), Some(dropout(7))];
                all.map(|dropout| Pass { tokens, dropout })
            };
            let passes: Vec<Pass<'_>> = inputs.iter().flat_map(draws).collect();
            for wanted in [
                StateSelection::First,
                StateSelection::Layers(config.layers..=config.layers),
            ] {
                let expected = tensors.run(&passes, &wanted).unwrap();
                for engine in &packed {
                    let together = engine.run(&passes, &wanted).unwrap();
                    for (pass, found) in passes.iter().zip(&together) {
                        assert_eq!(&engine.run(&[*pass], &wanted).unwrap()[0], found);
                    }
                    for four in together.chunks(4) {
                        assert!(four[1..].iter().all(|draw| *draw != four[0]));
                        assert_ne!(four[1], four[2]);
                    }
                }
                let found = packed[0].run(&passes, &wanted).unwrap();
                assert!(largest_difference(&found, &expected) < 1e-5);
            }
        }
    }
}
