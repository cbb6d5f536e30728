//! Words that a full stop may follow inside an English sentence, as Moses lists them (`THIRD_PARTY.md`).

/// Whether a full stop behind `word` belongs to it wherever it stands.
pub(super) fn always(word: &str) -> bool {
    let initial = matches!(word.as_bytes(), [b'A'..=b'Z']);
    let lists = [TITLES, MONTHS, OTHERS];
    initial || lists.iter().any(|list| list.contains(&word))
}

/// Whether a full stop behind `word` belongs to it before a number.
pub(super) fn before_numbers(word: &str) -> bool {
    ["Art", "No", "pp"].contains(&word)
}

/// Titles, ranks and offices.
const TITLES: &[&str] = &[
    "Adm", "Asst", "Bart", "Brig", "Capt", "Cmdr", "Col", "Comdr", "Cpl", "DR", "Dr", "Drs", "Ens",
    "Gen", "Gov", "Hon", "Hr", "Insp", "Lt", "MM", "MR", "MRS", "MS", "Maj", "Messrs", "Mlle",
    "Mme", "Mr", "Mrs", "Ms", "Msgr", "Pfc", "Ph", "Prof", "Pvt", "Rep", "Reps", "Rev", "Rt",
    "Sen", "Sens", "Sfc", "Sgt", "Sr", "St", "Supt", "Surg",
];

const MONTHS: &[&str] = &[
    "Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

const OTHERS: &[&str] = &[
    "Adj", "Adv", "Bldg", "Bros", "Con", "Corp", "Hosp", "Nos", "Nr", "Op", "Ord", "Res", "Rs",
    "e.g", "i.e", "rev", "v", "vs",
];
