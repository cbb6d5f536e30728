//! The parameters of a classifier in one list, and the place of each in it.

use crate::Config;
use crate::Weights;
use crate::parameters::{EncoderParameters, HeadParameters, MatchingHeadParameters, Output};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;

/// The standard deviation of a new head: `initializer_range` of BERT and ELECTRA.
const SPREAD: f64 = 0.02;

/// The weight of precision and recall in a new match score, in log-odds: about what those of BERTScore are
/// worth without training.
const SCALE: f32 = 10.0;

/// One parameter.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Parameter {
    /// The name in the file of a complete classifier: `electra.encoder.layer.0.output.dense.bias`.
    pub name: String,
    /// The shape in PyTorch: (out, in) of a dense layer.
    pub shape: Vec<usize>,
    /// The values, row by row.
    pub values: Vec<f32>,
    /// Whether weight decay applies: not to biases and parameters of normalisation.
    pub decays: bool,
    /// The depth from below: 0 in the embeddings, i + 1 in layer i, one more than that of the last
    /// layer in the head.
    pub depth: usize,
}

/// The place of every part in the list.
pub(super) struct ParameterLayout {
    pub encoder: EncoderParameters<usize>,
    pub top: HeadParameters<usize>,
}

impl ParameterLayout {
    /// The depth of a parameter. The list has the embeddings first, then the layers, each of which
    /// begins with its queries, then the head.
    fn depth(&self, number: usize) -> usize {
        let starts = self.encoder.layers.iter().map(|layer| layer.queries.weight);
        let top = match &self.top {
            HeadParameters::Classifier(head) => head.dense.weight,
            HeadParameters::Matching(matching) => matching.scale,
        };
        let starts = starts.chain([top]);
        starts.filter(|&start| start <= number).count()
    }
}

/// Reads the parameters of a checkpoint, and those of its head that fit.
pub(super) fn read(
    config: &Config,
    weights: &Weights,
    output: Output,
    seed: Seed,
) -> Result<(ParameterLayout, Vec<Parameter>)> {
    let usual = config.family.prefix();
    let prefix = weights.prefix(config.family);
    let in_file = |name: &str| match name.strip_prefix(usual) {
        Some(rest) => format!("{prefix}{rest}"),
        None => name.to_string(),
    };
    let mut list: Vec<Parameter> = Vec::new();
    let mut add = |name: &str, shape: &[usize], given: bool| {
        let values = if given {
            let tensor = weights.get(&in_file(name), shape)?;
            let values = tensor.flatten_all().and_then(|flat| flat.to_vec1());
            values.map_err(|source| Error::model(name, source))?
        } else {
            new(name, shape, seed, list.len() as u64)
        };
        list.push(Parameter {
            name: name.to_string(),
            shape: shape.to_vec(),
            values,
            decays: shape.len() > 1,
            depth: 0,
        });
        Ok(list.len() - 1)
    };
    let encoder =
        EncoderParameters::read_parts(config, usual, &mut |name, shape| add(name, shape, true))?;
    let top = HeadParameters::read_parts(config, usual, output, &mut |name, shape| {
        add(name, shape, weights.shape(&in_file(name)) == Some(shape))
    })?;
    let layout = ParameterLayout { encoder, top };
    for (number, parameter) in list.iter_mut().enumerate() {
        parameter.depth = layout.depth(number);
    }
    Ok((layout, list))
}

/// A new matrix, or a bias of zeros; a new match score is BERTScore's.
fn new(name: &str, shape: &[usize], seed: Seed, number: u64) -> Vec<f32> {
    let mut rng = seed.stream("head", number);
    let size = shape.iter().product();
    if shape.len() == 1 {
        let value = if name == MatchingHeadParameters::<usize>::FIRST {
            SCALE
        } else {
            0.0
        };
        return vec![value; size];
    }
    (0..size).map(|_| (SPREAD * rng.normal()) as f32).collect()
}
