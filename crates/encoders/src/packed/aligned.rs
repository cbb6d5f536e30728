//! Floats that begin at the start of a cache line.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line.
const LINE: usize = 64;

/// Floats whose first lies at the start of a cache line, so that a vector as long as a line is
/// read in one go.
#[derive(Debug, Default)]
pub(crate) struct AlignedFloats {
    data: Vec<f32>,
    start: usize,
    len: usize,
}

impl AlignedFloats {
    /// Changes the length; the contents are then meaningless until written. Memory never grows
    /// beyond the largest length so far.
    pub(super) fn resize(&mut self, len: usize) {
        let room = len + LINE / size_of::<f32>();
        if self.data.len() < room {
            self.data = vec![0.0; room];
            self.start = self.data.as_ptr().align_offset(LINE);
        }
        self.len = len;
    }
}

impl Deref for AlignedFloats {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.data[self.start..][..self.len]
    }
}

impl DerefMut for AlignedFloats {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.data[self.start..][..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_length_it_begins_a_line() {
        let mut floats = AlignedFloats::default();
        for len in [1, 7, 5, 1000, 3, 1001] {
            floats.resize(len);
            floats.fill(1.0);
            assert_eq!(floats.len(), len);
            assert!(floats.as_ptr().addr().is_multiple_of(LINE));
        }
    }
}
