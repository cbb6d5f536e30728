//! The columns of the tables that stages write.

use tiebreak_data::records::LABEL;
use tiebreak_data::tables::schema::{Column, SCORES, TableColumns};

const DRAWS: (&str, Column) = ("draws", Column::Numbers);
const POSITION: (&str, Column) = ("position", Column::Number);
const COMMENT: (&str, Column) = ("comment", Column::OptionalText);
const ANSWER: (&str, Column) = ("answer", Column::Text);

/// Appends columns to those of a table, `N` in all.
const fn joined<const N: usize>(
    table: TableColumns,
    more: TableColumns,
) -> [(&'static str, Column); N] {
    let mut all = [table[0]; N];
    let (first, last) = all.split_at_mut(table.len());
    first.copy_from_slice(table);
    last.copy_from_slice(more);
    all
}

/// The columns of `score --draws`.
pub(crate) const SCORES_WITH_DRAWS: TableColumns =
    &joined::<6>(SCORES, &[("std", Column::Number), DRAWS]);

/// The columns of `score --paired-bs` and `score --paired-ar`.
pub(crate) const SIGNIFICANCE: TableColumns = &[
    ("system", Column::Text),
    ("metric", Column::Text),
    ("score", Column::Number),
    ("mean", Column::Number),
    ("ci", Column::Number),
    ("p_value", Column::Number),
    ("n", Column::Count),
    ("signature", Column::Text),
];

/// The columns of `predict`.
pub(crate) const PREDICTIONS: TableColumns = &[
    ("item", Column::Text),
    ("system_a", Column::Text),
    ("system_b", Column::Text),
    ("p", Column::Number),
    ("mean", Column::Number),
    ("bald", Column::Number),
    ("std", Column::Number),
];

/// The columns of `predict --keep-draws`.
pub(crate) const PREDICTIONS_WITH_DRAWS: TableColumns = &joined::<8>(PREDICTIONS, &[DRAWS]);

/// The columns of `judge`.
pub(crate) const JUDGED: TableColumns = &joined::<9>(PREDICTIONS, &[POSITION, ANSWER]);

/// The columns of `judge --keep-draws`.
pub(crate) const JUDGED_WITH_DRAWS: TableColumns =
    &joined::<10>(PREDICTIONS, &[DRAWS, POSITION, ANSWER]);

/// The columns of `export` for comparisons as a data set has them.
pub(crate) const COMPARISONS: TableColumns = &[
    ("item", Column::Text),
    ("system_a", Column::Text),
    ("system_b", Column::Text),
    ("outcome", Column::Number),
    ("annotator", Column::Text),
    ("seconds", Column::Number),
    ("price", Column::Number),
];

/// The columns of `export` for judgments as a data set has them.
pub(crate) const JUDGMENTS: TableColumns = REPEATED_JUDGMENTS.split_at(6).0;

/// The columns of `export` for the comparisons of a campaign: with what annotators said of them.
pub(crate) const ANSWERED_COMPARISONS: TableColumns =
    &joined::<9>(COMPARISONS, &[(LABEL, Column::OptionalText), COMMENT]);

/// The columns of `export` for the judgments of a campaign: with edited texts, and what annotators said of them.
pub(crate) const ANSWERED_JUDGMENTS: TableColumns = &joined::<9>(
    JUDGMENTS,
    &[
        ("post_edit", Column::OptionalText),
        ("evidence", Column::OptionalText),
        COMMENT,
    ],
);

/// The columns of judgments of repeats.
pub(crate) const REPEATED_JUDGMENTS: TableColumns = &[
    ("item", Column::Text),
    ("system", Column::Text),
    ("criterion", Column::Text),
    ("score", Column::Number),
    ("annotator", Column::Text),
    ("seconds", Column::Number),
    ("repeat", Column::Text),
];

/// The columns of the runs of `rank`: each change of leader; a run's last row is its end (as JSON).
pub(crate) const TRACE: TableColumns = &[
    ("run", Column::Count),
    ("annotations", Column::Count),
    ("leader", Column::Text),
    ("end", Column::Text),
];
