//! The outputs of a data set, as people are shown them.

use crate::duel::{Arm, Pair};
use crate::error::{Error, Result};
use crate::feedback::texts::{Shown, Texts};
use crate::inputs::source::Source;
use crate::records::index::Group;
use crate::stages::simulate::prepare::Prepared;

/// The outputs of a data set, with the items on which two systems can be compared.
pub struct Outputs<'a> {
    source: &'a Source,
    groups: Vec<Group>,
    /// By `first * k + second`.
    items: Vec<Vec<u32>>,
}

impl<'a> Outputs<'a> {
    /// # Errors
    /// A data set in which no item brings two of the systems together.
    pub(super) fn of_pairs(prepared: &Prepared<'a>) -> Result<Self> {
        let texts = Self::all(prepared.source)?;
        match texts.never_together(prepared.setup.arms()) {
            None => Ok(texts),
            Some(pair) => Err(Error::input(
                prepared.source.dataset.path(),
                format!("no item has an output of both {}", texts.names(pair)),
            )),
        }
    }

    /// # Errors
    /// If a temporary file cannot be read.
    pub(super) fn all(source: &'a Source) -> Result<Self> {
        let groups: Vec<Group> = source.index.all().collect::<Result<_>>()?;
        let k = source.systems().len();
        let mut items = vec![Vec::new(); k * k];
        for (place, group) in groups.iter().enumerate() {
            let place = u32::try_from(place).map_err(Error::failed)?;
            for first in &group.outputs {
                for second in &group.outputs {
                    items[first.system.index() * k + second.system.index()].push(place);
                }
            }
        }
        Ok(Self {
            source,
            groups,
            items,
        })
    }

    /// Two of the systems that no item brings together.
    fn never_together(&self, arms: &[Arm]) -> Option<Pair> {
        let pairs = arms
            .iter()
            .flat_map(|&a| arms.iter().map(move |&b| Pair::new(a, b)));
        pairs.into_iter().find(|&pair| self.items(pair).is_empty())
    }
}

impl Outputs<'_> {
    /// How many questions about the systems there are: pairs on items where their texts differ.
    pub(super) fn differing(&self, arms: &[Arm]) -> usize {
        let pairs = (0..arms.len()).flat_map(|i| (0..i).map(move |j| Pair::new(arms[j], arms[i])));
        let differ = |pair: Pair| {
            let items = self.items(pair).iter();
            let groups = items.map(|&item| &self.groups[item as usize]);
            let differ =
                groups.filter(|group| group.output(pair.first) != group.output(pair.second));
            differ.count()
        };
        pairs.map(differ).sum()
    }

    /// Groups of at least two of the systems whose outputs never differ.
    pub(super) fn identical(&self, arms: &[Arm]) -> Vec<Vec<Arm>> {
        let mut groups: Vec<Vec<Arm>> = Vec::new();
        for &arm in arms {
            let same = |other: Arm| {
                let pair = Pair::new(other, arm);
                self.items(pair).iter().all(|&item| {
                    let group = &self.groups[item as usize];
                    group.output(other) == group.output(arm)
                })
            };
            match groups.iter_mut().find(|group| same(group[0])) {
                Some(group) => group.push(arm),
                None => groups.push(vec![arm]),
            }
        }
        groups.retain(|group| group.len() > 1);
        groups
    }
}

impl Texts for Outputs<'_> {
    fn items(&self, pair: Pair) -> &[u32] {
        &self.items[pair.first.index() * self.source.systems().len() + pair.second.index()]
    }

    fn texts(&self, item: u32, pair: Pair) -> Result<Shown<'_>> {
        let missing = || Error::failed(format!("item number {item} is not in the data set"));
        let group = self.groups.get(item as usize).ok_or_else(missing)?;
        Ok(Shown {
            source: group.source.as_deref(),
            references: &group.references,
            first: group.output(pair.first).ok_or_else(missing)?,
            second: group.output(pair.second).ok_or_else(missing)?,
        })
    }

    fn names(&self, pair: Pair) -> String {
        format!(
            "`{}` and `{}`",
            self.source.system(pair.first),
            self.source.system(pair.second)
        )
    }
}
