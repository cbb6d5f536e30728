//! What is done to a valid file.

use tiebreak::rng::Rng;

/// Numbers at which lengths go wrong.
const NUMBERS: [u64; 12] = [
    0,
    1,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_ffff,
];

/// What files are made of.
const WORDS: [&[u8]; 34] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b",",
    b";",
    b"\t",
    b"\n",
    b"\r\n",
    b":",
    b"=",
    b"null",
    b"true",
    b"-1",
    b"1e999",
    b"NaN",
    b"18446744073709551616",
    b"item",
    b"system",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"ARROW1",
    b"PAR1",
    b"\xff\xff\xff\xff\0\0\0\0",
    b"[[",
    b"''",
    b"../",
    b"\x1b[31m",
    b"\0",
];

/// A file that is `valid` but for one change or a few; `other` is another of its kind.
pub(super) fn mutated(valid: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = valid.to_vec();
    for _ in 0..=rng.below(4) {
        change(&mut bytes, other, rng);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let at = rng.below(bytes.len() + 1);
    let range = at..(at + rng.below(32)).min(bytes.len());
    match rng.below(9) {
        0 => flip(bytes, rng),
        1 => bytes.truncate(at),
        2 => drop(bytes.drain(range)),
        3 => {
            let piece = bytes[range].to_vec();
            insert(bytes, at, &piece.repeat(1 + rng.below(8)));
        }
        4 => {
            let start = rng.below(other.len() + 1);
            let end = (start + rng.below(200)).min(other.len());
            insert(bytes, at, &other[start..end]);
        }
        5 => insert(bytes, at, rng.choose::<&[u8]>(&WORDS)),
        6 => {
            let many = 1 << rng.below(15);
            insert(bytes, at, &rng.choose::<&[u8]>(&WORDS).repeat(many));
        }
        7 => {
            let number = rng.choose(&NUMBERS).to_le_bytes();
            let width = [1, 2, 4, 8][rng.below(4)];
            let end = (at + width).min(bytes.len());
            bytes.splice(at..end, number[..width].iter().copied());
        }
        _ => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = rng.next_u32() as u8;
            }
        }
    }
}

fn flip(bytes: &mut [u8], rng: &mut Rng) {
    if !bytes.is_empty() {
        let at = rng.below(bytes.len());
        bytes[at] ^= 1 << rng.below(8);
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}
