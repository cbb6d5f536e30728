//! Training as a state machine: a step, an evaluation on the held-out pairs, and the state that is needed to go on
//! after an interruption.

use super::base::Base;
use super::examples::{LossSums, TrainingExample};
use super::plan::BatchSchedule;
use super::settings::Settings;
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_2;
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::rng::Seed;
use tiebreak_encoders::training::{AdamW, Gradients, Trainable};
use tiebreak_encoders::{Checkpoint, Device, Tokens, Weights, descriptor::Head};

/// The number of held-out examples read at a time, so that an interruption is noticed soon.
const AT_ONCE: usize = 64;

/// The ratio of the mean training loss to that of the untrained model, or of a coin, that is divergence.
const TOO_MUCH: f64 = 2.0;

/// One evaluation on the held-out pairs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The number of steps done.
    pub step: usize,
    /// The number of epochs done.
    pub epoch: f64,
    /// The rate of the last step.
    pub rate: f64,
    /// The mean loss of a judgment over the steps since the last evaluation, under dropout, in nats.
    pub training_loss: Option<f64>,
    /// The mean norm of the gradients of those steps, before clipping.
    pub gradient_norm: Option<f64>,
    /// The mean loss of a held-out judgment, in nats.
    pub loss: f64,
    /// The share of decided held-out pairs whose better side is preferred.
    pub accuracy: f64,
}

/// The state of a training that is not in the parameters or the optimiser.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TrainingProgress {
    /// The number of steps done.
    pub step: usize,
    /// The evaluations so far, in order.
    pub looks: Vec<Evaluation>,
    /// The evaluation with the smallest loss; the first, of the untrained model, does not count.
    pub best: Option<usize>,
    /// The sums since the last evaluation.
    since: StepSums,
    /// The reason why training stopped before its last step.
    pub diverged: Option<String>,
}

/// Sums over the steps since the last evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct StepSums {
    steps: f64,
    judgments: f64,
    loss: f64,
    norm: f64,
}

/// The examples of a training.
pub struct Examples {
    /// The examples of the steps.
    pub training: Vec<TrainingExample>,
    /// The held-out examples of the evaluations.
    pub validation: Vec<TrainingExample>,
}

/// The next action of a training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrainerAction {
    /// [`Trainer::step`].
    Step,
    /// [`Trainer::look`].
    Evaluation,
    /// No action: training is over.
    End,
}

/// A training in progress.
pub struct Trainer {
    model: Trainable,
    optimiser: AdamW,
    examples: Examples,
    plan: BatchSchedule,
    settings: Settings,
    seed: Seed,
    device: Device,
    progress: TrainingProgress,
}

impl Trainer {
    /// Makes a training before its first step.
    ///
    /// # Errors
    /// If a parameter of the base is missing, or one would not be trained: every parameter must get
    /// a gradient from some example.
    pub fn new(base: &Base, settings: &Settings, examples: Examples, seed: Seed) -> Result<Self> {
        let model = base.trainable(seed)?;
        let optimiser = optimiser(&model, settings);
        let plan = BatchSchedule::new(&examples.training, settings, seed);
        let trainer = Self {
            model,
            optimiser,
            examples,
            plan,
            settings: settings.clone(),
            seed,
            device: base.device(),
            progress: TrainingProgress::default(),
        };
        trainer.prove_gradients(&base.checkpoint().name)?;
        Ok(trainer)
    }

    /// Goes on where another left off: from the parameters that it wrote, its moments and its
    /// progress.
    ///
    /// # Errors
    /// If a file is missing, damaged, or of another model.
    pub fn resume(
        &mut self,
        parameters: &Checkpoint,
        moments: &Path,
        progress: TrainingProgress,
    ) -> Result<()> {
        let (config, output) = (self.model.config().clone(), self.model.output());
        let weights = Weights::read(parameters, self.device)?;
        self.model = Trainable::new(parameters, &config, &weights, output, self.seed)?;
        self.optimiser.restore(&self.model, moments)?;
        self.progress = progress;
        Ok(())
    }

    /// Refuses a model of which some parameter has no influence on any logit.
    fn prove_gradients(&self, name: &str) -> Result<()> {
        let batch = self.plan.batch(0).iter().take(2);
        let all: Vec<Vec<&Tokens>> = batch.map(|&i| self.shown(i, false)).collect();
        // The sum of all logits: a difference of scores would not see the head's last bias.
        let sum = |_: usize, logits: &[Vec<f32>]| {
            let one = |logits: &Vec<f32>| vec![1.0; logits.len()];
            (0.0, logits.iter().map(one).collect())
        };
        let (gradients, _) = self.model.gradients(&all, None, &sum)?;
        match gradients.missing().as_slice() {
            [] => Ok(()),
            missing => {
                let what = format!("no gradient reaches {}", missing.join(", "));
                Err(Error::model(name, what).with_hint("a part of it would never learn anything"))
            }
        }
    }

    /// The next action.
    pub fn next(&self) -> TrainerAction {
        let TrainingProgress { step, looks, .. } = &self.progress;
        let looked = looks.last().is_some_and(|look| look.step == *step);
        if self.progress.diverged.is_some() {
            TrainerAction::End
        } else if !looked && self.plan.is_evaluated(*step, self.settings.evaluations) {
            TrainerAction::Evaluation
        } else if *step == self.plan.steps() || (looked && self.is_stale()) {
            TrainerAction::End
        } else {
            TrainerAction::Step
        }
    }

    /// Whether the last few evaluations were no better than one before.
    fn is_stale(&self) -> bool {
        let TrainingProgress { looks, best, .. } = &self.progress;
        best.is_some_and(|best| looks.len() - 1 - best >= self.settings.patience as usize)
    }

    /// Does one step. If the loss or the gradient is no finite number, nothing is changed but
    /// [`TrainingProgress::diverged`].
    ///
    /// # Errors
    /// If the model cannot be run on an example.
    pub fn step(&mut self) -> Result<()> {
        let step = self.progress.step;
        let batch = self.plan.batch(step).to_vec();
        let judgments: f64 = batch
            .iter()
            .map(|&i| self.examples.training[i].judgments())
            .sum();
        let (mut gradients, losses) = self.gradients(step, &batch)?;
        gradients.scale((1.0 / judgments) as f32);
        let loss = losses.iter().sum::<f64>() / judgments;
        let norm = gradients.norm();
        if !(loss.is_finite() && norm.is_finite()) {
            let what = format!("loss {loss}, norm of the gradient {norm}");
            self.progress.diverged = Some(what);
            return Ok(());
        }
        if norm > self.settings.clip {
            gradients.scale((self.settings.clip / norm) as f32);
        }
        let (rate, decay) = (self.rate(step), self.settings.layer_decay);
        let top = self
            .model
            .parameters()
            .iter()
            .map(|p| p.depth)
            .max()
            .unwrap_or(0);
        self.optimiser
            .step(&mut self.model, &gradients, |parameter| {
                rate * decay.powi((top - parameter.depth) as i32)
            });
        self.progress.step += 1;
        let since = &mut self.progress.since;
        since.steps += 1.0;
        since.judgments += judgments;
        since.loss += loss * judgments;
        since.norm += norm;
        Ok(())
    }

    /// The gradients of the examples' losses, each summed over judgments.
    fn gradients(&self, step: usize, batch: &[usize]) -> Result<(Gradients, Vec<f64>)> {
        let epoch = self.plan.epoch(step);
        let turned: Vec<bool> = batch.iter().map(|&i| self.is_turned(i, epoch)).collect();
        let shown = batch.iter().zip(&turned);
        let shown: Vec<Vec<&Tokens>> = shown.map(|(&i, &turned)| self.shown(i, turned)).collect();
        let loss = |i: usize, logits: &[Vec<f32>]| {
            self.examples.training[batch[i]].loss(&self.settings, turned[i], logits)
        };
        let draw = Some((self.seed, step as u32));
        self.model.gradients(&shown, draw, &loss)
    }

    fn shown(&self, example: usize, turned: bool) -> Vec<&Tokens> {
        self.examples.training[example].shown(self.settings.head, turned)
    }

    /// Whether an epoch shows the second order of a pairwise example: a coin decides the first
    /// epoch, and orders alternate after that.
    fn is_turned(&self, example: usize, epoch: usize) -> bool {
        let first = self.seed.stream("side", example as u64).bernoulli(0.5);
        self.settings.head == Head::Pairwise && first != (epoch % 2 == 1)
    }

    /// The rate of a step, counted from 0.
    fn rate(&self, step: usize) -> f64 {
        self.settings.learning_rate * self.plan.rate(step, self.settings.warmup)
    }

    /// Evaluates on the held-out pairs and returns whether the trained model was never better. `check` is asked now and
    /// then whether to go on.
    ///
    /// # Errors
    /// That of `check`, and if the model cannot be run on an example.
    pub fn look(&mut self, check: &dyn Fn() -> Result<()>) -> Result<bool> {
        let quality = self.quality(check)?;
        if !quality.loss().is_finite() {
            self.progress.diverged = Some(format!("held-out loss {}", quality.loss()));
            return Ok(false);
        }
        let StepSums {
            steps,
            judgments,
            loss,
            norm,
        } = std::mem::take(&mut self.progress.since);
        let step = self.progress.step;
        let look = Evaluation {
            step,
            epoch: self.plan.epochs(step),
            rate: step.checked_sub(1).map_or(0.0, |last| self.rate(last)),
            training_loss: (steps > 0.0).then(|| loss / judgments),
            gradient_norm: (steps > 0.0).then(|| norm / steps),
            loss: quality.loss(),
            accuracy: quality.accuracy(),
        };
        let TrainingProgress { looks, best, .. } = &mut self.progress;
        let improved = step > 0 && best.is_none_or(|best| look.loss < looks[best].loss);
        looks.push(look);
        if improved {
            *best = Some(looks.len() - 1);
        }
        let start = TOO_MUCH * looks[0].loss.max(LN_2);
        if let Some(loss) = look.training_loss.filter(|&loss| loss > start) {
            let what = format!(
                "a training loss of {loss:.3}, and {:.3} before it",
                looks[0].loss
            );
            self.progress.diverged = Some(what);
        }
        Ok(improved)
    }

    fn quality(&self, check: &dyn Fn() -> Result<()>) -> Result<LossSums> {
        let mut quality = LossSums::default();
        for few in self.examples.validation.chunks(AT_ONCE) {
            check()?;
            let inputs: Vec<Vec<&Tokens>> =
                few.iter().map(|one| one.inputs.iter().collect()).collect();
            for (example, logits) in few.iter().zip(self.model.logits(&inputs)?) {
                quality.add(example.quality(&self.settings, &logits));
            }
        }
        Ok(quality)
    }

    /// The mean training loss since the last evaluation.
    pub fn recent_loss(&self) -> Option<f64> {
        let since = self.progress.since;
        (since.steps > 0.0).then(|| since.loss / since.judgments)
    }

    /// The number of steps in all.
    pub fn steps(&self) -> usize {
        self.plan.steps()
    }

    /// The state that is not in the parameters or the optimiser.
    pub fn progress(&self) -> &TrainingProgress {
        &self.progress
    }

    /// The model as it is now.
    pub fn model(&self) -> &Trainable {
        &self.model
    }

    /// Writes the optimiser's state.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_moments(&self, path: &Path) -> Result<()> {
        self.optimiser.save(&self.model, path)
    }
}

fn optimiser(model: &Trainable, settings: &Settings) -> AdamW {
    let mut optimiser = AdamW::new(model);
    optimiser.decay = settings.weight_decay;
    optimiser
}
