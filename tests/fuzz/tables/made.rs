//! Tables and flags, made of a few numbers each.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use tiebreak::rng::Rng;

/// What is in a table, as far as results must show it.
pub(super) struct Table {
    pub systems: usize,
    judged: BTreeSet<String>,
    /// Whether a difference lies in its interval whatever the data: not where a metric or a bootstrap moves the ends.
    pub is_centred: bool,
}

impl Table {
    /// The systems that have a judgment.
    pub(super) fn judged(&self) -> &BTreeSet<String> {
        &self.judged
    }
}

/// What is typed after the data.
pub(super) struct Flags {
    pub words: Vec<String>,
}

impl Flags {
    fn new() -> Self {
        Self { words: Vec::new() }
    }

    fn add(&mut self, words: &[&str]) {
        self.words
            .extend(words.iter().map(|word| (*word).to_string()));
    }

    fn add_file(&mut self, flag: &str, folder: &Path, name: &str) {
        let path = folder.join(name);
        self.add(&[flag, path.to_str().unwrap()]);
    }
}

/// All files of a case.
pub(super) fn shown(folder: &Path) -> String {
    let files = crate::cli::tree(folder).into_iter();
    let file = |(path, bytes): (std::path::PathBuf, Vec<u8>)| {
        format!("{}:\n{}", path.display(), String::from_utf8_lossy(&bytes))
    };
    files.map(file).collect()
}

/// How people judge, and the scale of it.
#[derive(Clone, Copy)]
enum Judge {
    Same,
    YesNo,
    Rare,
    Stars,
    Percent,
    Normal,
    Offset,
    Tiny,
}

const JUDGES: [Judge; 8] = [
    Judge::Same,
    Judge::YesNo,
    Judge::Rare,
    Judge::Stars,
    Judge::Percent,
    Judge::Normal,
    Judge::Offset,
    Judge::Tiny,
];

impl Judge {
    fn score(self, rng: &mut Rng) -> f64 {
        match self {
            Self::Same => 3.0,
            Self::YesNo => rng.below(2) as f64,
            Self::Rare => f64::from(u8::from(rng.bernoulli(0.1))),
            Self::Stars => 1.0 + rng.below(5) as f64,
            Self::Percent => rng.below(101) as f64,
            Self::Normal => rng.normal(),
            Self::Offset => 1e9 + rng.below(3) as f64,
            Self::Tiny => 1e-9 * rng.uniform(),
        }
    }

    /// A range that holds all scores.
    fn range(self) -> &'static str {
        match self {
            Self::Same | Self::Stars => "1,5",
            Self::YesNo | Self::Rare | Self::Tiny => "0,1",
            Self::Percent => "0,100",
            Self::Offset => "0,2000000000",
            Self::Normal => "-9,9",
        }
    }
}

/// Who is asked.
struct Crew {
    annotators: usize,
    /// 0: all alike; 1: mostly the first; 2: each system has its own.
    shares: usize,
    /// How often a name is missing.
    unnamed: f64,
}

impl Crew {
    fn new(rng: &mut Rng) -> Self {
        Self {
            annotators: 1 + rng.below(10),
            shares: rng.below(3),
            unnamed: *rng.choose(&[0.0, 0.0, 0.3, 1.0]),
        }
    }

    fn name(&self, system: usize, rng: &mut Rng) -> String {
        let at = match self.shares {
            1 if rng.bernoulli(0.8) => 0,
            2 => system % self.annotators,
            _ => rng.below(self.annotators),
        };
        match rng.bernoulli(self.unnamed) {
            true => String::new(),
            false => format!("ann{at}"),
        }
    }
}

/// How many items there are: mostly very few.
fn items(rng: &mut Rng) -> usize {
    *rng.choose(&[1, 1, 2, 3, 4, 5, 8, 13, 35])
}

/// Judgments of some items, with outputs and scores of two metrics beside them, and strata and probabilities.
fn judgments(folder: &Path, rng: &mut Rng) -> (Table, Judge) {
    let (systems, items) = (1 + rng.below(4), items(rng));
    let (judge, crew) = (*rng.choose(&JUDGES), Crew::new(rng));
    let share: Vec<f64> = (0..systems)
        .map(|_| *rng.choose(&[1.0, 1.0, 0.5, 0.1]))
        .collect();
    let most = 1 + rng.below(3);
    let mut judgments = "item,system,criterion,score,annotator\n".to_string();
    let mut outputs = "item,system,output\n".to_string();
    let mut scores = "item,system,metric,score\n".to_string();
    let mut strata = "item,system,stratum\n".to_string();
    let mut probabilities = "item,system,probability\n".to_string();
    let mut judged = BTreeSet::new();
    let constant = rng.bernoulli(0.3);
    for item in 0..items {
        for (system, share) in share.iter().enumerate() {
            writeln!(outputs, "i{item},s{system},text").unwrap();
            let g = if constant { 1.0 } else { rng.below(4) as f64 };
            writeln!(scores, "i{item},s{system},m,{g}").unwrap();
            writeln!(scores, "i{item},s{system},n,{}", rng.uniform()).unwrap();
            writeln!(strata, "i{item},s{system},{}", rng.below(2)).unwrap();
            writeln!(
                probabilities,
                "i{item},s{system},{}",
                1.0 - 0.9 * rng.uniform()
            )
            .unwrap();
            // One judgment at least.
            let last = judged.is_empty() && item + 1 == items && system + 1 == systems;
            if !rng.bernoulli(*share) && !last {
                continue;
            }
            for _ in 0..=rng.below(most) {
                let (score, name) = (judge.score(rng), crew.name(system, rng));
                writeln!(judgments, "i{item},s{system},q,{score},{name}").unwrap();
                judged.insert(format!("s{system}"));
            }
        }
    }
    let data = folder.join("data");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("judgments.csv"), judgments).unwrap();
    fs::write(data.join("outputs.csv"), outputs).unwrap();
    for (name, text) in [
        ("scores.csv", scores),
        ("strata.csv", strata),
        ("probabilities.csv", probabilities),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    let table = Table {
        systems,
        judged,
        is_centred: true,
    };
    (table, judge)
}

/// What the estimators take, each with what it needs.
const ESTIMATORS: [(&str, bool, bool); 22] = [
    // Name, whether it needs a metric, whether it needs a range.
    ("mean", false, false),
    ("mean", false, false),
    ("mean", false, false),
    ("mean:interval=normal", false, false),
    ("mean:interval=corrected", false, false),
    ("mean:interval=bootstrap,resamples=100", false, false),
    ("mean:population=finite", false, false),
    ("control-variates", true, false),
    ("control-variates:alpha=0.5", true, false),
    (
        "control-variates:interval=bootstrap,resamples=100",
        true,
        false,
    ),
    ("regression", true, false),
    ("guarded", true, false),
    ("ppi++", true, false),
    ("ppi++:clip=false", true, false),
    ("ppi++:interval=reference", true, false),
    ("stratified", true, false),
    ("active", false, false),
    ("active", true, false),
    ("betting", false, true),
    ("betting:anytime=true", false, true),
    ("empirical-bernstein", false, true),
    ("empirical-bernstein:bound=maurer-pontil", false, true),
];

pub(super) fn estimate(folder: &Path, rng: &mut Rng) -> (Table, Flags) {
    let (mut table, judge) = judgments(folder, rng);
    let mut flags = Flags::new();
    let (name, metric, range) = *rng.choose(&ESTIMATORS);
    flags.add(&["--estimator", name]);
    // Strata are made by a metric, or given.
    let is_given = name == "stratified" && rng.bernoulli(0.5);
    if metric && !is_given {
        flags.add_file("--scores", folder, "scores.csv");
        flags.add(&["--metric", "m"]);
        if rng.bernoulli(0.3) {
            flags.add(&["n"]);
        }
    }
    if name == "active" {
        flags.add_file("--probabilities", folder, "probabilities.csv");
    }
    if is_given {
        flags.add_file("--strata", folder, "strata.csv");
    }
    if range || rng.bernoulli(0.4) {
        flags.add(&["--range", judge.range()]);
    }
    if name.contains("anytime") {
        flags.add(&["--stop", *rng.choose(&["width=0.5", "relative=0.5"])]);
    }
    if !range && rng.bernoulli(0.6) {
        flags.add(&["--differences"]);
    }
    if rng.bernoulli(0.3) {
        flags.add(&["--target-width", "0.5"]);
    }
    if rng.bernoulli(0.2) {
        flags.add(&["--confidence", *rng.choose(&["0.5", "0.999"])]);
    }
    table.is_centred = name.starts_with("mean") && !name.contains("bootstrap");
    (table, flags)
}

pub(super) fn correlate(folder: &Path, rng: &mut Rng) -> (Table, Flags) {
    let (table, _) = judgments(folder, rng);
    if rng.bernoulli(0.3) {
        let text = comparisons(table.systems.max(2), 1, rng);
        let _ = rng.bernoulli(0.5) && table.systems > 1 && write(folder, "comparisons.csv", &text);
    }
    let mut flags = Flags::new();
    flags.add_file("--scores", folder, "scores.csv");
    flags.add(&["--metric", "m"]);
    if rng.bernoulli(0.5) {
        flags.add(&["n"]);
    }
    flags.add(&["--resamples", "100"]);
    flags.add(&["--resample", *rng.choose(&["items", "both"])]);
    flags.add(&["--level", *rng.choose(&["segment", "system", "both"])]);
    (table, flags)
}

fn write(folder: &Path, name: &str, text: &str) -> bool {
    fs::write(folder.join("data").join(name), text).is_ok()
}

/// Comparisons of systems on the first items.
fn comparisons(systems: usize, items: usize, rng: &mut Rng) -> String {
    let crew = Crew::new(rng);
    let ties = *rng.choose(&[0.0, 0.2, 1.0]);
    // In two halves that nothing links, or all with all.
    let apart = rng.bernoulli(0.2) && systems > 3;
    let mut text = "item,system_a,system_b,outcome,annotator\n".to_string();
    let strong = rng.bernoulli(0.3);
    for _ in 0..*rng.choose(&[1, 1, 2, 3, 5, 10, 40]) {
        let a = rng.below(systems);
        let b = match apart {
            true => 2 * (a / 2) + (1 - a % 2),
            false => (a + 1 + rng.below(systems - 1)) % systems,
        };
        let outcome = match (rng.bernoulli(ties), strong) {
            (true, _) => "0.5",
            (false, true) if a < b => "1",
            (false, true) => "0",
            _ => *rng.choose(&["1", "0"]),
        };
        let (item, name) = (rng.below(items), crew.name(a, rng));
        writeln!(text, "i{item},s{a},s{b},{outcome},{name}").unwrap();
    }
    text
}

pub(super) fn annotators(folder: &Path, rng: &mut Rng) -> (Table, Flags) {
    let (table, _) = judgments(folder, rng);
    if rng.bernoulli(0.5) && table.systems > 1 {
        let text = comparisons(table.systems, 1, rng);
        write(folder, "comparisons.csv", &text);
    }
    let mut flags = Flags::new();
    if rng.bernoulli(0.4) {
        flags.add_file("--out", folder, "labelled");
        flags.add(&["--force"]);
        flags.add(&["--labels", *rng.choose(&["dawid-skene", "mace"])]);
    }
    (table, flags)
}

pub(super) fn rank(folder: &Path, rng: &mut Rng) -> (Table, Flags) {
    let (systems, items) = (2 + rng.below(3), items(rng));
    let data = folder.join("data");
    fs::create_dir(&data).unwrap();
    write(folder, "comparisons.csv", &comparisons(systems, items, rng));
    let mut flags = Flags::new();
    let mut outputs = "item,system,output\n".to_string();
    let mut predictions = "item,system_a,system_b,p\n".to_string();
    let sure = rng.bernoulli(0.3);
    for item in 0..items {
        for a in 0..systems {
            writeln!(outputs, "i{item},s{a},text").unwrap();
            for b in a + 1..systems {
                let p = if sure { 1.0 } else { rng.uniform() };
                writeln!(predictions, "i{item},s{a},s{b},{p}").unwrap();
            }
        }
    }
    write(folder, "outputs.csv", &outputs);
    fs::write(folder.join("predictions.csv"), predictions).unwrap();
    match rng.below(4) {
        0 => flags.add_file("--predictions", folder, "predictions.csv"),
        1 => flags.add(&["--style"]),
        2 => flags.add(&["--style", "--baseline", "s0"]),
        _ => {}
    }
    if rng.bernoulli(0.2) {
        flags.add(&["--confidence", *rng.choose(&["0.5", "0.999"])]);
    }
    let table = Table {
        systems,
        judged: BTreeSet::new(),
        is_centred: true,
    };
    (table, flags)
}
