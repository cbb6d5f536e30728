//! An object of JSON as a line that ends with a digest of it, so that a line that was changed or torn is noticed.

use sha2::{Digest, Sha256};

const END: &str = "\"}";

/// Hexadecimal digits of a digest: 64 bits.
const DIGITS: usize = 16;

/// A sealed line, with its digest.
#[non_exhaustive]
pub struct SealedLine {
    /// The line, the digest in it.
    pub line: String,
    /// The digest of the object and of what came before.
    pub digest: String,
}

/// Seals an object under a key that it does not have; `before` is what the digest covers beside it.
pub fn seal(object: &str, key: &str, before: &str) -> SealedLine {
    let digest = digest(before, object.as_bytes());
    let open = object.strip_suffix('}').unwrap_or(object);
    let line = format!("{open}{}{digest}{END}", opening(key));
    SealedLine { line, digest }
}

/// Returns the object of a line and its digest; `None` where it is not what was sealed.
pub fn open(line: &[u8], key: &str, before: &str) -> Option<(Vec<u8>, String)> {
    let open = line.strip_suffix(END.as_bytes())?;
    let (open, found) = open.split_at_checked(open.len().checked_sub(DIGITS)?)?;
    let object = [open.strip_suffix(opening(key).as_bytes())?, b"}"].concat();
    let digest = digest(before, &object);
    (digest.as_bytes() == found).then_some((object, digest))
}

fn opening(key: &str) -> String {
    format!(",\"{key}\":\"")
}

fn digest(before: &str, object: &[u8]) -> String {
    let hash = Sha256::new().chain_update(before).chain_update(object);
    let mut digest = format!("{:x}", hash.finalize());
    digest.truncate(DIGITS);
    digest
}
