//! The extension module `tiebreak._native`: the part of the crate `tiebreak` that Python calls.
//!
//! It has no logic of its own: it turns arguments into keys and record batches, and results into tables and JSON.
//! The Python files in `package/` have the names, signatures and documentation that people see.

// What Python gives is made into values.
#![allow(clippy::needless_pass_by_value)]

mod campaign;
mod data;
mod errors;
mod given;
mod judged;
mod kernels;
mod metric;
mod program;
mod progress;
mod race;
mod table;
mod votes;
mod work;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::campaign::Session;
    #[pymodule_export]
    use crate::data::Data;
    #[pymodule_export]
    use crate::judged::{dawid_skene, estimate_mean, estimate_scores, krippendorff_alpha, rank};
    #[pymodule_export]
    use crate::kernels::{Predictor, Scorer, merge_counts};
    #[pymodule_export]
    use crate::metric::{BleuFormula, Metric, ter_of_statistics};
    #[pymodule_export]
    use crate::program::{command, commands, main};
    #[pymodule_export]
    use crate::race::Race;
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::votes::{Numbers, cell_weights, cells, elo, number};

    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
