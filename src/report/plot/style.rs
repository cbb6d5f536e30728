//! Sizes, colours, and the style sheet that lets a plot follow light and dark paper.

use super::Scale;
use plotters::style::RGBColor;

/// The least width of a plot, in pixels.
const WIDTH: u32 = 880;

/// The height of a plot, in pixels.
pub(super) const HEIGHT: u32 = 480;

/// The room that a character beside an axis takes, in pixels, more or less.
const CHARACTER: usize = 7;

/// The width of a plot: names along the x axis must not run into each other.
pub(super) fn width(x: &Scale) -> u32 {
    let Scale::Names(names) = x else { return WIDTH };
    let longest = names.iter().map(|name| name.chars().count() + 2).max();
    let room = names.len() * longest.unwrap_or(0) * CHARACTER;
    WIDTH.max(LEGEND + 100 + room as u32)
}

/// The width of the legend at the right.
pub(super) const LEGEND: u32 = 230;

/// Of text and axes on light paper; the style sheet replaces it on dark paper.
pub(super) const INK: RGBColor = RGBColor(0x24, 0x24, 0x24);

/// Of the lines behind the data; replaced on dark paper.
pub(super) const GRID: RGBColor = RGBColor(0xe2, 0xe2, 0xe2);

/// Of series: seven hues of middling lightness, after Okabe and Ito, that also differ for people
/// who do not tell red from green.
const HUES: [RGBColor; 7] = [
    RGBColor(0x00, 0x7e, 0xc4),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x98, 0x72),
    RGBColor(0xc0, 0x62, 0x9a),
    RGBColor(0xb0, 0x86, 0x00),
    RGBColor(0x3a, 0x9f, 0xd8),
    RGBColor(0x7a, 0x7a, 0x7a),
];

/// The colour of a series, and which round through the colours it is on.
pub(super) fn hue(series: usize) -> (RGBColor, usize) {
    (HUES[series % HUES.len()], series / HUES.len())
}

const SHEET: &str = "<style>
.tiebreak-plot{background:#fff;font-family:system-ui,sans-serif}
.tiebreak-plot text{font-family:system-ui,sans-serif}
@media (prefers-color-scheme:dark){
.tiebreak-plot{background:#16181c}
.tiebreak-plot [fill=\"#242424\"]{fill:#dcdcdc}
.tiebreak-plot [stroke=\"#242424\"]{stroke:#dcdcdc}
.tiebreak-plot [stroke=\"#E2E2E2\"]{stroke:#34383e}
}
</style>
";

/// The drawing with its style sheet, and a description for readers who cannot see it.
pub(super) fn styled(drawing: &str, title: &str) -> String {
    let escaped = title
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let opened = drawing.replacen("<svg ", "<svg class=\"tiebreak-plot\" role=\"img\" ", 1);
    opened.replacen(">\n", &format!(">\n<title>{escaped}</title>\n{SHEET}"), 1)
}
