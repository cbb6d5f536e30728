//! An upper bound on the length of an LZ4 frame's contents, from the headers of its blocks alone.
//!
//! The frame is as the LZ4 Frame Format Description says: magic, descriptor, blocks, end mark. A byte of a
//! compressed block stands for 255 bytes at most.

const MAGIC: [u8; 4] = 0x184D_2204_u32.to_le_bytes();
const EXPANSION: u64 = 255;

/// Returns the most bytes that a frame can hold; `None` for anything but a frame.
pub(super) fn most(frame: &[u8]) -> Option<u64> {
    let (flags, rest) = frame.strip_prefix(&MAGIC)?.split_first()?;
    let (descriptor, rest) = rest.split_first()?;
    let has = |bit: u8| flags & (1 << bit) != 0;
    let largest = match (descriptor >> 4) & 7 {
        size @ 4..=7 => 1_u64 << (8 + 2 * size),
        _ => return None,
    };
    // The content size, the dictionary number and the checksum of the descriptor.
    let skipped = usize::from(has(3)) * 8 + usize::from(has(0)) * 4 + 1;
    let mut rest = rest.get(skipped..)?;
    let checksum = usize::from(has(4)) * 4;
    let mut most = 0;
    loop {
        let (size, blocks) = rest.split_first_chunk()?;
        let size = u32::from_le_bytes(*size);
        // The highest bit says that the block is not compressed.
        let length = size & 0x7fff_ffff;
        if size == 0 {
            return Some(most);
        }
        most += largest.min(u64::from(length) * EXPANSION);
        rest = blocks.get((length as usize).checked_add(checksum)?..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(flags: u8, blocks: &[(u32, usize)]) -> Vec<u8> {
        let mut frame = [&MAGIC[..], &[flags, 0x40, 0]].concat();
        for &(size, bytes) in blocks {
            frame.extend(size.to_le_bytes());
            frame.extend(vec![0; bytes]);
        }
        frame
    }

    #[test]
    fn blocks_are_counted_up_to_the_end_mark() {
        assert_eq!(most(&frame(0x60, &[(3, 3), (0, 0)])), Some(3 * 255));
        assert_eq!(
            most(&frame(0x60, &[(1000, 1000), (5, 5), (0, 9)])),
            Some(65536 + 5 * 255)
        );
        assert_eq!(
            most(&frame(0x70, &[(3, 7), (0x8000_0002, 6), (0, 0)])),
            Some(5 * 255)
        );
    }

    #[test]
    fn what_is_no_frame_has_no_length() {
        assert_eq!(most(b"LZ4"), None);
        assert_eq!(most(&frame(0x60, &[(3, 3)])), None);
        assert_eq!(most(&frame(0x60, &[(3, 2)])), None);
        assert_eq!(most(&frame(0x60, &[(u32::MAX, 2)])), None);
    }
}
