//! Campaigns through `ask` and `tell`, with sheets on disk: what is claimed of one person, and of people
//! who are listed.

use super::{Path, Said, World, quietly};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path as File, PathBuf};
use tiebreak::campaign::status::Status;
use tiebreak::campaign::{
    AnnotatorRoster, CampaignStatus, Form, KeyChanges, OpenCampaign, ScopeRequest, SheetRequest,
    SheetsReturned,
};
use tiebreak::claims::{Claim, ClaimKind};
use tiebreak::rng::{Rng, Seed};

pub(super) const ONE: Path = Path {
    name: "a campaign of one person",
    worlds: worlds![
        "equal systems", [40, 1000], 0.0, |seed, run| played(&[0.0], 0.5, seed, run);
        "a clear winner", [10, 200], 0.9, |seed, run| played(&[0.0], 0.75, seed, run);
    ],
};

pub(super) const LISTED: Path = Path {
    name: "a campaign of listed people",
    worlds: worlds![
        "tastes that cancel out", [40, 1000], 0.0, |seed, run| played(&[0.25, -0.25, 0.1, -0.1], 0.5, seed, run);
        "a clear winner", [10, 200], 0.9, |seed, run| played(&[0.15, -0.15, 0.1, -0.1], 0.75, seed, run);
    ],
};

pub(super) const PANEL: Path = Path {
    name: "a campaign of people newly drawn",
    worlds: worlds![
        "tastes around indifference", [30, 1000], 0.0, |seed, run| newly_drawn(0.5, seed, run);
        "a clear winner", [6, 200], 0.8, |seed, run| newly_drawn(0.85, seed, run);
    ],
};

/// Half of them, and tenths, are whole numbers.
const ITEMS: usize = 160;
const ROUNDS: usize = 4;
const QUESTIONS: usize = 45;

/// A folder with outputs of two systems.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut outputs = String::from("item,system,output\n");
    for item in 0..ITEMS {
        outputs += &format!("i{item},first,first {item}\ni{item},second,second {item}\n");
    }
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("outputs.csv"), outputs).unwrap();
    folder
}

/// One round of a campaign: questions out, `answer`ed, and told. Returns what may be claimed, and whether
/// it is over.
fn round(
    folder: &File,
    (people, n, out): (Option<AnnotatorRoster>, usize, &str),
    annotator: Option<&str>,
    seed: u64,
    answer: impl FnOnce(&File) -> Vec<PathBuf>,
) -> (Claim, bool) {
    let (run, data, out) = (folder.join("run"), folder.join("data"), folder.join(out));
    let call = |people: Option<AnnotatorRoster>| OpenCampaign {
        run: &run,
        data: Some(&data),
        columns: &[],
        seed: Some(Seed(seed)),
        people,
        anew: false,
        overlap: None,
        scope: ScopeRequest::default(),
        change: KeyChanges::Pairs(&|_| Ok(())),
    };
    let asking = SheetRequest {
        n: Some(n),
        again: false,
        out: &out,
        form: Form::Sheet,
        task: None,
    };
    quietly(seed, |context| {
        let status = of_pairs(asking.perform(context, &call(people)).unwrap());
        if !out.exists() {
            return (status.claim, true);
        }
        let sheets = answer(&out);
        let telling = SheetsReturned {
            sheets: &sheets,
            annotator,
            take_back: false,
        };
        let told = of_pairs(telling.perform(context, &call(None)).unwrap());
        (told.claim, told.stopped.is_some())
    })
}

fn of_pairs(status: CampaignStatus) -> Status {
    match status {
        CampaignStatus::Pairs(status) => *status,
        CampaignStatus::Ratings(_) => unreachable!("a campaign of pairs"),
    }
}

/// Plays a campaign about two systems, the first preferred with probability `p` on average and by each
/// person with a taste of her own; says whether what it claims is so.
fn played(tastes: &[f64], p: f64, seed: Seed, run: u64) -> Said {
    let folder = folder();
    let mut rng = seed.stream("gate", run);
    let crowd = Crowd::new(tastes, p, &mut rng);
    let names: Vec<String> = (0..tastes.len())
        .map(|person| format!("p{person}"))
        .collect();
    let list = (names.len() > 1).then_some(AnnotatorRoster::List(names));
    let mut last = None;
    for turn in 0..ROUNDS {
        let out = match list {
            Some(_) => turn.to_string(),
            None => format!("{turn}.csv"),
        };
        let what = (list.clone(), QUESTIONS, out.as_str());
        let (claim, over) = round(folder.path(), what, None, run, |out| fill(out, &crowd));
        last = Some(claim);
        if over {
            break;
        }
    }
    said(&last.unwrap(), p)
}

/// The same with a sheet for each of many people, who are newly drawn with tastes around `p`.
fn newly_drawn(p: f64, seed: Seed, run: u64) -> Said {
    let folder = folder();
    let mut rng = seed.stream("gate", run);
    let mut last = None;
    for person in 0..24 {
        let (out, name) = (format!("{person}.csv"), format!("person {person}"));
        let crowd = Crowd::new(&[0.15 * rng.normal()], p, &mut rng);
        let (claim, over) = round(
            folder.path(),
            (Some(AnnotatorRoster::Panel), 5, &out),
            Some(&name),
            run,
            |out| fill(out, &crowd),
        );
        last = Some(claim);
        if over {
            break;
        }
    }
    said(&last.unwrap(), p)
}

fn said(claim: &Claim, p: f64) -> Said {
    match (claim.kind, claim.systems.as_slice()) {
        (ClaimKind::Undecided, _) => Said::Nothing,
        (ClaimKind::Best, [only]) => Said::of(only == "first" && p > 0.5),
        _ => Said::Wrong,
    }
}

/// People who prefer the first of two systems each on a share of the items, those that come first in an
/// order of their own: their mean over the items at hand is exactly that.
struct Crowd {
    shares: Vec<f64>,
    places: Vec<Vec<usize>>,
}

impl Crowd {
    fn new(tastes: &[f64], p: f64, rng: &mut Rng) -> Self {
        let order = |_: &f64| {
            let mut places: Vec<usize> = (0..ITEMS).collect();
            rng.shuffle(&mut places);
            places
        };
        Self {
            places: tastes.iter().map(order).collect(),
            shares: tastes
                .iter()
                .map(|taste| (p + taste).clamp(0.0, 1.0))
                .collect(),
        }
    }

    fn prefers_first(&self, person: usize, item: usize) -> bool {
        self.places[person][item] < (self.shares[person] * ITEMS as f64).round() as usize
    }
}

/// Fills a sheet, or those in a folder, and names them.
fn fill(out: &File, crowd: &Crowd) -> Vec<PathBuf> {
    let sheets: Vec<_> = match out.is_dir() {
        false => vec![out.to_path_buf()],
        true => {
            let entries = fs::read_dir(out).unwrap();
            let mut sheets: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
            sheets.sort();
            sheets
        }
    };
    for sheet in &sheets {
        let mut reader = csv::Reader::from_path(sheet).unwrap();
        let header = reader.headers().unwrap().clone();
        let rows: Vec<BTreeMap<String, String>> =
            reader.deserialize().map(Result::unwrap).collect();
        let mut writer = csv::Writer::from_path(sheet).unwrap();
        writer.write_record(&header).unwrap();
        for mut row in rows {
            let person: usize = row["annotator"]
                .strip_prefix('p')
                .map_or(0, |place| place.parse().unwrap());
            let item = row["text_1"].split(' ').nth(1).unwrap().parse().unwrap();
            let first = crowd.prefers_first(person, item);
            let shown_first = row["text_1"].starts_with("first");
            let answer = if first == shown_first { "1" } else { "2" };
            row.insert("answer".to_string(), answer.to_string());
            writer
                .write_record(header.iter().map(|name| &row[name]))
                .unwrap();
        }
    }
    sheets
}
