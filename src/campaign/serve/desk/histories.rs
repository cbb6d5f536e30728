//! Random histories of campaigns: skips, questions passed on, answers taken back, links closed, lists changed, stale tabs,
//! sheets and a terminal between two servers, a disk that fails, and a process killed at any moment. After each of them a
//! replay stands where the campaign stood, and what was acknowledged is stored once, for what its person saw.

#[cfg(test)]
mod tests {
    use super::super::*;
    use crate::campaign::session::with_session;
    use crate::campaign::{
        AnnotatorRoster, Form, KeyChanges, OpenCampaign, Overlap, ScopeRequest, SheetRequest,
        SheetsReturned, sheet,
    };
    use std::fs;
    use std::sync::atomic::AtomicBool;
    use tiebreak_base::rng::{Rng, Seed};
    use tiebreak_data::sheets::Codes;
    use tiebreak_metrics::env::Env;
    use tiebreak_stages::engine::context::SilentProgress;
    use tiebreak_stages::journal::{Assignment, PosedQuestion};

    const SYSTEMS: usize = 3;
    const LISTS: [&[&str]; 3] = [
        &["ana", "ben", "cy"],
        &["ana", "cy"],
        &["ana", "ben", "cy", "dan"],
    ];
    const TABS: usize = 2;
    const ANSWERS: [&str; 6] = ["1", "2", "tie", "both bad", "skip", "skip"];

    /// Training, and a check in about every third place.
    const TASK: &str = r#"
protocol = "pairwise"
prompt = "Which is better?"
[checks]
rate = 0.3
train = true
training = [{ texts = ["check a", "check b"], answers = ["1"] }]
mixed = [
    { texts = ["check c", "check d"], answers = ["2"] },
    { texts = ["check e", "check f"], answers = ["2"] },
]
"#;

    /// The view of an annotator and their answer.
    #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
    struct Act {
        /// The source and the texts, in their order.
        seen: [String; 3],
        said: String,
        /// The name of the task on the page; checks are seen more than once.
        name: Option<String>,
    }

    impl Act {
        fn is_check(&self) -> bool {
            self.name.is_some()
        }
    }

    fn seen(state: &Value) -> [String; 3] {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        let texts = &state["texts"];
        [text(&state["source"]), text(&texts[0]), text(&texts[1])]
    }

    /// The annotators of a history, with what they saw and did.
    struct Crowd {
        rng: Rng,
        /// The acknowledged actions, in order, by person.
        acts: BTreeMap<String, Vec<Act>>,
        /// The state in each tab of each person; tabs stay open while the server is down.
        tabs: BTreeMap<(String, usize), Value>,
        refused: usize,
    }

    /// The effect of a reply on what is acknowledged, once it is sent.
    enum Change {
        Said(Act),
        TookBack,
        Nothing,
        /// Everything before it is on disk.
        Synced,
    }

    impl Change {
        fn is_synced(&self) -> bool {
            matches!(self, Self::Synced)
        }
    }

    /// The place of a campaign, and the annotators it is opened for.
    struct Place {
        folder: tempfile::TempDir,
        list: usize,
        sheets: usize,
    }

    impl Place {
        fn new(items: usize) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let mut outputs = String::from("item,system,output,source\n");
            for item in 0..items {
                for system in 0..SYSTEMS {
                    outputs += &format!("i{item},s{system},text {item} {system},source {item}\n");
                }
            }
            fs::write(folder.path().join("outputs.csv"), outputs).unwrap();
            fs::write(folder.path().join("task.toml"), TASK).unwrap();
            Self {
                folder,
                list: 0,
                sheets: 0,
            }
        }

        fn path(&self, name: &str) -> std::path::PathBuf {
            self.folder.path().join(name)
        }

        fn call<T>(&self, run: &str, work: impl FnOnce(&Context<'_>, &OpenCampaign<'_>) -> T) -> T {
            let names = LISTS[self.list].iter().map(ToString::to_string);
            let call = OpenCampaign {
                run: &self.path(run),
                data: Some(&self.path("outputs.csv")),
                columns: &[],
                seed: Some(Seed(8)),
                people: Some(AnnotatorRoster::List(names.collect())),
                anew: true,
                overlap: Some(Overlap {
                    share: 0.3,
                    people: 2,
                }),
                scope: ScopeRequest::default(),
                change: KeyChanges::Pairs(&|_| Ok(())),
            };
            let stop = AtomicBool::new(false);
            let context = Context {
                seed: Seed(8),
                env: Env::default(),
                progress: &SilentProgress,
                stop: &stop,
            };
            work(&context, &call)
        }

        fn open<T>(
            &self,
            run: &str,
            work: impl FnOnce(&Context<'_>, &mut CampaignSession<'_>) -> Result<T>,
        ) -> T {
            let task = self.path("task.toml");
            let begun = self.path(run).join("task.toml").exists();
            let task = task.to_str().filter(|_| !begun);
            let opened = self.call(run, |context, call| {
                with_session(context, call, task, |session| work(context, session))
            });
            opened.unwrap()
        }

        fn with_desk<T>(
            &self,
            run: &str,
            work: impl FnOnce(&Context<'_>, &mut CampaignServer<'_, '_>) -> T,
        ) -> T {
            let folder = self.path(run);
            self.open(run, |context, session| {
                let names: Vec<String> =
                    session.people().into_iter().map(|(_, name)| name).collect();
                let links = Links::open(&folder, &names)?;
                let task = session.campaign().context().task.clone();
                let wording = Wording {
                    words: task.page_words(),
                    task,
                    code: None,
                };
                let at = "http://127.0.0.1:1".to_string();
                let mut desk =
                    CampaignServer::new(session, &SharedLinks::new(links), at, &wording, &folder);
                desk.session.gather();
                Ok(work(context, &mut desk))
            })
        }
    }

    fn posted(question: &str, answer: &str) -> PostedAnswer {
        let said = json!({ "question": question, "answer": answer, "seconds": 2.0 });
        serde_json::from_value(said).unwrap()
    }

    /// Parses a reply as a page does.
    fn read(reply: &HttpReply) -> (u16, Value) {
        (reply.status, serde_json::from_slice(&reply.body).unwrap())
    }

    impl Crowd {
        fn new(rng: Rng) -> Self {
            Self {
                rng,
                acts: BTreeMap::new(),
                tabs: BTreeMap::new(),
                refused: 0,
            }
        }

        /// Makes a random request, with its effect once its reply is sent.
        fn request(
            &mut self,
            context: &Context<'_>,
            desk: &mut CampaignServer<'_, '_>,
        ) -> ((String, usize), Value, Change) {
            let place = self.rng.below(desk.links.all().len());
            let name = desk.links.all()[place].annotator.clone();
            let tab = (name.clone(), self.rng.below(TABS));
            let shown = self.tabs.get(&tab).cloned().unwrap_or_default();
            let question = shown["question"].as_str();
            match (self.rng.below(10), question) {
                (0, _) => {
                    let closed = self.rng.bernoulli(0.5);
                    desk.reply(context, &CampaignRequest::Close(name, closed))
                        .unwrap();
                    return (tab, shown, Change::Synced);
                }
                (1, _) => {
                    let person = desk.session.find_person(Some(&name)).ok();
                    let held = |desk: &CampaignServer<'_, '_>| {
                        person.and_then(|person| desk.session.journal().held(person))
                    };
                    let before = held(desk);
                    let back = UndoRequest {
                        question: question.map(str::to_string),
                    };
                    let reply = desk
                        .reply(context, &CampaignRequest::Undo(place, back))
                        .unwrap();
                    let (_, state) = read(&reply);
                    return match before.is_some() && held(desk).is_none() {
                        true => (tab, state, Change::TookBack),
                        false => (tab, state, Change::Nothing),
                    };
                }
                (2..8, Some(question)) => {
                    let answer = ANSWERS[self.rng.below(ANSWERS.len())];
                    let what = CampaignRequest::Answer(place, posted(question, answer));
                    let (status, state) = read(&desk.reply(context, &what).unwrap());
                    if status != 200 {
                        assert_eq!(status, 409, "{state}");
                        self.refused += 1;
                        return (tab, state["state"].clone(), Change::Nothing);
                    }
                    let seen = seen(&shown);
                    let said = answer.to_string();
                    let is_check = seen[1].starts_with("check");
                    let name = is_check.then(|| question.to_string());
                    let act = Act { seen, said, name };
                    return (tab, state, Change::Said(act));
                }
                _ => {}
            }
            let reply = desk.reply(context, &CampaignRequest::Task(place)).unwrap();
            let (status, state) = read(&reply);
            assert_eq!(status, 200);
            (tab, state, Change::Nothing)
        }

        /// Applies a reply that was sent.
        fn hear(&mut self, (name, tab): (String, usize), state: Value, change: Change) {
            let acts = self.acts.entry(name.clone()).or_default();
            match change {
                // A repeated answer counts once.
                Change::Said(act) if acts.contains(&act) => {}
                Change::Said(act) => acts.push(act),
                Change::TookBack => drop(acts.pop()),
                Change::Nothing | Change::Synced => {}
            }
            self.tabs.insert((name, tab), state);
        }

        /// Sends requests to a server until it is stopped or killed, or has lost what was not yet on disk.
        fn serve(&mut self, place: &Place) {
            let rounds = 1 + self.rng.below(12);
            place.with_desk("run", |context, desk| {
                for _ in 0..rounds {
                    let mut replies = Vec::new();
                    for _ in 0..=self.rng.below(3) {
                        replies.push(self.request(context, desk));
                    }
                    // A kill, or a full disk, may come before all of it is on disk. What was not acknowledged is sent
                    // again, or lost.
                    let (is_killed, is_full) = (self.rng.bernoulli(0.03), self.rng.bernoulli(0.1));
                    if is_killed || is_full {
                        let looked = replies.iter().rposition(|(.., change)| change.is_synced());
                        for (tab, state, change) in replies.drain(..looked.map_or(0, |at| at + 1)) {
                            self.hear(tab, state, change);
                        }
                        if is_killed {
                            return;
                        }
                        assert_rolled_back(place, desk);
                        continue;
                    }
                    if self.rng.bernoulli(0.1) {
                        desk.session.settle(|_| true).unwrap();
                    }
                    desk.session.sync().unwrap();
                    for (tab, state, change) in replies {
                        self.hear(tab, state, change);
                    }
                }
                assert_replayed(place, desk);
                if self.rng.bernoulli(0.3) {
                    desk.close(context).unwrap();
                }
            });
        }

        /// Answers some questions at the terminal.
        fn sit_down(&mut self, place: &Place) {
            let answers = self.rng.below(4);
            let name = LISTS[place.list][self.rng.below(LISTS[place.list].len())];
            place.open("run", |_, session| {
                let person = session.find_person(Some(name))?;
                for _ in 0..answers {
                    let NextAction::Task(put) = session.turn(person)? else {
                        break;
                    };
                    let said = ANSWERS[self.rng.below(ANSWERS.len())];
                    let task = &session.campaign().context().task;
                    let sent = SubmittedAnswer {
                        answer: Some(said),
                        ..SubmittedAnswer::default()
                    };
                    let given = task.parse_submitted(sent, session.seed(), put).unwrap();
                    let given = Response {
                        annotator: Some(name.to_string()),
                        ..given
                    };
                    let seen = seen_in(session, put);
                    assert_eq!(session.give(put, given)?, AnswerReceipt::New);
                    let said = said.to_string();
                    let acts = self.acts.entry(name.to_string()).or_default();
                    let name = None;
                    acts.push(Act { seen, said, name });
                }
                session.settle(|one| one == person)
            });
        }

        /// Writes a sheet with all open questions and reads some of it back.
        fn fill_a_sheet(&mut self, place: &mut Place) {
            place.sheets += 1;
            let path = place.path(&format!("sheet-{}.csv", place.sheets));
            let n = self.rng.below(4);
            place.call("run", |context, call| {
                let asking = SheetRequest {
                    n: Some(n),
                    again: true,
                    out: &path,
                    form: Form::Sheet,
                    task: None,
                };
                asking.perform(context, call).unwrap();
            });
            if !path.exists() {
                return;
            }
            let mut rows = csv::Reader::from_path(&path).unwrap();
            let columns = rows.headers().unwrap().clone();
            let mut rows: Vec<BTreeMap<String, String>> = rows
                .deserialize()
                .map(std::result::Result::unwrap)
                .collect();
            let mut filled = csv::Writer::from_path(&path).unwrap();
            filled.write_record(&columns).unwrap();
            for row in &mut rows {
                if self.rng.bernoulli(0.3) {
                    let said = ANSWERS[self.rng.below(ANSWERS.len())].to_string();
                    row.insert("answer".to_string(), said.clone());
                    let seen = ["source", "text_1", "text_2"].map(|column| row[column].clone());
                    let acts = self.acts.entry(row["annotator"].clone()).or_default();
                    let name = None;
                    acts.push(Act { seen, said, name });
                }
                let cells = columns.iter().map(|column| &row[column]);
                filled.write_record(cells).unwrap();
            }
            drop(filled);
            place.call("run", |context, call| {
                let telling = SheetsReturned {
                    sheets: &[path],
                    annotator: None,
                    take_back: false,
                };
                telling.perform(context, call).unwrap();
            });
        }

        /// Asserts that what is stored is what was acknowledged: each answer once, for what its person saw.
        fn assert_kept(&self, place: &Place) {
            place.open("run", |_, session| {
                let mut stored: BTreeMap<String, Vec<Act>> = BTreeMap::new();
                let journal = session.journal();
                let given = journal.posed().flat_map(PosedQuestion::puts);
                for (put, given) in given.filter_map(|(put, given)| Some((put, given?))) {
                    let task = &session.campaign().context().task;
                    let said = task.words(given, session.seed(), put);
                    let seen = seen_in(session, put);
                    let annotator = given.annotator.clone().unwrap();
                    let name = None;
                    let acts = stored.entry(annotator).or_default();
                    acts.push(Act { seen, said, name });
                }
                for (name, acts) in &self.acts {
                    let mut acts = acts.clone();
                    let checks = acts.iter().filter(|act| act.is_check());
                    let checks: Vec<&str> = checks.map(|act| act.said.as_str()).collect();
                    let done = session.find_person(Some(name)).map(|person| {
                        let done = journal.checked(person).iter();
                        done.map(|one| one.answer.as_str()).collect::<Vec<_>>()
                    });
                    // An annotator who is not listed now gets no questions.
                    assert!(done.is_err() || done.unwrap() == checks, "{name}: checks");
                    acts.retain(|act| !act.is_check());
                    acts.sort();
                    let mut stored = stored.remove(name).unwrap_or_default();
                    stored.sort();
                    assert_eq!(stored, acts, "{name}");
                }
                assert!(stored.is_empty(), "of nobody: {stored:?}");
                Ok(())
            });
        }
    }

    /// The view that an assignment shows.
    fn seen_in(session: &CampaignSession<'_>, put: Assignment) -> [String; 3] {
        let question = session.question(put).unwrap();
        let codes = Codes::default();
        let row = sheet::row(session.campaign().context(), put, &question, &codes).unwrap();
        let [(_, first), (_, second)] = row.texts[..] else {
            panic!("a pair has two texts");
        };
        [row.source.unwrap(), first, second].map(str::to_string)
    }

    /// The whole state of a campaign: the journal as it was read, who has seen and been asked what, the state of the
    /// run, and what each person is shown.
    fn standing(desk: &mut CampaignServer<'_, '_>) -> Vec<String> {
        // The second time nothing is replayed that did not change.
        let [status, again] = [(); 2].map(|()| {
            let status = desk.session.status(Notices::default()).unwrap();
            let mut status = serde_json::to_value(&status).unwrap();
            status["next"] = Value::Null;
            // Commands name the folder, and the replay has one of its own.
            let status = serde_json::to_string_pretty(&status).unwrap();
            status.replace("/copy ", "/run ")
        });
        assert_eq!(status, again);
        let mut all = vec![desk.session.replayed_state(), status];
        for place in 0..desk.links.all().len() {
            let Some(person) = desk.person(place) else {
                continue;
            };
            // Reading a state may draw a new question, which must then be shown in the replay too.
            let shown = desk
                .session
                .open(person)
                .map(|put| seen_in(desk.session, put));
            let journal = desk.session.journal();
            all.push(format!(
                "{person} {shown:?} {:?} {:?}",
                desk.session.progress(person),
                journal.checked(person),
            ));
        }
        all
    }

    /// Asserts that a replay of what is on disk equals the campaign, field by field.
    fn assert_replayed(place: &Place, desk: &mut CampaignServer<'_, '_>) {
        let (run, copy) = (place.path("run"), place.path("copy"));
        let _ = fs::remove_dir_all(&copy);
        fs::create_dir(&copy).unwrap();
        for entry in fs::read_dir(&run).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
            }
        }
        let live = standing(desk);
        place.with_desk("copy", |_, replayed| {
            for (live, replayed) in live.iter().zip(standing(replayed)) {
                assert!(*live == replayed, "live:\n{live}\nreplayed:\n{replayed}");
            }
        });
    }

    /// Has what is not yet on disk dropped, and asserts that the campaign stands where the one on disk does.
    fn assert_rolled_back(place: &Place, desk: &mut CampaignServer<'_, '_>) {
        let full = std::io::ErrorKind::StorageFull.into();
        let full = tiebreak_base::error::Error::writing(&place.path("run"))(full);
        desk.begin_trouble(&full).unwrap();
        assert!(desk.trouble().unwrap().contains("The disk is full"));
        assert_replayed(place, desk);
        desk.recover().unwrap();
        assert_eq!(desk.trouble(), None);
    }

    /// Has the first annotator answer their first task; it is not on disk yet.
    fn answer_first(desk: &mut CampaignServer<'_, '_>) {
        let (_, task) = read(&desk.task(0).unwrap());
        desk.session.sync().unwrap();
        let answer = posted(task["question"].as_str().unwrap(), "1");
        assert_eq!(desk.answer(0, &answer).unwrap().status, 200);
    }

    #[test]
    fn what_was_refused_is_not_written_at_the_end() {
        let place = Place::new(4);
        let journal = place.path("run/journal.jsonl");
        place.with_desk("run", |context, desk| {
            answer_first(desk);
            let before = fs::read(&journal).unwrap();
            // As after a disk that could not even be read.
            desk.trouble = Some(trouble::JournalTrouble {
                words: "refused".to_string(),
                is_ahead: true,
            });
            desk.close(context).unwrap();
            assert!(fs::read(&journal).unwrap() == before);
        });
    }

    #[test]
    fn the_time_to_take_an_answer_back_begins_anew_after_trouble() {
        let place = Place::new(4);
        place.with_desk("run", |_, desk| {
            answer_first(desk);
            desk.session.sync().unwrap();
            desk.settle_old().unwrap();
            assert_eq!(desk.held.len(), 1);
            assert_rolled_back(&place, desk);
            assert!(desk.held.is_empty());
            desk.settle_old().unwrap();
            assert_eq!(desk.held.len(), 1);
        });
    }

    #[test]
    fn trouble_explains_what_cannot_be_written_and_nothing_else() {
        let place = Place::new(4);
        place.with_desk("run", |context, desk| {
            desk.trouble = Some(trouble::JournalTrouble {
                words: "refused".to_string(),
                is_ahead: false,
            });
            fs::remove_file(place.path("run/journal.jsonl")).unwrap();
            let reply = desk.look_or_explain(context, &CampaignRequest::Journal);
            let (status, said) = read(&reply);
            assert_eq!(status, 500);
            let said = said["error"].as_str().unwrap();
            assert!(said.contains("journal.jsonl"), "{said}");
        });
    }

    fn live_through(number: u64) -> usize {
        let mut place = Place::new([4, 12, 40][number as usize % 3]);
        let mut crowd = Crowd::new(Seed(38).stream("histories", number));
        for _ in 0..12 {
            crowd.serve(&place);
            match crowd.rng.below(4) {
                0 => crowd.sit_down(&place),
                1 => crowd.fill_a_sheet(&mut place),
                2 => place.list = crowd.rng.below(LISTS.len()),
                _ => {}
            }
            crowd.assert_kept(&place);
        }
        crowd.refused
    }

    #[test]
    fn what_was_acknowledged_is_stored_once_for_what_was_seen_whatever_happened() {
        let histories = std::env::var("TIEBREAK_HISTORIES").ok();
        let histories = histories.map_or(12, |number| number.parse().unwrap());
        let refused: usize = (0..histories).map(live_through).sum();
        assert!(refused > 0, "no tab was ever stale");
    }
}
