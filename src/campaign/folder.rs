//! A campaign's folder, and the arguments with which it is opened.

use super::context::CampaignContext;
use super::kinds::Campaign;
use super::notice::new_tasks;
use super::pairs::PairCampaign;
use super::rated::RatingCampaign;
use super::settings::{CampaignSettings, RelocatableKeys};
use super::task::Task;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tiebreak_base::claims::Claim;
use tiebreak_base::error::{Error, Key, Message, Result, is_there, nearest};
use tiebreak_base::layout::path_argument;
use tiebreak_base::message;
use tiebreak_base::rng::Seed;
use tiebreak_base::scope::{ItemScope, PeopleScope, ResultScope};
use tiebreak_base::words::{counted, listed};
use tiebreak_data::records::outcomes::check_annotators;
use tiebreak_data::records::{Dataset, Kind};
use tiebreak_decide::feedback::dealing::{People, is_same_person, person_key};
use tiebreak_decide::feedback::overlap::Overlap;
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::engine::names::file_name;
use tiebreak_stages::inputs::source::campaign::{JOURNAL, SETTINGS, data_gone};
use tiebreak_stages::journal::Journal;
use tiebreak_stages::stages::sample::Sampling;
use tiebreak_stages::stages::simulate::Choices;

/// A campaign to open, with arguments that change what it was begun with.
pub struct OpenCampaign<'a> {
    /// The folder of the campaign.
    pub run: &'a Path,
    /// The data set: for a new run, or where it has moved.
    pub data: Option<&'a Path>,
    /// Columns of the data set under other names.
    pub columns: &'a [(String, String)],
    /// The seed, if one is given.
    pub seed: Option<Seed>,
    /// The annotators, if given: for a new run; or a new list in the place of an old one.
    pub people: Option<AnnotatorRoster>,
    /// Whether a new list may begin the evidence anew.
    pub anew: bool,
    /// The questions that several annotators answer, if given: from here on.
    pub overlap: Option<Overlap>,
    /// The scope of results, if given: from here on.
    pub scope: ScopeRequest,
    /// The kind of the campaign, with what replaces settings that it was begun with by those that are given.
    pub change: KeyChanges<'a>,
}

/// A change of the keys that a campaign was begun with.
pub(crate) type KeyChange<'a, K> = dyn Fn(&mut K) -> Result<()> + 'a;

/// The change of keys in a campaign of either kind.
#[derive(Clone, Copy)]
pub enum KeyChanges<'a> {
    /// The change in a campaign of pairs.
    Pairs(&'a KeyChange<'a, Choices>),
    /// The change in a campaign of ratings.
    Ratings(&'a KeyChange<'a, Sampling>),
}

/// The scope of results, as far as it is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScopeRequest {
    /// The people whose opinion results are about.
    pub people: Option<PeopleScope>,
    /// The items that results are about.
    pub items: Option<ItemScope>,
}

impl ScopeRequest {
    /// # Errors
    /// [`Error::Usage`] where a claim about pairs of systems, asked of such people, cannot be about that.
    pub(super) fn check_pairs(self, asked: People) -> Result<()> {
        let people = self.people.unwrap_or(match asked {
            People::Panel => PeopleScope::NewAnnotators,
            People::One | People::Listed => PeopleScope::These,
        });
        match (asked, people) {
            (People::Panel, PeopleScope::NewAnnotators)
            | (People::One | People::Listed, PeopleScope::These) => {}
            (People::Panel, _) => {
                let what = "the verdict of a panel is about new annotators only";
                return Err(Error::key("people", what).with_hint(message!(
                    "leave out {}, or name annotators instead of {}: {}",
                    Key("people"),
                    Key("panel"),
                    Key("annotators").set("ana,ben")
                )));
            }
            _ => {
                let what = "a verdict about new annotators needs a panel, in which each annotator has one sheet";
                return Err(Error::key("people", what).with_hint(message!(
                    "begin one in a new folder: {}",
                    Message::shell_command(
                        "tiebreak ask RUN DATA --panel --n 10 --out first.csv".to_string()
                    )
                )));
            }
        }
        match self.items {
            Some(ItemScope::LikeThese) => {
                let what = "the verdict of a campaign of pairs is about these items only";
                Err(Error::key("items", what).with_hint(message!(
                    "leave out {}, or give {}",
                    Key("items"),
                    Key("items").set("these")
                )))
            }
            _ => Ok(()),
        }
    }

    /// Returns the given scope, completed by that before.
    fn over(self, before: ResultScope) -> ResultScope {
        ResultScope {
            people: self.people.unwrap_or(before.people),
            items: self.items.unwrap_or(before.items),
        }
    }
}

/// The annotators of a campaign, by name where they are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnnotatorRoster {
    /// Annotators listed before the first question; a list of one makes it their campaign.
    List(Vec<String>),
    /// A panel: each annotator is newly drawn from a population and has a sheet of their own.
    Panel,
}

impl AnnotatorRoster {
    fn people(&self) -> People {
        match self {
            Self::List(names) if names.len() > 1 => People::Listed,
            Self::List(_) => People::One,
            Self::Panel => People::Panel,
        }
    }

    /// # Errors
    /// [`Error::Usage`] for a list without anybody, with somebody twice or nameless, or with two whose sheets would be
    /// one file.
    fn check(&self) -> Result<()> {
        let Self::List(names) = self else {
            return Ok(());
        };
        if names.is_empty() {
            return Err(Error::usage("the list of annotators is empty"));
        }
        check_annotators(names.iter().map(String::as_str), Error::usage)?;
        let (mut people, mut files) = (BTreeMap::new(), BTreeMap::new());
        for (place, name) in names.iter().enumerate() {
            // Nearly every file system tells files apart as people are.
            let same = [
                people.insert(person_key(name), place),
                files.insert(person_key(&file_name(name)), place),
            ];
            if let Some(before) = same.into_iter().flatten().min() {
                return Err(are_twins(&names[before], name));
            }
        }
        Ok(())
    }
}

/// The error for two annotators who are the same person, or whose sheets would have one file name.
fn are_twins(one: &str, other: &str) -> Error {
    if is_same_person(one, other) {
        return Error::usage(format!("annotator `{other}` is listed twice"));
    }
    let name = file_name(other);
    Error::usage(format!(
        "annotators `{one}` and `{other}` would share one file name, {name}"
    ))
    .with_hint("spell one of the names otherwise")
}

impl OpenCampaign<'_> {
    /// Opens or begins the campaign and works with it; `task` is the task that annotators are given, if one is named.
    ///
    /// # Errors
    /// Settings, data or a task other than the campaign was begun with; those of the journal and of the work.
    pub(super) fn with_campaign<T>(
        &self,
        context: &Context<'_>,
        task: Option<&str>,
        work: impl FnOnce(&Campaign<'_>, Journal) -> Result<T>,
    ) -> Result<T> {
        match self.change {
            KeyChanges::Pairs(change) => {
                PairCampaign::open(context, self, change, task, |pairs, journal| {
                    work(&Campaign::Pairs(pairs), journal)
                })
            }
            KeyChanges::Ratings(change) => {
                RatingCampaign::open(context, self, change, task, |ratings, journal| {
                    work(&Campaign::Ratings(ratings), journal)
                })
            }
        }
    }

    /// Returns the settings of the run, existing or new, changed by these arguments.
    pub(super) fn settings<K: RelocatableKeys>(
        &self,
        change: &KeyChange<'_, K>,
    ) -> Result<CampaignSettings<K>> {
        self.check_places()?;
        let named = self.people.as_ref();
        named.map_or(Ok(()), AnnotatorRoster::check)?;
        let mut settings = match (CampaignSettings::read(self.run)?, self.data) {
            (Some(settings), _) => {
                self.same_people(settings.people)?;
                settings
            }
            (None, Some(data)) => CampaignSettings {
                people: named.map_or(People::One, AnnotatorRoster::people),
                ..CampaignSettings::new(data, Seed::default())
            },
            (None, None) if super::race::is_begun(self.run) => {
                let what = format!(
                    "{}: here is a race by scores, in which no people are asked",
                    self.run.display()
                );
                return Err(Error::usage(what).with_hint(format!(
                    "`tiebreak report {}` prints how it stands",
                    path_argument(self.run)
                )));
            }
            (None, None) => {
                let what = format!("{}: there is no campaign here", self.run.display());
                return Err(Error::usage(what).with_hint(format!(
                    "to begin one, name the data set after the folder: {} DATA",
                    path_argument(self.run)
                )));
            }
        };
        if let Some(data) = self.data {
            settings.data = data.to_path_buf();
        } else if !settings.data.exists() {
            return Err(data_gone(self.run, &settings.data));
        }
        if !self.columns.is_empty() {
            settings.columns = self.columns.to_vec();
        }
        settings.seed = self.seed.unwrap_or(settings.seed);
        settings.overlap = self.overlap.or(settings.overlap);
        settings.scope = self.scope.over(settings.scope);
        if settings.overlap.is_some() && settings.people != People::Listed {
            let what = "several answers to a question need a list of annotators";
            return Err(Error::usage(what).with_hint(message!(
                "name the annotators: {}",
                Key("annotators").set("ana,ben")
            )));
        }
        change(&mut settings.run)?;
        Ok(settings)
    }

    /// Checks the order of arguments: the run comes first, then the data set.
    ///
    /// # Errors
    /// [`Error::Usage`] where the run is a file or a data set, with the order that is meant.
    pub(super) fn check_places(&self) -> Result<()> {
        let run = self.run.display();
        if self.run.is_file() {
            let what = format!("{run}: is a file, expected the folder of a campaign");
            return Err(Error::usage(what).with_hint("the campaign's folder comes first"));
        }
        // A judge's predictions may lie there already, if it was interrupted before the first question.
        let has_tables = |found: Dataset| {
            Kind::ALL
                .into_iter()
                .any(|kind| found.table(kind).is_some())
        };
        if is_campaign(self.run) || !Dataset::open(self.run, &[]).is_ok_and(has_tables) {
            return Ok(());
        }
        let what = format!("{run}: is a data set, expected the folder of a campaign");
        let run = path_argument(self.run);
        Err(Error::usage(what).with_hint(match self.data {
            Some(data) => format!(
                "the campaign's folder comes first: {} {run}",
                path_argument(data)
            ),
            None => format!("name a folder for the campaign before it: RUN {run}"),
        }))
    }

    /// Whether annotators are listed, or were when the run was begun.
    pub(super) fn is_listed(&self) -> Result<bool> {
        let begun = match self.change {
            KeyChanges::Pairs(_) => people_of::<Choices>(self.run)?,
            KeyChanges::Ratings(_) => people_of::<Sampling>(self.run)?,
        };
        let people = begun.or_else(|| self.people.as_ref().map(AnnotatorRoster::people));
        Ok(people == Some(People::Listed))
    }

    /// # Errors
    /// [`Error::Usage`] where a run that was begun for some people is called for others of another kind:
    /// its evidence could not speak of them.
    fn same_people(&self, begun: People) -> Result<()> {
        match &self.people {
            Some(named) if named.people() != begun => {
                let who = |people| match people {
                    People::One => "one annotator",
                    People::Listed => "listed annotators",
                    People::Panel => "a panel",
                };
                let (was, now) = (who(begun), who(named.people()));
                let what = format!("the campaign began with {was}, not with {now}");
                Err(Error::usage(what).with_hint(match now {
                    "one annotator" => {
                        "a list has two names or more; for one annotator begin another campaign in a new folder"
                    }
                    _ => "begin another campaign in a new folder",
                }))
            }
            _ => Ok(()),
        }
    }

    /// Writes the settings of a campaign that has a journal, and logs its list of annotators if that has changed.
    pub(super) fn begin<K: RelocatableKeys>(
        &self,
        settings: &CampaignSettings<K>,
        task: Option<&str>,
        campaign_context: &mut CampaignContext<'_>,
        journal: &mut Journal,
    ) -> Result<()> {
        let mut settings = settings.clone();
        let digest = campaign_context.task.digest()?;
        if journal.posed().next().is_some() {
            if journal.note_task(settings.task.as_deref(), digest.as_deref())?
                && let Some(changed) = new_tasks(journal).last()
            {
                campaign_context.context.progress.warn(&changed);
            }
        } else {
            settings.task = digest;
            let folder = self.run.canonicalize();
            let folder = folder.map_err(Error::reading(self.run))?;
            settings.name = folder.file_name().map(|name| name.to_string_lossy().into());
        }
        // Sheets of another campaign, task or limits must not be taken for each other's; those that are out stay known.
        let named = [("task", &settings.task), ("name", &settings.name)];
        let named = named
            .into_iter()
            .filter_map(|(key, value)| Some((key, value.as_ref()?)));
        let begun = journal.signature().clone();
        campaign_context.signature = named.fold(begun, |all, (key, value)| all.with(key, value));
        // The settings mark a run as begun, so the task must be there before them.
        task.map_or(Ok(()), |task| Task::begin(self.run, task))?;
        settings.write(self.run)?;
        campaign_context.warn_truncated(journal);
        match self.new_list(journal) {
            Some(names) => {
                if let Some(left_out) = left_out(journal, &names) {
                    campaign_context.context.progress.warn(&left_out);
                }
                journal.relist(&names)
            }
            None => Ok(()),
        }
    }

    /// The annotators that are to be listed, where these are others than are. The same ones in another order are no
    /// others.
    pub(super) fn new_list(&self, journal: &Journal) -> Option<Vec<String>> {
        match &self.people {
            Some(named @ AnnotatorRoster::List(names)) if named.people() == People::Listed => {
                let names = names.iter().map(|name| journal.spelled(name));
                let names: Vec<String> = names.collect();
                let is_known = |name: &String| journal.list().contains(name);
                let is_same = names.len() == journal.list().len() && names.iter().all(is_known);
                (!is_same).then_some(names)
            }
            _ => None,
        }
    }
}

/// The evidence that a new list of annotators takes away.
pub(super) struct LostEvidence {
    /// The number of answers that count, and of questions whose answers would.
    pub counts: [u64; 2],
    /// What the answers support.
    pub claim: Claim,
}

impl LostEvidence {
    fn subject(&self) -> String {
        let [answers, open] = self.counts;
        let parts = [
            (answers > 0).then(|| counted(answers, "answer")),
            (open > 0).then(|| counted(open, "open question")),
        ];
        parts
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" and ")
    }

    fn verdict(&self, is: &str) -> String {
        match self.claim.is_made() {
            true => format!(" The verdict {is} lost: {}", self.claim.verdict()),
            false => String::new(),
        }
    }

    /// The warning where it is taken away on purpose.
    pub(super) fn warning(&self) -> String {
        format!(
            "the evidence begins anew with the new list: {} no longer count.{}",
            self.subject(),
            self.verdict("is")
        )
    }
}

/// The error for a new list of annotators that would take evidence away.
pub(super) fn would_begin_anew(before: &[String], names: &[String], lost: &LostEvidence) -> Error {
    let without = |all: &[String], others: &[String]| -> Vec<String> {
        let left = all.iter().filter(|name| !others.contains(name));
        left.cloned().collect()
    };
    let (added, gone) = (without(names, before), without(before, names));
    let meant = |name: &String| match nearest(name, gone.iter().map(String::as_str)) {
        Some(near) => format!("{name} (did you mean {near}?)"),
        None => name.clone(),
    };
    let added: Vec<String> = added.iter().map(meant).collect();
    let clause = |verb: &str, names: &[String]| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        (!names.is_empty()).then(|| format!("{verb} {}", listed(&names)))
    };
    let changes = [clause("adds", &added), clause("lacks", &gone)];
    let changes: Vec<String> = changes.into_iter().flatten().collect();
    let what = format!(
        "with another list the evidence begins anew, and {} would no longer count.{} The new list {}",
        lost.subject(),
        lost.verdict("would be"),
        changes.join(" and ")
    );
    Error::key("annotators", what).with_hint(message!(
        "to keep the evidence, leave out {}; to begin it anew all the same, add {}",
        Key("annotators"),
        Key("anew")
    ))
}

/// Returns a clause on the listed annotators whom a new list lacks; `None` where it lacks nobody.
fn left_out(journal: &Journal, names: &[String]) -> Option<String> {
    let everybody = journal.everybody().iter().zip(0..);
    let gone = everybody.filter(|(name, _)| journal.list().contains(name) && !names.contains(name));
    let gone: Vec<String> = gone
        .map(|(name, person)| {
            let open = journal.open_of(person).count() as u64;
            format!("{name} ({})", counted(open, "open question"))
        })
        .collect();
    let named: Vec<&str> = gone.iter().map(String::as_str).collect();
    (!gone.is_empty()).then(|| {
        format!(
            "the new list of annotators lacks {}: they get no more questions",
            listed(&named)
        )
    })
}

/// Returns the kind of annotators that the campaign in a folder was begun for; `None` where none was begun.
fn people_of<K: RelocatableKeys>(run: &Path) -> Result<Option<People>> {
    Ok(CampaignSettings::<K>::read(run)?.map(|settings| settings.people))
}

/// Whether a campaign was begun in a folder.
pub(crate) fn is_campaign(folder: &Path) -> bool {
    is_there(&folder.join(JOURNAL))
}

/// Whether another process works with the campaign in a folder, as a server does.
pub(crate) fn is_in_use(folder: &Path) -> bool {
    tiebreak_stages::journal::is_in_use(&folder.join(JOURNAL))
}

/// Whether a campaign was begun, judging by its settings alone.
pub(super) fn is_begun(folder: &Path) -> bool {
    is_there(&folder.join(SETTINGS))
}

/// Returns the path of the journal of the run in `folder`, existing or new.
///
/// # Errors
/// If it was there and is gone, or the folder cannot be made.
pub(super) fn journal(folder: &Path) -> Result<std::path::PathBuf> {
    fs::create_dir_all(folder).map_err(Error::writing(folder))?;
    let path = folder.join(JOURNAL);
    if !is_there(&path) && is_begun(folder) {
        let what = "the file is missing; it holds the questions and answers of the campaign";
        return Err(Error::input(path, what)
            .with_hint("restore it from a copy, or begin another campaign in a new folder"));
    }
    Ok(path)
}
