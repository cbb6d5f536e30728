//! Tests of gradients against candle's and finite differences, on tiny random models.

use super::*;
use crate::Classifier;
use crate::Device;
use crate::MatchingModel;
use crate::parameters::{ClassifierHeadParameters, EncoderParameters};
use std::collections::HashMap;
use tempfile::TempDir;
use tiebreak_base::rng::Rng;

/// A random encoder of a family on disk. With `bare`, without a prefix and without a head.
fn checkpoint(family: &str, activation: &str, bare: bool) -> (TempDir, Checkpoint) {
    // RoBERTa's positions begin after its padding.
    let skips = family.contains("roberta") || family == "mpnet";
    let positions = if skips { 42 } else { 40 };
    let config = json!({
        "model_type": family, "vocab_size": 60, "embedding_size": 10, "hidden_size": 24,
        "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 37,
        "max_position_embeddings": positions, "type_vocab_size": 2, "hidden_act": activation,
        "num_labels": 9,
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.json"), config.to_string()).unwrap();
    let checkpoint = Checkpoint::in_folder(folder.path()).unwrap();
    let config = Config::read(&checkpoint).unwrap();
    let mut tensors = HashMap::new();
    let mut rng = Seed(3).stream("test", 0);
    let mut read = |name: &str, shape: &[usize]| {
        let tensor = random(&mut rng, name, shape);
        tensors.insert(name.to_string(), tensor);
        Ok(())
    };
    let prefix = if bare {
        String::new()
    } else {
        config.family.prefix().to_string()
    };
    EncoderParameters::read_parts(&config, &prefix, &mut read).unwrap();
    if !bare {
        ClassifierHeadParameters::read_parts(&config, &prefix, 2, &mut read).unwrap();
    }
    candle_core::safetensors::save(&tensors, folder.path().join("model.safetensors")).unwrap();
    (folder, checkpoint)
}

fn random(rng: &mut Rng, name: &str, shape: &[usize]) -> Tensor {
    let norm = name.ends_with("LayerNorm.weight");
    let value = |_| f32::from(norm) + 0.3 * rng.normal() as f32;
    let values: Vec<f32> = (0..shape.iter().product()).map(value).collect();
    Tensor::from_vec(values, shape, &candle_core::Device::Cpu).unwrap()
}

fn trainable(checkpoint: &Checkpoint, output: Output) -> Trainable {
    trainable_on(Device::Cpu, checkpoint, output)
}

fn trainable_on(device: Device, checkpoint: &Checkpoint, output: Output) -> Trainable {
    let config = Config::read(checkpoint).unwrap();
    let weights = Weights::read(checkpoint, device).unwrap();
    Trainable::new(checkpoint, &config, &weights, output, Seed(1)).unwrap()
}

/// Examples of one to four inputs, with more tokens than one micro-batch has.
fn inputs() -> Vec<Vec<Tokens>> {
    let mut rng = Seed(5).stream("test", 1);
    let mut input = |n: usize| Tokens {
        ids: (0..n).map(|_| rng.below(50) as u32).collect(),
        types: (0..n).map(|i| u32::from(i > n / 2)).collect(),
    };
    let lengths = [1, 2, 3, 5, 17, 30, 40, 12, 33, 40, 24, 8];
    let example = |i: usize| {
        (0..=i % 4)
            .map(|k| input(lengths[(3 * i + k) % 12]))
            .collect()
    };
    (0..20).map(example).collect()
}

fn borrowed(inputs: &[Vec<Tokens>]) -> Vec<Vec<&Tokens>> {
    inputs
        .iter()
        .map(|example| example.iter().collect())
        .collect()
}

/// A loss in which every logit of an example affects every other.
fn loss(number: usize, logits: &[Vec<f32>]) -> (f64, Vec<Vec<f32>>) {
    let weight = |i: usize, k: usize| 0.5 + 0.3 * (number + 2 * i + 5 * k) as f32 % 1.7;
    let each = || logits.iter().enumerate();
    let sum: f32 = each()
        .flat_map(|(i, row)| row.iter().enumerate().map(move |(k, x)| weight(i, k) * x))
        .sum();
    let row = |(i, row): (usize, &Vec<f32>)| {
        let of_activations = (0..row.len()).map(|k| 2.0 * sum * weight(i, k));
        of_activations.collect()
    };
    (f64::from(sum) * f64::from(sum), each().map(row).collect())
}

const LOGIT: Output = Output::Logits(1);

/// The model with a match score to which every part matters.
fn moved(mut model: Trainable) -> Trainable {
    let mut rng = Seed(8).stream("test", 2);
    for parameter in &mut model.parameters {
        if parameter.name.starts_with("matching") {
            for value in &mut parameter.values {
                *value += 0.2 * rng.normal() as f32;
            }
        }
    }
    model
}

const DROPOUT: Option<(Seed, u32)> = Some((Seed(11), 4));

fn assert_close(found: &mut Gradients, expected: &mut Gradients, model: &Trainable) {
    let norm = expected.norm() as f32;
    for (number, parameter) in model.parameters.iter().enumerate() {
        let (found, expected) = (found.part(number), expected.part(number));
        let largest = expected.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        // The gradient by the keys' bias is only rounding error.
        let tolerance = 1e-4 * largest + 1e-7 * norm;
        for (x, y) in found.iter().zip(expected) {
            let name = &parameter.name;
            assert!((x - *y).abs() < tolerance, "{name}: {x}, expected {y}");
        }
    }
}

#[test]
fn gradients_are_those_of_candle() {
    let inputs = inputs();
    let examples = borrowed(&inputs);
    for (family, activation) in [
        ("electra", "gelu"),
        ("bert", "gelu"),
        ("bert", "gelu_new"),
        ("electra", "silu"),
        ("roberta", "gelu"),
        ("mpnet", "gelu"),
    ] {
        for output in [LOGIT, Output::Logits(3), Output::Match] {
            let (_folder, checkpoint) = checkpoint(family, activation, false);
            let model = moved(trainable(&checkpoint, output));
            let (mut found, losses) = model.gradients(&examples, DROPOUT, &loss).unwrap();
            let candles = tensors::gradients(&model, &examples, DROPOUT, &loss).unwrap();
            let (mut expected, expected_losses) = candles;
            assert_close(&mut found, &mut expected, &model);
            assert_eq!(losses.len(), expected_losses.len());
            for (x, y) in losses.iter().zip(expected_losses) {
                assert!(
                    (x - y).abs() < 1e-4 * y.abs().max(1e-2),
                    "{x}, expected {y}"
                );
            }
        }
    }
}

#[test]
fn gradients_on_a_gpu_are_those_of_the_processor_and_the_same_again() {
    let Some(gpu) = crate::gpu::first() else {
        return;
    };
    let inputs = inputs();
    let examples = borrowed(&inputs);
    for (family, activation) in [("electra", "gelu"), ("bert", "gelu_new"), ("mpnet", "gelu")] {
        for output in [Output::Logits(3), Output::Match] {
            let (_folder, checkpoint) = checkpoint(family, activation, false);
            let here = moved(trainable(&checkpoint, output));
            let there = moved(trainable_on(gpu, &checkpoint, output));
            let (mut expected, _) = here.gradients(&examples, DROPOUT, &loss).unwrap();
            let (mut found, losses) = there.gradients(&examples, DROPOUT, &loss).unwrap();
            assert_close(&mut found, &mut expected, &here);
            let (mut again, same) = there.gradients(&examples, DROPOUT, &loss).unwrap();
            assert_eq!(losses, same);
            for number in 0..here.parameters.len() {
                assert!(found.part(number) == again.part(number));
            }
            let (logits, expected) = (there.logits(&examples), here.logits(&examples));
            let flat = |all: Vec<Vec<Vec<f32>>>| all.concat().concat();
            for (x, y) in flat(logits.unwrap()).iter().zip(flat(expected.unwrap())) {
                assert!((x - y).abs() < 1e-4, "{x}, expected {y}");
            }
        }
    }
}

#[test]
fn gradients_are_finite_differences() {
    let (_folder, checkpoint) = checkpoint("electra", "gelu", false);
    let mut model = trainable(&checkpoint, Output::Logits(2));
    let inputs = inputs();
    let examples = &borrowed(&inputs)[..3];
    let (mut gradients, _) = model.gradients(examples, DROPOUT, &loss).unwrap();
    let total = |model: &Trainable| -> f64 {
        let (_, losses) = model.gradients(examples, DROPOUT, &loss).unwrap();
        losses.iter().sum()
    };
    for number in 1..model.parameters.len() {
        let part = gradients.part(number);
        let at = (0..part.len()).max_by(|&i, &j| part[i].abs().total_cmp(&part[j].abs()));
        let (at, slope) = (at.unwrap(), f64::from(part[at.unwrap()]));
        let step = 2e-3_f32;
        let value = model.parameters[number].values[at];
        let mut moved = |by: f32| {
            model.parameters[number].values[at] = value + by;
            total(&model)
        };
        let expected = (moved(step) - moved(-step)) / (2.0 * f64::from(step));
        moved(0.0);
        let name = &model.parameters[number].name;
        let tolerance = 0.01 * slope.abs() + 0.02;
        assert!(
            (slope - expected).abs() < tolerance,
            "{name}: {slope}, expected {expected}"
        );
    }
}

#[test]
fn threads_change_no_bit() {
    let (_folder, checkpoint) = checkpoint("electra", "gelu", false);
    let inputs: Vec<Vec<Tokens>> = (0..8).flat_map(|_| inputs()).collect();
    let examples = borrowed(&inputs);
    assert!(
        lanes::batches(&examples).len() > 8,
        "more than one micro-batch in a lane"
    );
    for output in [Output::Logits(2), Output::Match] {
        let model = trainable(&checkpoint, output);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let run = || model.gradients(&examples, DROPOUT, &loss).unwrap();
            let (mut gradients, losses) = pool.unwrap().install(run);
            let parts = (0..model.parameters.len()).map(|number| gradients.part(number).to_vec());
            (parts.collect::<Vec<_>>(), losses)
        };
        let alone = run(1);
        assert!(run(2) == alone && run(5) == alone);
    }
}

#[test]
fn every_parameter_has_a_gradient_and_a_cut_one_is_named() {
    let inputs = inputs();
    let examples = borrowed(&inputs);
    for family in ["electra", "bert"] {
        let (_folder, checkpoint) = checkpoint(family, "gelu", false);
        let mut model = trainable(&checkpoint, LOGIT);
        let (gradients, _) = model.gradients(&examples, DROPOUT, &loss).unwrap();
        assert!(gradients.missing().is_empty(), "{:?}", gradients.missing());
        // Nothing passes through a dense layer of zeros, nor out of one.
        let inner = format!("{family}.encoder.layer.1.output.dense.weight");
        let cut = model
            .parameters
            .iter_mut()
            .find(|parameter| parameter.name == inner);
        cut.unwrap().values.fill(0.0);
        let (gradients, _) = model.gradients(&examples, DROPOUT, &loss).unwrap();
        let inner = format!("{family}.encoder.layer.1.intermediate.dense");
        let expected = ["weight", "bias"].map(|part| format!("{inner}.{part}"));
        assert_eq!(gradients.missing(), expected);
    }
}

#[test]
fn what_is_written_is_read_back_as_the_same_classifier() {
    let inputs = inputs();
    let all: Vec<&Tokens> = inputs.iter().flatten().collect();
    let alone: Vec<Vec<&Tokens>> = all.iter().map(|&tokens| vec![tokens]).collect();
    for (family, bare) in [
        ("electra", false),
        ("electra", true),
        ("bert", false),
        ("bert", true),
        ("xlm-roberta", false),
        ("xlm-roberta", true),
        ("mpnet", false),
        ("mpnet", true),
    ] {
        let (folder, before) = checkpoint(family, "gelu", bare);
        let three = Output::Logits(3);
        let model = trainable(&before, three);
        let logits = model.logits(&alone).unwrap().concat();
        model
            .write(&folder.path().join("model.safetensors"))
            .unwrap();
        let original = std::fs::read(folder.path().join("config.json")).unwrap();
        let original = serde_json::from_slice(&original).unwrap();
        let config = model.configuration(original, &["b", "tie", "a"]);
        std::fs::write(folder.path().join("config.json"), config.to_string()).unwrap();
        let config = Config::read(&before).unwrap();
        assert_eq!(config.labels, ["b", "tie", "a"]);
        let weights = Weights::read(&before, Device::Cpu).unwrap();
        let classifier = Classifier::new(&before, &config, &weights).unwrap();
        for (tokens, logits) in all.iter().zip(&logits) {
            let found = classifier.logits(tokens, None).unwrap();
            for (x, y) in found.iter().zip(logits) {
                assert!((x - y).abs() < 1e-5, "{x}, expected {y}");
            }
        }
        assert!(trainable(&before, three).parameters() == model.parameters());
        let candles = tensors::logits(&model, &alone).unwrap().concat();
        for (x, y) in candles.concat().iter().zip(logits.concat()) {
            assert!((x - y).abs() < 1e-5, "{x}, expected {y}");
        }
    }
}

/// A match of texts read separately, one by one and in every order, with draws and without.
#[test]
fn a_match_is_read_back_as_the_same_and_starts_as_bertscore() {
    let inputs = inputs();
    let examples = borrowed(&inputs);
    let (folder, before) = checkpoint("bert", "gelu", true);
    let fresh = trainable(&before, Output::Match);
    let parts = |name: &str| {
        let part = fresh.parameters().iter().find(|part| part.name == name);
        part.unwrap().values.clone()
    };
    assert_eq!(parts("matching.scale"), [10.0, 10.0]);
    assert_eq!(parts("matching.worth"), [0.0; 24]);
    let model = moved(fresh);
    let scores = model.logits(&examples).unwrap();
    let candles = tensors::logits(&model, &examples).unwrap();
    let file = folder.path().join("model.safetensors");
    model.write(&file).unwrap();
    let config = Config::read(&before).unwrap();
    let weights = Weights::read(&before, Device::Cpu).unwrap();
    let matcher = MatchingModel::new(&before, &config, &weights).unwrap();
    let all: Vec<&Tokens> = inputs.iter().flatten().collect();
    let mut last = 0;
    let mut pairs = Vec::new();
    for example in &inputs {
        last += example.len();
        pairs.extend((last - example.len()..last - 1).map(|output| (output, last - 1)));
    }
    let draws = [None, Some((Seed(1), 3)), Some((Seed(1), 4))];
    let found = matcher.scores(&all, &pairs, &draws).unwrap();
    let own = |scores: &[Vec<Vec<f32>>]| -> Vec<f32> {
        let outputs = scores
            .iter()
            .flat_map(|example| &example[..example.len() - 1]);
        outputs.map(|score| score[0]).collect()
    };
    let (scores, candles) = (own(&scores), own(&candles));
    assert!(scores.len() == found.len() && candles.len() == found.len());
    for ((found, x), y) in found.iter().zip(scores).zip(candles) {
        assert!(
            (found[0] - x).abs() < 1e-4 && (x - y).abs() < 1e-4,
            "{found:?}, {x}, {y}"
        );
    }
    assert!(
        found
            .iter()
            .any(|draws| draws[1] != draws[0] && draws[1] != draws[2])
    );
    for (pair, expected) in pairs.iter().zip(&found) {
        assert_eq!(
            &matcher.scores(&all, &[*pair], &draws).unwrap()[0],
            expected
        );
    }
    let context = |example: &[Vec<f32>]| example.last().unwrap()[0];
    assert!(
        model
            .logits(&examples)
            .unwrap()
            .iter()
            .all(|example| context(example) == 0.0)
    );
}

#[test]
fn a_head_that_does_not_fit_is_drawn_and_the_rest_kept() {
    let (_folder, checkpoint) = checkpoint("electra", "gelu", false);
    let two = trainable(&checkpoint, Output::Logits(2));
    let one = trainable(&checkpoint, LOGIT);
    let last = two.parameters().len() - 2;
    assert!(two.parameters()[..last] == one.parameters()[..last]);
    assert_eq!((two.output(), one.output()), (Output::Logits(2), LOGIT));
    let [.., weight, bias] = one.parameters() else {
        panic!("no head");
    };
    assert_eq!(
        (weight.shape.as_slice(), weight.decays),
        (&[1, 24][..], true)
    );
    assert!(weight.values.iter().all(|x| *x != 0.0 && x.abs() < 0.1));
    assert_eq!((bias.values.as_slice(), bias.decays), (&[0.0][..], false));
    let depths = |name: &str| {
        let named = one.parameters().iter().filter(|p| p.name.starts_with(name));
        named
            .map(|p| p.depth)
            .collect::<std::collections::BTreeSet<_>>()
    };
    let at = |depth: usize| std::collections::BTreeSet::from([depth]);
    assert_eq!(depths("electra.embeddings"), at(0));
    assert_eq!(depths("electra.encoder.layer.0"), at(1));
    assert_eq!(depths("electra.encoder.layer.1"), at(2));
    assert_eq!(depths("classifier"), at(3));
}

#[test]
fn inputs_that_cannot_be_read_are_refused() {
    let (_folder, checkpoint) = checkpoint("electra", "gelu", false);
    let model = trainable(&checkpoint, LOGIT);
    for (ids, types) in [
        (vec![], vec![]),
        (vec![60], vec![0]),
        (vec![1], vec![2]),
        (vec![1; 41], vec![0; 41]),
    ] {
        let tokens = Tokens { ids, types };
        assert!(model.logits(&[vec![&tokens]]).is_err());
        assert!(model.gradients(&[vec![&tokens]], None, &loss).is_err());
    }
    let (gradients, losses) = model.gradients(&[], None, &loss).unwrap();
    assert_eq!((gradients.norm(), losses.len()), (0.0, 0));
}

#[test]
fn a_gradients_norm_scales_with_it() {
    let (_folder, checkpoint) = checkpoint("bert", "gelu", true);
    let model = trainable(&checkpoint, LOGIT);
    let inputs = inputs();
    let (mut gradients, _) = model.gradients(&borrowed(&inputs), None, &loss).unwrap();
    let mut squares = 0.0;
    for number in 0..model.parameters.len() {
        squares += gradients
            .part(number)
            .iter()
            .map(|&x| f64::from(x).powi(2))
            .sum::<f64>();
    }
    let norm = gradients.norm();
    assert!((norm / squares.sqrt() - 1.0).abs() < 1e-12);
    gradients.scale(0.25);
    assert!((gradients.norm() / norm - 0.25).abs() < 1e-12);
}

/// Five steps of the fast optimiser, and of the textbook's in f64.
#[test]
fn adamw_is_the_textbooks() {
    let (_folder, checkpoint) = checkpoint("electra", "gelu", false);
    let mut model = trainable(&checkpoint, Output::Logits(2));
    let mut optimiser = AdamW::new(&model);
    optimiser.decay = 0.1;
    let rate = |parameter: &Parameter| 0.01 * 0.5_f64.powi(3 - parameter.depth as i32);
    let inputs = inputs();
    let start = model.parameters.clone();
    // Value and moments of every element.
    let mut slow: Vec<Vec<[f64; 3]>> = start
        .iter()
        .map(|p| p.values.iter().map(|&x| [f64::from(x), 0.0, 0.0]).collect())
        .collect();
    for step in 1..=5 {
        let examples = &borrowed(&inputs)[2 * step as usize..][..4];
        let (gradients, _) = model.gradients(examples, None, &loss).unwrap();
        for (number, parameter) in start.iter().enumerate() {
            let (rate, decay) = (rate(parameter), if parameter.decays { 0.1 } else { 0.0 });
            for (first, piece) in gradients.pieces(number) {
                for ([p, m, v], g) in slow[number][first..].iter_mut().zip(piece) {
                    let g = f64::from(*g);
                    *m = 0.9 * *m + 0.1 * g;
                    *v = 0.99 * *v + 0.01 * g * g;
                    let (mean, square) = (
                        *m / (1.0 - 0.9_f64.powi(step)),
                        *v / (1.0 - 0.99_f64.powi(step)),
                    );
                    *p -= rate * decay * *p;
                    *p -= rate * mean / (square.sqrt() + 1e-8);
                }
            }
        }
        optimiser.step(&mut model, &gradients, rate);
    }
    assert_eq!(optimiser.steps(), 5);
    let mut moved = 0;
    for (parameter, slow) in model.parameters.iter().zip(&slow) {
        for (x, [expected, ..]) in parameter.values.iter().zip(slow) {
            let name = &parameter.name;
            assert!(
                (f64::from(*x) - expected).abs() < 2e-6,
                "{name}: {x}, expected {expected}"
            );
        }
        moved += usize::from(parameter.values != start[moved].values);
    }
    assert_eq!(moved, start.len());
    // The last ten words are in no input.
    let words = |p: &[Parameter]| p[gradients::WORDS].values[50 * 10..].to_vec();
    assert_eq!(words(&model.parameters), words(&start));
}

#[test]
fn a_restored_optimiser_goes_on_bit_for_bit() {
    let (folder, checkpoint) = checkpoint("electra", "gelu", false);
    let file = |name: &str| folder.path().join(name);
    let mut model = trainable(&checkpoint, Output::Logits(2));
    let mut optimiser = AdamW::new(&model);
    let inputs = inputs();
    let step = |model: &mut Trainable, optimiser: &mut AdamW| {
        let (gradients, _) = model.gradients(&borrowed(&inputs), DROPOUT, &loss).unwrap();
        optimiser.step(model, &gradients, |_| 1e-3);
    };
    for _ in 0..3 {
        step(&mut model, &mut optimiser);
    }
    optimiser
        .save(&model, &file("optimiser.safetensors"))
        .unwrap();
    model.write(&file("model.safetensors")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::write(file("plain"), "").unwrap();
        model.write(&file("fresh.safetensors")).unwrap();
        let mode = |name| std::fs::metadata(file(name)).unwrap().permissions().mode();
        assert_eq!(mode("fresh.safetensors"), mode("plain"));
        assert_eq!(mode("optimiser.safetensors"), mode("plain"));
    }
    let mut again = trainable(&checkpoint, Output::Logits(2));
    assert!(again.parameters() == model.parameters());
    let mut restored = AdamW::new(&again);
    restored
        .restore(&again, &file("optimiser.safetensors"))
        .unwrap();
    assert_eq!(restored.steps(), 3);
    step(&mut model, &mut optimiser);
    step(&mut again, &mut restored);
    assert!(again.parameters() == model.parameters());

    let other = trainable(&checkpoint, LOGIT);
    let mut wrong = AdamW::new(&other);
    let refused = wrong
        .restore(&other, &file("optimiser.safetensors"))
        .unwrap_err();
    assert!(
        refused.to_string().contains("classifier.out_proj"),
        "{refused}"
    );
    std::fs::write(file("damaged"), "nonsense").unwrap();
    assert!(wrong.restore(&other, &file("damaged")).is_err());
    assert!(wrong.restore(&other, &file("absent")).is_err());
    assert_eq!(wrong.steps(), 0);
}
