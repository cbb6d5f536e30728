//! Indexes cached between commands, so that a large data set is indexed once.
//!
//! The key of an index is all that it depends on: the digest of the data set's contents, the limit on memory, and
//! the sources of all code that reads them. Times and sizes of files decide nothing, so a change of the same size
//! within the same second is another data set, like any other. A cached file holds the checksum of its own bytes,
//! which is checked before anything else is read: it tells damage, also of a file that had not reached the disk when
//! a machine went off.
//!
//! Contents are digested and read side by side. A change meanwhile could affect one and not the other, so nothing
//! is cached of files whose times or sizes are others afterwards, nor of files that were last
//! changed less than [`SETTLED`] before: some file systems count in seconds.

use super::codec::ByteDecoder;
use super::items::ItemStore;
use super::{BUDGET, Index, build};
use crate::records::Kind;
use crate::records::dataset::{Dataset, Digests};
use sha2::{Digest, Sha256};
use std::fs::{File, Metadata};
use std::io::{self, BufReader, Read, Seek, Write};
use std::time::{Duration, SystemTime};
use tiebreak_base::disk::{Cache, Draft};
use tiebreak_base::error::{Error, Result};
use tiebreak_base::limits;
use twox_hash::xxhash3_128::Hasher;

/// Bytes below which tables are not cached: reading them again takes a fraction of a second.
const LARGE: u64 = 16 << 20;

/// The time for which files must have been unchanged.
const SETTLED: Duration = Duration::from_secs(2);

/// Bytes of a checksum.
const CHECKSUM: usize = size_of::<u128>();

/// The digest of the sources that an index depends on; see `build.rs`.
const SOURCES: &str = env!("TIEBREAK_INDEX_SOURCES");

/// An index, the digests of its contents, and the error of the cache, if any.
pub(super) type OpenedIndex = (Index, Digests, Option<Error>);

/// Returns the index of a data set, from the cache or made now.
pub(super) fn open(dataset: &Dataset, cache: Option<&Cache>) -> Result<OpenedIndex> {
    open_if(dataset, cache, LARGE, SETTLED)
}

fn open_if(
    dataset: &Dataset,
    cache: Option<&Cache>,
    large: u64,
    settled: Duration,
) -> Result<OpenedIndex> {
    let seen = TableFileStamps::observe(dataset).filter(|seen| seen.bytes >= large);
    let (Some(cache), Some(seen)) = (cache, seen) else {
        let (index, digests) = made(dataset)?;
        return Ok((index, digests, None));
    };
    // Where nothing of this size is cached, reading need not wait for the digest.
    let of_size = format!("{:x}-", seen.bytes);
    let (mut known, mut damaged) = (None, None);
    if !cache.names_with_prefix(&of_size).is_empty() {
        let digests = dataset.digests()?;
        match read(cache, &name(&of_size, &digests)) {
            Ok(Some(index)) => return Ok((index, digests, None)),
            Ok(None) => {}
            Err(error) => damaged = Some(error),
        }
        known = Some(digests);
    }
    let (index, digests) = match known {
        Some(digests) => (Index::build(dataset)?, digests),
        None => made(dataset)?,
    };
    let unchanged = TableFileStamps::observe(dataset).is_some_and(|after| after == seen);
    let kept = match unchanged && seen.is_settled(settled) {
        true => keep(cache, &name(&of_size, &digests), &index),
        false => Ok(()),
    };
    Ok((index, digests, kept.err().or(damaged)))
}

fn made(dataset: &Dataset) -> Result<(Index, Digests)> {
    let (digests, index) = rayon::join(|| dataset.digests(), || build::build(dataset, BUDGET));
    let digests = digests?;
    Ok((index?, digests))
}

/// Returns the cache key for the index of some contents.
fn name(of_size: &str, digests: &Digests) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("{SOURCES}\n{}\n{}\n", limits::now(), digests.all));
    format!("{of_size}{:x}.index", hash.finalize())
}

/// The sizes and times of the tables' files.
#[derive(PartialEq)]
struct TableFileStamps {
    bytes: u64,
    marks: Vec<[i128; 5]>,
    /// The time of the latest change.
    changed: SystemTime,
}

impl TableFileStamps {
    /// Observes the files; `None` where a table is no plain file, or is temporary.
    fn observe(dataset: &Dataset) -> Option<Self> {
        let mut seen = Self {
            bytes: 0,
            marks: Vec::new(),
            changed: SystemTime::UNIX_EPOCH,
        };
        for path in Kind::ALL.into_iter().filter_map(|kind| dataset.table(kind)) {
            let meta = path.metadata().ok()?;
            if !meta.is_file() || dataset.is_temporary() {
                return None;
            }
            let (marks, changed) = marks(&meta).ok()?;
            seen.bytes += meta.len();
            seen.marks.push(marks);
            seen.changed = seen.changed.max(changed);
        }
        Some(seen)
    }

    /// Whether the files have been unchanged for a while.
    #[allow(clippy::disallowed_methods)] // whether to keep what the numbers do not depend on
    fn is_settled(&self, settled: Duration) -> bool {
        let age = SystemTime::now().duration_since(self.changed);
        age.is_ok_and(|age| age >= settled)
    }
}

/// Returns the metadata that reveal a change of a file, and the time of the last one.
#[cfg(unix)]
fn marks(meta: &Metadata) -> io::Result<([i128; 5], SystemTime)> {
    use std::os::unix::fs::MetadataExt;
    // Unlike the modification time, this one cannot be set by users.
    let changed = Duration::new(meta.ctime().max(0) as u64, meta.ctime_nsec() as u32);
    let changed = SystemTime::UNIX_EPOCH + changed;
    let nanoseconds =
        |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
    let marks = [
        i128::from(meta.dev()),
        i128::from(meta.ino()),
        i128::from(meta.len()),
        nanoseconds(meta.mtime(), meta.mtime_nsec()),
        nanoseconds(meta.ctime(), meta.ctime_nsec()),
    ];
    Ok((marks, changed.max(meta.modified()?)))
}

#[cfg(not(unix))]
fn marks(meta: &Metadata) -> io::Result<([i128; 5], SystemTime)> {
    let changed = meta.modified()?;
    let since = changed.duration_since(SystemTime::UNIX_EPOCH);
    let since = since.map_or(0, |since| since.as_nanos() as i128);
    Ok(([i128::from(meta.len()), since, 0, 0, 0], changed))
}

/// Caches an index: the checksum of what follows it, the length of the head, the head, the items.
fn keep(cache: &Cache, name: &str, index: &Index) -> Result<()> {
    let mut head = Vec::new();
    index.encode(&mut head);
    let size = (CHECKSUM + size_of::<u64>() + head.len()) as u64 + index.items.bytes();
    cache.keep(name, size, |draft: &mut Draft| {
        draft.write_all(&[0; CHECKSUM])?;
        let mut summed = Summed {
            file: &mut *draft,
            sum: Hasher::new(),
        };
        summed.write_all(&(head.len() as u64).to_le_bytes())?;
        summed.write_all(&head)?;
        index.items.write_to(&mut summed)?;
        let sum = summed.sum.finish_128().to_le_bytes();
        draft.file().rewind()?;
        draft.file().write_all(&sum)
    })
}

/// What is written or read, and its checksum.
struct Summed<F> {
    file: F,
    sum: Hasher,
}

impl<F: Write> Write for Summed<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.sum.write(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl<F: Read> Read for Summed<F> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(bytes)?;
        self.sum.write(&bytes[..read]);
        Ok(read)
    }
}

/// Reads a cached index; `None` where there is none.
///
/// # Errors
/// If the file is not what was written.
fn read(cache: &Cache, name: &str) -> Result<Option<Index>> {
    let Some(mut held) = cache.hold(name) else {
        return Ok(None);
    };
    let path = held.path().to_path_buf();
    let head = whole(held.file()).map_err(Error::reading(&path))?;
    let index = head.map(|head| {
        let start = (CHECKSUM + size_of::<u64>() + head.len()) as u64;
        Index::decode(&mut ByteDecoder(&head), |length, offsets| {
            ItemStore::kept(held, start, length, offsets)
        })
    });
    match index {
        Some(Ok(index)) => Ok(Some(index)),
        Some(Err(_)) | None => {
            cache.discard(name);
            Err(Error::input(path, "damaged"))
        }
    }
}

/// Returns the head of a file that is intact.
fn whole(file: &mut File) -> io::Result<Option<Vec<u8>>> {
    let (mut said, mut length, mut head) = ([0; CHECKSUM], [0; 8], Vec::new());
    let mut file = Summed {
        file,
        sum: Hasher::new(),
    };
    if file
        .file
        .read_exact(&mut said)
        .and_then(|()| file.read_exact(&mut length))
        .is_err()
    {
        return Ok(None);
    }
    let taken = Read::by_ref(&mut file).take(u64::from_le_bytes(length));
    BufReader::with_capacity(1 << 16, taken).read_to_end(&mut head)?;
    let mut rest = BufReader::with_capacity(1 << 16, &mut file);
    io::copy(&mut rest, &mut io::sink())?;
    Ok((file.sum.finish_128() == u128::from_le_bytes(said)).then_some(head))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use tempfile::TempDir;

    /// Makes a folder with a data set of two outputs, and a cache.
    fn dataset_and_cache() -> (TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        outputs(folder.path(), ["one", "two"]);
        let cache = Cache::new(folder.path().join("cache"), 1 << 20);
        (folder, cache)
    }

    fn outputs(folder: &Path, texts: [&str; 2]) {
        let row = |(item, text)| {
            format!(
                "{{\"item\":\"{item}\",\"system\":\"s\",\"output\":\"{text}\",\"references\":[\"r\"]}}\n"
            )
        };
        let rows: String = texts.into_iter().enumerate().map(row).collect();
        std::fs::write(folder.join("outputs.jsonl"), rows).unwrap();
    }

    fn opened(folder: &Path, cache: &Cache, settled: Duration) -> (Vec<String>, Option<String>) {
        let dataset = Dataset::open(folder, &[]).unwrap();
        let (index, digests, error) = open_if(&dataset, Some(cache), 1, settled).unwrap();
        assert_eq!(digests, dataset.digests().unwrap());
        let fresh = Index::build(&dataset).unwrap();
        let groups = |index: &Index| index.all().collect::<Result<Vec<_>>>().unwrap();
        assert_eq!(groups(&index), groups(&fresh));
        assert_eq!(index.systems(), fresh.systems());
        assert_eq!((index.references(), index.tables.len()), ((1, 1), 1));
        assert_eq!((index.rows, index.items()), (fresh.rows, 2));
        assert_eq!(index.position("1").unwrap(), Some(1));
        let texts = groups(&index)
            .into_iter()
            .map(|group| group.outputs[0].text.clone());
        (texts.collect(), error.map(|error| error.to_string()))
    }

    const AT_ONCE: Duration = Duration::ZERO;

    #[test]
    fn what_is_kept_is_what_is_made() {
        let (folder, cache) = dataset_and_cache();
        let first = opened(folder.path(), &cache, AT_ONCE);
        let [name] = cache.names_with_prefix("").try_into().unwrap();
        assert_eq!(opened(folder.path(), &cache, AT_ONCE), first);
        assert_eq!(cache.names_with_prefix(""), std::slice::from_ref(&name));
        // The cache is read: another index under this name is returned as it is.
        let dataset = Dataset::open(folder.path(), &[]).unwrap();
        let other = tempfile::tempdir().unwrap();
        outputs(other.path(), ["own", "owt"]);
        let other = Dataset::open(other.path(), &[]).unwrap();
        keep(&cache, &name, &Index::build(&other).unwrap()).unwrap();
        let (index, ..) = open_if(&dataset, Some(&cache), 1, AT_ONCE).unwrap();
        assert_eq!(index.all().next().unwrap().unwrap().outputs[0].text, "own");
    }

    #[test]
    fn a_change_of_the_same_size_at_the_same_time_is_another_data_set() {
        let (folder, cache) = dataset_and_cache();
        let file = folder.path().join("outputs.jsonl");
        let (texts, _) = opened(folder.path(), &cache, AT_ONCE);
        let time = file.metadata().unwrap().modified().unwrap();
        outputs(folder.path(), ["eno", "two"]);
        let handle = File::options().write(true).open(&file).unwrap();
        handle.set_modified(time).unwrap();
        let (changed, _) = opened(folder.path(), &cache, AT_ONCE);
        assert_eq!((texts[0].as_str(), changed[0].as_str()), ("one", "eno"));
        assert_eq!(cache.names_with_prefix("").len(), 2);
    }

    #[test]
    fn what_was_just_written_is_not_kept() {
        let (folder, cache) = dataset_and_cache();
        opened(folder.path(), &cache, Duration::from_hours(1));
        assert!(cache.names_with_prefix("").is_empty());
    }

    #[test]
    fn a_damaged_one_is_told_and_made_again() {
        let (folder, cache) = dataset_and_cache();
        let (texts, _) = opened(folder.path(), &cache, AT_ONCE);
        let path = folder
            .path()
            .join("cache")
            .join(&cache.names_with_prefix("")[0]);
        let whole = std::fs::read(&path).unwrap();
        for at in [0, CHECKSUM, CHECKSUM + 9, whole.len() - 3] {
            let mut damaged = whole.clone();
            damaged[at] ^= 4;
            std::fs::write(&path, damaged).unwrap();
            let (found, error) = opened(folder.path(), &cache, AT_ONCE);
            assert_eq!((&found, error.unwrap().contains("damaged")), (&texts, true));
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
        for length in [0, 10, CHECKSUM + 8, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (found, error) = opened(folder.path(), &cache, AT_ONCE);
            assert_eq!((&found, error.is_some()), (&texts, true));
        }
    }

    #[test]
    fn a_place_that_cannot_be_written_is_told_and_no_mistake_of_the_data() {
        let (folder, _) = dataset_and_cache();
        let cache = Cache::new(folder.path().join("outputs.jsonl").join("cache"), 1 << 20);
        let (texts, error) = opened(folder.path(), &cache, AT_ONCE);
        assert_eq!((texts.len(), error.is_some()), (2, true));
    }

    #[test]
    fn a_small_data_set_is_not_kept_nor_one_that_is_temporary() {
        let (folder, cache) = dataset_and_cache();
        let dataset = Dataset::open(folder.path(), &[]).unwrap();
        open_if(&dataset, Some(&cache), 1 << 20, AT_ONCE).unwrap();
        let held = crate::records::InputTable::Lines(
            "{\"item\":\"1\",\"system\":\"s\",\"output\":\"x\"}\n".to_string(),
        );
        let dataset = Dataset::of_tables(&[(Kind::Outputs, held)], &[]).unwrap();
        open_if(&dataset, Some(&cache), 1, AT_ONCE).unwrap();
        assert!(cache.names_with_prefix("").is_empty());
    }
}
