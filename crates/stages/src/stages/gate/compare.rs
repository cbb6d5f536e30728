//! What a gate compares: which systems, by which criteria, on which items.

use super::Gate;
use crate::engine::context::Context;
use crate::inputs::judging::{JudgmentSelection, direction_doubt, is_less_better};
use crate::inputs::source::{COMPARED, PredictionTable, SCORED, Source, UnbalancedPlaces};
use crate::stages::estimate::{GivenRange, OutputSamplingDesign, gather, ranges, uneven};
use crate::stages::score::Scorer;
use crate::stages::score::significance::{CorpusStatistics, ResampledDifference};
use crate::stages::slices::{
    ComparedPairs, CriterionJudgments, DifferenceSample, PairTerms, PairedSystems, Preferences,
    Slices, TOO_FEW_ANNOTATORS, VERDICTS, range_unknown, unlike_pair,
};
use std::collections::BTreeSet;
use std::path::Path;
use tiebreak_base::duel::{Arm, Pair};
use tiebreak_base::error::{Error, Key, Result, StageCommand};
use tiebreak_base::message;
use tiebreak_base::scope::{ItemScope, PeopleScope};
use tiebreak_base::words::as_sentence;
use tiebreak_data::records::Kind;
use tiebreak_decide::ranking::PREFERENCE;
use tiebreak_metrics::metrics::{Direction, direction};

/// The base and the new systems.
///
/// # Errors
/// Unknown names; none that is the base; a base that is its own new system.
pub(super) fn systems(source: &Source, gate: &Gate) -> Result<(Arm, Vec<Arm>)> {
    let names = source.systems();
    let Some(base) = &gate.base else {
        let hint = message!("name it, {}: {}", Key("base"), names.join(", "));
        return Err(Error::key("base", "the base is not named").with_hint(hint));
    };
    let base = source.index.system(base).map_err(Error::of_key("base"))?;
    let named = gate.new.iter().map(|name| source.index.system(name));
    let mut news: Vec<Arm> = named.collect::<Result<_>>().map_err(Error::of_key("new"))?;
    if news.is_empty() {
        news.extend(Arm::all(names.len()).filter(|&arm| arm != base));
    }
    if news.is_empty() {
        let what = format!("`{}` is the only system", source.system(base));
        return Err(Error::input(source.dataset.path(), what)
            .with_hint("a gate compares two: give the new system's file too"));
    }
    if news.contains(&base) {
        let what = format!("`{}` is compared with itself", source.system(base));
        return Err(Error::key("new", what).with_hint("name another system"));
    }
    Ok((base, news))
}

/// The criteria by name: those that are asked for, or all there are unless a metric is.
///
/// # Errors
/// An unknown criterion.
pub(super) fn criteria(source: &Source, gate: &Gate) -> Result<Vec<String>> {
    let is_compared = source.index.has(Kind::Comparisons);
    let is_predicted = source.dataset.predictions().is_some();
    if gate.criterion.is_empty() {
        if !gate.metric.is_empty() {
            return Ok(Vec::new());
        }
        let mut all = source.index.criteria().to_vec();
        all.extend(is_compared.then(|| PREFERENCE.to_string()));
        // What a judge says stands in for people only where they said nothing.
        let only_predicted = all.is_empty() && is_predicted;
        all.extend(only_predicted.then(|| VERDICTS.to_string()));
        return Ok(all);
    }
    let of_pairs =
        |name: &str| (is_compared && name == PREFERENCE) || (is_predicted && name == VERDICTS);
    for name in gate.criterion.iter().filter(|name| !of_pairs(name)) {
        if name == VERDICTS {
            let what = "the data set holds no verdicts of a judge";
            return Err(Error::key("criterion", what).with_hint(message!(
                "copy the table of {} into its folder as predictions.jsonl, and its .meta.json as \
                 predictions.jsonl.meta.json",
                StageCommand("judge", &[])
            )));
        }
        source
            .index
            .criterion(name)
            .map_err(Error::of_key("criterion"))?;
    }
    Ok(gate.criterion.clone())
}

/// Refuses judgments on a scale that nothing says. They are read for it: yes and no need none.
///
/// # Errors
/// The first criterion whose scale is not known; data that cannot be read.
pub(super) fn require_scales(context: &Context<'_>, source: &Source, gate: &Gate) -> Result<()> {
    let names = criteria(source, gate)?;
    let is_judged = |name: &&String| source.index.criterion(name).is_ok();
    let is_of_one = names.iter().filter(is_judged).count() == 1;
    let is_open =
        |name: &&String| gate.range.is_none() && source.dataset.descriptor().range(name).is_none();
    for name in names.iter().filter(is_judged).filter(is_open) {
        let judging = JudgmentSelection::new(source, Some(name), None)?;
        let design = OutputSamplingDesign::default();
        let data = gather(context, source, &[], &design, &judging, None)?;
        if ranges(source, &judging, None, &data)?.is_empty() && !data.judgments.is_empty() {
            return Err(range_unknown((name, is_of_one), &data.judgments.values()));
        }
    }
    Ok(())
}

#[derive(Default)]
pub(super) struct GateComparisons {
    pub pairs: ComparedPairs,
    /// The comparisons that no item allows.
    pub missing: Vec<MissingComparison>,
    /// Sentences about criteria that the base does not have, or whose direction is doubtful.
    pub notes: Vec<String>,
    /// The judge, where a criterion is its verdicts.
    pub judge: Option<String>,
}

impl GateComparisons {
    /// Adds a note that may be one of several criteria.
    fn add_note(&mut self, note: Option<String>) {
        let note = note.filter(|note| !self.notes.contains(note));
        self.notes.extend(note);
    }
}

/// A comparison of a new system with the base that has items of the base, and none of both.
pub(super) struct MissingComparison {
    pub new: Arm,
    pub criterion: String,
    pub slice: Option<String>,
    pub only_base: u64,
    pub only_new: u64,
}

/// Who is compared, on which items.
pub(super) struct ComparedSystems<'a> {
    pub context: &'a Context<'a>,
    pub source: &'a Source,
    pub gate: &'a Gate,
    pub base: Arm,
    pub news: &'a [Arm],
    pub slices: Option<&'a Slices>,
}

impl ComparedSystems<'_> {
    /// Compares the base with each new system, under each criterion; on all items, and on each slice.
    ///
    /// # Errors
    /// A named criterion or a metric that no item has of both; a criterion whose scale is not known; the comparisons of a
    /// campaign.
    pub(super) fn compare(&self) -> Result<GateComparisons> {
        let mut found = GateComparisons::default();
        let names = criteria(self.source, self.gate)?;
        let is_judged = |name: &&String| self.source.index.criterion(name).is_ok();
        let is_of_one = names.iter().filter(is_judged).count() == 1;
        for (number, name) in names.iter().enumerate() {
            self.by_criterion((number, name), is_of_one, &mut found)?;
        }
        if !self.gate.metric.is_empty() {
            self.by_corpus(names.len(), &mut found)?;
        }
        let clusters = &self.gate.clusters;
        found.add_note(clusters.hint(self.source, self.gate.scope.items)?);
        Ok(found)
    }

    /// Compares by judgments or comparisons; `is_of_one`: no other criterion is judged.
    fn by_criterion(
        &self,
        (number, name): (usize, &str),
        is_of_one: bool,
        into: &mut GateComparisons,
    ) -> Result<()> {
        let (source, gate, base) = (self.source, self.gate, self.base);
        let lacking = |new: Arm| {
            let what = format!("no item has `{name}` of {}", both(source, base, new));
            match gate.criterion.iter().any(|one| one == name) {
                true => Err(Error::key("criterion", what)),
                false => Ok(as_sentence(&format!(
                    "{what}, so this criterion is left out"
                ))),
            }
        };
        let preferences = self.preferences((number, name), into)?;
        if preferences.is_some() {
            self.refuse_these_items(name)?;
        }
        if let Some(compared) = preferences {
            self.refuse_wide_margin(name, 1.0)?;
            into.notes.extend(self.of_these_annotators(name)?);
            into.notes.extend(compared.is_weighted().then(|| {
                format!("Annotators weigh the same in all pairs under `{name}`, which did not go to them alike.")
            }));
            into.notes
                .extend(self.slice_weights(name, compared.has_slice_weights()));
            let slice = |slice| Slices::numbered(self.slices, slice);
            let compare = |new, number| compared.compare(base, new, slice(number));
            let items = |system, number| compared.items(system, slice(number));
            return self.each(into, name, compare, items, lacking);
        }
        let is_turned = is_less_better(name);
        if is_turned {
            into.notes.push(turned_note(name));
        }
        into.notes.extend(direction_doubt(name));
        let judging = JudgmentSelection::new(source, Some(name), None)?;
        let judging = judging.with_clusters(&gate.clusters);
        let given = GivenRange::new(gate.range, is_of_one)?;
        let design = OutputSamplingDesign::default();
        let data = gather(self.context, source, &[], &design, &judging, given)?;
        let data = data.about(gate.scope.items);
        into.add_note(data.cluster_sentence());
        let range = ranges(source, &judging, given, &data)?.into_values().next();
        if let Some(range) = &range {
            self.refuse_wide_margin(name, range.upper() - range.lower())?;
        }
        let key = data.judgments.keys().next().map_or(0, |key| key.0);
        let compared = data.judgments.iter().filter_map(|(&(_, at), judged)| {
            let is_compared = at == base.index() || self.news.iter().any(|new| new.index() == at);
            is_compared.then(|| (source.systems()[at].as_str(), judged))
        });
        let which = uneven(compared);
        into.notes
            .extend(which.map(|which| equal_items_note(name, "estimates", &which)));
        let terms = PairTerms {
            level: gate.level(),
            items: gate.scope.items,
            is_of_new_annotators: gate.scope.people == PeopleScope::NewAnnotators,
            seed: self.context.seed,
            pairs: self.news.len() * Slices::parts(self.slices),
            is_of_one,
        };
        let judged =
            CriterionJudgments::new(&data, (key, (number, name)), range, terms, self.slices)?;
        into.notes
            .extend(self.slice_weights(name, judged.has_slice_weights()));
        let compare = |new: Arm, slice: Option<usize>| match is_turned {
            true => Ok(judged.compare(new, base, slice)?.map(PairedSystems::turned)),
            false => judged.compare(base, new, slice),
        };
        let items = |system, slice| judged.items(system, slice);
        self.each(into, name, compare, items, lacking)?;
        let mut all = into.pairs.all.iter();
        if all.any(|one| one.number == number && one.is_unrepeated) {
            into.notes.push(format!(
                "No output has several judgments under `{name}`, so its intervals are those for items like these."
            ));
        }
        if gate.scope.people == PeopleScope::Both {
            let of_these =
                |one: &&PairedSystems| one.number == number && one.new_annotators.is_none();
            let unknown = into.pairs.all.iter().filter(of_these).map(|one| {
                let new = source.system(one.new);
                format!("{new} on {name}, for new annotators: {TOO_FEW_ANNOTATORS}.")
            });
            into.notes.extend(unknown);
        }
        Ok(())
    }

    /// The note that a result is about these annotators alone, where new ones are asked for too.
    ///
    /// # Errors
    /// Where only new ones are asked for.
    fn of_these_annotators(&self, name: &str) -> Result<Option<String>> {
        let what = format!("nothing is known of new annotators by `{name}`, only of these");
        match self.gate.scope.people {
            PeopleScope::These => Ok(None),
            PeopleScope::Both => Ok(Some(as_sentence(&what))),
            PeopleScope::NewAnnotators => Err(Error::key("people", what).with_hint(
                "`rank` compares systems for new annotators; a gate does where outputs are rated",
            )),
        }
    }

    /// Refuses a margin that no difference can be beyond: everything would pass.
    fn refuse_wide_margin(&self, name: &str, largest: f64) -> Result<()> {
        let margin = self.gate.positive_margin().unwrap_or_default();
        if margin < largest {
            return Ok(());
        }
        let what = format!(
            "no two systems differ by more than {largest} on `{name}`, so with a margin of {margin} all would pass"
        );
        let share = Key("margin").set(margin * largest / 100.0);
        Err(Error::key("margin", what).with_hint(match margin < 100.0 {
            true => message!("{} is {} % of the scale", share, margin),
            false => "name a margin within the scale".into(),
        }))
    }

    /// Refuses a result about these items alone where nothing shows how the answers to one item vary.
    fn refuse_these_items(&self, name: &str) -> Result<()> {
        if self.gate.scope.items != ItemScope::These {
            return Ok(());
        }
        let what = format!("a gate by `{name}` is about items like these, not about these alone");
        Err(Error::key("items", what).with_hint(message!(
            "leave out {}, or name criteria of ratings by {}",
            Key("items"),
            Key("criterion")
        )))
    }

    /// The comparisons of outputs under a criterion, by people or by a judge; `None` of one that is judged.
    fn preferences(
        &self,
        (number, name): (usize, &str),
        into: &mut GateComparisons,
    ) -> Result<Option<Preferences>> {
        let source = self.source;
        Ok(match name {
            _ if source.index.criterion(name).is_ok() => None,
            PREFERENCE => {
                source.require_fixed_questions()?;
                let collection = source.comparisons()?;
                let is_compared = |pair: Pair| {
                    let is_new = |arm| self.news.contains(&arm);
                    let both = [(pair.first, pair.second), (pair.second, pair.first)];
                    both.iter()
                        .any(|&(one, other)| one == self.base && is_new(other))
                };
                let which = collection.uneven_items(is_compared);
                into.notes
                    .extend(which.map(|which| equal_items_note(name, "rankings", &which)));
                into.add_note(collection.is_in_one_order().then(|| {
                    let what = "each pair is named in one order only";
                    let so = "the gate assumes that no annotator prefers an output for its place";
                    as_sentence(&format!("{what}, so {so}"))
                }));
                let shares = collection.uneven_shares();
                let shared = self.gate.clusters.of_comparisons(source, &collection)?;
                into.add_note(shared.as_ref().map(|shared| shared.sentence(COMPARED)));
                let found = Preferences::of_people(&collection, shares, number, self.slices);
                Some(found.of_clusters(shared))
            }
            VERDICTS => {
                let path = source.dataset.predictions().unwrap_or(Path::new(""));
                let table = PredictionTable::open(self.context, source, path)?;
                into.judge = Some(table.judge()?);
                let places = table.unbalanced_places(source)?;
                let clause = places.as_ref().map(UnbalancedPlaces::clause);
                into.notes.extend(clause.map(|what| as_sentence(&what)));
                let shared = self.gate.clusters.among(source, |_| true)?;
                into.add_note(shared.as_ref().map(|shared| shared.sentence(COMPARED)));
                let found = Preferences::of_judge(source, &table, number, places)?;
                Some(found.of_clusters(shared))
            }
            _ => None,
        })
    }

    /// A note that annotators weigh the same in all slices, where slices did not go to them alike.
    fn slice_weights(&self, name: &str, has_weights: bool) -> Option<String> {
        let column = &self.slices.filter(|_| has_weights)?.column;
        Some(format!(
            "Annotators weigh the same in all slices by {column} under `{name}`, which did not go to them alike."
        ))
    }

    /// Compares by the metrics of the whole corpus, which come after so many criteria.
    fn by_corpus(&self, criteria: usize, into: &mut GateComparisons) -> Result<()> {
        let (context, source, gate, base) = (self.context, self.source, self.gate, self.base);
        let comparisons = self.news.len() * (criteria + gate.metric.len());
        let level = 0.5 * gate.level() / comparisons as f64;
        let pairs = self.news.len() * Slices::parts(self.slices);
        let systems: Vec<Arm> = self.news.iter().copied().chain([base]).collect();
        let clusters = match gate.metric.is_empty() {
            true => None,
            false => gate.clusters.among(source, |_| true)?,
        };
        for (metric, number) in gate.metric.iter().zip(criteria..) {
            let mut scorer = Scorer::new(context, metric, None)?;
            scorer.prepare(context, source)?;
            self.refuse_these_items(&scorer.label)?;
            into.notes.extend(self.of_these_annotators(&scorer.label)?);
            if direction(&scorer.label) == Direction::Lower {
                into.notes.push(turned_note(&scorer.label));
            }
            into.add_note(clusters.as_ref().map(|of| of.sentence(SCORED)));
            let of_clusters = clusters.as_ref();
            let statistics =
                CorpusStatistics::read(context, source, &scorer, &systems, of_clusters)?;
            let compare = |new: Arm, slice: Option<usize>| {
                let slice = Slices::numbered(self.slices, slice);
                let inside = |item: u32| is_inside(slice, item);
                let level = match (slice, self.slices) {
                    (Some(_), Some(slices)) => level / slices.items.len() as f64,
                    _ => level,
                };
                let sample = ResampledDifference::new(&statistics, [new, base], level, &inside);
                let (n, sample) = (sample.items, DifferenceSample::Corpus(sample));
                let [new_scores, base_scores] =
                    [new, base].map(|system| statistics.scores(system, &inside));
                Ok((n > 0).then(|| PairedSystems {
                    only_base: base_scores.len() as u64 - n,
                    only_new: new_scores.len() as u64 - n,
                    unlike: unlike_pair([new, base], [&new_scores, &base_scores], pairs),
                    ..PairedSystems::new((base, new), (number, &scorer.label), n, sample)
                }))
            };
            let items = |system, slice| {
                let slice = Slices::numbered(self.slices, slice);
                statistics
                    .scores(system, &|item| is_inside(slice, item))
                    .len() as u64
            };
            self.each(into, &scorer.label, compare, items, |new| {
                let what = format!("no item has outputs of {}", both(source, base, new));
                Err(Error::key("metric", what))
            })?;
        }
        Ok(())
    }

    /// Compares the base with each new system, on all items and on each slice; `items` counts those of a system. `lacking` is
    /// what a new system means that shares no item with the base, and is told where the base has none.
    fn each(
        &self,
        into: &mut GateComparisons,
        name: &str,
        compare: impl Fn(Arm, Option<usize>) -> Result<Option<PairedSystems>>,
        items: impl Fn(Arm, Option<usize>) -> u64,
        lacking: impl Fn(Arm) -> Result<String>,
    ) -> Result<()> {
        for &new in self.news {
            let mut without = Vec::new();
            into.pairs.add(self.slices, |slice| {
                let found = compare(new, slice)?;
                without.extend(found.is_none().then_some(slice));
                Ok(found)
            })?;
            for slice in without {
                let note = slice.is_none().then(|| lacking(new)).transpose()?;
                let [only_base, only_new] = [self.base, new].map(|system| items(system, slice));
                if only_base == 0 {
                    into.notes.extend(note);
                    continue;
                }
                let label = |number: usize| Some(self.slices?.items[number].0.clone());
                into.missing.push(MissingComparison {
                    new,
                    criterion: name.to_string(),
                    slice: slice.and_then(label),
                    only_base,
                    only_new,
                });
            }
        }
        Ok(())
    }
}

/// Whether an item is in a slice, where there is one.
fn is_inside(slice: Option<&BTreeSet<u32>>, item: u32) -> bool {
    slice.is_none_or(|items| items.contains(&item))
}

/// The note that all items weigh the same, other than elsewhere.
fn equal_items_note(name: &str, elsewhere: &str, which: &str) -> String {
    format!(
        "All items weigh the same under `{name}`, but in {elsewhere} those with more judgments more: {which}."
    )
}

/// The note on scores of which lower ones are better.
fn turned_note(name: &str) -> String {
    format!(
        "Lower scores of `{name}` are better. Its differences have their sign turned, so that above 0 is better."
    )
}

/// Two systems in an error.
pub(super) fn both(source: &Source, base: Arm, new: Arm) -> String {
    let systems = [base, new].map(|arm| source.system(arm)).join("` and `");
    format!("both `{systems}`")
}
