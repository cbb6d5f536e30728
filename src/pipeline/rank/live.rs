//! `rank --feedback console`: the loop with a person at the terminal, every answer journalled.

use super::prepare::Prepared;
use super::strengths::Judgments;
use super::telling::tell;
use crate::duel::{Arm, Pair};
use crate::error::{Error, Result};
use crate::feedback::FeedbackSource;
use crate::feedback::console::{Console, Shown, Texts};
use crate::feedback::delayed::Delayed;
use crate::feedback::journal::{Journal, Journalled};
use crate::pipeline::context::Context;
use crate::pipeline::source::Source;
use crate::records::index::Group;
use crate::tables::ranking::Ranking;
use std::fs;
use std::io::{BufReader, stderr, stdin};
use std::path::Path;

/// Asks the person at the terminal until they stop or the run ends. Questions go to standard error,
/// so that standard output holds the result alone.
///
/// # Errors
/// A run without a folder for its journal; a data set without outputs; those of the journal.
pub(super) fn run(
    context: &Context<'_>,
    prepared: &Prepared<'_>,
    out: Option<&Path>,
) -> Result<Ranking> {
    let out = out.ok_or_else(|| {
        Error::usage("a live run needs a folder for its journal, so that no answer is lost")
            .with_hint("name one with --out DIR")
    })?;
    let texts = Outputs::read(prepared.source)?;
    if let Some(pair) = texts.never_together(prepared.setup.arms()) {
        return Err(Error::input(
            prepared.source.dataset.path(),
            format!("no item has an output of both {}", texts.names(pair)),
        ));
    }
    fs::create_dir_all(out).map_err(Error::writing(out))?;
    let settings = prepared
        .signature
        .clone()
        .with("data", &prepared.source.digest)
        .with("seed", context.seed.0);
    let journal = Journal::open(&out.join("journal.jsonl"), &settings)?;
    let console = Console::new(texts, BufReader::new(stdin()), stderr(), context.seed);
    let people = Delayed::new(Journalled::new(console, journal), prepared.options.delay);
    let mut feedback: Box<dyn FeedbackSource + '_> = Box::new(people);
    if let Some((predictions, Some(policy))) = &prepared.model {
        policy.check(predictions)?;
        feedback = policy.around(feedback, predictions, context.seed.stream("mixing", 0));
    }
    let mut trace = None;
    let judgments = Judgments::of_run(|note| {
        let played = prepared.setup.play_noting(0, &mut feedback, note)?;
        Ok(trace.insert(played).clone())
    })?;
    tell(prepared, context, trace.as_slice(), None, &judgments)
}

/// The outputs of a data set, with the items on which two systems can be compared.
struct Outputs<'a> {
    source: &'a Source,
    groups: Vec<Group>,
    /// By `first * k + second`.
    items: Vec<Vec<u32>>,
}

impl<'a> Outputs<'a> {
    fn read(source: &'a Source) -> Result<Self> {
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
