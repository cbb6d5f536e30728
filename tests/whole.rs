//! Stored tables of which a bit flips, a part goes, or a part comes from elsewhere: never other results.

use crate::cli::newcomer::Desk;
use crate::cli::{Finished, tree};
use crate::support::assert_contains;
use std::fs;
use std::path::{Path, PathBuf};
use tiebreak::records::TableReader;
use tiebreak::tables::{Meta, OutputTableFormat, schema, stored, whole};

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
struct Scored(Desk);

impl Scored {
    fn new() -> Self {
        let desk = Desk::empty();
        let mut outputs = String::from("item,system,output,references\n");
        for item in 0..600 {
            for system in ["atlas", "birch"] {
                outputs += &format!("i{item},{system},the red fox {item},a red fox\n");
            }
        }
        desk.file("outputs.csv", &outputs);
        let scored = Self(desk);
        for out in ["whole", "s", "other --seed 43"] {
            scored
                .run(&format!("score outputs.csv --metric chrf --out {out}"))
                .ok();
        }
        scored
    }

    fn run(&self, line: &str) -> Finished {
        self.0.run(line)
    }

    fn part(&self, number: u32) -> PathBuf {
        self.0.path(&format!("s/chrf/part-{number:05}.arrow"))
    }

    /// A command that uses the scores is refused.
    fn refused(&self, says: &str) {
        let of = "--scores s --metric chrf --link linear --out p.csv";
        self.run(&format!("predict outputs.csv {of}"))
            .refused(&[says]);
    }

    fn made_anew(&self) {
        self.run("score outputs.csv --metric chrf --out s").ok();
        assert!(tree(&self.0.path("s")) == tree(&self.0.path("whole")));
    }
}

#[test]
fn a_part_that_is_gone_empty_cut_or_foreign_is_named_and_made_again() {
    let scored = Scored::new();
    fs::remove_file(scored.part(1)).unwrap();
    scored.refused("2 of 3 parts");
    scored.made_anew();
    let cut = &fs::read(scored.part(0)).unwrap()[..90];
    for bytes in [&b""[..], b"ARROW1", cut] {
        fs::write(scored.part(1), bytes).unwrap();
        scored.refused("part-00001.arrow: damaged");
        scored.made_anew();
    }
    fs::copy(scored.part(0), scored.part(7)).unwrap();
    scored.refused("part-00007.arrow: not part");
}

#[test]
fn a_part_of_another_seed_is_refused() {
    let scored = Scored::new();
    fs::copy(scored.0.path("other/chrf/part-00001.arrow"), scored.part(1)).unwrap();
    let what = "part-00001.arrow: made with seed = 43, but other parts have seed = 42";
    scored.refused(what);
    scored
        .run("score outputs.csv --metric chrf --out s")
        .refused(&[what]);
}

#[test]
fn scores_and_predictions_of_other_texts_are_refused_and_those_of_nobody_named() {
    let scored = Scored::new();
    let before = fs::read_to_string(scored.0.path("outputs.csv")).unwrap();
    let other = before.replace("the red fox 3,", "a blue fox 3,");
    scored.0.file("outputs.csv", &other);
    scored.refused("made from files with other bytes");
    scored.0.file("outputs.csv", &before);
    let row = |i| format!("i{i},atlas,chrf,{}\ni{i},birch,chrf,0\n", i % 7);
    let rows: String = (0..600).map(row).collect();
    scored
        .0
        .file("own.csv", &format!("item,system,metric,score\n{rows}"));
    let of = "--scores own.csv --metric chrf --link linear --out p.csv";
    let told = scored.run(&format!("predict outputs.csv {of}"));
    assert_contains(&told.stderr, &["own.csv does not say from which texts"]);
}
