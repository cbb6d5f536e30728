//! Parallel work on the pieces of a stream, with results in order.

use rayon::prelude::*;
use std::mem::take as taken;
use tiebreak_base::error::Result;

/// Pieces in progress at a time, for each thread.
const EACH: usize = 8;
/// Most bytes of pieces in progress at a time, unless a single one has more.
const MOST: usize = 8 << 20;

/// The size of a piece.
pub(super) trait ByteSize {
    /// Returns the approximate size in bytes.
    fn bytes(&self) -> usize;
}

/// Works on every piece from `next`, several at a time, and passes the results to `take` in the order of
/// the pieces. Meanwhile earlier results are taken and later pieces are read.
///
/// # Errors
/// Those of `take`, and that of `next` once everything before it is taken.
pub(super) fn ordered<P: Send + ByteSize, R: Send>(
    mut next: impl FnMut() -> Result<Option<P>> + Send,
    work: impl Fn(P) -> R + Sync,
    mut take: impl FnMut(R) -> Result<()> + Send,
) -> Result<()> {
    let many = rayon::current_num_threads() * EACH;
    let mut end = None;
    let mut read = || {
        let (mut pieces, mut bytes) = (Vec::with_capacity(many), 0);
        while end.is_none() && pieces.len() < many && bytes < MOST {
            match next() {
                Ok(Some(piece)) => {
                    bytes += piece.bytes();
                    pieces.push(piece);
                }
                Ok(None) => end = Some(Ok(())),
                Err(error) => end = Some(Err(error)),
            }
        }
        pieces
    };
    let (mut pieces, mut results) = (read(), Vec::new());
    while !(pieces.is_empty() && results.is_empty()) {
        let (now, before) = (taken(&mut pieces), taken(&mut results));
        let around = || before.into_iter().try_for_each(&mut take).map(|()| read());
        let work = || now.into_par_iter().map(&work).collect();
        let (after, done) = rayon::join(around, work);
        (pieces, results) = (after?, done);
    }
    end.unwrap_or(Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_base::error::Error;

    impl ByteSize for u64 {
        fn bytes(&self) -> usize {
            1 << 20
        }
    }

    fn squares(numbers: u64, broken: Option<u64>) -> (Vec<u64>, Result<()>) {
        let mut given = 0..numbers;
        let next = || match given.next() {
            some if some == broken && broken.is_some() => Err(Error::failed("broken")),
            number => Ok(number),
        };
        let mut squares = Vec::new();
        let take = |square| {
            squares.push(square);
            Ok(())
        };
        let done = ordered(next, |number| number * number, take);
        (squares, done)
    }

    #[test]
    fn results_come_in_order() {
        for numbers in [0, 1, 2, 7, 1000] {
            let (found, done) = squares(numbers, None);
            assert!(done.is_ok());
            assert_eq!(found, (0..numbers).map(|n| n * n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_comes_after_everything_before_it() {
        for broken in [0, 1, 5, 50] {
            let (found, done) = squares(100, Some(broken));
            assert_eq!(
                (found.len() as u64, done.unwrap_err().to_string()),
                (broken, "broken".into())
            );
        }
    }

    #[test]
    fn the_first_error_of_taking_ends_it() {
        let mut given = 0..1000;
        let mut last = 0;
        let take = |number: u64| {
            last = number;
            if number == 3 {
                Err(Error::failed("three"))
            } else {
                Ok(())
            }
        };
        assert!(ordered(|| Ok(given.next()), |number| number, take).is_err());
        assert_eq!(last, 3);
    }
}
