//! What the elements of a graph say, once they are read.

use rrd::ConsolidationFunction;
use rrd::rpn::Program;

use crate::color::Color;
use crate::row_length::RowLength;
use crate::summary::Summary;

/// A DEF, CDEF or VDEF: something with a name.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) kind: DefinitionKind,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum DefinitionKind {
    /// Rows of an archive.
    Def {
        /// The position of the fetch that answers it.
        request: usize,
        source_name: String,
        /// The resolution that rows are reduced to.
        row_length: RowLength,
        reduce: ConsolidationFunction,
    },
    /// An RPN expression over earlier definitions.
    Cdef(Program),
    /// One number, and the time it belongs to.
    Vdef { of: usize, summary: Summary },
}

/// SHIFT: a series that is moved in time, seen by all definitions that come after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shift {
    /// The position of the series.
    pub(crate) of: usize,
    /// By how many seconds.
    pub(crate) by: Quantity,
    /// How many definitions come before it.
    pub(crate) definitions_before: usize,
}

/// A number that is drawn or printed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Quantity {
    /// A definition, by position.
    Of(usize),
    /// A constant.
    Number(f64),
}

/// An element other than a definition, in the order given.
#[derive(Clone, Debug)]
pub(crate) enum Element {
    Shape(Shape),
    Rule(Rule),
    /// PRINT: a line of the answer.
    Print(Printed),
    /// COMMENT and GPRINT.
    Text(TextKind),
    /// TEXTALIGN: `l`, `r`, `c` or `j`.
    Align(char),
    /// XPORT: a column of a table; a text in the legend of an image.
    Column(Column),
}

/// XPORT.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// The position of its series.
    pub(crate) of: usize,
    pub(crate) legend: String,
}

/// LINE, AREA and TICK.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) kind: ShapeKind,
    pub(crate) value: Quantity,
    pub(crate) ink: Ink,
    pub(crate) stack: bool,
    /// Whether the value axis ignores it.
    pub(crate) skip_scale: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ShapeKind {
    Line {
        width: f64,
    },
    Area {
        gradient: Option<Gradient>,
    },
    /// The height, as a share of the canvas.
    Tick {
        fraction: f64,
    },
}

/// A second colour of an area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gradient {
    /// The colour that it fades to.
    pub(crate) base_color: Color,
    /// How far below the value it is reached; 0 for the base of the area; below 0, how far above
    /// the base it begins.
    pub(crate) height_pixels: f64,
}

/// How something is drawn, and what the legend says of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ink {
    /// Nothing is drawn without a colour.
    pub(crate) color: Option<Color>,
    pub(crate) legend: String,
    /// Lengths of dashes and gaps; empty for a solid line.
    pub(crate) dashes: Vec<f64>,
    pub(crate) dash_offset: f64,
}

/// HRULE and VRULE.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) vertical: bool,
    pub(crate) at: Quantity,
    pub(crate) ink: Ink,
}

/// What PRINT and GPRINT print.
#[derive(Clone, Debug)]
pub(crate) struct Printed {
    pub(crate) of: usize,
    /// How a series becomes one number; `None` for a VDEF.
    pub(crate) cf: Option<ConsolidationFunction>,
    pub(crate) printed_as: PrintedAs,
    pub(crate) format: String,
}

/// As what a number is printed, or its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PrintedAs {
    Number,
    /// The time that belongs to the number: `:strftime`.
    Time,
    /// The number is seconds since 1970: `:valstrftime`.
    Timestamp,
    /// The number is milliseconds: `:valstrfduration`.
    Duration,
}

#[derive(Clone, Debug)]
pub(crate) enum TextKind {
    Comment(String),
    Gprint(Printed),
}
