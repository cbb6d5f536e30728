//! A model that is asked for the predictions that are needed, each once.
//!
//! A prediction is a function of model, texts and seed, so it does not matter when it is made: the
//! numbers are those of a table that `predict` made of everything. What needs a mean or a quantile
//! (where `adaptive` starts from, elimination, the threshold of a selection left to advice) takes it
//! from a [`survey`](Forecasts::survey): all pairs on all items or each on a sample of them, drawn by the
//! seed so that a smaller sample is part of a larger one. Judges cost money or minutes, so theirs is a sample unless
//! another one is asked for, and what it takes is said before it is made.

use super::pairing::{self, OutputPair, prefer};
use super::store::PredictionStore;
use super::{Extras, PredictedPair, meta};
use crate::engine::context::Context;
use crate::engine::parts::{Parts, for_each_in_order};
use crate::inputs::source::{CommonItems, Source};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use tiebreak_base::duel::{Pair, Prediction};
use tiebreak_base::error::{Error, Key, Message, Result};
use tiebreak_base::message;
use tiebreak_base::words::counted;
use tiebreak_data::records::index::Group;
use tiebreak_decide::feedback::comparisons::Comparisons;
use tiebreak_decide::feedback::names::{Names, all_pairs};
use tiebreak_decide::model_based::thresholds::Thresholds;
use tiebreak_decide::model_based::{Forecasts, PairPredictions};
use tiebreak_preference::preference::{Options, PairwiseModel, load};

/// The items on which a judge compares each pair in a survey: the standard error of a mean preference is .08 at most, and
/// .05 where preferences have a standard deviation of .3.
const JUDGED: u64 = 40;

/// The model to ask, and how.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub(crate) struct OnDemandOptions {
    /// A name, a folder or a hub id.
    pub model: String,
    /// The way of asking.
    pub how: Options,
    /// The number of items of each pair in a survey, drawn by the seed; `None` for all, or of a judge for [`JUDGED`].
    pub sample: Option<u64>,
    /// The folder in which predictions are kept.
    pub cache: Option<PathBuf>,
}

/// A model that is asked when a prediction is needed.
pub struct OnDemandPredictor<'a> {
    context: &'a Context<'a>,
    source: &'a Source,
    asked: OnDemandOptions,
    model: Arc<dyn PairwiseModel>,
    names: Arc<Names>,
    /// The number of all pairs of outputs.
    pairs: u64,
    store: Mutex<PredictionStore>,
    survey: OnceLock<PairPredictions>,
}

impl<'a> OnDemandPredictor<'a> {
    /// Loads the model, and its earlier answers where predictions are kept.
    ///
    /// # Errors
    /// As [`load`]; a sample of no items; [`Error::Changed`] where the predictions kept are of
    /// another model, data set or seed.
    pub(crate) fn open(
        context: &'a Context<'a>,
        source: &'a Source,
        asked: OnDemandOptions,
    ) -> Result<Self> {
        let model = load(&asked.model, &asked.how, &context.env)?;
        Self::new(context, source, asked, model.into())
    }

    /// Opens the predictor with a model that is loaded.
    pub(crate) fn new(
        context: &'a Context<'a>,
        source: &'a Source,
        mut asked: OnDemandOptions,
        model: Arc<dyn PairwiseModel>,
    ) -> Result<Self> {
        if asked.sample == Some(0) {
            return Err(Error::usage("a sample of 0 items, expected at least 1"));
        }
        let judged = model.own_draws().map(|_| JUDGED);
        asked.sample = asked.sample.or(judged);
        let signature = model.signature().to_string();
        let meta = meta(context, source, signature, model.thresholds()).with("pairs", "as asked");
        let extras = Extras::by_model(model.as_ref(), false);
        let (mut items, mut pairs) = (Vec::new(), 0);
        for group in source.index.all() {
            let group = group?;
            let outputs = group.outputs.len() as u64;
            pairs += outputs * outputs.saturating_sub(1) / 2;
            items.push(group.item);
        }
        let systems = source.systems().to_vec();
        Ok(Self {
            store: Mutex::new(PredictionStore::open(
                context,
                source,
                asked.cache.as_deref(),
                (&meta, extras),
            )?),
            names: Arc::new(Names { systems, items }),
            survey: OnceLock::new(),
            context,
            source,
            asked,
            model,
            pairs,
        })
    }

    /// The model that is asked, and how.
    pub(crate) fn asked(&self) -> &OnDemandOptions {
        &self.asked
    }

    /// The signature of the numbers.
    pub(crate) fn signature(&self) -> String {
        self.model.signature().to_string()
    }

    /// The digest of the survey, where one was made: a judge that is asked again may answer otherwise.
    pub(crate) fn survey_digest(&self) -> Option<String> {
        let survey = self.survey.get()?;
        let mut hash = Sha256::new();
        for pair in all_pairs(self.names.systems.len()) {
            for (item, score) in survey.scores(pair) {
                hash.update(item.to_le_bytes());
                hash.update(score.to_le_bytes());
            }
        }
        Some(format!("{:x}", hash.finalize()))
    }

    /// Predicts all that was judged, item by item: many runs on recorded comparisons come back to the
    /// same ones, and outputs of one item share the work.
    ///
    /// # Errors
    /// Those of the model; a judged system without an output.
    pub(crate) fn fetch_judged(&self) -> Result<()> {
        let mut items = Vec::new();
        for group in self.source.index.all() {
            let group = group?;
            if !group.comparisons.is_empty() {
                items.push(u32::try_from(group.position).map_err(Error::failed)?);
            }
        }
        let judged = |group: &Group| {
            let mut seen = HashSet::new();
            let pairs = group.comparisons.iter().map(|one| Pair::new(one.a, one.b));
            let lower_first = pairs.map(Pair::lower_first);
            lower_first.filter(|&pair| seen.insert(pair)).collect()
        };
        self.fetch(&items, judged)
    }

    /// Writes what is not yet written, and reports how much was asked.
    pub(crate) fn finish(&self) -> Result<()> {
        let mut store = self.store();
        store.save(self.source, &self.names.items)?;
        let (known, added) = store.count();
        if added == 0 {
            return Ok(());
        }
        let kept = match store.path() {
            Some(path) => format!("{known} are now in {}", path.display()),
            None => {
                let keep = message!("to keep them, give {} or {}", Key("cache"), Key("out"));
                keep.shown_to(self.context.progress.audience()).to_string()
            }
        };
        let account = self
            .model
            .account()
            .map_or(String::new(), |one| format!("; {one}"));
        let asked = format!(
            "predicted {added} of {} pairs of outputs; {kept}{account}",
            self.pairs
        );
        self.context.progress.warn(&asked);
        Ok(())
    }

    /// The error where the model has no verdict on a pair.
    fn unanswered(&self, item: u32, pair: Pair) -> Error {
        let Names { systems, items } = self.names.as_ref();
        let [first, second] = [pair.first, pair.second].map(|one| &systems[one.0 as usize]);
        Error::MissingInput {
            stage: "an answer by the model".to_string(),
            table: format!(
                "its verdict on `{first}` and `{second}` for item `{}`",
                items[item as usize]
            ),
            hint: None,
        }
    }

    fn store(&self) -> MutexGuard<'_, PredictionStore> {
        // A thread that panicked while holding the lock left whole rows.
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Predicts what is wanted on some items, in parallel.
    fn fetch(&self, items: &[u32], wanted: impl Fn(&Group) -> Vec<Pair> + Sync) -> Result<()> {
        let parts = Parts::new(items.len() as u64, 1);
        let of_one = |range: std::ops::Range<u64>| {
            let item = items[range.start as usize];
            Ok((item, self.ask(item, &wanted)?))
        };
        let add = |(item, rows)| self.store().add(self.source, &self.names.items, item, rows);
        for_each_in_order(self.context, "predictions", parts, of_one, add)
    }

    /// Asks the model about the wanted pairs of an item that are not known yet.
    fn ask(&self, item: u32, wanted: impl Fn(&Group) -> Vec<Pair>) -> Result<Vec<PredictedPair>> {
        let position = u64::from(item);
        let groups = self.source.groups(position..position + 1)?;
        let Some(group) = groups.first() else {
            return Ok(Vec::new());
        };
        let mut pairs = wanted(group);
        {
            let store = self.store();
            pairs.retain(|&pair| store.get(item, pair).is_none());
        }
        let pairing =
            |pair: &Pair| pairing::pair_systems(self.source, 0, group, (pair.first, pair.second));
        let pairings = pairs
            .iter()
            .map(pairing)
            .collect::<Result<Vec<OutputPair>>>()?;
        let preferences = prefer(self.context, self.model.as_ref(), &groups, &pairings)?;
        let systems = self.source.systems();
        let rows = pairings.iter().zip(&preferences);
        rows.filter_map(|(pairing, preference)| {
            Some(PredictedPair::new(
                systems,
                group,
                pairing,
                preference.as_ref()?,
                self.model.reads_outputs_apart(),
            ))
        })
        .collect()
    }

    /// The pairs of a survey, the lower system first, by item.
    fn surveyed(&self) -> Result<BTreeMap<u32, Vec<Pair>>> {
        let systems = self.source.systems().len();
        let mut of_systems = vec![Vec::new(); systems];
        for group in self.source.index.all() {
            let group = group?;
            let item = u32::try_from(group.position).map_err(Error::failed)?;
            for output in &group.outputs {
                of_systems[output.system.index()].push(item);
            }
        }
        let together = CommonItems::new(&of_systems);
        let mut items: Vec<u32> = (0..).take(self.names.items.len()).collect();
        self.context.seed.stream("survey", 0).shuffle(&mut items);
        let mut place = vec![0; items.len()];
        for (at, item) in items.into_iter().enumerate() {
            place[item as usize] = at;
        }
        let most = self.asked.sample.map_or(usize::MAX, |most| {
            usize::try_from(most).unwrap_or(usize::MAX)
        });
        let mut surveyed: BTreeMap<u32, Vec<Pair>> = BTreeMap::new();
        for pair in all_pairs(systems) {
            let mut items = together.items(pair).to_vec();
            items.sort_unstable_by_key(|&item| place[item as usize]);
            items.truncate(most);
            for item in items {
                surveyed.entry(item).or_default().push(pair);
            }
        }
        Ok(surveyed)
    }

    /// Says what a survey by a judge takes, before it is asked.
    fn announce(&self, surveyed: &BTreeMap<u32, Vec<Pair>>) {
        let Some(draws) = self.model.own_draws() else {
            return;
        };
        let store = self.store();
        let (mut pairs, mut outputs) = (0, 0);
        for (&item, wanted) in surveyed {
            let mut systems = BTreeSet::new();
            for &pair in wanted
                .iter()
                .filter(|&&pair| store.get(item, pair).is_none())
            {
                pairs += 1;
                systems.extend([pair.first, pair.second]);
            }
            outputs += systems.len() as u64;
        }
        if pairs == 0 {
            return;
        }
        let each = match self.model.reads_outputs_apart() {
            true => outputs,
            false => pairs,
        };
        let asked = format!(
            "for the hint the judge is asked about {} of outputs first, {} at most",
            counted(pairs, "pair"),
            counted(each * u64::from(draws), "request")
        );
        let mut items: BTreeMap<Pair, usize> = BTreeMap::new();
        for &pair in surveyed.values().flatten() {
            *items.entry(pair).or_default() += 1;
        }
        let sampled = items.into_values().max().unwrap_or(0);
        self.context.progress.advise(&match sampled {
            0 | 1 => Message::from(asked),
            _ => message!(
                "{}; fewer: {}",
                asked,
                Key("sample").set((sampled / 2).min(10))
            ),
        });
    }

    fn make_survey(&self) -> Result<PairPredictions> {
        let surveyed = self.surveyed()?;
        self.announce(&surveyed);
        let items: Vec<u32> = surveyed.keys().copied().collect();
        let wanted = |group: &Group| {
            let item = u32::try_from(group.position).unwrap_or(u32::MAX);
            surveyed.get(&item).cloned().unwrap_or_default()
        };
        self.fetch(&items, wanted)?;
        let store = self.store();
        let mut rows = Vec::new();
        for (&item, pairs) in &surveyed {
            let known = pairs
                .iter()
                .filter_map(|&pair| Some((item, pair, store.get(item, pair)?)));
            rows.extend(known);
        }
        PairPredictions::new(Arc::clone(&self.names), rows, self.thresholds())
    }
}

impl Forecasts for OnDemandPredictor<'_> {
    fn names(&self) -> &Names {
        &self.names
    }

    fn thresholds(&self) -> Thresholds {
        self.model.thresholds()
    }

    fn stored(&self, pair: Pair, item: u32) -> Result<Prediction> {
        let pair = pair.lower_first();
        if let Some(known) = self.store().get(item, pair) {
            return Ok(known);
        }
        let rows = self.ask(item, |_| vec![pair])?;
        let mut store = self.store();
        store.add(self.source, &self.names.items, item, rows)?;
        store
            .get(item, pair)
            .ok_or_else(|| self.unanswered(item, pair))
    }

    fn survey(&self) -> Result<&PairPredictions> {
        if let Some(made) = self.survey.get() {
            return Ok(made);
        }
        let made = self.make_survey()?;
        Ok(self.survey.get_or_init(|| made))
    }

    fn cover(&self, _: &Comparisons) -> Result<()> {
        for group in self.source.index.all() {
            let group = group?;
            for one in &group.comparisons {
                for system in [one.a, one.b] {
                    if group.output(system).is_none() {
                        return Err(self.source.lacks_output(&group.item, system));
                    }
                }
            }
        }
        Ok(())
    }

    fn require_uncertainty(&self) -> Result<()> {
        match self.model.own_draws() {
            Some(1) => self.context.progress.advise(&single_question()),
            Some(_) => {}
            None if self.asked.how.draws().any() => {}
            None => return Err(without_draws()),
        }
        Ok(())
    }
}

/// The warning where a selection has nothing to go by.
fn single_question() -> Message {
    message!(
        "the judge answers each pair once, so BALD and STD are always 0 and cannot select anything; use {} or {} for more \
         answers",
        Key("order").set("both"),
        Key("samples")
    )
}

fn without_draws() -> Error {
    let what = "the model makes no draws, so its uncertainty is unknown";
    Error::usage(what).with_hint(message!("set {}", Key("draws").set(20)))
}
