//! Cuts a line into words by a dictionary of MeCab, as MeCab 0.996 and mecab-ko 0.9.2 do with `-Owakati`.
//!
//! Source: T. Kudo, K. Yamamoto and Y. Matsumoto, "Applying conditional random fields to Japanese morphological analysis",
//! EMNLP 2004. Every word has a cost, and so has every pair of classes of neighbours; the cheapest way through the line
//! wins. Characters that no word holds are grouped by class. `sys.dic`, `unk.dic`, `matrix.bin` and `char.bin` are read as
//! MeCab writes them for UTF-8. mecab-ko's `dicrc` makes some words dearer after a space.
//!
//! A line ends at a zero byte, as there.

use crate::text::whitespace;
use std::ops::Range;
use std::path::Path;
use tiebreak_base::error::{Error, Result};
use tiebreak_base::limits::{Part, file_bytes};

/// The number that the first one of a dictionary is mixed with.
const MAGIC: u32 = 0xef71_8f77;
const VERSION: u32 = 102;
/// The bytes before a dictionary's double array.
const HEADER: usize = 72;
/// The longest name of a class of characters.
const NAME: usize = 32;
/// Groups of more characters of one class than this besides the first are no words.
const MOST_GROUPED: usize = 24;

/// A word as the lattice needs it.
#[derive(Debug, Clone, Copy)]
struct Word {
    /// The class that its left neighbour sees, and the right one.
    left: u16,
    right: u16,
    part_of_speech: u16,
    cost: i16,
}

/// Texts and their words.
#[derive(Debug)]
struct MecabWords {
    /// A double array: bases, and the base that leads to a place.
    units: Vec<(i32, u32)>,
    words: Vec<Word>,
}

/// What MeCab knows of a character.
#[derive(Debug, Clone, Copy)]
struct Class {
    /// The classes it is of, a bit each.
    kinds: u32,
    /// The class whose unknown words it begins.
    default: u8,
    /// The most characters of an unknown word.
    length: usize,
    /// Whether all neighbours of its kind are one unknown word.
    is_grouped: bool,
    /// Whether there are unknown words even where there are known ones.
    is_always_unknown: bool,
}

/// A dictionary with its costs.
#[derive(Debug)]
pub(crate) struct Dictionary {
    known: MecabWords,
    unknown: MecabWords,
    /// By class of characters, its words in `unknown`.
    of_class: Vec<Range<usize>>,
    /// By code point of the first plane.
    classes: Vec<u32>,
    matrix: Vec<i16>,
    /// The number of classes that a right neighbour sees.
    width: usize,
    /// What words of a part of speech cost more after a space.
    after_space: Vec<(u16, i16)>,
}

impl Dictionary {
    /// Opens the folder of a dictionary.
    pub(crate) fn open(folder: &Path) -> Result<Self> {
        let read = |name: &str| {
            let path = folder.join(name);
            file_bytes(&path, Part::Batch).map_err(Error::reading(&path))
        };
        let broken = |name: &str| {
            let what = "is no file of MeCab 0.996 for UTF-8, or is cut off";
            Error::input(folder.join(name), what)
        };
        let lexicon = |name: &str| MecabWords::parse(&read(name)?).ok_or_else(|| broken(name));
        let (known, sizes) = lexicon("sys.dic")?;
        let (unknown, sizes_of_unknown) = lexicon("unk.dic")?;
        let matrix = matrix(&read("matrix.bin")?, sizes).ok_or_else(|| broken("matrix.bin"))?;
        if sizes_of_unknown != sizes {
            return Err(broken("unk.dic"));
        }
        let (names, classes) = characters(&read("char.bin")?).ok_or_else(|| broken("char.bin"))?;
        let of_class = names.iter().map(|name| {
            let mut words = 0..0;
            unknown.prefixes(name, |length, found| {
                if length == name.len() {
                    words = found;
                }
            });
            words
        });
        let of_class = of_class.collect();
        let settings = read("dicrc")?;
        Ok(Self {
            known,
            unknown,
            of_class,
            classes,
            matrix,
            width: sizes.0,
            after_space: after_space(&String::from_utf8_lossy(&settings)),
        })
    }
}

impl MecabWords {
    /// The words of a file, and how many classes a right and a left neighbour see.
    fn parse(bytes: &[u8]) -> Option<(Self, (usize, usize))> {
        let (numbers, _) = bytes.get(..HEADER)?.as_chunks();
        let number = |at: usize| u32::from_le_bytes(numbers[at]);
        let size = |at: usize| number(at) as usize;
        let charset = bytes[HEADER - NAME..HEADER].to_ascii_lowercase();
        let is_utf8 = charset.starts_with(b"utf8\0") || charset.starts_with(b"utf-8\0");
        if number(0) ^ MAGIC != bytes.len() as u32 || number(1) != VERSION || !is_utf8 {
            return None;
        }
        let (units, rest) = bytes[HEADER..].split_at_checked(size(6))?;
        let words = rest.get(..size(7))?;
        let (units, _) = units.as_chunks::<8>();
        let units = units.iter().map(|unit| {
            let (base, check) = (unit.first_chunk(), unit.last_chunk());
            let [base, check] = [base, check].map(|part| *part.unwrap_or(&[0; 4]));
            (i32::from_le_bytes(base), u32::from_le_bytes(check))
        });
        let (words, _) = words.as_chunks::<16>();
        let words = words.iter().map(|word| {
            let part = |at: usize| u16::from_le_bytes([word[at], word[at + 1]]);
            Word {
                left: part(0),
                right: part(2),
                part_of_speech: part(4),
                cost: part(6) as i16,
            }
        });
        let lexicon = Self {
            units: units.collect(),
            words: words.collect(),
        };
        let (width, height) = (size(4), size(5));
        let fits = |word: &Word| usize::from(word.right) < width && usize::from(word.left) < height;
        lexicon
            .words
            .iter()
            .all(fits)
            .then_some((lexicon, (width, height)))
    }

    /// Calls `emit` with the length of each text that `bytes` begin with, the shortest first, and where its words are.
    fn prefixes(&self, bytes: &[u8], mut emit: impl FnMut(usize, Range<usize>)) {
        let unit = |at: i32| usize::try_from(at).ok().and_then(|at| self.units.get(at));
        let Some((mut base, _)) = self.units.first().copied() else {
            return;
        };
        for length in 0..=bytes.len() {
            if let Some((value, check)) = unit(base)
                && *value < 0
                && *check == base as u32
            {
                // The place of the first word, and in the last byte their number.
                let value = -(i64::from(*value) + 1) as usize;
                let words = value >> 8..(value >> 8) + (value & 0xff);
                if words.end <= self.words.len() {
                    emit(length, words);
                }
            }
            let Some(byte) = bytes.get(length) else {
                return;
            };
            match unit(base.wrapping_add(i32::from(*byte) + 1)) {
                Some((next, check)) if *check == base as u32 => base = *next,
                _ => return,
            }
        }
    }
}

/// The costs of neighbours: two sizes, and a row for each class that a left neighbour sees.
fn matrix(bytes: &[u8], (width, height): (usize, usize)) -> Option<Vec<i16>> {
    let (costs, rest) = bytes.as_chunks();
    let number = |cost: &[u8; 2]| i16::from_le_bytes(*cost);
    let (sizes, costs) = costs.split_at_checked(2)?;
    let size = |at: usize| usize::from(number(&sizes[at]) as u16);
    let is_whole = (size(0), size(1)) == (width, height) && costs.len() == width * height;
    // The ends of a line are of the first classes.
    (is_whole && rest.is_empty() && !costs.is_empty()).then(|| costs.iter().map(number).collect())
}

/// The names of classes, and the class of each code point of the first plane.
fn characters(bytes: &[u8]) -> Option<(Vec<Vec<u8>>, Vec<u32>)> {
    let (count, rest) = bytes.split_first_chunk()?;
    let count = u32::from_le_bytes(*count) as usize;
    let (names, classes) = rest.split_at_checked(count.checked_mul(NAME)?)?;
    let name = |name: &[u8]| {
        name.split(|byte| *byte == 0)
            .next()
            .unwrap_or_default()
            .to_vec()
    };
    let names = names.chunks_exact(NAME).map(name).collect();
    let (classes, rest) = classes.as_chunks();
    let is_whole = classes.len() == 0xffff && rest.is_empty();
    let number = |class: &[u8; 4]| u32::from_le_bytes(*class);
    // MeCab reads the last one behind the file, where there are zeros.
    let classes = classes.iter().map(number).chain([0]);
    is_whole.then(|| (names, classes.collect()))
}

/// mecab-ko's costs of parts of speech after a space: pairs of numbers.
fn after_space(settings: &str) -> Vec<(u16, i16)> {
    let value = settings.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "left-space-penalty-factor").then_some(value)
    });
    let numbers = value.unwrap_or_default().split(',');
    let numbers: Vec<i16> = numbers.map_while(|one| one.trim().parse().ok()).collect();
    let (pairs, _) = numbers.as_chunks();
    pairs
        .iter()
        .map(|[part, cost]| (*part as u16, *cost))
        .collect()
}

/// A word at its place in a line.
#[derive(Debug, Clone, Copy, Default)]
struct PlacedWord {
    start: usize,
    end: usize,
    right: u16,
    /// Of the cheapest way that ends with it.
    cost: i64,
    before: usize,
    /// The node that ends at the same place and was found before it.
    beside: Option<usize>,
}

impl Dictionary {
    /// The number of words that it knows.
    pub(crate) fn len(&self) -> usize {
        self.known.words.len()
    }

    fn class(&self, c: char) -> Class {
        let bits = self
            .classes
            .get(c as usize)
            .or_else(|| self.classes.first());
        let bits = bits.copied().unwrap_or_default();
        Class {
            kinds: bits & 0x3_ffff,
            default: (bits >> 18) as u8,
            length: (bits >> 26 & 15) as usize,
            is_grouped: bits >> 30 & 1 == 1,
            is_always_unknown: bits >> 31 == 1,
        }
    }

    /// Calls `emit` with each token of `line`: its words, cut where they hold white space.
    pub(crate) fn tokens(&self, line: &str, mut emit: impl FnMut(&str)) {
        let line = whitespace::trim(line);
        let line = line.split('\0').next().unwrap_or_default();
        let mut nodes = vec![PlacedWord::default()];
        // By place, the node that ends there and was found last.
        let mut ending = vec![None; line.len() + 1];
        ending[0] = Some(0);
        let mut found = Vec::new();
        for at in 0..line.len() {
            if ending[at].is_none() {
                continue;
            }
            found.clear();
            let start = self.words_at(line, at, &mut found);
            // The last word comes first, as it does among equally cheap ways in MeCab.
            for &(end, word) in found.iter().rev() {
                let mut cost = i64::from(word.cost);
                if start > at {
                    let dearer = self.after_space.iter();
                    let mut dearer = dearer.filter(|(part, _)| *part == word.part_of_speech);
                    cost += dearer.next().map_or(0, |(_, cost)| i64::from(*cost));
                }
                let (before, least) = self.cheapest(&nodes, ending[at], word.left);
                nodes.push(PlacedWord {
                    start,
                    end,
                    right: word.right,
                    cost: least + cost,
                    before,
                    beside: ending[end],
                });
                ending[end] = Some(nodes.len() - 1);
            }
        }
        let last = ending.iter().rev().find_map(|last| *last);
        let (mut at, _) = self.cheapest(&nodes, last, 0);
        let mut words = Vec::new();
        while at > 0 {
            words.push(nodes[at].start..nodes[at].end);
            at = nodes[at].before;
        }
        for word in words.into_iter().rev() {
            whitespace::words(&line[word]).for_each(&mut emit);
        }
    }

    /// The cheapest of the nodes that end at a place, before a word of the class `left`, and the cost up to that word.
    fn cheapest(&self, nodes: &[PlacedWord], last: Option<usize>, left: u16) -> (usize, i64) {
        let row = &self.matrix[usize::from(left) * self.width..][..self.width];
        let mut best = (0, i64::MAX);
        let mut next = last;
        while let Some(at) = next {
            let node = &nodes[at];
            let cost = node.cost + i64::from(row[usize::from(node.right)]);
            if cost < best.1 {
                best = (at, cost);
            }
            next = node.beside;
        }
        best
    }

    /// Adds the ends and words of all words that begin at a place or behind the spaces there; returns where.
    fn words_at(&self, line: &str, at: usize, found: &mut Vec<(usize, Word)>) -> usize {
        let space = self.class(' ');
        let (start, _) = self.same_kind(line, at, space, usize::MAX);
        let Some(first) = line[start..].chars().next() else {
            return start;
        };
        self.known
            .prefixes(&line.as_bytes()[start..], |length, words| {
                let end = start + length;
                // Only a broken dictionary has words that end within a character.
                if length > 0 && line.is_char_boundary(end) {
                    let words = self.known.words[words].iter();
                    found.extend(words.map(|word| (end, *word)));
                }
            });
        let class = self.class(first);
        if !found.is_empty() && !class.is_always_unknown {
            return start;
        }
        let of_class = self.of_class.get(usize::from(class.default));
        let unknown = &self.unknown.words[of_class.cloned().unwrap_or_default()];
        let mut add = |end: usize| found.extend(unknown.iter().map(|word| (end, *word)));
        let mut end = start + first.len_utf8();
        let mut group = None;
        if class.is_grouped {
            // Where a group is too long its end is too far away for what follows.
            let (far, count) = self.same_kind(line, end, class, MOST_GROUPED + 1);
            if count <= MOST_GROUPED {
                add(far);
                group = Some(far);
            }
        }
        for _ in 0..class.length {
            if group == Some(end) {
                continue;
            }
            add(end);
            match line[end..].chars().next() {
                Some(next) if self.class(next).kinds & class.kinds != 0 => end += next.len_utf8(),
                _ => break,
            }
        }
        if found.is_empty() {
            found.extend(unknown.iter().map(|word| (end, *word)));
        }
        start
    }

    /// The end of the characters that are of a kind with the one before each of them, and their number, at most `most`.
    fn same_kind(&self, line: &str, from: usize, mut class: Class, most: usize) -> (usize, usize) {
        let (mut end, mut count) = (from, 0);
        for next in line[from..].chars().take(most) {
            let other = self.class(next);
            if other.kinds & class.kinds == 0 {
                break;
            }
            (end, count, class) = (end + next.len_utf8(), count + 1, other);
        }
        (end, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tiebreak_base::rng::Seed;

    /// A double array of texts with one word each: every node has a block of its own.
    fn double_array(texts: &[&str]) -> Vec<u8> {
        const BLOCK: usize = 260;
        let mut nodes: Vec<&[u8]> = vec![&[]];
        for text in texts {
            let beginnings = (1..=text.len()).map(|length| &text.as_bytes()[..length]);
            nodes.extend(beginnings);
        }
        nodes.sort_unstable();
        nodes.dedup();
        let base = |node: &[u8]| 1 + BLOCK * nodes.binary_search(&node).unwrap();
        let mut units = vec![(0, 0); 1 + BLOCK * nodes.len()];
        units[0].0 = base(&[]) as i32;
        for node in &nodes {
            if let Some((last, parent)) = node.split_last() {
                let parent = base(parent);
                units[parent + usize::from(*last) + 1] = (base(node) as i32, parent as u32);
            }
            let word = texts.iter().position(|text| text.as_bytes() == *node);
            if let Some(word) = word {
                units[base(node)] = (-((word << 8 | 1) as i32) - 1, base(node) as u32);
            }
        }
        let bytes = |(base, check): (i32, u32)| [base.to_le_bytes(), check.to_le_bytes()].concat();
        units.into_iter().flat_map(bytes).collect()
    }

    /// A dictionary of texts with their costs and parts of speech, all of one class of neighbours.
    fn lexicon(words: &[(&str, i16, u16)]) -> Vec<u8> {
        let texts: Vec<&str> = words.iter().map(|word| word.0).collect();
        let array = double_array(&texts);
        let tokens = words.iter().flat_map(|(_, cost, part)| {
            let mut token = [0; 16];
            token[4..6].copy_from_slice(&part.to_le_bytes());
            token[6..8].copy_from_slice(&cost.to_le_bytes());
            token
        });
        let tokens: Vec<u8> = tokens.collect();
        let length = HEADER + array.len() + tokens.len();
        let sizes = [array.len(), tokens.len(), 0, 0].map(|size| size as u32);
        let head = [MAGIC ^ length as u32, VERSION, 0, words.len() as u32, 1, 1];
        let mut bytes: Vec<u8> = head
            .iter()
            .chain(&sizes)
            .flat_map(|n| n.to_le_bytes())
            .collect();
        bytes.extend(b"UTF-8");
        bytes.resize(HEADER, 0);
        bytes.extend(array);
        bytes.extend(tokens);
        bytes
    }

    /// Letters are grouped, everything else is a word of one character.
    fn files() -> [(&'static str, Vec<u8>); 5] {
        let words = [
            ("ab", 10, 0),
            ("abc", 15, 0),
            ("c", 10, 7),
            ("cd", 45, 0),
            ("d", 20, 0),
            ("x", 90, 0),
            ("日", 5, 0),
        ];
        let mut characters = 3_u32.to_le_bytes().to_vec();
        for name in ["DEFAULT", "SPACE", "LETTER"] {
            characters.extend(
                name.bytes()
                    .chain(std::iter::repeat_n(0, NAME - name.len())),
            );
        }
        for code in 0..0xffff_u32 {
            let class: u32 = match char::from_u32(code) {
                Some(' ') => 0b010 | 1 << 18,
                Some('a'..='z') => 0b100 | 2 << 18 | 1 << 30,
                _ => 0b001 | 1 << 26,
            };
            characters.extend(class.to_le_bytes());
        }
        let unknown = [("DEFAULT", 50, 0), ("LETTER", 40, 0), ("SPACE", 50, 0)];
        [
            ("sys.dic", lexicon(&words)),
            ("unk.dic", lexicon(&unknown)),
            (
                "matrix.bin",
                [1_u16, 1, 0].iter().flat_map(|n| n.to_le_bytes()).collect(),
            ),
            ("char.bin", characters),
            (
                "dicrc",
                b"cost-factor = 1\nleft-space-penalty-factor = 7,30\n".to_vec(),
            ),
        ]
    }

    fn tokens(dictionary: &Dictionary, line: &str) -> String {
        let mut tokens = Vec::new();
        dictionary.tokens(line, |token| tokens.push(token.to_string()));
        tokens.join("|")
    }

    #[test]
    fn the_cheapest_way_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in files() {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        let dictionary = Dictionary::open(folder.path()).unwrap();
        assert_eq!(dictionary.len(), 7);
        for (line, expected) in [
            ("abc", "abc"),
            ("ab c abc", "ab|c|abc"),
            ("日日  qrs!本", "日|日|qrs|!|本"),
            // What a known word begins is not grouped; too long a group begins with a letter of its own.
            ("xyz", "x|yz"),
            (&"q".repeat(26), &format!("q|{}", "q".repeat(25))),
            // A part of speech that is dear after a space.
            ("xcd", "x|c|d"),
            ("x cd", "x|cd"),
            (" 日\0ab", "日"),
            ("", ""),
        ] {
            assert_eq!(tokens(&dictionary, line), expected, "{line:?}");
        }
    }

    #[test]
    fn a_broken_dictionary_is_refused_or_read() {
        let folder = tempfile::tempdir().unwrap();
        let files = files();
        for (name, bytes) in &files {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        let mut rng = Seed(1).stream("test", 0);
        for (name, bytes) in &files {
            let path = folder.path().join(name);
            let mut refused = 0;
            for round in 0..150 {
                let mut broken = bytes.clone();
                for _ in 0..=rng.below(4) {
                    // Mostly the beginning: most of a double array is empty.
                    let at = rng.below(if round % 2 == 0 {
                        120.min(broken.len())
                    } else {
                        broken.len()
                    });
                    broken[at] = rng.below(256) as u8;
                }
                if round % 5 == 0 {
                    broken.truncate(rng.below(broken.len()));
                }
                fs::write(&path, &broken).unwrap();
                match Dictionary::open(folder.path()) {
                    Ok(dictionary) => drop(tokens(&dictionary, "ab c 日本 xyz q\u{ffff}😀")),
                    Err(_) => refused += 1,
                }
            }
            assert!(refused > 0 || *name == "dicrc", "{name}");
            fs::write(&path, bytes).unwrap();
        }
    }
}
