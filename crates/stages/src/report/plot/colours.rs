//! The colours of series.

/// Seven hues of middling lightness, after Okabe and Ito, that also differ for people who do not tell
/// red from green: red, green and blue of each.
pub(super) const HUES: [[u8; 3]; 7] = [
    [0x00, 0x7e, 0xc4],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x98, 0x72],
    [0xc0, 0x62, 0x9a],
    [0xb0, 0x86, 0x00],
    [0x3a, 0x9f, 0xd8],
    [0x7a, 0x7a, 0x7a],
];

/// The colour of a series as style sheets write it, for a legend outside of the drawing.
pub(crate) fn colour(series: usize) -> String {
    let [red, green, blue] = HUES[series % HUES.len()];
    format!("#{red:02x}{green:02x}{blue:02x}")
}
