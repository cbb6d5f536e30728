//! The outputs of a data set, as annotators see them.

use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::duel::{Arm, Pair};
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::index::Group;
use tiebreak_decide::feedback::alike::OutputAliases;
use tiebreak_decide::feedback::texts::{ComparisonTexts, Texts};
use tiebreak_stages::inputs::source::{CommonItems, Source};
use tiebreak_stages::stages::simulate::prepare::PreparedRun;

/// The outputs of a data set, with the items on which two systems can be compared.
pub(super) struct DatasetOutputs<'a> {
    source: &'a Source,
    groups: Vec<Group>,
    together: CommonItems,
    alike: OutputAliases,
}

impl<'a> DatasetOutputs<'a> {
    /// # Errors
    /// A data set in which no item brings two of the systems together.
    pub(super) fn of_pairs(prepared: &PreparedRun<'a>) -> Result<Self> {
        let texts = Self::all(prepared.source)?;
        match texts.never_together(prepared.setup.arms()) {
            None => Ok(texts),
            Some(pair) => Err(Error::input(
                prepared.source.dataset.path(),
                format!("no item has an output of both {}", texts.names(pair)),
            )
            .with_hint(
                "add outputs of both systems for the same items, or make a data set of the systems that share items",
            )),
        }
    }

    pub(super) fn all(source: &'a Source) -> Result<Self> {
        let groups: Vec<Group> = source.index.all().collect::<Result<_>>()?;
        let mut of_systems = vec![Vec::new(); source.systems().len()];
        for (place, group) in groups.iter().enumerate() {
            let place = u32::try_from(place).map_err(Error::failed)?;
            for output in &group.outputs {
                of_systems[output.system.index()].push(place);
            }
        }
        Ok(Self {
            source,
            alike: alike(&groups),
            groups,
            together: CommonItems::new(&of_systems),
        })
    }

    /// Returns two of the systems that share no item.
    fn never_together(&self, arms: &[Arm]) -> Option<Pair> {
        let pairs = arms
            .iter()
            .enumerate()
            .flat_map(|(at, &a)| arms[at + 1..].iter().map(move |&b| Pair::new(a, b)));
        pairs.into_iter().find(|&pair| self.items(pair).is_empty())
    }
}

impl DatasetOutputs<'_> {
    #[cfg(feature = "serve")]
    pub(super) fn item_name(&self, item: u32) -> Option<&str> {
        let group = self.groups.get(item as usize);
        group.map(|group| group.item.as_str())
    }

    /// The shares of items with a source and with references.
    #[cfg(feature = "serve")]
    pub(super) fn shown_beside(&self) -> [f64; 2] {
        let n = self.groups.len() as f64;
        let share = |has: fn(&Group) -> bool| {
            let with = self.groups.iter().filter(|group| has(group));
            with.count() as f64 / n
        };
        [
            share(|group| group.source.is_some()),
            share(|group| !group.references.is_empty()),
        ]
    }

    /// The number of questions about the systems: two different texts of theirs on an item.
    pub(super) fn differing(&self, arms: &[Arm]) -> usize {
        let texts = |group: &Group| {
            let texts = arms.iter().filter_map(|&arm| group.output(arm));
            let n = texts.collect::<BTreeSet<&str>>().len();
            n * n.saturating_sub(1) / 2
        };
        self.groups.iter().map(texts).sum()
    }

    /// Groups of at least two of the systems whose outputs never differ.
    pub(super) fn identical(&self, arms: &[Arm]) -> Vec<Vec<Arm>> {
        // Only systems with the same text, or none, on the item with most outputs can be identical.
        let most = self.groups.iter().max_by_key(|group| group.outputs.len());
        let text = |arm| most.and_then(|group| group.output(arm));
        let mut groups: Vec<Vec<Arm>> = Vec::new();
        let mut by_text: BTreeMap<Option<&str>, Vec<usize>> = BTreeMap::new();
        for &arm in arms {
            let same = |&place: &usize| self.never_differ(groups[place][0], arm);
            let found = match text(arm) {
                None => (0..groups.len()).find(same),
                Some(text) => {
                    let alike = [Some(text), None].into_iter();
                    let places = alike.filter_map(|text| by_text.get(&text)).flatten();
                    places.copied().filter(same).min()
                }
            };
            match found {
                Some(place) => groups[place].push(arm),
                None => {
                    by_text.entry(text(arm)).or_default().push(groups.len());
                    groups.push(vec![arm]);
                }
            }
        }
        groups.retain(|group| group.len() > 1);
        groups
    }

    fn never_differ(&self, one: Arm, other: Arm) -> bool {
        self.items(Pair::new(one, other)).iter().all(|&item| {
            let group = &self.groups[item as usize];
            group.output(one) == group.output(other)
        })
    }
}

fn alike(groups: &[Group]) -> OutputAliases {
    let again = groups.iter().zip(0..).flat_map(|(group, item)| {
        let mut first: BTreeMap<&str, Arm> = BTreeMap::new();
        let outputs = group.outputs.iter();
        outputs.filter_map(move |output| {
            let arm = *first.entry(&output.text).or_insert(output.system);
            (arm != output.system).then_some(((item, output.system), arm))
        })
    });
    OutputAliases::new(again)
}

impl Texts for DatasetOutputs<'_> {
    fn items(&self, pair: Pair) -> &[u32] {
        self.together.items(pair)
    }

    fn texts(&self, item: u32, pair: Pair) -> Result<ComparisonTexts<'_>> {
        let missing = || Error::failed(format!("item number {item} is not in the data set"));
        let group = self.groups.get(item as usize).ok_or_else(missing)?;
        Ok(ComparisonTexts {
            source: group.source.as_deref(),
            references: &group.references,
            first: group.output(pair.first).ok_or_else(missing)?,
            second: group.output(pair.second).ok_or_else(missing)?,
        })
    }

    fn alike(&self) -> OutputAliases {
        self.alike.clone()
    }

    fn names(&self, pair: Pair) -> String {
        format!(
            "`{}` and `{}`",
            self.source.system(pair.first),
            self.source.system(pair.second)
        )
    }
}
