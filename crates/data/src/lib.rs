//! Input data sets, the file formats of other tools, and stored tables.
//!
//! Begin with [`records`]. A [`Dataset`](records::Dataset) is a folder of tables. An [`Index`](records::Index)
//! checks them and joins them by item; [`DatasetSummary`](records::DatasetSummary) summarizes them. [`records::reader`] reads any
//! table row by row, [`records::import`] the files of other tools. [`tables`] are stored between stages; people
//! fill in [`sheets`].
//!
//! Two outputs, compared twice:
//!
//! ```
//! use std::fs;
//! use tiebreak_data::records::{Dataset, DatasetSummary, Index};
//! let folder = tempfile::tempdir()?;
//! let outputs = r#"{"item": "1", "system": "atlas", "output": "The train is late."}
//! {"item": "1", "system": "birch", "output": "Train late."}"#;
//! let comparisons = "item,system_a,system_b,outcome\n1,atlas,birch,1\n1,birch,atlas,0.5\n";
//! fs::write(folder.path().join("outputs.jsonl"), outputs)?;
//! fs::write(folder.path().join("comparisons.csv"), comparisons)?;
//! let dataset = Dataset::open(folder.path(), &[])?; // no column has another name
//! let summary = DatasetSummary::new(&Index::build(&dataset)?, &dataset)?;
//! let pair = &summary.pairs[0];
//! assert_eq!((pair.system_a.as_str(), pair.preference), ("atlas", Some(0.75))); // a win and a tie
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

pub mod records;
pub mod sheets;
pub mod tables;
