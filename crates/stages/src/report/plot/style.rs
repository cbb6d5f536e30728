//! Sizes, colours, and the style sheet that lets a plot follow light and dark paper.

use super::colours::HUES;
use super::{Plot, Scale};
use plotters::style::RGBColor;
use tiebreak_base::layout::visible;

/// The approximate width of a character beside an axis, in pixels.
const CHARACTER: usize = 7;

/// The width of a character in figures, whose text is larger on a telephone.
pub(super) const LARGE: usize = 9;

/// The sizes of a drawing and its parts, in pixels.
pub(super) struct Frame {
    pub width: u32,
    pub height: u32,
    /// The height of the title at the top; 0 for none.
    pub title: u32,
    /// The width of the legend at the right; 0 for none.
    pub legend: u32,
    /// The width of what is written left of the y axis.
    pub left: u32,
    /// The most numbers written beside each axis.
    pub ticks: usize,
}

impl Frame {
    /// A picture that stands alone, with title and legend. Names along the x axis must not run into
    /// each other.
    pub(super) fn document(plot: &Plot) -> Self {
        let legend = 230;
        let room = match &plot.x.scale {
            Scale::Names(names) => names.len() * (longest(names) + 2) * CHARACTER,
            _ => 0,
        };
        Self {
            width: 880.max(legend + 100 + room as u32),
            height: 480,
            title: 38,
            legend,
            left: 70,
            ticks: 8,
        }
    }

    /// A figure of a page, which has its own title and legend: narrow enough for a telephone. Names
    /// down the y axis have a line each.
    pub(super) fn figure(plot: &Plot) -> Self {
        let (height, left) = match &plot.y.scale {
            Scale::Names(names) => {
                let line = 30.max(10 + 11 * plot.series.len());
                (70 + line * names.len(), 18 + longest(names) * LARGE)
            }
            _ => (330, 62),
        };
        Self {
            width: 480,
            height: height.max(130) as u32,
            title: 0,
            legend: 0,
            left: left as u32,
            ticks: 5,
        }
    }
}

/// The width of the longest name, in characters; those of East Asian scripts are twice as wide.
fn longest(names: &[String]) -> usize {
    let width = |c: char| 1 + usize::from(c >= '\u{1100}');
    let widths = names.iter().map(|name| name.chars().map(width).sum());
    widths.max().unwrap_or(0)
}

/// The colour of text and axes on light paper; the style sheet replaces it on dark paper.
pub(super) const INK: RGBColor = RGBColor(0x24, 0x24, 0x24);

/// The colour of the lines behind the data; replaced on dark paper.
pub(super) const GRID: RGBColor = RGBColor(0xe2, 0xe2, 0xe2);

/// The colour of a series, and the round of the colours that it is in.
pub(super) fn hue(series: usize) -> (RGBColor, usize) {
    let [red, green, blue] = HUES[series % HUES.len()];
    (RGBColor(red, green, blue), series / HUES.len())
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
    described(drawing, "tiebreak-plot", title, SHEET)
}

/// The drawing for a page that has a style sheet: text and lines take the colours of the page.
pub(super) fn unstyled(drawing: &str, title: &str) -> String {
    described(drawing, "plot", title, "")
}

fn described(drawing: &str, class: &str, title: &str, sheet: &str) -> String {
    let escaped = title
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let opening = format!("<svg class=\"{class}\" role=\"img\" ");
    let opened = drawing.replacen("<svg ", &opening, 1);
    visible(&opened.replacen(">\n", &format!(">\n<title>{escaped}</title>\n{sheet}"), 1))
}
