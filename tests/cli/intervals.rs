//! `estimate` on what people bring: few answers, equal ones, declared ranges, one, two or three
//! annotators; and what it says of its intervals.

use super::{Finished, text, tiebreak};
use crate::support::{assert_contains, table_rows};
use expect_test::expect;
use serde_json::Value;
use std::fs;

/// A data set of judgments under `fluency`, one an item and system.
struct Data(tempfile::TempDir);

impl Data {
    /// Rows of item, system, score and annotator; without a name where that is empty.
    fn new(rows: impl IntoIterator<Item = (usize, &'static str, f64, &'static str)>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (mut outputs, mut judgments) = (Vec::new(), String::new());
        for (item, system, score, annotator) in rows {
            outputs.push(format!(
                "{{\"item\": \"i{item}\", \"system\": \"{system}\", \"output\": \"x\"}}\n"
            ));
            let who = match annotator {
                "" => String::new(),
                name => format!(", \"annotator\": \"{name}\""),
            };
            judgments += &format!(
                "{{\"item\": \"i{item}\", \"system\": \"{system}\", \"criterion\": \"fluency\", \
                 \"score\": {score}{who}}}\n"
            );
        }
        outputs.sort();
        outputs.dedup();
        fs::write(folder.path().join("outputs.jsonl"), outputs.concat()).unwrap();
        fs::write(folder.path().join("judgments.jsonl"), judgments).unwrap();
        Self(folder)
    }

    /// One system's scores, item by item.
    fn of(scores: &[f64]) -> Self {
        Self::new(
            scores
                .iter()
                .enumerate()
                .map(|(item, &y)| (item, "a", y, "")),
        )
    }

    fn describe(self, text: &str) -> Self {
        fs::write(self.0.path().join("dataset.toml"), text).unwrap();
        self
    }

    fn run(&self, more: &[&str]) -> Finished {
        let estimate = ["estimate", text(self.0.path()), "--estimator"];
        let estimator: &[&str] = if more.first().is_some_and(|first| !first.starts_with("--")) {
            &[]
        } else {
            &["mean"]
        };
        tiebreak(&[&estimate[..], estimator, more].concat())
    }

    fn row(&self, more: &[&str]) -> Value {
        let document = self.run(&[more, &["--json"]].concat()).json();
        document["estimates"][0].clone()
    }
}

fn width(row: &Value) -> f64 {
    row["upper"].as_f64().unwrap() - row["lower"].as_f64().unwrap()
}

#[test]
fn ten_times_no_is_no_certainty() {
    let data = Data::of(&[0.0; 10]);
    for more in [&[][..], &["--range", "0,1"]] {
        let row = data.row(more);
        assert_eq!(
            (&row["interval"], &row["over"]),
            (&"exact".into(), &"items".into())
        );
        assert_eq!(row["lower"], 0.0);
        // 1 − 0.025^(1/10)
        assert!(
            (row["upper"].as_f64().unwrap() - 0.308_497).abs() < 1e-6,
            "{row}"
        );
        assert_eq!(row["range"], serde_json::json!([0.0, 1.0]));
    }
    expect![[r#"

        Mean score of fluency
        ─────────────────────
        95 % intervals, each for one system by itself, for items like these (annotators have no names). They are exact for judgments of 1 (yes) and 0 (no).
        system  judgments  estimate        interval  data efficiency
        a              10     0.000  [0.000, 0.308]                –  ●─────────────────────────────┤
    "#]].assert_eq(&data.run(&[]).ok());
    for estimator in ["control-variates", "ppi++", "guarded"] {
        let scores = data.0.path().join("s.csv");
        let metric = ["--metric", "length"];
        let score = ["score", text(data.0.path()), "--out", text(&scores)];
        tiebreak(&[&score[..], &metric].concat()).ok();
        let row = data.row(&[&[estimator, "--scores", text(&scores)], &metric[..]].concat());
        assert!(width(&row) >= 0.308, "{estimator}: {row}");
    }
}

#[test]
fn equal_judgments_of_an_unknown_range_have_no_interval() {
    let data = Data::of(&[4.0; 12]);
    let row = data.row(&[]);
    assert!(row["lower"].is_null() && row["upper"].is_null(), "{row}");
    assert_eq!(
        (&row["estimate"], &row["interval"]),
        (&4.0.into(), &"approximate".into())
    );
    expect![[r#"

        Mean score of fluency
        ─────────────────────
        95 % intervals, each for one system by itself, for items like these (annotators have no names). They are approximate, since the range of the judgments is not known (--range).
        system  judgments  estimate  interval  data efficiency
        a              12     4.000         –                –                 ●
        No interval for a: all items have the same mean.
    "#]].assert_eq(&data.run(&[]).ok());
    let row = data.row(&["--range", "1,5"]);
    assert_eq!(row["interval"], "hull");
    assert!(width(&row) > 0.5, "{row}");
}

#[test]
fn a_declared_range_is_known_and_kept() {
    let toml = "name = \"stars\"\n[criteria.fluency]\nrange = [1, 5]\n";
    let data = Data::of(&[5.0, 4.0, 5.0, 3.0, 5.0, 5.0, 4.0, 5.0]).describe(toml);
    let row = data.row(&[]);
    assert_eq!(row["range"], serde_json::json!([1.0, 5.0]));
    assert_eq!(row["interval"], "hull");
    assert!(row["upper"].as_f64().unwrap() <= 5.0, "{row}");
    let betting = data.row(&["betting"]);
    assert_eq!(betting["interval"], "bounded");
    assert!(width(&row) < width(&betting), "{row} {betting}");
    let outside = Data::of(&[5.0, 4.0, 7.0]).describe(toml);
    outside
        .run(&[])
        .refused(&["judgments.jsonl:3: `score` is 7, outside the range 1 to 5"]);
    for [toml, says] in table_rows(
        r"[criteria.fluency]\nrange = [5, 1]\n | dataset.toml:2: `range` is not two numbers
          [criteria.fluency]\nrange = 5\n | dataset.toml:2: `range` is not two numbers
          [criteria]\nfluency = [1, 5]\n | dataset.toml:2: `fluency` is not a table
          [criteria.fluency]\nscale = [1, 5]\n | dataset.toml:2: unknown key of a criterion",
    ) {
        let data = Data::of(&[5.0]).describe(&toml.replace("\\n", "\n"));
        data.run(&[]).refused(&[says]);
    }
    Data::of(&[5.0, 9.0])
        .run(&["--range", "1,5"])
        .refused(&["judgments.jsonl:2: a judgment is 9, outside the given range"]);
}

#[test]
fn yes_or_no_is_what_all_systems_were_asked() {
    let with = |other: f64| {
        let rows = (0..9).flat_map(move |item| [(item, "a", 1.0, ""), (item, "b", other, "")]);
        Data::new(rows).row(&[])
    };
    assert_eq!(with(0.0)["interval"], "exact");
    // A scale with a 3 is none of yes or no, so nothing is known of system a's.
    let row = with(3.0);
    assert!(
        row["interval"] == "approximate" && row["lower"].is_null(),
        "{row}"
    );
}

/// The number of annotators does not decide whom a result is about.
#[test]
fn estimates_are_about_these_annotators_and_of_others_there_is_a_second_line() {
    static NAMES: [&str; 9] = [
        "ana", "ben", "cem", "dee", "eva", "fay", "gus", "hal", "ida",
    ];
    let judged = |people: usize, named: bool| {
        let rows = (0..40).flat_map(move |item| {
            NAMES[..people].iter().enumerate().map(move |(at, &name)| {
                let habit = 2.0 + f64::from(u32::try_from(at % 3).unwrap());
                let y = habit + [0.0, 0.5, -0.5, 0.25][item % 4];
                (item, "a", y, if named { name } else { "" })
            })
        });
        Data::new(rows)
    };
    let [two, three, nine] = [2, 3, 9].map(|people| judged(people, true));
    let row = three.row(&[]);
    assert_eq!(
        (&row["over"], &row["annotators"]),
        (&"these-annotators".into(), &3.into())
    );
    assert!(row["new_annotators"].is_null(), "{row}");
    assert!(width(&row) < 1.2 * width(&two.row(&[])), "{row}");
    expect![[r#"

        Mean score of fluency
        ─────────────────────
        95 % intervals, each for one system by itself, for these annotators (3) and items like these. They are approximate, since the range of the judgments is not known (--range).
        system  judgments  estimate        interval  data efficiency
        a             120     3.063  [2.936, 3.176]                –  ├───────────────●─────────────┤
        3 annotators are too few to say what others would answer.
    "#]].assert_eq(&three.run(&[]).ok());
    let asked = three.row(&["mean", "--people", "both"]);
    assert!(
        width(&asked["new_annotators"]) > 5.0 * width(&asked),
        "{asked}"
    );
    assert_eq!(width(&asked), width(&row), "the first line stays");
    let row = nine.row(&[]);
    assert!(width(&row["new_annotators"]) > width(&row), "{row}");
    assert!(nine.run(&[]).ok().contains("New annotators like these: a "));
    let unnamed = judged(3, false);
    assert_eq!(unnamed.row(&[])["over"], "items");
    assert!(unnamed.run(&[]).ok().contains("annotators have no names"));
}

#[test]
fn outputs_at_hand_are_these_answers_or_these_items() {
    let rows = (0..30).flat_map(|item| {
        let y = |by: usize| f64::from(u32::try_from((item * 7 + by * 3) % 5).unwrap());
        [(item, "a", y(0), ""), (item, "a", y(1), "")]
    });
    let data = Data::new(rows);
    let answers = data.row(&["mean:population=finite"]);
    assert!(
        width(&answers) == 0.0 && answers["over"] == "outputs-at-hand",
        "{answers}"
    );
    let items = data.row(&["mean", "--items", "these"]);
    assert!(
        width(&items) > 0.1 && items["over"] == "these-items",
        "{items}"
    );
    assert!(width(&items) <= width(&data.row(&["mean"])), "{items}");
    expect![[r#"

        Mean score of fluency: mean:population=finite
        ─────────────────────────────────────────────
        95 % intervals, each for one system by itself, for the outputs of this data set, as these annotators judge them. They are approximate, since the range of the judgments is not known (--range).
        system  judgments  estimate        interval  data efficiency
        a              60     2.000  [2.000, 2.000]                –                 ●
    "#]].assert_eq(&data.run(&["mean:population=finite"]).ok());
    data.run(&["betting", "--range", "0,5", "--items", "these"])
        .refused(&["speaks of items like these"]);
}

#[test]
fn differences_of_equal_judgments_are_no_findings() {
    let rows = (0..3).flat_map(|item| [(item, "a", 5.0, ""), (item, "b", 1.0, "")]);
    let data = Data::new(rows);
    let pair = |more: &[&str]| {
        let document = data
            .run(&[more, &["--differences", "--json"]].concat())
            .json();
        document["differences"][0].clone()
    };
    let unknown = pair(&[]);
    assert!(
        unknown["lower"].is_null() && unknown["significant"] == false,
        "{unknown}"
    );
    let known = pair(&["--range", "1,5"]);
    assert!(
        known["significant"] == false && width(&known) > 1.0,
        "{known}"
    );
    expect![[r#"

        Mean score of fluency
        ─────────────────────
        95 % intervals, each for one system by itself, for items like these (annotators have no names). They are approximate, since the range of the judgments is not known (--range).
        system  judgments  estimate  interval  data efficiency
        a               3     5.000         –                –                                ●
        b               3     1.000         –                –  ●
        No interval for a and b: all items have the same mean.
        All judgments of fluency are whole numbers from 1 to 5. If that is the scale, --range 1,5 makes the intervals allow for rare judgments at its ends.

        Differences of fluency
        ──────────────────────
        A difference is that of two means, for these annotators (with a metric: of the outputs of this data set). "items" are those of both systems. "interval" is for one pair by itself; "corrected" and the verdicts hold for all pairs of this table together (Holm). "wins" is the share of items that the first of a pair wins, by whatever margin; a tie counts half. Of named annotators, those who judged both count. It names these items where they are fewer. It can point against the mean difference.
        systems  difference  interval  corrected     wins  items  verdict
        a – b         4.000         –          –  100.0 %      3  not tested
        Not tested: the differences do not vary, and the range of the judgments is not known (--range).
    "#]].assert_eq(&data.run(&["--differences"]).ok());
}

#[test]
fn tables_and_reports_say_what_intervals_mean() {
    let data = Data::of(&[0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    let out = tempfile::tempdir().unwrap();
    let table = out.path().join("estimates.csv");
    data.run(&["mean", "--out", text(&table)]).ok();
    let written = fs::read_to_string(&table).unwrap();
    let header = written.lines().next().unwrap();
    assert_contains(
        header,
        &["data_efficiency,confidence,interval,over,annotators,range_lower,range_upper,why"],
    );
    assert!(
        written
            .lines()
            .nth(1)
            .unwrap()
            .contains("0.95,exact,items,,0.0,1.0,"),
        "{written}"
    );
    let report = tiebreak(&["report", text(out.path())]).ok();
    assert_contains(&report, &["exact for judgments of 1 (yes) and 0 (no)"]);
    let page = fs::read_to_string(out.path().join("report.html")).unwrap();
    assert_contains(&page, &["exact for judgments of 1 (yes) and 0 (no)"]);
}
