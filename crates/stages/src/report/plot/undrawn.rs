//! Plots in a build without the feature `report`: nothing is drawn, and callers leave plots out.

#![allow(clippy::unnecessary_wraps)] // as where plots are drawn

use super::{Matrix, Plot};
use tiebreak_base::error::Result;

/// No drawing.
pub(crate) fn svg(_plot: &Plot) -> Result<Option<String>> {
    Ok(None)
}

/// No drawing.
pub(crate) fn figure(_plot: &Plot) -> Result<Option<String>> {
    Ok(None)
}

/// No drawing.
pub(crate) fn matrix_svg(_matrix: &Matrix) -> Result<Option<String>> {
    Ok(None)
}
