//! ELECTRA once more, slowly and plainly in f64, against the fast one.

use super::models;
use serde_json::Value;
use std::collections::BTreeMap;
use tiebreak::encoders::dropout::{Dropout, DropoutSite};
use tiebreak::encoders::{
    Checkpoint, Classifier, Config, Device, SubwordTokenizer, Tokens, Weights,
};
use tiebreak::rng::Seed;

type Matrix = Vec<Vec<f64>>;

/// Tensors by name, read without any library.
struct Oracle(BTreeMap<String, (Vec<usize>, Vec<f64>)>);

const WIDTH: usize = 8;
const HEADS: usize = 4;
const RATE: f64 = 0.1;

impl Oracle {
    fn read() -> Self {
        let bytes = std::fs::read(models().join("tiny-electra/model.safetensors")).unwrap();
        let size = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let header: BTreeMap<String, Value> = serde_json::from_slice(&bytes[8..8 + size]).unwrap();
        let number = |value: &Value| value.as_u64().unwrap() as usize;
        let tensors = header
            .into_iter()
            .filter(|(name, _)| name != "__metadata__");
        Self(
            tensors
                .map(|(name, entry)| {
                    let shape = entry["shape"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(number)
                        .collect();
                    let from = 8 + size + number(&entry["data_offsets"][0]);
                    let to = 8 + size + number(&entry["data_offsets"][1]);
                    let values = bytes[from..to].chunks_exact(4);
                    let values =
                        values.map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap())));
                    (name, (shape, values.collect()))
                })
                .collect(),
        )
    }

    fn row(&self, name: &str, i: usize) -> Vec<f64> {
        let (shape, values) = &self.0[name];
        let width = shape[shape.len() - 1];
        values[i * width..(i + 1) * width].to_vec()
    }

    fn dense(&self, name: &str, x: &Matrix) -> Matrix {
        let weight = format!("{name}.weight");
        let bias = self.row(&format!("{name}.bias"), 0);
        x.iter()
            .map(|x| {
                let out = bias.iter().enumerate();
                out.map(|(o, b)| b + dot(x, &self.row(&weight, o)))
                    .collect()
            })
            .collect()
    }

    fn norm(&self, name: &str, x: &Matrix) -> Matrix {
        let (scale, shift) = (
            self.row(&format!("{name}.weight"), 0),
            self.row(&format!("{name}.bias"), 0),
        );
        x.iter()
            .map(|x| {
                let n = x.len() as f64;
                let mean = x.iter().sum::<f64>() / n;
                let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
                let unit = |x: f64| (x - mean) / (variance + 1e-12).sqrt();
                (0..x.len())
                    .map(|i| unit(x[i]) * scale[i] + shift[i])
                    .collect()
            })
            .collect()
    }

    fn logits(&self, tokens: &Tokens, dropout: Option<Dropout>) -> Vec<f64> {
        let drop = |x: Matrix, site: DropoutSite| dropped(x, dropout, site);
        let table = |name: &str, i: usize| {
            self.row(&format!("electra.embeddings.{name}_embeddings.weight"), i)
        };
        let embedded: Matrix = tokens
            .ids
            .iter()
            .zip(&tokens.types)
            .enumerate()
            .map(|(at, (&id, &kind))| {
                let word = table("word", id as usize);
                sum(
                    &sum(&word, &table("token_type", kind as usize)),
                    &table("position", at),
                )
            })
            .collect();
        let embedded = self.norm("electra.embeddings.LayerNorm", &embedded);
        let mut x = self.dense(
            "electra.embeddings_project",
            &drop(embedded, DropoutSite::Embeddings),
        );
        for i in 0..2 {
            let layer = format!("electra.encoder.layer.{i}");
            let context = self.attend(&layer, i, &x, dropout);
            let added = self.dense(&format!("{layer}.attention.output.dense"), &context);
            let added = add(&drop(added, DropoutSite::AttentionOutput(i)), &x);
            x = self.norm(&format!("{layer}.attention.output.LayerNorm"), &added);
            let inner = gelu(&self.dense(&format!("{layer}.intermediate.dense"), &x));
            let added = self.dense(&format!("{layer}.output.dense"), &inner);
            let added = add(&drop(added, DropoutSite::Output(i)), &x);
            x = self.norm(&format!("{layer}.output.LayerNorm"), &added);
        }
        let first = drop(x[..1].to_vec(), DropoutSite::HeadInput);
        let inner = drop(
            gelu(&self.dense("classifier.dense", &first)),
            DropoutSite::HeadHidden,
        );
        self.dense("classifier.out_proj", &inner).remove(0)
    }

    fn attend(&self, layer: &str, i: usize, x: &Matrix, dropout: Option<Dropout>) -> Matrix {
        let part = |name: &str| self.dense(&format!("{layer}.attention.self.{name}"), x);
        let (queries, keys, values) = (part("query"), part("key"), part("value"));
        let head = |row: &[f64], h: usize| row[h * WIDTH..(h + 1) * WIDTH].to_vec();
        // One row per head and query, as the masks count them.
        let mut weights: Matrix = Vec::new();
        for h in 0..HEADS {
            for query in &queries {
                let scores: Vec<f64> = keys
                    .iter()
                    .map(|key| dot(&head(query, h), &head(key, h)) / (WIDTH as f64).sqrt())
                    .collect();
                let total: f64 = scores.iter().map(|s| s.exp()).sum();
                weights.push(scores.iter().map(|s| s.exp() / total).collect());
            }
        }
        let weights = dropped(weights, dropout, DropoutSite::Attention(i));
        let n = x.len();
        (0..n)
            .map(|query| {
                (0..HEADS * WIDTH)
                    .map(|c| {
                        let row = &weights[c / WIDTH * n + query];
                        (0..n).map(|key| row[key] * values[key][c]).sum()
                    })
                    .collect()
            })
            .collect()
    }
}

fn dropped(x: Matrix, dropout: Option<Dropout>, site: DropoutSite) -> Matrix {
    let Some(dropout) = dropout else { return x };
    let mut factors = vec![1.0_f32; x.iter().map(Vec::len).sum()];
    dropout.mask(site, RATE).unwrap().apply(0, &mut factors);
    let mut factors = factors.into_iter();
    x.into_iter()
        .map(|row| {
            row.iter()
                .map(|x| x * f64::from(factors.next().unwrap()))
                .collect()
        })
        .collect()
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn sum(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + y).collect()
}

fn add(x: &Matrix, y: &Matrix) -> Matrix {
    x.iter().zip(y).map(|(x, y)| sum(x, y)).collect()
}

fn gelu(x: &Matrix) -> Matrix {
    // erf by integrating its definition (Simpson's rule, 2000 steps).
    let erf = |x: f64| {
        let step = x / 2000.0;
        let f = |i: i32| (-(f64::from(i) * step).powi(2)).exp();
        let inner: f64 = (1..2000)
            .map(|i| f(i) * if i % 2 == 1 { 4.0 } else { 2.0 })
            .sum();
        (f(0) + inner + f(2000)) * step / 3.0 * std::f64::consts::FRAC_2_SQRT_PI
    };
    let gelu = |x: &f64| 0.5 * x * (1.0 + erf(x / std::f64::consts::SQRT_2));
    x.iter().map(|row| row.iter().map(gelu).collect()).collect()
}

#[test]
fn the_tiny_model_computes_what_the_plain_loops_do() {
    let checkpoint = Checkpoint::in_folder(&models().join("tiny-electra")).unwrap();
    let config = Config::read(&checkpoint).unwrap();
    let weights = Weights::read(&checkpoint, Device::Cpu).unwrap();
    let classifier = Classifier::new(&checkpoint, &config, &weights).unwrap();
    let tokenizer = SubwordTokenizer::read(&checkpoint).unwrap();
    let oracle = Oracle::read();
    let mut spread = 0.0_f64;
    for (text, pair) in [
        ("", None),
        ("the cat", Some("a big dog")),
        (
            "we will find out how many people came after the first year",
            Some("no"),
        ),
        (
            "it was the best of times",
            Some("it was the worst of times, said nobody"),
        ),
    ] {
        let tokens = tokenizer.encode(text, pair, 128).unwrap();
        let plain = oracle.logits(&tokens, None);
        let compare = |found: Vec<f32>, expected: &[f64]| {
            for (found, expected) in found.iter().zip(expected) {
                let difference = (f64::from(*found) - expected).abs();
                assert!(difference < 1e-5, "{text}: {found}, expected {expected}");
            }
        };
        compare(classifier.logits(&tokens, None).unwrap(), &plain);
        for draw in 0..3 {
            let dropout = Dropout::new(Seed(7), &tokens, draw);
            let expected = oracle.logits(&tokens, Some(dropout));
            let found = classifier.logits(&tokens, Some((Seed(7), draw))).unwrap();
            compare(found, &expected);
            spread = spread.max((expected[0] - plain[0]).abs());
        }
    }
    assert!(spread > 0.1, "dropout must move the logits");
}
