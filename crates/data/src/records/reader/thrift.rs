//! A part of Thrift's compact protocol, enough to inspect a Parquet file before its library does.

/// A reader of bytes from front to back; `None` where they end too early or are invalid.
pub(super) struct CompactThriftReader<'a>(pub &'a [u8]);

/// Kinds of values.
pub(super) const I32: u8 = 5;
pub(super) const LIST: u8 = 9;
pub(super) const STRUCT: u8 = 12;

/// Deepest nesting of structs that are skipped.
const DEEP: u32 = 16;

impl CompactThriftReader<'_> {
    /// Reads the fields of a struct, up to its end. `each` gets the number and the kind of a field, and
    /// reads its value or skips it.
    pub(super) fn fields(
        &mut self,
        mut each: impl FnMut(&mut Self, i64, u8) -> Option<()>,
    ) -> Option<()> {
        let mut number = 0_i64;
        loop {
            let head = self.byte()?;
            let kind = head & 0xf;
            if kind == 0 {
                return Some(());
            }
            number = match head >> 4 {
                0 => self.integer()?,
                more => number.checked_add(i64::from(more))?,
            };
            each(self, number, kind)?;
        }
    }

    /// Reads the header of a list: the number and the kind of its elements.
    pub(super) fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.varint()?,
            few => u64::from(few),
        };
        Some((count, head & 0xf))
    }

    pub(super) fn integer(&mut self) -> Option<i64> {
        let number = self.varint()?;
        // Zigzag: the sign is the lowest bit.
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Skips a value.
    pub(super) fn skip(&mut self, kind: u8) -> Option<()> {
        self.skip_within(kind, DEEP)
    }

    fn skip_within(&mut self, kind: u8, deep: u32) -> Option<()> {
        let deep = deep.checked_sub(1)?;
        match kind {
            // The kind of a truth value is its value.
            1 | 2 => Some(()),
            3 => self.byte().map(drop),
            4..=6 => self.varint().map(drop),
            7 => self.bytes(8),
            8 => {
                let length = self.varint()?;
                self.bytes(length)
            }
            LIST | 10 => {
                let (count, kind) = self.list()?;
                (0..count).try_for_each(|_| self.skip_element(kind, deep))
            }
            11 => {
                let count = self.varint()?;
                let kinds = if count == 0 { 0 } else { self.byte()? };
                (0..count).try_for_each(|_| {
                    self.skip_element(kinds >> 4, deep)?;
                    self.skip_element(kinds & 0xf, deep)
                })
            }
            STRUCT => self.fields(|rest, _, kind| rest.skip_within(kind, deep)),
            _ => None,
        }
    }

    fn skip_element(&mut self, kind: u8, deep: u32) -> Option<()> {
        match kind {
            1 | 2 => self.byte().map(drop),
            kind => self.skip_within(kind, deep),
        }
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    fn bytes(&mut self, count: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(count).ok()?..)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_kind_are_passed_over() {
        // true, byte, i64, double, text, list of two truths, map from i32 to text, struct; then 7 under number 20.
        let bytes = [
            0x11, 0x13, 9, 0x16, 0x80, 1, 0x17, 0, 0, 0, 0, 0, 0, 0, 0, 0x18, 2, b'a', b'b', 0x19,
            0x21, 1, 2, 0x1b, 1, 0x58, 4, 1, b'x', 0x1c, 0x15, 2, 0, 0x05, 40, 14, 0,
        ];
        let mut found = Vec::new();
        let mut compact = CompactThriftReader(&bytes);
        let whole = compact.fields(|rest, number, kind| match number {
            20 => rest.integer().map(|value| found.push((number, value))),
            _ => rest.skip(kind),
        });
        assert_eq!(
            (whole, found, compact.0.len()),
            (Some(()), vec![(20, 7)], 0)
        );
    }

    #[test]
    fn what_ends_too_early_or_goes_too_deep_is_none() {
        for bytes in [
            &[][..],
            &[0x18, 5, 1],
            &[0x19, 0xf5, 0xff, 0xff],
            &[0x1f, 0],
        ] {
            assert_eq!(CompactThriftReader(bytes).skip(STRUCT), None);
        }
        assert_eq!(CompactThriftReader(&[0x1c; 1000]).skip(STRUCT), None);
    }
}
