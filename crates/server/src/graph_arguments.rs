//! Derives rrdgraph arguments from a target's settings. Only this module decides how graphs look.
//!
//! The look is MRTG's: a green area for the incoming value, a blue line for the outgoing one. The
//! target's page shows these arguments, so that anyone can draw the same graph with `rrdtool
//! graph`.

use crate::extent::Extent;
use crate::period::Period;
use crate::{Line, Look, Target};

/// The background and size of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Canvas {
    pub(crate) paper: Paper,
    pub(crate) size: Size,
}

/// The background of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paper {
    Light,
    Dark,
}

/// The size of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// The size in the target's settings.
    Full,
    /// For a phone: of the same height, but legible on 350 pixels.
    Narrow,
    /// A thumbnail without axes and legend.
    Spark,
}

/// Colours that people with any colour vision can tell apart, on either background.
pub(crate) struct Inks<'i> {
    pub(crate) areas: [&'i str; 2],
    peaks: [&'i str; 2],
    pub(crate) frame: &'static [&'static str],
}

const LIGHT: Inks<'static> = Inks {
    areas: ["#00CC00", "#0000FF"],
    peaks: ["#006600", "#FF00FF"],
    frame: &[
        "BACK#FFFFFF",
        "CANVAS#FFFFFF",
        "GRID#8080802A",
        "MGRID#8080805A",
        "AXIS#808890",
        "FRAME#FFFFFF00",
        "ARROW#808890",
        "FONT#24292F",
    ],
};

const DARK: Inks<'static> = Inks {
    areas: ["#2EB85C", "#6CA8FF"],
    peaks: ["#A5E8B9", "#FF7AD9"],
    frame: &[
        "BACK#171B21",
        "CANVAS#171B21",
        "GRID#A0A8B022",
        "MGRID#A0A8B044",
        "AXIS#808890",
        "FRAME#171B2100",
        "ARROW#808890",
        "FONT#D5DAE0",
    ],
};

/// The width of the plotting area on a phone.
const NARROW_WIDTH_PIXELS: u32 = 280;
const SPARK_WIDTH_PIXELS: u32 = 132;
const SPARK_HEIGHT_PIXELS: u32 = 28;

/// The colours for a background.
pub(crate) fn inks(paper: Paper) -> &'static Inks<'static> {
    match paper {
        Paper::Light => &LIGHT,
        Paper::Dark => &DARK,
    }
}

/// The arguments of `rrdtool graph`, without the image's file name. `database` is the path of the
/// database in them.
pub(crate) fn build(
    target: &Target,
    database: &str,
    extent: Extent,
    canvas: Canvas,
    format: &str,
) -> Vec<String> {
    let inks = inks(canvas.paper);
    let look = target.present_look();
    let period = extent.period();
    let mut arguments = frame(&look, extent, canvas);
    arguments.extend(range(&look, period));
    arguments.push(format!("--imgformat={format}"));
    arguments.extend(elements(&look, database, period, canvas.size, inks));
    arguments
}

/// The colours of both values and of their maxima on a picture of a static page, as `#00cc00`.
#[derive(Clone, Copy, Debug)]
pub struct StaticInks<'i> {
    /// Of the incoming and the outgoing value.
    pub areas: [&'i str; 2],
    /// Of their maxima.
    pub peaks: [&'i str; 2],
}

/// The arguments of `rrdtool graph` for a picture of a static page: the look of the pages on light
/// paper, without the numbers below it, which stand in the static page.
#[must_use]
pub fn static_arguments(
    look: &Look,
    database: &str,
    period: Period,
    inks: Option<StaticInks<'_>>,
) -> Vec<String> {
    let own = inks.map(|StaticInks { areas, peaks }| Inks { areas, peaks, ..LIGHT });
    let inks = own.as_ref().unwrap_or(&LIGHT);
    let canvas = Canvas { paper: Paper::Light, size: Size::Full };
    let mut arguments = frame(look, Extent::Last(period), canvas);
    arguments.extend(range(look, period));
    arguments.extend(["--imgformat=PNG", "--no-legend"].map(str::to_owned));
    arguments.extend(elements(look, database, period, canvas.size, inks));
    arguments
}

/// The options: time, size, the label of the axis and colours.
pub(crate) fn frame(look: &Look, extent: Extent, canvas: Canvas) -> Vec<String> {
    let (width, height) = match canvas.size {
        Size::Full => (look.width_pixels, look.height_pixels),
        Size::Narrow => (look.width_pixels.min(NARROW_WIDTH_PIXELS), look.height_pixels),
        Size::Spark => (SPARK_WIDTH_PIXELS, SPARK_HEIGHT_PIXELS),
    };
    let mut options = Vec::from(extent.options());
    options.extend([
        format!("--width={width}"),
        format!("--height={height}"),
        format!("--base={}", if look.kilo == 1024.0 { 1024 } else { 1000 }),
        "--border=0".to_owned(),
        "--disable-rrdtool-tag".to_owned(),
    ]);
    if canvas.size == Size::Spark {
        options.extend(["--only-graph", "--x-grid=none", "--y-grid=none"].map(str::to_owned));
    } else {
        options.push(format!("--vertical-label={}", look.y_axis));
    }
    options.extend(inks(canvas.paper).frame.iter().map(|ink| format!("--color={ink}")));
    options
}

/// The vertical axis: from zero, and for unscaled graphs up to the expected maximum.
fn range(look: &Look, period: Period) -> Vec<String> {
    if look.logarithmic {
        return vec!["--logarithmic".to_owned()];
    }
    let mut options = vec!["--lower-limit=0".to_owned()];
    if period.is_in(look.unscaled) {
        let shown = look.lines.iter().filter(|line| line.shown);
        let most = shown.map(|line| line.maximum * look.factor).fold(0.0, f64::max);
        options.push(format!("--upper-limit={most}"));
        options.push("--rigid".to_owned());
    }
    options
}

/// The elements: definitions first, then areas and lines, then the numbers of the legend.
fn elements(
    look: &Look,
    database: &str,
    period: Period,
    size: Size,
    inks: &Inks<'_>,
) -> Vec<String> {
    let with_peak = period.is_in(look.with_peak) && size != Size::Spark;
    let shown: Vec<Stroke> = (0..2)
        .filter(|nth| look.lines[*nth].shown)
        .map(|nth| Stroke { nth, line: &look.lines[nth], with_peak })
        .collect();
    let mut elements: Vec<String> = Vec::new();
    for stroke in &shown {
        elements.extend(stroke.definitions(look, database));
    }
    if size != Size::Spark {
        elements.extend(Columns::of(look, size).heading());
    }
    for stroke in &shown {
        elements.extend(stroke.shapes(look, size, inks));
    }
    elements
}

/// The minimum width of a label in the legend, so that the columns are aligned.
const LABEL_WIDTH: usize = 5;
/// The width of the coloured box before a label, in letters.
const BOX_WIDTH: usize = 2;

/// The format of the legend's numbers, so that they are aligned.
struct Columns {
    /// The format of a number.
    number: String,
    /// The width of a number in letters.
    width: usize,
}

impl Columns {
    fn of(look: &Look, size: Size) -> Self {
        let decimals = if look.integer { 0 } else { 2 };
        if size == Size::Narrow {
            return Self { number: format!("%6.{decimals}lf%s"), width: 7 };
        }
        Self {
            number: format!("%7.{decimals}lf %s{}", escape(&look.unit.replace('%', "%%"))),
            width: 9 + look.unit.chars().count(),
        }
    }

    fn heading(&self) -> Vec<String> {
        let width = self.width;
        vec![
            format!("COMMENT:{:1$}", "", BOX_WIDTH + LABEL_WIDTH),
            format!("COMMENT:{:>width$}", "Max"),
            format!("COMMENT:{:>width$}", "Average"),
            format!("COMMENT:{:>width$}\\l", "Current"),
        ]
    }
}

/// One of the two values, with its label and colours.
struct Stroke<'a> {
    nth: usize,
    line: &'a Line,
    with_peak: bool,
}

impl Stroke<'_> {
    /// `DEF` and `CDEF` of the average, and of the maximum if it is drawn.
    fn definitions(&self, look: &Look, database: &str) -> Vec<String> {
        let mut all = self.definition(look, database, "AVERAGE", "");
        if self.with_peak {
            all.extend(self.definition(look, database, "MAX", "peak"));
        }
        all
    }

    fn definition(&self, look: &Look, database: &str, cf: &str, suffix: &str) -> Vec<String> {
        let nth = self.nth;
        let path = escape_colons(database);
        let known = if look.unknown_as_zero {
            format!("raw{nth}{suffix},UN,0,raw{nth}{suffix},IF")
        } else {
            format!("raw{nth}{suffix}")
        };
        vec![
            format!("DEF:raw{nth}{suffix}={path}:ds{nth}:{cf}"),
            format!("CDEF:v{nth}{suffix}={known},{},*", look.factor),
        ]
    }

    fn shapes(&self, look: &Look, size: Size, inks: &Inks<'_>) -> Vec<String> {
        let nth = self.nth;
        let shape = if nth == 0 { "AREA" } else { "LINE1" };
        let ink = inks.areas[nth];
        if size == Size::Spark {
            return vec![format!("{shape}:v{nth}{ink}")];
        }
        let label = escape(&format!("{:<LABEL_WIDTH$}", self.line.label));
        let mut elements = vec![format!("{shape}:v{nth}{ink}:{label}")];
        if self.with_peak {
            elements.push(format!("LINE1:v{nth}peak{}", inks.peaks[nth]));
        }
        elements.extend(self.numbers(&Columns::of(look, size)));
        elements
    }

    fn numbers(&self, columns: &Columns) -> Vec<String> {
        let nth = self.nth;
        let number = &columns.number;
        let peak = if self.with_peak { "peak" } else { "" };
        vec![
            format!("GPRINT:v{nth}{peak}:MAX:{number}"),
            format!("GPRINT:v{nth}:AVERAGE:{number}"),
            format!("GPRINT:v{nth}:LAST:{number}\\l"),
        ]
    }
}

/// Escapes text for an element: colons separate its fields. A backslash would begin a control
/// sequence, so it is replaced by a slash.
pub(crate) fn escape(text: &str) -> String {
    escape_colons(&text.replace('\\', "/"))
}

pub(crate) fn escape_colons(text: &str) -> String {
    text.replace(':', "\\:")
}
