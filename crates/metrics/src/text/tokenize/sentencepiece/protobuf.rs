//! The fields of a message in the format of Protocol Buffers.

/// The value of a field.
#[derive(Debug, Clone, Copy)]
pub(super) enum Field<'a> {
    Number(u64),
    Float(f32),
    Bytes(&'a [u8]),
    /// Eight bytes, which no field of ours has.
    Wide,
}

/// The fields of a message: numbers and values, in the order of the file.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Field<'a>), &'static str>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field.ok_or("a field is cut off or of an unknown kind"))
    }
}

impl<'a> Fields<'a> {
    fn field(&mut self) -> Option<(u64, Field<'a>)> {
        let key = self.number()?;
        let value = match key & 7 {
            0 => Field::Number(self.number()?),
            1 => self.bytes(8).map(|_| Field::Wide)?,
            2 => {
                let length = usize::try_from(self.number()?).ok()?;
                Field::Bytes(self.bytes(length)?)
            }
            5 => Field::Float(f32::from_le_bytes(*self.bytes(4)?.first_chunk()?)),
            _ => return None,
        };
        Some((key >> 3, value))
    }

    fn bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// Seven bits a byte, the lowest first; the last byte has no upper bit.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.bytes(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}
