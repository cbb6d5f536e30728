//! Prior knowledge of a bandit before the first question, from the data set and the models.

use crate::inputs::source::{CommonItems, Source};
use std::collections::BTreeMap;
use std::sync::Arc;
use tiebreak_base::duel::{Arm, Pair};
use tiebreak_base::error::{Error, Key, Result, StageCommand};
use tiebreak_base::message;
use tiebreak_data::records::Kind;
use tiebreak_data::records::index::Group;
use tiebreak_decide::bandits::Square;
use tiebreak_decide::evaluation::controls::{Controls, PairItemPredictor};
use tiebreak_decide::evaluation::eligible::EligibleItems;
use tiebreak_decide::evaluation::known::IdenticalOutputItems;
use tiebreak_decide::feedback::comparisons::Comparisons;
use tiebreak_decide::feedback::names::{all_pairs, pair_index};
use tiebreak_decide::model_based::{Forecasts, PairPredictions};

/// The items on which each pair may be asked about, each as often as it is likely to be drawn.
pub(super) struct PairItemPool {
    k: usize,
    items: PairItemSource,
    /// Items on which a pair's outputs are the same; `None` for a data set without outputs.
    same: Option<Vec<(u32, Pair)>>,
}

enum PairItemSource {
    /// The items of the recorded comparisons, by `pair_index`, where these are replayed.
    Recorded(Vec<Vec<u32>>),
    /// The items with both outputs, otherwise.
    Together(CommonItems),
}

impl PairItemPool {
    pub(super) fn read(source: &Source, replayed: Option<&Comparisons>) -> Result<Self> {
        let k = source.systems().len();
        let mut of_systems = vec![Vec::new(); k];
        let mut same = Vec::new();
        for group in source.index.all() {
            let group = group?;
            let item = u32::try_from(group.position).map_err(Error::failed)?;
            same.extend(identical(&group).map(|pair| (item, pair)));
            for output in &group.outputs {
                of_systems[output.system.index()].push(item);
            }
        }
        let recorded = |comparisons: &Comparisons| {
            let judged = |pair| comparisons.judgments(pair).iter();
            let items = all_pairs(k).map(|pair| judged(pair).map(|judgment| judgment.item));
            PairItemSource::Recorded(items.map(Iterator::collect).collect())
        };
        Ok(Self {
            k,
            items: replayed.map_or_else(
                || PairItemSource::Together(CommonItems::new(&of_systems)),
                recorded,
            ),
            same: source.index.has(Kind::Outputs).then_some(same),
        })
    }

    /// The items of a pair.
    fn items(&self, pair: Pair) -> &[u32] {
        match &self.items {
            PairItemSource::Recorded(items) => &items[pair_index(self.k, pair)],
            PairItemSource::Together(together) => together.items(pair),
        }
    }

    /// The items on which systems gave the same output.
    pub(super) fn outputs(&self) -> Option<IdenticalOutputItems> {
        let same = self.same.as_ref()?.iter().copied();
        Some(IdenticalOutputItems::new(self.k, same, |pair| {
            self.items(pair).to_vec()
        }))
    }

    /// The number of judgments of each pair, without those on which its `outputs` are the same.
    pub(super) fn stock(&self, outputs: Option<&IdenticalOutputItems>) -> Square {
        Square::from_fn(self.k, |i, j| match i == j {
            true => 0.0,
            false => {
                let pair = Pair::new(Arm::from(i.min(j)), Arm::from(i.max(j)));
                self.differing(pair, outputs).len() as f64
            }
        })
    }

    /// The items that a bandit asks about: none on which `outputs` are the same.
    pub(super) fn eligible(self, outputs: Option<Arc<IdenticalOutputItems>>) -> EligibleItems {
        EligibleItems::new(move |pair| self.differing(pair, outputs.as_deref()))
    }

    /// The items of a pair without those on which its `outputs` are the same.
    fn differing(&self, pair: Pair, outputs: Option<&IdenticalOutputItems>) -> Vec<u32> {
        let differ = |&item: &u32| outputs.is_none_or(|outputs| !outputs.same(pair, item));
        self.items(pair).iter().copied().filter(differ).collect()
    }

    /// The predictions of models on the items that a bandit asks about: none on which `outputs` are the same.
    pub(super) fn controls(
        &self,
        models: &[Arc<dyn Forecasts + '_>],
        outputs: Option<&IdenticalOutputItems>,
    ) -> Result<Option<Controls>> {
        let surveys = models.iter().map(|model| model.survey());
        let surveys = surveys.collect::<Result<Vec<&PairPredictions>>>()?;
        let scores = |predictions: &'_ PairPredictions, pair| predictions.scores(pair).collect();
        let models = surveys.into_iter();
        let models =
            models.map(|one| Box::new(move |pair| scores(one, pair)) as PairItemPredictor<'_>);
        let models: Vec<PairItemPredictor<'_>> = models.collect();
        let drawn = |pair: Pair| self.differing(pair, outputs);
        Ok((!models.is_empty()).then(|| Controls::new(self.k, &models, drawn)))
    }
}

/// The pairs of outputs of an item that are the same, the lower system first.
fn identical(group: &Group) -> impl Iterator<Item = Pair> {
    let mut of_texts: BTreeMap<&str, Vec<Arm>> = BTreeMap::new();
    for output in &group.outputs {
        of_texts
            .entry(&output.text)
            .or_default()
            .push(output.system);
    }
    of_texts.into_values().flat_map(|systems| {
        let pairs = (0..systems.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        let pairs = pairs.map(|(a, b)| Pair::new(systems[a], systems[b]));
        pairs.collect::<Vec<_>>()
    })
}

/// The margins that models predict.
///
/// # Errors
/// [`Error::MissingInput`] for a pair of systems without predictions.
pub(super) fn margins(source: &Source, models: &[Arc<dyn Forecasts + '_>]) -> Result<Vec<Square>> {
    let models = models.iter();
    models
        .map(|model| predicted(source, model.survey()?))
        .collect()
}

/// The margins that one model predicts.
fn predicted(source: &Source, predictions: &PairPredictions) -> Result<Square> {
    let mut missing = None;
    let margins = Square::from_fn(predictions.k(), |i, j| {
        if i == j {
            return 0.0;
        }
        let pair = Pair::new(Arm::from(i), Arm::from(j));
        predictions.margin(pair).unwrap_or_else(|| {
            missing.get_or_insert(pair);
            0.0
        })
    });
    match missing {
        None => Ok(margins),
        Some(Pair { first, second }) => Err(Error::MissingInput {
            stage: "a run with predictions".to_string(),
            table: format!(
                "predictions for `{}` and `{}`",
                source.system(first),
                source.system(second)
            ),
            hint: Some(message!(
                "predict all pairs: {} without {}, or {} with a larger {}",
                StageCommand("predict", &[]),
                Key("pairs"),
                Key("model"),
                Key("sample")
            )),
        }),
    }
}
