//! Stored tables of which a bit flips, a part goes, or a part comes from elsewhere: never other results.

use crate::cli::{Finished, text, tiebreak, tree};
use crate::support::assert_contains;
use std::fs;
use std::path::{Path, PathBuf};
use tiebreak::records::TableReader;
use tiebreak::tables::{Meta, OutputTableFormat, schema, stored, whole};

fn refused(told: Finished) -> String {
    assert_eq!(told.code, Some(2), "{}", told.stderr);
    told.stderr
}

fn meta() -> Meta {
    Meta::new("scores", "chrf|nc:6", 42, "0123").with("metric", "chrf")
}

fn scores() -> schema::TableBuilder {
    let mut rows = schema::TableBuilder::new(schema::SCORES);
    for item in 0..7 {
        let (name, score) = (item.to_string(), f64::from(item) / 8.0);
        rows.push(&[
            schema::TableCell::Text(&name),
            schema::TableCell::Text("atlas"),
            schema::TableCell::Text("chrf"),
            schema::TableCell::Number(Some(score)),
        ]);
    }
    rows
}

/// All that a reader takes from a table; `None` where it refuses it.
fn read(path: &Path) -> Option<(Vec<String>, Option<Meta>)> {
    let mut rows: TableReader = whole::open(path).ok()?;
    let each = rows.by_ref().map(|row| {
        let row = row.ok()?;
        let score = row.number("score").ok()?;
        Some(format!("{} {score}", row.text("item").ok()?))
    });
    let each: Option<Vec<String>> = each.collect();
    let meta = Meta::of_table(path).ok()?.map(|mut meta| {
        meta.digest = None;
        meta
    });
    Some((each?, meta))
}

/// Flips one bit in three of a file that belongs to a table: the reader refuses it, or finds what was there. Of a
/// file in which the words are hit that say whose it is, the rows may be nobody's.
fn flipped(path: &Path, table: &Path, may_be_nobodys: bool) {
    let (good, before) = (fs::read(path).unwrap(), read(table).unwrap());
    for bit in (0..good.len() * 8).step_by(3) {
        let mut bad = good.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        fs::write(path, &bad).unwrap();
        if let Some(found) = read(table) {
            let nobodys = may_be_nobodys && found.1.is_none() && found.0 == before.0;
            assert!(found == before || nobodys, "{}: bit {bit}", path.display());
        }
    }
    fs::write(path, good).unwrap();
    assert_eq!(read(table).unwrap(), before);
}

#[test]
fn a_flipped_bit_is_found_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    for name in "s.arrow s.parquet s.csv s.jsonl s.tsv.gz s.csv.zst".split(' ') {
        let path = folder.path().join(name);
        let format = OutputTableFormat::from_path(&path).unwrap().unwrap();
        stored::write_rows(&path, format, &meta(), scores()).unwrap();
        // In a file that says of itself what made it, the words that say so may be hit.
        flipped(&path, &path, true);
        let mut beside = path.clone().into_os_string();
        beside.push(".meta.json");
        if Path::new(&beside).exists() {
            flipped(Path::new(&beside), &path, false);
        }
    }
}

#[test]
fn a_table_made_again_takes_its_own_place() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["s.arrow", "s.parquet", "s.csv"] {
        let path = folder.path().join(name);
        let format = OutputTableFormat::from_path(&path).unwrap().unwrap();
        let write = || stored::write_rows(&path, format, &meta(), scores());
        write().unwrap();
        let before = fs::read(&path).unwrap();
        write().unwrap();
        assert!(fs::read(&path).unwrap() == before, "{name}");
    }
}

#[test]
fn a_table_cut_short_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["s.arrow", "s.parquet", "s.csv", "s.jsonl.gz"] {
        let path = folder.path().join(name);
        let format = OutputTableFormat::from_path(&path).unwrap().unwrap();
        stored::write_rows(&path, format, &meta(), scores()).unwrap();
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert!(read(&path).is_none(), "{name} of {length} bytes");
        }
    }
}

/// `score` of some hundred items in a folder of several parts.
struct Scored {
    folder: tempfile::TempDir,
}

impl Scored {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut outputs = String::from("item,system,output,references\n");
        for item in 0..600 {
            for system in ["atlas", "birch"] {
                outputs += &format!("i{item},{system},the red fox {item},a red fox\n");
            }
        }
        fs::write(folder.path().join("outputs.csv"), outputs).unwrap();
        let scored = Self { folder };
        scored.score("whole", "42").ok();
        scored.score("s", "42").ok();
        scored
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn score(&self, out: &str, seed: &str) -> Finished {
        let (data, out) = (self.path("outputs.csv"), self.path(out));
        let how = ["--metric", "chrf", "--seed", seed, "--out", text(&out)];
        tiebreak(&[&["score", text(&data)], &how[..]].concat())
    }

    fn part(&self, number: u32) -> PathBuf {
        self.path(&format!("s/chrf/part-{number:05}.arrow"))
    }

    /// A table that uses the scores.
    fn used(&self) -> Finished {
        let (data, scores) = (self.path("outputs.csv"), self.path("s"));
        let how = [
            "--scores",
            text(&scores),
            "--metric",
            "chrf",
            "--link",
            "linear",
        ];
        let out = self.path("p.csv");
        let how = [&how[..], &["--out", text(&out)]].concat();
        tiebreak(&[&["predict", text(&data)], &how[..]].concat())
    }

    fn made_anew(&self) {
        self.score("s", "42").ok();
        assert!(tree(&self.path("s")) == tree(&self.path("whole")));
    }
}

#[test]
fn a_part_that_is_gone_empty_cut_or_foreign_is_named_and_made_again() {
    let scored = Scored::new();
    fs::remove_file(scored.part(1)).unwrap();
    let error = refused(scored.used());
    assert_contains(&error, &["2 of 3 parts"]);
    scored.made_anew();
    for bytes in [
        &b""[..],
        b"ARROW1",
        &fs::read(scored.part(0)).unwrap()[..90],
    ] {
        fs::write(scored.part(1), bytes).unwrap();
        let error = refused(scored.used());
        assert_contains(&error, &["part-00001.arrow: damaged"]);
        scored.made_anew();
    }
    fs::copy(scored.part(0), scored.part(7)).unwrap();
    let error = refused(scored.used());
    assert_contains(&error, &["part-00007.arrow: not part"]);
}

#[test]
fn a_part_of_another_seed_is_refused() {
    let scored = Scored::new();
    scored.score("other", "43").ok();
    fs::copy(scored.path("other/chrf/part-00001.arrow"), scored.part(1)).unwrap();
    for told in [scored.used(), scored.score("s", "42")] {
        let error = refused(told);
        let what = "part-00001.arrow: made with seed = 43, but other parts have seed = 42";
        assert_contains(&error, &[what]);
    }
}

#[test]
fn scores_and_predictions_of_other_texts_are_refused_and_those_of_nobody_named() {
    let scored = Scored::new();
    let file = scored.path("outputs.csv");
    let text_before = fs::read_to_string(&file).unwrap();
    fs::write(
        &file,
        text_before.replace("the red fox 3,", "a blue fox 3,"),
    )
    .unwrap();
    let error = refused(scored.used());
    assert_contains(&error, &["made from other texts"]);
    fs::write(&file, text_before).unwrap();
    let own = scored.path("own.csv");
    let row = |i| format!("i{i},atlas,chrf,{}\ni{i},birch,chrf,0\n", i % 7);
    let rows: String = (0..600).map(row).collect();
    fs::write(&own, format!("item,system,metric,score\n{rows}")).unwrap();
    let how = [
        "--scores",
        text(&own),
        "--metric",
        "chrf",
        "--link",
        "linear",
    ];
    let out = scored.path("p.csv");
    let how = [&how[..], &["--out", text(&out)]].concat();
    let told = tiebreak(&[&["predict", text(&file)], &how[..]].concat());
    assert_contains(&told.stderr, &["own.csv does not say from which texts"]);
}
