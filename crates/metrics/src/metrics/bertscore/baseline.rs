//! Baseline files of bert-score: what unrelated sentences score, layer by layer.

use crate::text::resource;
use std::path::Path;
use tiebreak_base::error::{Error, Location, Result};

/// The baselines of precision, recall and F at `layer`: the row of a file with the header
/// `LAYER,P,R,F` that begins with this layer.
///
/// # Errors
/// [`Error::Input`] if the file cannot be read or has no such layer, [`Error::Record`] for a row
/// that is not a layer and three numbers below 1.
pub(super) fn read(path: &Path, layer: usize) -> Result<[f64; 3]> {
    let text = resource::read(path).map_err(Error::reading(path))?;
    for (number, line) in (1..).zip(text.lines()).skip(1) {
        let bad = || {
            let what = format!("`{line}`, expected a layer and three numbers below 1");
            Error::record(Location::line(path, number), what)
                .with_hint("a baseline file begins with the line LAYER,P,R,F")
        };
        let mut cells = line.split(',').map(str::trim);
        let first = cells.next().and_then(|cell| cell.parse().ok());
        let values: Option<Vec<f64>> = cells.map(|cell| cell.parse().ok()).collect();
        let values = values.and_then(|values| <[f64; 3]>::try_from(values).ok());
        let values = values.filter(|values| values.iter().all(|&value| value < 1.0));
        let (found, values): (usize, _) = first.zip(values).ok_or_else(bad)?;
        if found == layer {
            return Ok(values);
        }
    }
    Err(
        Error::input(path, format!("has no baseline for layer {layer}"))
            .with_hint("choose another num-layers, or another model's baseline file"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn the_row_of_the_layer_is_found() {
        let file = file("LAYER,P,R,F\n0,0.1,0.2,0.15\n1,0.3,0.4,0.35\n");
        assert_eq!(read(file.path(), 1).unwrap(), [0.3, 0.4, 0.35]);
        let error = read(file.path(), 2).unwrap_err();
        assert!(error.to_string().contains("layer 2"), "{error}");
    }

    #[test]
    fn a_bad_row_is_named_with_its_line() {
        for row in [
            "0,0.1,0.2",
            "0,0.1,0.2,1.5",
            "x,0.1,0.2,0.3",
            "0,0.1,0.2,NaN",
        ] {
            let file = file(&format!("LAYER,P,R,F\n{row}\n"));
            let error = read(file.path(), 0).unwrap_err().to_string();
            assert!(error.contains(":2") && error.contains(row), "{error}");
        }
    }
}
