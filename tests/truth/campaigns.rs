//! Campaigns: `ask`, `tell`, `report`, `rank` and `estimate` of one folder, as text, page and JSON.

use super::{Grid, Sayings, agree, grids_of_page, grids_of_text, plain};
use crate::cli::{Finished, text, tiebreak};
use crate::support::{assert_contains, variants};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use tiebreak::layout::{number, percent};
use tiebreak::rng::{Rng, Seed};

/// Who is asked.
#[derive(Debug, Clone, Copy)]
enum People {
    One,
    Listed(&'static str),
    /// So many, each newly drawn.
    Panel(usize),
}

/// A campaign and the people who answer it.
#[derive(Debug, Clone, Copy)]
struct Case {
    name: &'static str,
    /// The systems, with how good each is: odds in pairs, levels of ratings.
    systems: &'static [(&'static str, f64)],
    /// A system that writes what another one does.
    twin: Option<(&'static str, &'static str)>,
    items: usize,
    people: People,
    /// At most so many sheets of so many questions; none is answered where there are none.
    sheets: (usize, usize),
    /// The shares of ties and of skips.
    ties: f64,
    skips: f64,
    /// Whether there are predictions, right about systems.
    predicted: bool,
    /// Flags with which it is begun.
    flags: &'static [&'static str],
    /// What it claims at the end.
    claims: &'static str,
}

const FOUR: &[(&str, f64)] = &[
    ("alpha", 1.0),
    ("bravo", 1.3),
    ("cedar", 1.2),
    ("delta", 2.5),
];
const HALVES: &[(&str, f64)] = &[
    ("alpha", 1.0),
    ("bravo", 1.1),
    ("cedar", 12.0),
    ("delta", 12.0),
];
const CLEAR: &[(&str, f64)] = &[("alpha", 1.0), ("bravo", 1.2), ("cedar", 9.0)];
const SPREAD: &[(&str, f64)] = &[("alpha", 1.0), ("bravo", 9.0), ("cedar", 80.0)];
const TWO: &[(&str, f64)] = &[("alpha", 1.0), ("bravo", 1.5)];

const CASE: Case = Case {
    name: "undecided",
    systems: FOUR,
    twin: None,
    items: 100,
    people: People::One,
    sheets: (1, 40),
    ties: 0.0,
    skips: 0.0,
    predicted: false,
    flags: &[],
    claims: "undecided",
};

/// What it takes to decide between clear systems.
const LONG: (usize, usize) = (12, 30);

const PAIRS: &[Case] = &variants![CASE => Case
    {}
    { name: "nobody has answered", sheets: (0, 10) }
    { name: "two of four are left", systems: HALVES, sheets: (6, 40) }
    { name: "decided", systems: CLEAR, sheets: LONG, claims: "best" }
    { name: "a panel", systems: TWO, people: People::Panel(7), sheets: (7, 5) }
    { name: "listed people who share questions",
      systems: CLEAR, people: People::Listed("ana,ben,cy"), sheets: LONG, flags: &["--overlap", "0.3"], claims: "best" }
    { name: "predictions to begin from", predicted: true, sheets: (3, 20) }
    { name: "a model answers and people check it",
      systems: CLEAR, predicted: true, sheets: (4, 30), flags: &["--mix", "0.5"], claims: "best" }
    { name: "ties and skips", ties: 0.4, skips: 0.1, sheets: (3, 30) }
    { name: "identical systems", systems: CLEAR, twin: Some(("dune", "cedar")), sheets: LONG, claims: "best" }
    { name: "systems dropped by predictions",
      systems: SPREAD, predicted: true, sheets: LONG, flags: &["--eliminate", "alpha=0,copeland=0.5"], claims: "best" }
    { name: "a budget that is spent", sheets: (3, 30), flags: &["--budget", "60"] }
    { name: "no winner assumed",
      systems: CLEAR, sheets: (16, 30), flags: &["--bandit", "adaptive:assume=none", "--confidence", "0.9"], claims: "best" }
    { name: "a ranking with twins",
      systems: SPREAD, twin: Some(("dune", "bravo")), sheets: LONG,
      flags: &["--bandit", "adaptive:target=ranking"], claims: "ranking" }
    { name: "the top two",
      systems: SPREAD, sheets: LONG, flags: &["--bandit", "adaptive:target=top-k,k=2"], claims: "top" }
    { name: "a bandit without a certificate", sheets: (2, 30), flags: &["--bandit", "uniform"] }
];

const RATED: Case = Case {
    name: "three rate",
    systems: &[("alpha", 2.0), ("bravo", 3.0), ("cedar", 4.0)],
    items: 30,
    people: People::Listed("ana,ben,cy"),
    sheets: (1, 90),
    flags: &["--task", "rating:fluency=1..5"],
    claims: "",
    ..CASE
};

const RATINGS: &[Case] = &variants![RATED => Case
    {}
    { name: "nine rate", people: People::Listed("ana,ben,cy,dee,eve,fay,gus,hal,ida") }
    { name: "three rate by two criteria, and others are asked for",
      twin: Some(("dune", "bravo")), skips: 0.1,
      flags: &["--task", "rating:fluency=1..5,tone=0..100", "--people", "both", "--items", "these",
        "--confidence", "0.9"] }
    { name: "one rates a part until intervals are narrow",
      people: People::One, sheets: (1, 40), flags: &["--task", "rating:fluency=1..5", "--target-width", "1.5"] }
    { name: "post-edits", people: People::Listed("ana,ben"), flags: &["--task", "post-edit"] }
];

/// A campaign as far as it was played.
struct Played {
    case: &'static Case,
    folder: TempDir,
    /// The sheets that came back last.
    last: Vec<PathBuf>,
}

impl Played {
    /// Begins a campaign and answers until it is over, or until there are no more sheets.
    fn new(case: &'static Case) -> Self {
        let mut played = Self {
            case,
            folder: tempfile::tempdir().unwrap(),
            last: Vec::new(),
        };
        played.write_data();
        let mut rng = Seed(11).stream(case.name, 0);
        let (most, _) = case.sheets;
        for turn in 0..most.max(1) {
            let sheets = played.ask(turn);
            if sheets.is_empty() {
                break;
            }
            played.last = sheets;
            for sheet in played.last.clone() {
                played.fill(&sheet, &mut rng);
            }
            let told = played.tell(turn, &["--json"]).json();
            if !told["stopped"].is_null() {
                break;
            }
        }
        played
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The texts name the system that wrote them, or whose they are.
    fn write_data(&self) {
        let systems = self.case.systems.iter().map(|(name, _)| (*name, *name));
        let systems: Vec<(&str, &str)> = systems.chain(self.case.twin).collect();
        let mut outputs = String::from("item,system,output\n");
        let mut predictions = String::from("item,system_a,system_b,p\n");
        for item in 0..self.case.items {
            for (place, (system, writer)) in systems.iter().enumerate() {
                outputs += &format!("i{item:03},{system},{writer} wrote {item}\n");
                for (other, whose) in &systems[place + 1..] {
                    let p = self.preferred(writer, whose);
                    predictions += &format!("i{item:03},{system},{other},{p}\n");
                }
            }
        }
        fs::create_dir(self.path("data")).unwrap();
        fs::write(self.path("data/outputs.csv"), outputs).unwrap();
        fs::write(self.path("p.csv"), predictions).unwrap();
    }

    fn quality(&self, system: &str) -> f64 {
        let mut all = self.case.systems.iter();
        all.find(|(name, _)| *name == system).unwrap().1
    }

    fn preferred(&self, one: &str, other: &str) -> f64 {
        let [one, other] = [one, other].map(|name| self.quality(name));
        one / (one + other)
    }

    /// The sheets of a turn; none once nothing is asked.
    fn ask(&self, turn: usize) -> Vec<PathBuf> {
        let (run, data, predictions) = (self.path("run"), self.path("data"), self.path("p.csv"));
        let n = self.case.sheets.1.to_string();
        let mut flags = vec!["ask", text(&run), "--n", &n];
        if turn == 0 {
            flags.push(text(&data));
            flags.extend(self.case.flags);
            if self.case.predicted {
                flags.extend(["--predictions", text(&predictions)]);
            }
        }
        let out = self.path(&match self.case.people {
            People::Listed(_) => format!("sheets-{turn}"),
            _ => format!("sheet-{turn}.csv"),
        });
        flags.extend(["--out", text(&out)]);
        match self.case.people {
            People::Listed(names) if turn == 0 => flags.extend(["--annotators", names]),
            People::Panel(_) if turn == 0 => flags.push("--panel"),
            _ => {}
        }
        tiebreak(&flags).ok();
        match fs::read_dir(&out) {
            Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
            Err(_) if out.exists() => vec![out],
            Err(_) => Vec::new(),
        }
    }

    /// Fills a sheet in; what is on a sheet of nobody stays blank.
    fn fill(&self, sheet: &PathBuf, rng: &mut Rng) {
        let mut reader = csv::Reader::from_path(sheet).unwrap();
        let header = reader.headers().unwrap().clone();
        let rows: Vec<BTreeMap<String, String>> =
            reader.deserialize().map(Result::unwrap).collect();
        let mut writer = csv::Writer::from_path(sheet).unwrap();
        writer.write_record(&header).unwrap();
        for mut row in rows {
            if self.case.sheets.0 > 0 {
                self.answer(&mut row, rng);
            }
            writer
                .write_record(header.iter().map(|name| &row[name]))
                .unwrap();
        }
    }

    fn answer(&self, row: &mut BTreeMap<String, String>, rng: &mut Rng) {
        let writer = |cell: &str| cell.split(' ').next().unwrap().to_string();
        let chance = rng.uniform();
        let skipped = chance < self.case.skips;
        if row.contains_key("post_edit") {
            let edited = match rng.uniform() < 0.4 {
                true => "somebody wrote it anew".to_string(),
                false => row["text"].clone(),
            };
            row.insert("post_edit".to_string(), edited);
            return;
        }
        if row.contains_key("answer") {
            let answer = match chance {
                _ if skipped => "skip",
                x if x < self.case.skips + self.case.ties => "tie",
                _ if rng.uniform()
                    < self.preferred(&writer(&row["text_1"]), &writer(&row["text_2"])) =>
                {
                    "1"
                }
                _ => "2",
            };
            row.insert("answer".to_string(), answer.to_string());
            return;
        }
        let level = self.quality(&writer(&row["text"]));
        for (criterion, unit) in [("fluency", 1.0), ("tone", 20.0)] {
            let rating = (unit * (level + rng.normal()).clamp(1.0, 5.0)).round();
            if let Some(cell) = row.get_mut(criterion) {
                *cell = if skipped {
                    "skip".to_string()
                } else {
                    rating.to_string()
                };
            }
        }
    }

    fn tell(&self, turn: usize, more: &[&str]) -> Finished {
        let run = self.path("run");
        let name = format!("person {turn}");
        let mut flags = vec!["tell", text(&run)];
        flags.extend(self.last.iter().map(|sheet| text(sheet)));
        if matches!(self.case.people, People::Panel(_)) {
            flags.extend(["--annotator", &name]);
        }
        tiebreak(&[&flags[..], more].concat())
    }

    /// What a verb says of the campaign's folder.
    fn says(&self, verb: &str, more: &[&str]) -> Finished {
        let run = self.path("run");
        tiebreak(&[&[verb, text(&run)], more].concat())
    }
}

/// What `tell` says again of sheets that it knows, and what is told elsewhere.
struct Pages {
    tell: (String, Value),
    report: (String, Value, String),
}

impl Pages {
    fn new(played: &Played) -> Self {
        let turn = match played.case.people {
            People::Panel(people) => people - 1,
            _ => 0,
        };
        let tell = [&[][..], &["--json"]].map(|more| played.tell(turn, more).ok());
        let report = [&[][..], &["--json"]].map(|more| played.says("report", more).ok());
        let page = fs::read_to_string(played.path("run/report.html")).unwrap();
        let [said, document] = tell;
        let [text, json] = report;
        Self {
            tell: (said, serde_json::from_str(&document).unwrap()),
            report: (text, serde_json::from_str(&json).unwrap(), page),
        }
    }
}

/// The value of a labelled line of a text.
fn labelled<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let mut lines = text.lines();
    let value = lines.find_map(|line| line.strip_prefix(&format!("{label} ")))?;
    Some(value.trim())
}

/// The first sentence of a verdict.
fn first_sentence(verdict: &str) -> &str {
    verdict
        .split_inclusive(". ")
        .next()
        .unwrap_or_default()
        .trim()
}

/// Every confidence that a text names.
fn confidences(text: &str) -> Vec<&str> {
    let before = text.split(" % confidence").collect::<Vec<_>>();
    let all = before[..before.len() - 1].iter();
    all.map(|before| before.rsplit([' ', '(']).next().unwrap())
        .collect()
}

fn names(value: &Value) -> Vec<&str> {
    let all = value.as_array().into_iter().flatten();
    all.filter_map(Value::as_str).collect()
}

fn rows(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The verdict, its confidence, and who ranks where.
fn verdict(said: &mut Sayings, pages: &Pages, ranked: &(String, Value)) {
    let (text, json, page) = &pages.report;
    let (told, status) = &pages.tell;
    let ranking = &json["rankings"][0][1];
    said.demand(
        *ranking == ranked.1,
        format!(
            "`rank` and the report's JSON differ: {} {ranking}",
            ranked.1
        ),
    );
    let verdict = status["verdict"].as_str().unwrap();
    let lines = status["verdict_lines"].as_array().unwrap();
    said.say("answer", lines[0].as_str().unwrap(), "tell --json");
    said.say("answer", labelled(told, "verdict").unwrap(), "tell");
    for line in lines {
        let shown = told.contains(line.as_str().unwrap());
        said.demand(shown, format!("no {line} in tell: {told}"));
    }
    let claim = &status["claim"];
    // Before a proof a campaign says who leads; rankings say what is not told apart.
    if claim["why"]["not-told-apart"].is_null() {
        let shown = plain(page);
        let sure = [
            ("report", labelled(text, "sure").unwrap()),
            ("report --json", json["summary"]["sure"].as_str().unwrap()),
            ("rank", ranked.0.as_str()),
            ("report.html", shown.as_str()),
        ];
        for (place, said_there) in sure {
            let holds = said_there.contains(first_sentence(verdict));
            said.demand(holds, format!("no {verdict} in {place}: {said_there}"));
        }
    }
    said.say("claim", claim, "tell --json");
    said.say("claim", &ranking["claim"], "report --json");
    let made = claim["kind"] != "undecided";
    let level = claim["confidence"]
        .as_f64()
        .map(|level| number(100.0 * level));
    for (place, text) in [
        ("tell", told),
        ("rank", &ranked.0),
        ("report", text),
        ("report.html", &plain(page)),
    ] {
        let named = confidences(text);
        said.demand(
            named.is_empty() != made,
            format!("confidences in {place}: {named:?}"),
        );
        for one in named {
            said.say("confidence", one, place);
        }
    }
    if let Some(level) = level {
        said.say("confidence", level, "claim");
    }
}

/// The ranks that a claim implies.
fn implied(status: &Value) -> BTreeMap<String, (usize, usize)> {
    let claim = &status["claim"];
    let (first, among) = (names(&claim["systems"]), names(&claim["among"]));
    let twins = |system: &str| -> Vec<String> {
        let mut groups = rows(&status["identical"]).map(names);
        let group = groups.find(|group| group.contains(&system));
        let group = group.unwrap_or_else(|| vec![system]);
        group.into_iter().map(str::to_string).collect()
    };
    let place = |system: &&str| match claim["kind"].as_str().unwrap() {
        "best" | "top" if first.contains(system) => Some((1, first.len())),
        "best" | "top" => Some((first.len() + 1, among.len())),
        "ranking" => {
            let twins = twins(system);
            let is_twin = |other: &&str| twins.iter().any(|twin| twin == other);
            let places = [
                first.iter().position(is_twin),
                first.iter().rposition(is_twin),
            ];
            Some((places[0]? + 1, places[1]? + 1))
        }
        _ => None,
    };
    let named = among
        .iter()
        .filter_map(|one| Some((one.to_string(), place(one)?)));
    named.collect()
}

/// Ranks are implied by the claim, and strengths have no level.
fn ranks(said: &mut Sayings, pages: &Pages, ranked: &(String, Value)) {
    let (text, json, page) = &pages.report;
    let expected = implied(&pages.tell.1);
    let ranking = &ranked.1;
    let found = rows(&ranking["ranks"]).map(|row| {
        let ends = ["rank_low", "rank_high"].map(|end| row[end].as_u64().unwrap() as usize);
        (
            row["system"].as_str().unwrap().to_string(),
            (ends[0], ends[1]),
        )
    });
    said.say("ranks", format!("{expected:?}"), "implied");
    said.say(
        "ranks",
        format!("{:?}", found.collect::<BTreeMap<_, _>>()),
        "rank --json",
    );
    said.demand(
        ranking["groups"] == json!([]),
        "groups that nothing implies",
    );
    for row in rows(&ranking["strengths"]) {
        let level = [&row["lower"], &row["upper"]];
        said.demand(level == [&Value::Null; 2], format!("an interval: {row}"));
    }
    let standing = &json["summary"]["standings"][0];
    for row in rows(&standing["systems"]) {
        let place = expected.get(row["system"].as_str().unwrap());
        let place = place.map_or(Value::Null, |&(low, high)| json!([low, high]));
        said.demand(row["places"] == place, format!("no such place: {row}"));
    }
    let written = |&(low, high): &(usize, usize)| match low == high {
        true => low.to_string(),
        false => format!("{low}–{high}"),
    };
    let grids = grids_of_text(text)
        .into_iter()
        .chain(grids_of_text(&ranked.0));
    for grid in grids.chain(grids_of_page(page)) {
        if !grid.header.iter().any(|name| name == "comparisons") {
            continue;
        }
        let no_interval = grid.header.iter().all(|name| name != "interval");
        said.demand(no_interval, format!("intervals in {grid:?}"));
        for (system, rank) in of_systems(&grid, "rank") {
            let place = expected
                .get(&system)
                .map_or_else(|| "–".to_string(), written);
            said.say(format!("rank of {system}"), place, "implied");
            said.say(format!("rank of {system}"), rank, &grid.title);
        }
    }
}

/// The cells of a column, by system, wherever its column stands.
fn of_systems(grid: &Grid, name: &str) -> Vec<(String, String)> {
    let at = |name: &str| grid.header.iter().position(|header| header == name);
    let Some((system, cell)) = at("system").zip(at(name)) else {
        return Vec::new();
    };
    let of_row = |row: &Vec<String>| Some((row.get(system)?.clone(), row.get(cell)?.clone()));
    grid.rows.iter().filter_map(of_row).collect()
}

/// One system leads, wherever one is named; what may be needed yet is one number.
fn leader(said: &mut Sayings, pages: &Pages, ranked: &(String, Value)) {
    let (text, json, page) = &pages.report;
    let (told, status) = &pages.tell;
    let claim = &status["claim"];
    let leader = status["leader"].as_str().unwrap_or("none yet");
    said.say("leader", leader, "tell --json");
    said.say(
        "leader",
        labelled(told, "leader").unwrap_or("none yet"),
        "tell",
    );
    said.say(
        "leader",
        labelled(&ranked.0, "leader").unwrap_or("-"),
        "rank",
    );
    said.say("leader", labelled(text, "leader").unwrap_or("-"), "report");
    let best = json["summary"]["best"].as_str().unwrap();
    said.say("best", best, "report --json");
    said.say("best", labelled(text, "best").unwrap(), "report");
    said.demand(
        plain(page).contains(best),
        format!("the page does not say {best}"),
    );
    let Some(leader) = status["leader"].as_str() else {
        said.demand(
            !best.contains(" leads"),
            format!("nobody has answered: {best}"),
        );
        return;
    };
    let first = ranked.1["strengths"][0]["system"].as_str().unwrap();
    said.say("first of the table", first, "rank --json");
    let standing = &json["summary"]["standings"][0]["systems"][0]["system"];
    said.say(
        "first of the table",
        standing.as_str().unwrap(),
        "report --json",
    );
    if claim["kind"] == "undecided" {
        said.say("leader", first, "first of the table");
        let leads = best.contains(&format!("{leader} leads"));
        said.demand(leads, format!("{leader} leads, and the headline is {best}"));
        let next = json["summary"]["next"].as_str().unwrap();
        let others = names(&ranked.1["systems"]);
        let others = others.iter().filter(|name| **name != leader);
        let named: Vec<_> = others.filter(|name| next.contains(**name)).collect();
        said.demand(named.is_empty(), format!("{named:?} in {next}"));
        if let Some(likely) = status["probabilities"]
            .as_array()
            .and_then(|all| all.first())
        {
            said.say(
                "leader",
                likely["system"].as_str().unwrap(),
                "the most probable",
            );
        }
    } else {
        let claimed = names(&claim["systems"]);
        said.demand(
            claimed.contains(&leader),
            format!("{leader} leads, {claimed:?} are best"),
        );
        said.demand(
            claimed.contains(&first),
            format!("{first} is first, {claimed:?} are best"),
        );
    }
    let rivals = rows(&status["rivals"]).filter(|rival| rival["system"] == *leader);
    said.demand(rivals.count() == 0, "the leader is its own rival");
    if let Some(left) = status["left"]["words"].as_str() {
        let told = told.to_lowercase();
        said.demand(told.contains(left), format!("no {left} in tell: {told}"));
        let next = json["summary"]["next"].as_str().unwrap().to_lowercase();
        said.demand(next.contains(left), format!("{left}, and next is {next}"));
    }
}

/// Questions and answers have one number each, and columns add up.
fn counts(said: &mut Sayings, played: &Played, pages: &Pages, ranked: &(String, Value)) {
    let (text, json, _) = &pages.report;
    let (told, status) = &pages.tell;
    let count = |name: &str| status["questions"][name].as_u64().unwrap();
    let line = labelled(told, "questions").unwrap();
    let (asked, answered) = (count("asked"), count("answered"));
    for name in ["answered", "open", "skipped"] {
        let shown = line.contains(&format!("{} {name}", count(name)));
        said.demand(shown || count(name) == 0, format!("{name} in {line}"));
    }
    said.demand(
        asked == answered + count("open") + count("skipped"),
        format!("{line} does not add up"),
    );
    let conduct = &ranked.1["campaign"];
    for (quantity, known, place) in [
        ("asked", &conduct["asked"], "rank --json"),
        ("answered", &conduct["answered"], "rank --json"),
        ("answered", &status["claim"]["n"], "the claim"),
        ("answered", &ranked.1["evidence"]["answers"], "evidence"),
        (
            "answered without people",
            &conduct["model_answers"],
            "rank --json",
        ),
    ] {
        said.say(quantity, known, place);
    }
    said.say("asked", asked, "tell --json");
    said.say("answered", answered, "tell --json");
    said.say(
        "answered without people",
        &status["model_answers"],
        "tell --json",
    );
    let cost = labelled(text, "cost").unwrap();
    let skipped = match count("skipped") {
        0 => String::new(),
        skipped => format!("; {skipped} were skipped"),
    };
    let words = format!("People answered {answered} of {asked} questions{skipped}.");
    said.demand(cost.starts_with(&words), format!("{cost}, and not {words}"));
    let check = played.says("check", &["--json"]).json();
    said.say("answers", &check["comparisons"], "check --json");
    said.say("answers", answered + count("second"), "tell --json");
    let evidence = &ranked.1["evidence"];
    let all = ["answers", "identical", "repeated", "predictions"]
        .map(|name| evidence[name].as_u64().unwrap_or_default());
    let of_systems = rows(&ranked.1["strengths"]).map(|row| row["comparisons"].as_u64().unwrap());
    let twice: u64 = of_systems.sum();
    said.say("comparisons of all systems", twice, "rank --json");
    said.say(
        "comparisons of all systems",
        2 * all.iter().sum::<u64>(),
        "evidence",
    );
    for grid in grids_of_text(&ranked.0) {
        let column = grid.sum("comparisons");
        said.say("comparisons of all systems", column, "rank");
    }
    let stopped = &status["stopped"];
    said.say("stopped", stopped, "tell --json");
    said.say("stopped", &conduct["stopped"], "rank --json");
    said.say("state", &status["state"], "tell --json");
    said.say("state", &conduct["state"], "rank --json");
    let next = json["summary"]["next"].to_string();
    let offers = ["asks the next questions", "or ask for more"];
    let is_offered = offers.iter().any(|offer| next.contains(offer));
    said.demand(
        stopped.is_null() || !is_offered,
        "nothing more is asked, and the next questions are offered",
    );
}

/// Probabilities are none that are certain, and percentages add up.
fn shares(said: &mut Sayings, pages: &Pages) {
    let (told, status) = &pages.tell;
    let probabilities = rows(&status["probabilities"]).map(|one| &one["probability"]);
    let all: Vec<f64> = probabilities
        .chain([&status["no_winner"]])
        .filter_map(Value::as_f64)
        .collect();
    let is_proved = ["best", "ranking"].contains(&status["claim"]["kind"].as_str().unwrap());
    let guesses = all.len() + told.matches("probability").count();
    said.demand(
        !is_proved || guesses == 0,
        format!("a guess beside a proof: {told}"),
    );
    if all.is_empty() {
        return;
    }
    let sum: f64 = all.iter().sum();
    said.demand(
        (sum - 1.0).abs() < 1e-9,
        format!("probabilities sum to {sum}"),
    );
    let open = all.iter().all(|share| *share > 0.0 && *share < 1.0);
    said.demand(open, format!("a certainty: {all:?}"));
    let line = labelled(told, "probability").unwrap();
    let (mut tenths, mut slack) = (0.0, 0.0);
    for one in rows(&status["chances"]) {
        let words = one["words"].as_str().unwrap();
        said.demand(line.contains(words), format!("{words} in {line}"));
        match words
            .trim_end_matches(" %")
            .trim_start_matches(['<', '>', ' '])
        {
            number if words.starts_with(['<', '>']) => {
                slack += 0.1;
                tenths += if words.starts_with('>') {
                    number.parse::<f64>().unwrap()
                } else {
                    0.0
                };
            }
            number => tenths += number.parse::<f64>().unwrap(),
        }
    }
    let whole = (tenths - 100.0_f64).abs() < slack + 1e-6;
    said.demand(whole, format!("percentages add up to {tenths}: {line}"));
    // Others may have beaten a rival that the leader is yet to beat: the verdict leaves it out.
    let possible = status["claim"]["why"]["not-told-apart"].as_array();
    for rival in rows(&status["rivals"]) {
        let evidence = rival["evidence"].as_f64().unwrap();
        let is_out = possible.is_some_and(|possible| !possible.contains(&rival["system"]));
        let words = match (evidence < 1.0, is_out) {
            (true, false) => percent(evidence.min(0.999)),
            (true, true) => {
                let share = percent(evidence.min(0.999));
                format!("{share}, already ruled out as best")
            }
            (false, _) => "enough".to_string(),
        };
        said.demand(
            rival["words"] == *words,
            format!("{rival} in words is {words}"),
        );
    }
    let probability = told.contains("evidence against it") || told.contains("100.0 %");
    said.demand(
        !probability,
        format!("evidence reads as a probability: {told}"),
    );
}

/// What contradicts itself in a campaign of pairs.
fn walk(case: &'static Case) -> Sayings {
    let played = Played::new(case);
    let (mut said, pages) = (Sayings::default(), Pages::new(&played));
    let ranked = [&[][..], &["--json"]].map(|more| played.says("rank", more).ok());
    let [text, json] = ranked;
    let ranked = (text, serde_json::from_str(&json).unwrap());
    let kind = &pages.tell.1["claim"]["kind"];
    said.demand(*kind == case.claims, format!("it claims {kind}"));
    verdict(&mut said, &pages, &ranked);
    ranks(&mut said, &pages, &ranked);
    leader(&mut said, &pages, &ranked);
    counts(&mut said, &played, &pages, &ranked);
    shares(&mut said, &pages);
    plain_words(&mut said, &pages);
    said.demand_plain_words(&ranked.0, "rank");
    said
}

/// What is said of a campaign is in plain words.
fn plain_words(said: &mut Sayings, pages: &Pages) {
    let (text, _, page) = &pages.report;
    for (place, rendered) in [
        ("tell", &pages.tell.0),
        ("report", text),
        ("report.html", page),
    ] {
        said.demand_plain_words(rendered, place);
    }
}

/// What contradicts itself in a campaign of ratings.
fn walk_ratings(case: &'static Case) -> Sayings {
    let played = Played::new(case);
    let (mut said, pages) = (Sayings::default(), Pages::new(&played));
    let (text, json, page) = &pages.report;
    let (told, status) = &pages.tell;
    for line in names(&status["verdict_lines"]) {
        said.demand(told.contains(line), format!("no {line} in tell: {told}"));
    }
    let estimated = played.says("estimate", &["--json"]).json();
    let in_text = played.says("estimate", &[]).ok();
    for (place, all) in [
        ("tell --json", &status["estimates"]),
        ("estimate --json", &estimated["estimates"]),
        ("report --json", &json["estimates"][0][1]),
    ] {
        for row in rows(all) {
            let of = |name: &str| row[name].as_str().unwrap_or_default().to_string();
            let about = format!("{} of {}", of("criterion"), of("system"));
            for name in ["n", "estimate", "lower", "upper", "new_annotators"] {
                let value = match row[name].as_f64() {
                    Some(value) => number(value),
                    None => row[name].to_string(),
                };
                said.say(format!("{name}: {about}"), value, place);
            }
        }
    }
    let several = case.flags.iter().any(|flag| flag.contains(','));
    for line in names(&status["meaning"]) {
        said.demand(told.contains(line), format!("{line} in {told}"));
        // Of one criterion nothing else is said before it.
        let meaning = line.split_once(": ").map_or(line, |(_, meaning)| meaning);
        let places = [("report", text), ("report.html", &plain(page))];
        // `estimate` counts edits where it is asked to.
        let counted = line.starts_with("hter: ");
        let own = (!counted).then_some(("estimate", &in_text));
        for (place, said_there) in places.into_iter().chain(own).filter(|_| !several) {
            let there = said_there.contains(meaning);
            said.demand(there, format!("no {meaning} in {place}"));
        }
    }
    for grid in grids_of_text(told).iter().chain(&grids_of_text(&in_text)) {
        for (mean, system) in ["mean", "estimate"].into_iter().flat_map(|name| {
            let cells = of_systems(grid, name).into_iter();
            cells.map(move |(system, cell)| (cell, system))
        }) {
            let known = rows(&status["estimates"]).any(|row| {
                let shown = row["estimate"].as_f64().map(number);
                row["system"] == *system && shown.is_some_and(|shown| agree(&shown, &mean))
            });
            said.demand(known, format!("{mean} of {system} in {grid:?}"));
        }
    }
    let of_first = |row: &&Value| row["criterion"] == status["estimates"][0]["criterion"];
    let all = rows(&status["estimates"]).filter(of_first);
    let sum: u64 = all.map(|row| row["n"].as_u64().unwrap()).sum();
    let explained = status["verdict"]
        .as_str()
        .unwrap()
        .contains(&format!("with {sum} ratings"))
        || status["verdict"]
            .as_str()
            .unwrap()
            .contains(&format!("{sum} ratings are in the table"));
    said.demand(
        explained,
        format!("{sum} ratings in the table: {}", status["verdict"]),
    );
    plain_words(&mut said, &pages);
    said
}

fn assert_consistent(cases: &'static [Case], walk: fn(&'static Case) -> Sayings) {
    let faults = |case: &'static Case| {
        let said = walk(case);
        assert!(said.shared() > 5, "{}: {said:?}", case.name);
        let named = said.faults().into_iter();
        named
            .map(|fault| format!("{}: {fault}", case.name))
            .collect::<Vec<_>>()
    };
    let all: Vec<String> = std::thread::scope(|scope| {
        let halves = cases.chunks(cases.len().div_ceil(2));
        let walks: Vec<_> = halves
            .map(|half| scope.spawn(move || half.iter().flat_map(faults).collect::<Vec<_>>()))
            .collect();
        walks
            .into_iter()
            .flat_map(|walk| walk.join().unwrap())
            .collect()
    });
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn a_campaign_of_pairs_says_one_thing_of_each_quantity() {
    assert_consistent(PAIRS, walk);
}

#[test]
fn a_campaign_of_ratings_says_one_thing_of_each_quantity() {
    assert_consistent(RATINGS, walk_ratings);
}

#[test]
fn whom_a_campaign_of_pairs_speaks_of_is_said_or_refused() {
    let played = Played {
        case: &PAIRS[0],
        folder: tempfile::tempdir().unwrap(),
        last: Vec::new(),
    };
    played.write_data();
    let data = played.path("data");
    let out = played.path("first.csv");
    let refused = |flags: &[&str], hint: &str| {
        let asked = played.says(
            "ask",
            &[&[text(&data), "--out", text(&out)], flags].concat(),
        );
        asked.refused(&[hint]);
        assert!(!out.exists() && !played.path("run/campaign.toml").exists());
    };
    refused(&["--people", "new-annotators"], "--panel --n 10");
    refused(
        &["--people", "both", "--annotators", "ana,ben"],
        "--panel --n 10",
    );
    refused(&["--panel", "--people", "these"], "leave out --people");
    refused(&["--items", "like-these"], "--items these");
    let begun = [
        text(&data),
        "--out",
        text(&out),
        "--panel",
        "--n",
        "5",
        "--json",
    ];
    let scope = ["--people", "new-annotators", "--items", "these"];
    let begun = played.says("ask", &[&begun[..], &scope].concat()).json();
    assert_eq!(
        (&begun["claim"]["about"], &begun["claim"]["items"]),
        (&"panel".into(), &"at-hand".into())
    );
    let settings = fs::read_to_string(played.path("run/campaign.toml")).unwrap();
    assert_contains(&settings, &["people = \"panel\""]);
}
