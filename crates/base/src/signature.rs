//! Signatures, which say what produced a number: ordered key:value pairs, as in sacrebleu.
//!
//! Two numbers may be compared when their signatures are equal. A signature names every parameter
//! that can change the number, and a version of its own that is raised when the numbers change.

use std::fmt;

/// A signature, shown as `chrf|nrefs:1|case:mixed|…|version:1`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Signature {
    name: String,
    fields: Vec<(String, String)>,
}

impl Signature {
    /// The signature of the thing called `name`, still without parameters.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            fields: Vec::new(),
        }
    }

    /// Adds a parameter.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl fmt::Display) -> Self {
        self.fields.push((key.to_string(), value.to_string()));
        self
    }

    /// Adds a parameter at the front: one known only with the data (`nrefs`).
    #[must_use]
    pub fn with_first(mut self, key: &str, value: impl fmt::Display) -> Self {
        self.fields.insert(0, (key.to_string(), value.to_string()));
        self
    }

    /// The name of what produced the number.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The parameters, in order.
    pub fn fields(&self) -> &[(String, String)] {
        &self.fields
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (key, value) in &self.fields {
            write!(f, "|{key}:{value}")?;
        }
        Ok(())
    }
}

/// Writes a flag as sacrebleu's signatures do: `yes` or `no`.
pub fn yes_no(flag: bool) -> &'static str {
    if flag { "yes" } else { "no" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_like_sacrebleus() {
        let signature = Signature::new("chrf")
            .with("case", "mixed")
            .with("nc", 6)
            .with_first("nrefs", 1);
        assert_eq!(signature.to_string(), "chrf|nrefs:1|case:mixed|nc:6");
    }
}
