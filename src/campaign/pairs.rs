//! Campaigns of pairs: a bandit chooses what is asked, and its certificate says when that may end.

mod budget;

use super::context::CampaignContext;
use super::folder::{self, KeyChange, OpenCampaign, is_begun};
use super::kinds::{AnnotatorPool, Notices};
use super::next;
use super::notice::{NoticeInputs, new_tasks, renewed_evidence};
use super::standing::{corrected, standing};
use super::standing_out;
use super::status::{Chance, Probability, Questions, RemainingQuestions, Rival, Status};
use super::stoppable::StoppableFeedback;
use super::tally::{Tally, evidence};
use super::task::Task;
use super::texts::DatasetOutputs;
use super::verdict::WrittenVerdict;
use std::cell::{Cell, OnceCell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use tiebreak_base::claims::{Claim, ClaimKind, NoClaimReason, begin_another};
use tiebreak_base::duel::{Arm, Chances, Outlook, Verdict};
use tiebreak_base::error::{Error, Flag, Key, Message, Result, set_again};
use tiebreak_base::layout::{path_argument, percentages};
use tiebreak_base::message;
use tiebreak_base::signature::Signature;
use tiebreak_base::words::still_needed;
use tiebreak_data::tables::{CAMPAIGN, Manifest, ManifestStage};
use tiebreak_decide::estimators::margins::Reading;
use tiebreak_decide::evaluation::active::{RunTrace, Stop};
use tiebreak_decide::evaluation::game::BanditRun;
use tiebreak_decide::feedback::FeedbackSource;
use tiebreak_decide::feedback::dealing::{AnnotatorAssignment, People};
use tiebreak_decide::feedback::recollected::DeduplicatedFeedback;
use tiebreak_decide::feedback::texts::{IdenticalTexts, Texts};
use tiebreak_decide::model_based::{AssistedFeedback, Audits};
use tiebreak_decide::ranking::result::{CampaignFacts, CampaignState, Ranking};
use tiebreak_decide::ranking::words::{renew_evidence, unprovable};
use tiebreak_stages::engine::context::Context;
use tiebreak_stages::inputs::source::campaign::{SETTINGS, which_changed};
use tiebreak_stages::inputs::source::{PredictionTable, Source};
use tiebreak_stages::journal::Journal;
use tiebreak_stages::journal::batch::{AskPolicy, BatchFeedback};
use tiebreak_stages::stages::rank;
use tiebreak_stages::stages::simulate::prepare::{DRAWN, PreparedRun, prepare};
use tiebreak_stages::stages::simulate::{Choices, Feedback, Models, Simulate};

/// The name of the digest in a journal of the predictions that a campaign starts from.
const PREDICTIONS: &str = "predictions file";

/// A campaign of pairs.
pub(crate) struct PairCampaign<'a> {
    pub(super) campaign_context: CampaignContext<'a>,
    pub(super) prepared: PreparedRun<'a>,
    /// Whether the last that is wanted is to know how it stands.
    is_ending: Cell<bool>,
    /// The number of different questions that one annotator can be asked, once it was counted.
    question_count: OnceCell<usize>,
}

impl PairCampaign<'_> {
    /// Opens or begins a campaign and works with it; `task` is the task that annotators are given, if one is named.
    ///
    /// # Errors
    /// Settings, data or a task other than the campaign was begun with; those of the journal and of the work.
    pub(super) fn open<T>(
        context: &Context<'_>,
        call: &OpenCampaign<'_>,
        change: &KeyChange<'_, Choices>,
        task: Option<&str>,
        work: impl FnOnce(PairCampaign<'_>, Journal) -> Result<T>,
    ) -> Result<T> {
        let settings = call.settings(change)?;
        call.scope.check_pairs(settings.people)?;
        if settings.run.without_replacement && settings.people == People::Panel {
            let what = "the answers of a panel are not fixed beforehand: each of its annotators is newly drawn";
            return Err(Error::key("without-replacement", what).with_hint(message!(
                "name annotators instead of {}: {}",
                Key("panel"),
                Key("annotators").set("ana,ben")
            )));
        }
        let asked = Task::wanted(call.run, task)?.asking(true, call.run)?;
        let context = &context.seeded(settings.seed);
        let source = &Source::open(context, &settings.data, &settings.columns)?;
        let table = |path: &str| PredictionTable::open(context, source, Path::new(path));
        let models = Models::open(context, source, &settings.run, Some(call.run), table)
            .map_err(|error| explain_model(call.run, &settings.run, error))?;
        let keys = Simulate {
            choices: settings.run.clone(),
            ..Simulate::default()
        };
        models.keeping(|| {
            let people = Feedback::People(settings.people);
            let prepared = prepare(context, source, &models, &keys, people)?;
            let mut pairs = PairCampaign {
                campaign_context: CampaignContext {
                    folder: call.run,
                    context,
                    source,
                    texts: DatasetOutputs::of_pairs(&prepared)?,
                    ask_policy: AskPolicy {
                        without_replacement: settings.run.without_replacement,
                        ..settings.ask_policy()
                    },
                    task: asked.with_rendering(&source.dataset),
                    signature: signature(context, &prepared)?,
                },
                prepared,
                is_ending: Cell::new(false),
                question_count: OnceCell::new(),
            };
            let path = folder::journal(call.run)?;
            let journal = Journal::open(&path, &pairs.campaign_context.signature);
            let mut journal = journal.map_err(|error| explain_change(source, &models, error))?;
            if settings.run.without_replacement
                && !journal.list().is_empty()
                && call.new_list(&journal).is_some()
            {
                let what = "another list of annotators: without replacement it is fixed at the beginning who answers \
                            about each item";
                return Err(Error::key("annotators", what)
                    .with_hint("keep the list, or begin another campaign in a new folder"));
            }
            let grown = budget::grown_limits(&pairs.prepared, &journal)?;
            if let Some(begun) = journal.begun_limits() {
                pairs.prepared.setup = pairs.prepared.setup.planned_for(begun.steps);
            }
            if let Some(names) = call.new_list(&journal) {
                journal = pairs.keep_evidence(journal, &names, call.anew)?;
            }
            call.begin(&settings, task, &mut pairs.campaign_context, &mut journal)?;
            grown.map_or(Ok(()), |limits| journal.grow(limits))?;
            let is_listed_again = call.people.is_some() && pairs.is_renewable();
            if is_listed_again && journal.restated().next().is_some() {
                let begun = journal.signature().clone();
                pairs.renew_evidence(journal)?;
                journal = Journal::open(&path, &begun)?;
            }
            work(pairs, journal)
        })
    }
}

/// The signature that a journal belongs to.
fn signature(context: &Context<'_>, prepared: &PreparedRun<'_>) -> Result<Signature> {
    let mut run = prepared.signature.clone();
    if let Some(digest) = prepared.models.digest()? {
        run = run.with(PREDICTIONS, digest);
    }
    // Judgments do not matter, whether past or to come, only the texts that are shown.
    let tables = prepared.source.tables.iter();
    let run = tables.fold(run, |run, (name, digest)| run.with(name, digest));
    Ok(run.with("seed", context.seed.0))
}

/// Explains an error about a campaign's model: none of its settings can be renamed or forced.
fn explain_model(run: &Path, choices: &Choices, error: Error) -> Error {
    match &error {
        Error::Changed {
            path,
            key,
            was,
            now,
        } => {
            let (what, back) = match key.as_str() {
                "data" => (
                    "the data set has changed since".to_string(),
                    "bring it back".to_string(),
                ),
                _ => (
                    format!("begun with {key} = {was}, now {key} = {now}"),
                    set_again(key, was),
                ),
            };
            let hint = format!("{back}, or begin another campaign in a new folder");
            Error::input(path, what).with_hint(hint)
        }
        Error::Input { path, .. }
            if is_begun(run)
                && choices.predictions.iter().any(|one| path == Path::new(one))
                && !path.exists() =>
        {
            let run = path_argument(run);
            let [predictions, again, out] = ["predictions", "again", "out"].map(Flag);
            let moved = "if the predictions have moved, say where they are";
            error.with_hint(Message::except_in_python(
                format!(
                    "{moved}: `tiebreak ask {run} {predictions} FILE {again} {out} open.csv`, which asks nothing new"
                ),
                format!("{moved}: `predictions=\"FILE\"`"),
            ))
        }
        Error::Input { path, .. }
            if is_begun(run)
                && choices
                    .model
                    .as_deref()
                    .is_some_and(|model| path == Path::new(model)) =>
        {
            let settings = run.join(SETTINGS);
            error.with_hint(format!(
                "the campaign's model (`model` in {}, relative to its folder): bring the file back, or write there where it is",
                settings.display()
            ))
        }
        _ => error,
    }
}

/// Explains in words an error about a changed digest.
fn explain_change(source: &Source, models: &Models<'_>, error: Error) -> Error {
    match &error {
        Error::Changed { key, .. } if key == DRAWN => {
            let what = "whether comparisons are drawn without replacement was fixed when the campaign began";
            Error::key("without-replacement", what)
                .with_hint("begin another campaign in a new folder")
        }
        Error::Changed { key, .. } if key == PREDICTIONS => {
            let what = match models.kept().map(|kept| path_argument(&kept)) {
                Some(kept) => format!("{kept} from a copy (cp -R COPY/. {kept})"),
                None => "them from a copy".to_string(),
            };
            Error::usage("the predictions changed since the campaign began").with_hint(format!(
                "restore {what}, or begin another campaign in a new folder"
            ))
        }
        _ => which_changed(&source.dataset, error),
    }
}

/// A run replayed as far as its answers go.
pub(super) struct RunSnapshot {
    pub(super) trace: RunTrace,
    pub(super) outlook: Outlook,
    /// The readings about pairs of systems.
    pub(super) readings: Vec<Reading>,
    /// The assignment of questions to annotators.
    pub(super) dealing: AnnotatorAssignment,
    /// Whether the run ended since nothing new came up.
    pub(super) nothing_new: bool,
}

impl RunSnapshot {
    /// The system that looks best, wherever it is named; `None` before the first answer, whatever predictions or models
    /// say.
    pub(super) fn leader(&self, answered: u64) -> Option<Arm> {
        let leader = self.outlook.leader.or_else(|| self.trace.winner());
        leader.filter(|_| answered > 0)
    }
}

/// A bandit that asks annotators.
pub(super) struct PairRun<'s> {
    pairs: &'s PairCampaign<'s>,
    people: &'s AnnotatorPool<'s>,
    game: BanditRun<'s>,
    readings: Rc<RefCell<Vec<Reading>>>,
    /// Whether the run ended since nothing new came up.
    nothing_new: bool,
}

impl PairCampaign<'_> {
    /// Returns the journal, opened again, if a new list of annotators takes no evidence away, or may begin it `anew`: one
    /// misspelt name must not.
    ///
    /// # Errors
    /// [`Error::Key`] if answers that count, or those to open questions, would stop counting.
    fn keep_evidence(&self, journal: Journal, names: &[String], anew: bool) -> Result<Journal> {
        let of_list = journal.posed_to_list();
        let open = of_list.filter(|posed| posed.is_open()).count() as u64;
        let counts = [evidence(&journal), open];
        if counts == [0, 0] {
            return Ok(journal);
        }
        let (before, begun) = (journal.list().to_vec(), journal.signature().clone());
        let claim = self.replayed(journal)?.claim;
        let lost = folder::LostEvidence { counts, claim };
        match lost.claim.why {
            // A correction has cost it already.
            Some(NoClaimReason::Corrected) => {}
            _ if anew => self.campaign_context.context.progress.warn(&lost.warning()),
            _ => return Err(folder::would_begin_anew(&before, names, &lost)),
        }
        Journal::open(&folder::journal(self.campaign_context.folder)?, &begun)
    }

    /// Returns the standing of the campaign by its journal. Nothing is asked.
    fn replayed(&self, journal: Journal) -> Result<Ranking> {
        let CampaignContext {
            texts, ask_policy, ..
        } = &self.campaign_context;
        let people = RefCell::new(BatchFeedback::new(texts, journal, *ask_policy, 0));
        let mut run = self.begin_run(&people)?;
        let stop = run.advance()?.unwrap_or(Stop::Ended);
        people.borrow().journal().replayed()?;
        let snapshot = run.snapshot(stop);
        let people = people.borrow();
        let journal = people.journal();
        let tally = Tally::new(journal, &snapshot.dealing);
        Ok(Ranking {
            hints: changes(journal, &tally),
            ..standing(self, journal, &snapshot, &tally)
        })
    }

    /// Begins the evidence anew, if a correction cost it: the annotators are named again.
    fn renew_evidence(&self, journal: Journal) -> Result<()> {
        let names = journal.list().to_vec();
        let CampaignContext {
            texts, ask_policy, ..
        } = &self.campaign_context;
        let people = RefCell::new(BatchFeedback::new(texts, journal, *ask_policy, 0));
        let mut run = self.begin_run(&people)?;
        run.advance()?;
        people.borrow().journal().replayed()?;
        match run.is_corrected() {
            true => people.borrow_mut().journal_mut().relist(&names),
            false => Ok(()),
        }
    }

    /// Whether evidence that a correction cost begins anew where the same annotators are named again.
    pub(super) fn is_renewable(&self) -> bool {
        let policy = self.campaign_context.ask_policy;
        policy.people == People::Listed && !policy.without_replacement
    }

    /// Begins the run of the bandit; no question is asked yet.
    pub(super) fn begin_run<'s>(&'s self, people: &'s AnnotatorPool<'s>) -> Result<PairRun<'s>> {
        let readings: Rc<RefCell<Vec<Reading>>> = Rc::default();
        let noted = Rc::clone(&readings);
        let feedback = self.asked(Box::new(people))?;
        let note = Box::new(move |one| noted.borrow_mut().push(one));
        Ok(PairRun {
            pairs: self,
            people,
            game: self.prepared.setup.begin(0, feedback, note)?,
            readings,
            nothing_new: false,
        })
    }

    /// Has no stop end the run any more: all that is left is to tell how it stands.
    #[cfg(feature = "serve")]
    pub(super) fn end(&self) {
        self.is_ending.set(true);
    }

    /// The number of different questions that all annotators together can be asked.
    pub(super) fn most_answers(&self, dealing: &AnnotatorAssignment) -> u64 {
        let people = match dealing.people() {
            People::Panel => return u64::MAX,
            People::Listed if !self.prepared.keys.choices.without_replacement => dealing.count(),
            People::Listed | People::One => 1,
        };
        self.question_count().saturating_mul(people) as u64
    }

    /// The number of different questions that one annotator can be asked.
    pub(super) fn question_count(&self) -> usize {
        let texts = &self.campaign_context.texts;
        *self
            .question_count
            .get_or_init(|| texts.differing(self.prepared.setup.arms()))
    }
}

impl PairRun<'_> {
    pub(super) fn advance(&mut self) -> Result<Option<Stop>> {
        let stop = match self.game.go_on()? {
            Some(Stop::Finished) if self.is_drawn_out() => Some(Stop::Ended),
            stop => stop,
        };
        self.nothing_new = stop == Some(Stop::Ended) && !self.people.borrow().has_more();
        Ok(stop)
    }

    /// Whether the run ended since no comparison is left to draw: answers that are still open may decide.
    fn is_drawn_out(&mut self) -> bool {
        let people = self.people;
        let is_asked = || {
            let people = people.borrow();
            people.journal().posed().next().is_some() || !people.drawn().is_empty()
        };
        let is_open = |verdict| matches!(verdict, Verdict::Open | Verdict::Undecided(_));
        self.pairs.prepared.keys.choices.without_replacement
            && is_asked()
            && is_open(self.game.trace().verdict)
    }

    pub(super) fn is_decided(&self) -> bool {
        self.game.is_decided()
    }

    pub(super) fn is_corrected(&self) -> bool {
        self.game.is_corrected()
    }

    /// Returns the status of the campaign after such a stop, and whether it could be stored.
    pub(super) fn standing(&mut self, stop: Stop, notices: Notices) -> (Status, Result<()>) {
        let snapshot = self.snapshot(stop);
        let people = self.people.borrow();
        let journal = people.journal();
        let tally = Tally::new(journal, &snapshot.dealing);
        let mut ranking = standing(self.pairs, journal, &snapshot, &tally);
        if let Some(conduct) = &mut ranking.campaign {
            conduct.served = notices.served;
        }
        let stored = self.pairs.record(&ranking, changes(journal, &tally));
        let status = self
            .pairs
            .status(journal, (&snapshot, &tally), ranking, notices);
        (status, stored)
    }

    fn snapshot(&mut self, stop: Stop) -> RunSnapshot {
        let (trace, outlook) = self.game.standing();
        let people = self.people.borrow();
        let snapshot = RunSnapshot {
            trace: RunTrace { stop, ..trace },
            outlook,
            readings: self.readings.borrow().clone(),
            dealing: people.dealing().clone(),
            nothing_new: self.nothing_new,
        };
        corrected(self.pairs, people.journal(), snapshot)
    }
}

impl PairCampaign<'_> {
    /// Wraps the annotators of a campaign: memory, identical texts, a model that may answer for them.
    fn asked<'s>(
        &'s self,
        people: Box<dyn FeedbackSource + 's>,
    ) -> Result<Box<dyn FeedbackSource + 's>> {
        let (seed, prepared) = (self.campaign_context.seed(), &self.prepared);
        let context = self.campaign_context.context;
        let is_ending = &self.is_ending;
        let people = StoppableFeedback {
            people,
            context,
            is_ending,
        };
        let people = DeduplicatedFeedback::new(people).knowing(self.campaign_context.texts.alike());
        let people = IdenticalTexts::new(&self.campaign_context.texts, people);
        let mut feedback: Box<dyn FeedbackSource + 's> = Box::new(people);
        if let Some((predictions, Some(policy))) = &prepared.model {
            let predictions = predictions.as_ref();
            policy.check(predictions)?;
            let mixing = seed.stream("mixing", 0);
            let audits = prepared.audit.map(|audit| Audits::new(audit, seed, 0));
            let assisted = AssistedFeedback::new(feedback, predictions, *policy, mixing)
                .audited(audits)
                .eliminating(prepared.survivors.clone());
            feedback = Box::new(assisted);
        }
        Ok(feedback)
    }

    /// Whether every annotator has answered everything.
    pub(super) fn is_exhausted(&self, journal: &Journal, dealing: &AnnotatorAssignment) -> bool {
        let people = match dealing.people() {
            People::One => vec![0],
            People::Listed => dealing.listed().to_vec(),
            People::Panel => return false,
        };
        let done = |&person: &u32| journal.assigned(person).len() - journal.open_of(person).count();
        let least = people.iter().map(done).min().unwrap_or(0);
        least > 0 && least >= self.question_count()
    }

    /// Groups of systems whose outputs never differ.
    pub(super) fn identical(&self) -> Vec<Vec<Arm>> {
        self.campaign_context
            .texts
            .identical(self.prepared.setup.arms())
    }

    pub(super) fn group_names(&self, groups: &[Vec<Arm>]) -> Vec<Vec<String>> {
        let name = |&arm: &Arm| self.name(arm);
        let group = |group: &Vec<Arm>| group.iter().map(name).collect();
        groups.iter().map(group).collect()
    }

    fn name(&self, arm: Arm) -> String {
        self.prepared.source.system(arm).to_string()
    }

    /// The status of the run.
    fn status(
        &self,
        journal: &Journal,
        (snapshot, tally): (&RunSnapshot, &Tally<'_>),
        ranking: Ranking,
        notices: Notices,
    ) -> Status {
        let RunSnapshot { trace, outlook, .. } = snapshot;
        let prepared = &self.prepared;
        let name = |arm: Arm| self.name(arm);
        let rival = |&(arm, evidence): &(Arm, f64)| {
            let (system, why) = (name(arm), &ranking.claim.why);
            let is_ruled_out =
                matches!(why, Some(NoClaimReason::NotToldApart(open)) if !open.contains(&system));
            Rival::new(system, evidence, is_ruled_out)
        };
        let rivals = outlook.evidence.iter().map(rival).collect();
        let list = snapshot.dealing.list().into_iter();
        let questions = tally.questions;
        let conduct = ranking.campaign.expect("of a campaign");
        let state = conduct.state;
        let is_over = state.is_at_rest();
        let is_settled = is_over && ranking.claim.is_made();
        // Skips of an earlier list count neither for nor against.
        let counted_skips = tally.skipped_of_list();
        let heard = questions.answered > 0;
        // Where it is proved who is best, that is the statement, and no probability stands beside it.
        let is_proved = matches!(ranking.claim.kind, ClaimKind::Best | ClaimKind::Ranking);
        let chances = outlook.chances.as_ref().filter(|_| heard && !is_proved);
        let left = conduct.left.map(|questions| RemainingQuestions {
            questions,
            words: still_needed(questions),
        });
        let verdict = WrittenVerdict::new(
            &ranking.claim,
            conduct.leader.as_deref(),
            left.as_ref().map(|left| left.words.as_str()),
            is_over,
        );
        let probabilities = chances.map_or_else(Vec::new, |chances| probabilities(chances, name));
        Status {
            next: self.next_step(
                journal,
                trace.stop,
                (&ranking.claim, &conduct),
                questions,
                &notices,
            ),
            state,
            budget: self.remaining_budget(trace, &conduct.raised),
            leader: conduct.leader,
            chances: chances.map_or_else(Vec::new, |one| listed(&probabilities, one.none)),
            probabilities,
            no_winner: chances.map(|chances| chances.none),
            answers: match chances {
                Some(chances) => chances.answers,
                None => questions.answered + trace.model_answers,
            },
            verdict: verdict.text,
            verdict_lines: verdict.lines,
            claim: ranking.claim,
            stopped: conduct.stopped,
            rivals,
            left,
            identical: self.group_names(&self.identical()),
            eliminated: conduct.eliminated,
            annotators: list.map(str::to_string).collect(),
            agreement: notices.agreement(),
            findings: notices.findings(),
            notice: NoticeInputs {
                dealing: &snapshot.dealing,
                systems: prepared.setup.arms().len(),
                predicted: prepared.models.number() > 0,
                answered: questions.answered,
                open: questions.open,
                most: self
                    .most_answers(&snapshot.dealing)
                    .min(prepared.setup.limits().annotations),
                served: notices.served,
                skipped_by: &counted_skips,
                again: next::again_command(&self.campaign_context, journal),
                changes: changes(journal, tally),
                skips: prepared.keys.choices.skips,
                without_replacement: prepared.keys.choices.without_replacement,
                is_settled,
            }
            .notice(),
            skipped_by: tally.skipped(),
            questions,
            model_answers: trace.model_answers,
            predictions: conduct.predictions,
            told: notices.told,
            sheet: notices.sheet,
        }
    }

    /// The next step, in a sentence.
    fn next_step(
        &self,
        journal: &Journal,
        stop: Stop,
        (claim, conduct): (&Claim, &CampaignFacts),
        questions: Questions,
        notices: &Notices,
    ) -> String {
        let campaign_context = &self.campaign_context;
        let folder = path_argument(campaign_context.folder);
        // What was just asked is answered first.
        if notices.sheet.is_none()
            && let Some(next) = unprovable(claim, conduct, &folder)
        {
            return next;
        }
        let is_panel = campaign_context.people() == People::Panel;
        let has_skips = conduct.skipped > 0;
        match conduct.state {
            CampaignState::Lost if !conduct.renews.is_empty() => {
                renew_evidence(&folder, &conduct.renews, &conduct.next_sheet)
            }
            CampaignState::Lost => begin_another(&folder),
            CampaignState::Over => next::OVER.to_string(),
            CampaignState::Exhausted
                if has_skips && !notices.served && !journal.sheets().is_empty() =>
            {
                next::SKIPPED.to_string()
            }
            CampaignState::Exhausted if has_skips && notices.served && !is_panel => {
                next::skipped_at_links(&folder)
            }
            CampaignState::Exhausted if has_skips && !is_panel => {
                next::skipped(&next::again_command(campaign_context, journal))
            }
            CampaignState::Exhausted => {
                next::exhausted(self.prepared.keys.choices.without_replacement)
            }
            CampaignState::UsedUp if notices.sheet.is_none() => {
                let larger = conduct.larger.as_ref();
                next::larger(campaign_context, journal, stop, larger, notices.served)
            }
            state => next::step(campaign_context, journal, questions, (stop, state), notices),
        }
    }

    /// Stores the ranking so far, with the manifest of the run, for `report`.
    fn record(&self, ranking: &Ranking, changes: Vec<String>) -> Result<()> {
        let CampaignContext {
            context,
            source,
            folder,
            ..
        } = self.campaign_context;
        rank::write(ranking, folder)?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let stage = ManifestStage {
            kind: CAMPAIGN.to_string(),
            name: self.prepared.keys.choices.bandit.0.slug(),
            path: PathBuf::from("."),
            signature: ranking.signature.clone(),
            // The settings are in `campaign.toml`, with paths that move with the campaign.
            settings: toml::Table::new(),
        };
        let stages = std::iter::once(stage).chain(standing_out::stage(folder));
        let manifest = source.manifest(context, name.into_owned(), stages.collect());
        Manifest {
            changes,
            ..manifest
        }
        .write(folder)
    }
}

fn probabilities(chances: &Chances, name: impl Fn(Arm) -> String) -> Vec<Probability> {
    let one = |(group, probability): &(Vec<Arm>, f64)| {
        let mut names = group.iter().map(|&arm| name(arm));
        Probability {
            system: names.next().expect("a group has a system"),
            identical: names.collect(),
            probability: *probability,
        }
    };
    chances.best.iter().map(one).collect()
}

/// The number of most probable systems that are named.
const LISTED: usize = 5;

/// Formats probabilities for people.
fn listed(probabilities: &[Probability], none: f64) -> Vec<Chance> {
    let named = |one: &Probability| {
        let names = std::iter::once(&one.system).chain(&one.identical);
        let names: Vec<&str> = names.map(String::as_str).collect();
        (names.join(" = "), one.probability)
    };
    let (first, rest) = probabilities.split_at(probabilities.len().min(LISTED));
    let mut all: Vec<(String, f64)> = first.iter().map(named).collect();
    if !rest.is_empty() {
        let others = if rest.len() == 1 { "other" } else { "others" };
        let together = rest.iter().map(|one| one.probability).sum();
        all.push((format!("{} {others}", rest.len()), together));
    }
    all.push(("no system".to_string(), none));
    let shares: Vec<f64> = all.iter().map(|&(_, share)| share).collect();
    let chance = |((name, probability), percent): ((String, f64), String)| Chance {
        name,
        probability,
        // No share of draws is a certainty.
        words: match probability {
            p if p < 0.001 => "< 0.1 %".to_string(),
            p if p > 0.999 => "> 99.9 %".to_string(),
            _ => percent,
        },
    };
    all.into_iter()
        .zip(percentages(&shares))
        .map(chance)
        .collect()
}

/// Returns the ranking of all systems by the campaign's own evidence. Nothing is written.
///
/// # Errors
/// Data that changed; those of the journal.
pub(crate) fn ranking(context: &Context<'_>, call: &OpenCampaign<'_>) -> Result<Ranking> {
    PairCampaign::open(context, call, &|_| Ok(()), None, |pairs, journal| {
        pairs.replayed(journal)
    })
}

/// What changed while people answered, a sentence or two each.
fn changes(journal: &Journal, tally: &Tally<'_>) -> Vec<String> {
    let renewed = renewed_evidence(tally.earlier, &tally.left());
    new_tasks(journal).chain(renewed).collect()
}
