//! People's judgments as estimates take them: a post-edit becomes a number, judgments of an item's
//! parts become one of the whole, those of its repeats their mean, and annotators who did not do their work are left out.
//!
//! Source: Chaganty, Mussmann and Liang, ACL 2018, sections 4 and 5 and the appendix on quality
//! control.

mod edits;
mod parts;
mod quality;
mod repeats;

pub(crate) use edits::{direction_doubt, is_less_better};
pub(crate) use parts::PartsRule;
pub(crate) use quality::{AnnotatorRequirements, ExcludedAnnotator};
pub(crate) use repeats::{averaged_groups, averaged_trials};

use crate::engine::context::Context;
use crate::inputs::source::{ClusterKeys, Source};
use edits::HumanTargeted;
use repeats::{averaged, averaged_with};
use std::collections::{BTreeMap, BTreeSet};
use tiebreak_base::error::{Error, Result};
use tiebreak_data::records::import::Repeats;
use tiebreak_data::records::index::{Group, GroupJudgment};

/// The selection of judgments, and how they are combined.
pub(crate) struct JudgmentSelection {
    wanted: CriterionSelection,
    parts: Option<PartsRule>,
    repeats: Repeats,
    /// Whether repeats stay apart; else their mean counts.
    keeps_repeats: bool,
    /// Annotators left out under each criterion.
    left_out: BTreeMap<usize, BTreeSet<String>>,
    clusters: ClusterKeys,
}

enum CriterionSelection {
    All,
    One(usize),
    /// A criterion counted from post-edits, with the number that it goes by.
    Edits(usize, HumanTargeted),
}

impl JudgmentSelection {
    /// The judgments under a criterion of the data set, or one counted from post-edits (`hter`,
    /// `hwer`), or under all criteria of the data set.
    pub(crate) fn new(
        source: &Source,
        criterion: Option<&str>,
        parts: Option<PartsRule>,
    ) -> Result<Self> {
        let wanted = match criterion {
            None => CriterionSelection::All,
            Some(name) => match (
                source.index.criterion(name),
                HumanTargeted::from_name(name)?,
            ) {
                (Ok(criterion), _) => CriterionSelection::One(criterion),
                (Err(_), Some(edits)) => {
                    CriterionSelection::Edits(source.index.criteria().len(), edits)
                }
                (Err(unknown), None) => return Err(unknown),
            },
        };
        Ok(Self {
            wanted,
            parts,
            repeats: Repeats::All,
            keeps_repeats: false,
            left_out: BTreeMap::new(),
            clusters: ClusterKeys::default(),
        })
    }

    /// The same selection of these repeats.
    #[must_use]
    pub(crate) fn of_repeats(self, repeats: Repeats) -> Self {
        Self { repeats, ..self }
    }

    /// The same selection with repeats as judgments of their own, which say how much judgments of one output vary.
    #[must_use]
    pub(crate) fn with_repeats_apart(self) -> Self {
        Self {
            keeps_repeats: true,
            ..self
        }
    }

    /// The same selection where items count as one by these keys.
    #[must_use]
    pub(crate) fn with_clusters(self, clusters: &ClusterKeys) -> Self {
        Self {
            clusters: clusters.clone(),
            ..self
        }
    }

    /// Which items count as one.
    pub(crate) fn clusters(&self) -> &ClusterKeys {
        &self.clusters
    }

    /// The judgments of an item that count: each repeat, or their means, of which `meet` is given the judgments.
    pub(crate) fn counted_with(
        &self,
        each: Vec<GroupJudgment>,
        meet: impl FnMut(&[GroupJudgment]),
    ) -> Vec<GroupJudgment> {
        match self.keeps_repeats {
            true => each,
            false => averaged_with(each, meet),
        }
    }

    /// The same selection without the annotators who do not meet the demands; and who they are.
    ///
    /// # Errors
    /// If a demand needs what the judgments do not record; errors of the data.
    pub(crate) fn screened(
        mut self,
        context: &Context<'_>,
        source: &Source,
        demands: &AnnotatorRequirements,
    ) -> Result<(Self, Vec<ExcludedAnnotator>)> {
        if demands.asks_nothing() {
            return Ok((self, Vec::new()));
        }
        let left_out = quality::screen(context, source, &self, demands)?;
        for one in &left_out {
            let under = self.left_out.entry(one.number).or_default();
            under.insert(one.annotator.clone());
            context.progress.warn(&one.to_string());
        }
        Ok((self, left_out))
    }

    /// The name of a criterion, by its number in the judgments.
    pub(crate) fn criterion<'a>(&'a self, source: &'a Source, number: usize) -> &'a str {
        match &self.wanted {
            CriterionSelection::Edits(own, edits) if *own == number => edits.name(),
            _ => &source.index.criteria()[number],
        }
    }

    /// Whether all selected judgments are under one criterion.
    pub(crate) fn is_of_one(&self, source: &Source) -> bool {
        let is_all = matches!(self.wanted, CriterionSelection::All);
        !is_all || source.index.criteria().len() == 1
    }

    /// Whether a criterion is counted from post-edits, and so has no highest judgment.
    pub(crate) fn is_counted(&self, number: usize) -> bool {
        matches!(&self.wanted, CriterionSelection::Edits(own, _) if *own == number)
    }

    /// Whether the judgments of an annotator under a criterion are left out.
    pub(crate) fn leaves_out(&self, criterion: usize, annotator: &str) -> bool {
        let left_out = self.left_out.get(&criterion);
        left_out.is_some_and(|all| all.contains(annotator))
    }

    /// The selected judgments of an item's outputs.
    ///
    /// # Errors
    /// A post-edit of an output that is not there.
    pub(crate) fn judgments(&self, source: &Source, group: &Group) -> Result<Vec<GroupJudgment>> {
        Ok(averaged(self.of_each_repeat(source, group)?))
    }

    /// The selected judgments of an item's outputs, each repeat on its own.
    pub(crate) fn of_each_repeat(
        &self,
        source: &Source,
        group: &Group,
    ) -> Result<Vec<GroupJudgment>> {
        let mut judgments = self.single(source, group)?;
        judgments.retain(|one| {
            let name = one.annotator.as_deref().unwrap_or_default();
            !self.leaves_out(one.criterion, name)
        });
        let judgments = match self.parts {
            Some(how) => parts::joined(judgments, how),
            None => judgments,
        };
        Ok(match self.repeats {
            Repeats::All => judgments,
            Repeats::First => repeats::first(judgments),
        })
    }

    /// The selected judgments, as they were given.
    fn single(&self, source: &Source, group: &Group) -> Result<Vec<GroupJudgment>> {
        let all = group.judgments.iter();
        match &self.wanted {
            CriterionSelection::All => Ok(all.cloned().collect()),
            CriterionSelection::One(criterion) => Ok(all
                .filter(|one| one.criterion == *criterion)
                .cloned()
                .collect()),
            CriterionSelection::Edits(own, edits) => edits.judgments(source, group, *own),
        }
    }

    /// The error for a data set without any selected judgments.
    ///
    /// # Errors
    /// Always.
    pub(crate) fn nothing<T>(&self, source: &Source) -> Result<T> {
        let what = match &self.wanted {
            CriterionSelection::Edits(_, edits) => format!(
                "no judgment has a `post_edit`, from which `{}` is counted",
                edits.name()
            ),
            _ => "no judgment is left".to_string(),
        };
        Err(Error::input(source.dataset.path(), what))
    }
}

/// Groups the judgments of one item, in the order of their first: pieces of the same judgment together, and all others
/// alone.
fn grouped(
    judgments: Vec<GroupJudgment>,
    is_piece: impl Fn(&GroupJudgment) -> bool,
    is_same: impl Fn(&GroupJudgment, &GroupJudgment) -> bool,
) -> Vec<Vec<GroupJudgment>> {
    let mut groups: Vec<Vec<GroupJudgment>> = Vec::new();
    for one in judgments {
        let mut others = groups.iter_mut().filter(|_| is_piece(&one));
        match others.find(|group| is_piece(&group[0]) && is_same(&group[0], &one)) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

/// Joins judgments, at least one, into the first of them with another score and the time that all took.
fn merged(pieces: Vec<GroupJudgment>, score: f64) -> GroupJudgment {
    let seconds = pieces.iter().map(|one| one.seconds);
    let seconds = seconds.reduce(|all, one| all.zip(one).map(|(a, b)| a + b));
    let first = pieces.into_iter().next().expect("at least one judgment");
    GroupJudgment {
        score,
        seconds: seconds.flatten(),
        ..first
    }
}
