//! Random numbers that cannot be guessed, for links and keys: the only use of the system's generator, since whoever
//! knows the seed could compute what is made from it. No result depends on them.

use crate::error::{Error, Result};

/// Bytes of a token.
const BYTES: usize = 16;

/// Returns a new token of 128 random bits, in hexadecimal digits.
///
/// # Errors
/// If the system has no random numbers.
pub fn token() -> Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|source| Error::failed(format!("the system has no random numbers: {source}")))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}
