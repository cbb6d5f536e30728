//! Tests on a GPU of CUDA, which say that they are skipped where there is none.

use super::dropout::Dropout;
use super::engine::{Pass, StateSelection, largest_difference};
use super::{Checkpoint, Config, Device, Encoder, Tokens, Weights};
use rayon::prelude::*;
use std::io::Write;
use std::path::{Path, PathBuf};
use tiebreak_base::rng::Seed;
use tiebreak_base::signature::Signature;

/// The first GPU, if this build and machine have one; else says that the running test is skipped, past the test
/// harness, which captures normal output.
pub(super) fn first() -> Option<Device> {
    let Err(source) = candle_core::Device::new_cuda_with_stream(0) else {
        return Some(Device::Cuda(0));
    };
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("encoders");
    let source = source.to_string();
    let why = source.lines().next().unwrap_or_default();
    let line = format!("\nSKIPPED: {test}: there is no GPU of CUDA here ({why})\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
    None
}

/// Every encoder that comes with the code.
fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let families = std::fs::read_dir(root.join("tests/golden/families")).unwrap();
    let mut folders: Vec<_> = families.map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders.push(root.join("models/tiny-electra"));
    folders.push(root.join("models/tiebreak-small"));
    folders
}

/// Inputs of many lengths, two of each.
fn inputs(config: &Config) -> Vec<Tokens> {
    let mut rng = Seed(5).stream("test", 0);
    let words = config.vocabulary.min(200);
    let input = |n: usize| Tokens {
        ids: (0..n).map(|_| rng.below(words) as u32).collect(),
        types: (0..n)
            .map(|i| u32::from(config.types > 1 && i > n / 2))
            .collect(),
    };
    let lengths = [1, 2, 3, 15, 16, 17, 40, 64, 100, 127, 128];
    let lengths = lengths.into_iter().chain(lengths);
    lengths
        .map(|n| n.min(config.positions))
        .map(input)
        .collect()
}

/// Each input with dropout off, and in two draws where the family has any.
fn passes<'a>(config: &Config, inputs: &'a [Tokens]) -> Vec<Pass<'a>> {
    let draws = if config.family.has_dropout() {
        0..3
    } else {
        0..1
    };
    let of = |tokens| {
        draws.clone().map(move |draw: u32| Pass {
            tokens,
            dropout: (draw > 0).then(|| Dropout::new(Seed(1), tokens, draw)),
        })
    };
    inputs.iter().flat_map(of).collect()
}

fn encoder(folder: &Path, device: Device) -> (Config, Encoder) {
    let checkpoint = Checkpoint::in_folder(folder).unwrap();
    let config = Config::read(&checkpoint).unwrap();
    let weights = Weights::read(&checkpoint, device).unwrap();
    let encoder = Encoder::new(&checkpoint.name, &config, &weights).unwrap();
    (config, encoder)
}

#[test]
fn states_on_a_gpu_are_those_of_the_processor_under_the_same_masks() {
    let Some(gpu) = first() else { return };
    for folder in folders() {
        let (config, here) = encoder(&folder, Device::Cpu);
        let (_, there) = encoder(&folder, gpu);
        let inputs = inputs(&config);
        let passes = passes(&config, &inputs);
        for wanted in [
            StateSelection::Layers(0..=config.layers),
            StateSelection::First,
        ] {
            let expected = here.run(&passes, &wanted).unwrap();
            let found = there.run(&passes, &wanted).unwrap();
            let largest = largest_difference(&found, &expected);
            let folder = folder.display();
            assert!(largest < 2e-5, "{folder}: {largest:e}");
        }
    }
}

#[test]
fn neither_company_nor_threads_nor_time_change_a_bit_on_a_gpu() {
    let Some(gpu) = first() else { return };
    for folder in folders() {
        let (config, encoder) = encoder(&folder, gpu);
        let inputs = inputs(&config);
        let passes = passes(&config, &inputs);
        let wanted = StateSelection::Layers(0..=config.layers);
        let together = encoder.run(&passes, &wanted).unwrap();
        assert!(encoder.run(&passes, &wanted).unwrap() == together);
        let mut reversed = passes.clone();
        reversed.reverse();
        let mut back = encoder.run(&reversed, &wanted).unwrap();
        back.reverse();
        assert!(back == together, "{}: in another order", folder.display());
        for (pass, expected) in passes.iter().zip(&together) {
            let alone = encoder.run(&[*pass], &wanted).unwrap();
            assert!(alone[0] == *expected, "{}: alone", folder.display());
        }
        let some = passes.par_chunks(7).map(|some| encoder.run(some, &wanted));
        let side_by_side: Vec<_> = some.collect::<Result<_, _>>().unwrap();
        assert!(side_by_side.concat() == together, "{}", folder.display());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let alone = pool.unwrap().install(|| encoder.run(&passes, &wanted));
        assert!(alone.unwrap() == together);
    }
}

#[test]
fn signatures_name_a_gpu_and_not_the_processor() {
    let sign = |device: Device| {
        device
            .sign(Signature::new("m").with("layer", 3))
            .to_string()
    };
    assert_eq!(sign(Device::Cpu), "m|layer:3");
    assert_eq!(sign(Device::Cuda(1)), "m|layer:3|arithmetic:cuda");
    assert_eq!(sign(Device::Metal), "m|layer:3|arithmetic:metal");
}

#[test]
fn a_gpu_that_is_not_there_is_refused() {
    let folder = folders().pop().unwrap();
    let checkpoint = Checkpoint::in_folder(&folder).unwrap();
    let Err(error) = Weights::read(&checkpoint, Device::Cuda(99)) else {
        panic!("a hundredth GPU");
    };
    let what = error.to_string();
    assert!(what.contains("GPU number 99 of CUDA"), "{what}");
    assert!(error.hint().unwrap().contains("cpu"));
}
