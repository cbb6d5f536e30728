//! No report contradicts itself: headline, tables and JSON are made from the same claims.

use super::quietly;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use tiebreak::pipeline::Pipeline;

/// The report of a data set of comparisons: text, JSON and page.
fn report(rows: &[(usize, &str, &str, f64)], rankings: usize) -> (String, Value, String) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let mut lines = String::from("item,system_a,system_b,outcome\n");
    for (item, a, b, outcome) in rows {
        let _ = writeln!(lines, "i{item},{a},{b},{outcome}");
    }
    fs::write(data.join("comparisons.csv"), lines).unwrap();
    fs::write(data.join("outputs.csv"), outputs()).unwrap();
    let mut pipeline = format!("data = '{}'\n", data.display());
    for place in 0..rankings {
        let _ = write!(pipeline, "[[rank]]\nname = \"r{place}\"\n");
    }
    if rows.len() > 100 {
        pipeline +=
            "[[simulate]]\nbudget = 300\n[[simulate]]\nruns = 8\nbandit = \"rmed\"\nbudget = 300\n";
    }
    let file = folder.path().join("p.toml");
    fs::write(&file, pipeline).unwrap();
    let out = folder.path().join("out");
    quietly(1, |context| {
        Pipeline::read(&file)
            .unwrap()
            .run(context, None, &out)
            .unwrap();
    });
    let read = |name: &str| fs::read_to_string(Path::new(&out).join(name)).unwrap();
    let json = serde_json::from_str(&read("report.json")).unwrap();
    (read("report.txt"), json, read("report.html"))
}

fn outputs() -> String {
    let mut rows = String::from("item,system,output\n");
    for item in 0..40 {
        for system in ["ash", "beech", "cedar"] {
            let _ = writeln!(rows, "i{item},{system},{system} {item}");
        }
    }
    rows
}

/// `wins` of ten comparisons of each pair are won by its first.
fn rows(wins: [usize; 3], each: usize) -> Vec<(usize, &'static str, &'static str, f64)> {
    let pairs = [("ash", "beech"), ("ash", "cedar"), ("beech", "cedar")];
    let one = |(pair, (a, b)): (usize, (&'static str, &'static str))| {
        (0..each).map(move |n| {
            let won = n % 10 < wins[pair];
            (n % 40, a, b, f64::from(u8::from(won)))
        })
    };
    pairs.into_iter().enumerate().flat_map(one).collect()
}

#[test]
fn headline_tables_and_json_say_the_same() {
    for (name, rows, made) in [
        ("clear", rows([8, 8, 6], 80), true),
        ("equal", rows([5, 5, 5], 80), false),
        ("cycle", rows([8, 2, 8], 80), false),
        ("cycle, one strongest", rows([10, 4, 6], 120), false),
        ("few", rows([8, 8, 6], 3), false),
        ("none", Vec::new(), false),
    ] {
        for rankings in [1, 2] {
            let (text, json, page) = report(&rows, rankings);
            let told = [&text, &page];
            for one in json["rankings"].as_array().unwrap() {
                let claim = &one[1]["claim"];
                assert_eq!(claim["kind"] == "best", made, "{name}: {claim}");
                let first = one[1]["ranks"].as_array().unwrap();
                let alone = first.iter().filter(|rank| rank["rank_low"] == 1).count() == 1;
                assert!(
                    alone || !made,
                    "{name}: a claim beside ranks that do not have it"
                );
            }
            let claims = |page: &str| {
                let sure = [
                    "is the best system",
                    "is the best of",
                    "% confidence). Based on",
                ];
                sure.iter().any(|words| page.contains(words))
            };
            for page in told {
                assert_eq!(claims(page), made, "{name}: {page}");
                assert_eq!(
                    page.contains("No more judgments are needed"),
                    made,
                    "{name}"
                );
                let leads = ["cycle, one strongest", "few"].contains(&name);
                assert_eq!(page.contains(" leads; "), leads, "{name}: {page}");
                assert!(!page.contains("NaN"), "{name}");
            }
            // Two rankings on one page share what may go wrong.
            let confidence = if rankings == 1 {
                "95 % confidence"
            } else {
                "97.5 % confidence"
            };
            assert!(text.contains(confidence), "{name}: {text}");
        }
    }
}

/// Before there is evidence there is no place, and no interval of any width.
#[test]
fn an_empty_table_leads_nowhere() {
    let (_, json, _) = report(&[], 1);
    let ranking = &json["rankings"][0][1];
    for one in ranking["strengths"].as_array().unwrap() {
        assert!(one["strength"].is_null() && one["lower"].is_null(), "{one}");
    }
    for one in ranking["ranks"].as_array().unwrap() {
        assert_eq!(
            (&one["rank_low"], &one["rank_high"]),
            (&1.into(), &3.into())
        );
    }
    assert_eq!(ranking["claim"]["why"], "no-answers");
}
