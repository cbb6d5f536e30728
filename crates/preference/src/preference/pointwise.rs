//! The models that score each output by itself, and prefer the better score: a fine-tuned ELECTRA or BERT
//! reads context and output together (`pointwise`) or apart (`matching`).
//!
//! Bradley and Terry, "Rank analysis of incomplete block designs", 1952: the preference for `a` is
//! σ(score of a − score of b). One pass reads the context with one output, so that an item with k
//! outputs costs k passes instead of k(k−1)/2, and the preference does not depend on the order of
//! presentation. Read apart, a context is read once for all its outputs, and the score
//! is how well the tokens of the two match (see `encoders::matching`), the mean over all references.
//!
//! Draw l of a preference joins draw l of both scores. Masks are functions of the input (see
//! [`tiebreak_encoders::dropout`]): two outputs have independent masks in one draw, and the same
//! context and output have the same ones in every contest. Identical texts tie exactly in every draw.

use super::beside::MetricTerm;
use super::distinct::{DistinctIndex, Sides};
use super::reader::ContestReader;
use super::{Contest, Options, StochasticModel};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::signature::Signature;
use tiebreak_base::stats::log_odds::logistic;
use tiebreak_encoders::descriptor::Head;
use tiebreak_encoders::{Checkpoint, Classifier, MatchingModel, Tokens};
use tiebreak_metrics::env::Env;

/// A fine-tuned scorer of outputs.
pub(crate) struct PointwiseModel {
    scorer: Box<dyn OutputScorer>,
    /// The signature of the scorer.
    signature: Signature,
    /// The cost of one pass.
    cost: u64,
    /// The metrics that are added to its log-odds.
    beside: Vec<MetricTerm>,
}

impl PointwiseModel {
    /// Loads a checkpoint.
    ///
    /// # Errors
    /// Says which file, tensor or setting is missing or does not fit; a model with other than one
    /// logit.
    pub(super) fn load(checkpoint: &Checkpoint, options: &Options, env: &Env) -> Result<Self> {
        let (scorer, signature, cost): (Box<dyn OutputScorer>, _, _) =
            match checkpoint.descriptor.head {
                Head::Matching => scorer_from_reader(
                    ContestReader::load(checkpoint, options, env, MatchingModel::new)?,
                    Head::Matching,
                ),
                _ => scorer_from_reader(classifier(checkpoint, options, env)?, Head::Pointwise),
            };
        if checkpoint.descriptor.labels.is_some() {
            let what = "its descriptor gives `labels`, which only the pairwise head has";
            return Err(Error::model(&checkpoint.name, what));
        }
        let beside = MetricTerm::all(&checkpoint.descriptor, env)
            .map_err(|source| Error::model(&checkpoint.name, source))?;
        Ok(Self {
            scorer,
            signature,
            cost,
            beside,
        })
    }
}

impl StochasticModel for PointwiseModel {
    fn signature(&self) -> Signature {
        let signature = self.signature.clone();
        self.beside.iter().fold(signature, |signature, beside| {
            let (key, value) = beside.signature();
            signature.with(key, value)
        })
    }

    fn reads_outputs_apart(&self) -> bool {
        true
    }

    fn cost(&self) -> u64 {
        self.cost
    }

    fn account(&self) -> Option<String> {
        self.scorer.account()
    }

    fn preferences(
        &self,
        contests: &[Contest<'_>],
        passes: &[Option<u32>],
    ) -> Result<Vec<Vec<f64>>> {
        let sides = Sides::from_contests(contests);
        let scores = self.scorer.scores(&sides.all, passes)?;
        let (mut counts, mut added) = (vec![1.0; contests.len()], vec![0.0; contests.len()]);
        for beside in &self.beside {
            for (place, more) in beside.log_odds(&sides)?.into_iter().enumerate() {
                counts[place] *= beside.counts(&contests[place]);
                added[place] += more;
            }
        }
        let prefer = |(place, &(first, second)): (usize, &(usize, usize))| {
            let both = scores[first].iter().zip(&scores[second]);
            let odds =
                |a: f32, b: f32| counts[place] * (f64::from(a) - f64::from(b)) + added[place];
            both.map(|(&a, &b)| logistic(odds(a, b))).collect()
        };
        Ok(sides.of.iter().enumerate().map(prefer).collect())
    }
}

/// A scorer of outputs, each for its context.
trait OutputScorer: Send + Sync {
    /// As [`StochasticModel::account`].
    fn account(&self) -> Option<String>;

    /// The scores of the first output of every contest, in every pass.
    ///
    /// # Errors
    /// If the network cannot be run on a text.
    fn scores(&self, sides: &[Contest<'_>], passes: &[Option<u32>]) -> Result<Vec<Vec<f32>>>;
}

/// Makes a scorer, with its signature and its cost.
fn scorer_from_reader<N: Sync>(
    reader: ContestReader<N>,
    head: Head,
) -> (Box<dyn OutputScorer>, Signature, u64)
where
    ContestReader<N>: OutputScorer + 'static,
{
    let signature = reader.signature("head", &head.name());
    let cost = reader.config.multiplications();
    (Box::new(reader), signature, cost)
}

fn classifier(
    checkpoint: &Checkpoint,
    options: &Options,
    env: &Env,
) -> Result<ContestReader<Classifier>> {
    let reader = ContestReader::load(checkpoint, options, env, Classifier::new)?;
    let logits = reader.network.labels();
    if logits == 1 {
        return Ok(reader);
    }
    let what = format!("it has {logits} logits, expected one score for the pointwise head");
    let hint = "set head = \"pairwise\" in its descriptor (tiebreak.toml), with `labels`";
    Err(Error::model(&checkpoint.name, what).with_hint(hint))
}

impl OutputScorer for ContestReader<Classifier> {
    fn account(&self) -> Option<String> {
        Self::account(self)
    }

    fn scores(&self, sides: &[Contest<'_>], passes: &[Option<u32>]) -> Result<Vec<Vec<f32>>> {
        let tokens = self.fill(sides)?;
        let mut inputs = DistinctIndex::default();
        let places: Vec<usize> = tokens
            .iter()
            .map(|tokens| input_index(&mut inputs, tokens))
            .collect();
        let logits = self.logits(&inputs.all, passes)?;
        let of = |place: usize| logits[place].iter().map(|logits| logits[0]).collect();
        Ok(places.into_iter().map(of).collect())
    }
}

impl OutputScorer for ContestReader<MatchingModel> {
    fn account(&self) -> Option<String> {
        Self::account(self)
    }

    fn scores(&self, sides: &[Contest<'_>], passes: &[Option<u32>]) -> Result<Vec<Vec<f32>>> {
        // The outputs of an item have their contexts in common.
        let mut texts = DistinctIndex::default();
        let contexts: Vec<Vec<usize>> = sides
            .iter()
            .map(|side| {
                side.contexts()
                    .map(|text| texts.index_or_insert(text, text))
                    .collect()
            })
            .collect();
        let (outputs, texts) = (self.fill(sides)?, self.fill_texts(&texts.all)?);
        let mut inputs = DistinctIndex::default();
        let mut pairs = Vec::new();
        for (output, contexts) in outputs.iter().zip(&contexts) {
            let output = input_index(&mut inputs, output);
            let pair = |&context: &usize| (output, input_index(&mut inputs, &texts[context]));
            pairs.extend(contexts.iter().map(pair));
        }
        let scores = self.scores(&inputs.all, &pairs, passes)?;
        let mut scores = scores.into_iter();
        let mean = |contexts: &Vec<usize>| {
            let own: Vec<Vec<f32>> = scores.by_ref().take(contexts.len()).collect();
            let of = |pass| own.iter().map(|scores| scores[pass]).sum::<f32>() / own.len() as f32;
            (0..passes.len()).map(of).collect()
        };
        Ok(contexts.iter().map(mean).collect())
    }
}

/// The place of an input among those that differ: texts that differ may still be the same to the tokenizer.
fn input_index<'a>(inputs: &mut Inputs<'a>, tokens: &'a Tokens) -> usize {
    inputs.index_or_insert((&tokens.ids, &tokens.types), tokens)
}

/// Inputs by what the network sees of them.
type Inputs<'a> = DistinctIndex<(&'a Vec<u32>, &'a Vec<u32>), &'a Tokens>;
