//! Votes in lists, by the numbers of what they name.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::collections::HashMap;

/// The number of objects whose numbers are remembered by their addresses, a power of two.
const REMEMBERED: usize = 1024;

/// The number of each entry of a list.
#[pyclass(frozen, module = "tiebreak._native")]
pub(crate) struct Numbers(Vec<u32>);

/// Numbers the entries of a list by `index`, which gets a number for what it does not hold, if it is to `grow`.
///
/// # Errors
/// `KeyError` for what is not in the index; those of hashing.
#[pyfunction]
pub(crate) fn number(
    given: &Bound<'_, PyList>,
    index: &Bound<'_, PyDict>,
    grow: bool,
) -> PyResult<Numbers> {
    // Equal entries are mostly one object, and members of enumerations are slow to hash. The list keeps its entries
    // alive, so that no address comes twice.
    let mut remembered = vec![(0, 0); REMEMBERED];
    let mut numbers = Vec::with_capacity(given.len());
    for entry in given {
        let address = entry.as_ptr() as usize;
        let known = &mut remembered[(address >> 4) % REMEMBERED];
        if known.0 != address {
            let number = match index.get_item(&entry)? {
                Some(number) => number.extract()?,
                None if grow => {
                    let next = u32::try_from(index.len())?;
                    index.set_item(&entry, next)?;
                    next
                }
                None => return Err(pyo3::exceptions::PyKeyError::new_err(entry.unbind())),
            };
            *known = (address, number);
        }
        numbers.push(known.1);
    }
    Ok(Numbers(numbers))
}

/// The different triples of numbers at the same places, and which of them is at each place.
///
/// # Panics
/// If there are not as many of each.
#[pyfunction]
pub(crate) fn cells(one: &Numbers, two: &Numbers, three: &Numbers) -> (Numbers, Vec<[u32; 3]>) {
    let (mut cells, mut at) = (Vec::new(), HashMap::new());
    let triples = one.0.iter().zip(&two.0).zip(&three.0);
    let triples = triples.map(|((&one, &two), &three)| [one, two, three]);
    let places = triples.map(|triple| {
        *at.entry(triple).or_insert_with(|| {
            cells.push(triple);
            cells.len() as u32 - 1
        })
    });
    (Numbers(places.collect()), cells)
}

/// The sum of the weights of each cell; without weights everything counts once.
#[pyfunction]
pub(crate) fn cell_weights(places: &Numbers, cells: usize, weights: Option<Vec<f64>>) -> Vec<f64> {
    let mut sums = vec![0.0; cells];
    for (place, &cell) in places.0.iter().enumerate() {
        sums[cell as usize] += weights.as_ref().map_or(1.0, |weights| weights[place]);
    }
    sums
}

/// Ratings of Elo after votes in their order: each cell has its two systems and what they gain by a vote of weight 1.
#[pyfunction]
pub(crate) fn elo(
    places: &Numbers,
    cells: Vec<([usize; 2], [f64; 2])>,
    weights: Option<Vec<f64>>,
    mut scores: Vec<f64>,
    settings: (f64, f64, f64),
) -> Vec<f64> {
    let (base, scale, k) = settings;
    for (place, &cell) in places.0.iter().enumerate() {
        let ([x, y], gains) = cells[cell as usize];
        let weight = weights.as_ref().map_or(1.0, |weights| weights[place]);
        let powers = [x, y].map(|system| base.powf(scores[system] / scale));
        let expected = powers.map(|power| power / (powers[0] + powers[1]));
        scores[x] += k * (weight * gains[0] - expected[0]);
        scores[y] += k * (weight * gains[1] - expected[1]);
    }
    scores
}
