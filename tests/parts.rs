//! Parts and their pieces: how large they are, broken off, filled by several at once.

use crate::cli::tree;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tiebreak::Result;
use tiebreak::engine::Context;
use tiebreak::engine::context::SilentProgress;
use tiebreak::engine::parts::{Grain, Parts, Shard, produce};
use tiebreak::env::Env;
use tiebreak::error::Error;
use tiebreak::rng::Seed;
use tiebreak::tables::schema::{SCORES, TableBuilder, TableCell};
use tiebreak::tables::{Destination, Meta};

#[test]
fn parts_are_few_and_pieces_quick() {
    let parts = |units, least, quick, most| {
        let parts = Parts::divide(units, Grain { least, quick, most });
        (
            parts.per_part(),
            parts.pieces(0).next().map_or(0, |units| units.end),
        )
    };
    assert_eq!(
        parts(60, 9, 1 << 40, 3000),
        (9, 9),
        "as many as are worth a file"
    );
    assert_eq!(parts(2020, 0, 1 << 40, 13), (8, 8), "some 256 parts");
    assert_eq!(parts(2020, 0, 3, 13), (9, 3), "in quick pieces");
    assert_eq!(parts(2020, 0, 0, 13), (8, 1), "of at least a unit");
    assert_eq!(
        parts(1 << 30, 9, 1 << 40, 10_922),
        (10_922, 10_922),
        "in memory"
    );
    assert_eq!(parts(1, 0, 0, 0), (1, 1));
    let parts = Parts::divide(
        2020,
        Grain {
            least: 0,
            quick: 3,
            most: 13,
        },
    );
    let pieces = parts.mine().flat_map(|part| parts.pieces(part));
    let units: Vec<u64> = pieces.flatten().collect();
    assert_eq!(units, (0..2020).collect::<Vec<_>>());
}

/// A table of numbers whose 13 units make two parts of three pieces each.
struct Made {
    folder: tempfile::TempDir,
    parts: Parts,
    computed: AtomicU64,
}

impl Made {
    fn new() -> Self {
        let grain = Grain {
            least: 8,
            quick: 3,
            most: 8,
        };
        Self {
            folder: tempfile::tempdir().unwrap(),
            parts: Parts::divide(13, grain),
            computed: AtomicU64::new(0),
        }
    }

    /// Makes what is missing, up to a unit that fails.
    fn make(&self, shard: Shard, until: u64) -> Result<()> {
        let stop = AtomicBool::new(false);
        let context = Context {
            seed: Seed(1),
            env: Env::default(),
            progress: &SilentProgress,
            stop: &stop,
        };
        let destination = Destination::Folder(self.folder.path().join("t"));
        let meta = Meta::new("scores", "test", 1, "data");
        let compute = |units: Range<u64>| {
            self.computed.fetch_add(1, Ordering::Relaxed);
            let mut rows = TableBuilder::new(SCORES);
            for unit in units {
                if unit == until {
                    return Err(Error::failed("stopped"));
                }
                let number = TableCell::Number((unit % 3 > 0).then_some(unit as f64));
                let name = unit.to_string();
                rows.push(&[
                    TableCell::Text(&name),
                    TableCell::Text("a"),
                    TableCell::Text("m"),
                    number,
                ]);
            }
            Ok(rows.finish())
        };
        produce(
            &context,
            &destination,
            SCORES,
            &meta,
            self.parts.shard(shard),
            compute,
        )
    }

    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        tree(&self.folder.path().join("t"))
    }
}

#[test]
fn a_part_broken_off_goes_on_with_its_pieces() {
    let (whole, broken) = (Made::new(), Made::new());
    whole.make(Shard::default(), 99).unwrap();
    assert_eq!(whole.files().len(), 3, "meta.json and two parts");
    // Pieces 0..3, 3..6, 6..9 and 9..12, 12..13.
    assert!(broken.make(Shard::default(), 7).is_err());
    assert!(
        broken
            .files()
            .iter()
            .any(|(path, _)| path.starts_with(".pieces"))
    );
    let before = broken.computed.swap(0, Ordering::Relaxed);
    broken.make(Shard::default(), 99).unwrap();
    assert!(before >= 3 && broken.computed.load(Ordering::Relaxed) <= 3);
    assert!(whole.files() == broken.files());
}

#[test]
fn shards_at_once_fill_one_folder() {
    let (whole, shared) = (Made::new(), Made::new());
    whole.make(Shard::default(), 99).unwrap();
    std::thread::scope(|threads| {
        for number in 1..=3 {
            let shard = Shard { number, of: 3 };
            let shared = &shared;
            threads.spawn(move || shared.make(shard, 99).unwrap());
        }
    });
    assert!(whole.files() == shared.files());
}
