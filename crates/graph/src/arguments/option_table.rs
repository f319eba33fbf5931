//! Every option of `rrdtool graph` 1.7.2: its names, whether it takes a value, and what becomes
//! of it here.

/// What an option does here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It has rrdtool's effect.
    Effective,
    /// It is accepted and changes nothing, because it concerns rrdtool's own machinery or a
    /// matter that this renderer settles otherwise.
    Accepted,
    /// It is accepted, but not yet used: the graph is drawn without it.
    NotYetUsed,
    /// It gives an error.
    Refused,
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct OptionRule {
    /// The long name.
    pub long: &'static str,
    /// The letter, if it has one.
    pub short: Option<char>,
    /// Whether a value follows.
    pub takes_value: bool,
    /// What becomes of it.
    pub status: Status,
}

macro_rules! table {
    ($($long:literal $short:tt $value:literal $status:ident,)*) => {
        /// The table, in the order of the manual's subjects.
        pub const OPTIONS: &[OptionRule] = &[$(OptionRule {
            long: $long,
            short: table!(@letter $short),
            takes_value: $value,
            status: Status::$status,
        },)*];
    };
    (@letter _) => { None };
    (@letter $letter:literal) => { Some($letter) };
}

table! {
    "start" 's' true Effective,
    "end" 'e' true Effective,
    "step" 'S' true Effective,
    "title" 't' true Effective,
    "vertical-label" 'v' true Effective,
    "width" 'w' true Effective,
    "height" 'h' true Effective,
    "only-graph" 'j' false Effective,
    "full-size-mode" 'D' false Effective,
    "upper-limit" 'u' true Effective,
    "lower-limit" 'l' true Effective,
    "rigid" 'r' false Effective,
    "allow-shrink" _ false Effective,
    "alt-autoscale" 'A' false Effective,
    "alt-autoscale-min" 'J' false Effective,
    "alt-autoscale-max" 'M' false Effective,
    "no-gridfit" 'N' false Accepted,
    "x-grid" 'x' true Effective,
    "week-fmt" _ true Effective,
    "y-grid" 'y' true Effective,
    "left-axis-formatter" _ true Refused,
    "left-axis-format" _ true Refused,
    "alt-y-grid" 'Y' false Effective,
    "logarithmic" 'o' false Effective,
    "units-exponent" 'X' true Effective,
    "units-length" 'L' true Effective,
    "units" _ true Effective,
    "right-axis" _ true Refused,
    "right-axis-label" _ true Refused,
    "right-axis-formatter" _ true Refused,
    "right-axis-format" _ true Refused,
    "no-legend" 'g' false Effective,
    "force-rules-legend" 'F' false Effective,
    "legend-position" _ true NotYetUsed,
    "legend-direction" _ true NotYetUsed,
    "lazy" 'z' false Accepted,
    "daemon" 'd' true Effective,
    "imginfo" 'f' true Accepted,
    "color" 'c' true Effective,
    "grid-dash" _ true Effective,
    "border" _ true Effective,
    "dynamic-labels" _ false NotYetUsed,
    "zoom" 'm' true Effective,
    "font" 'n' true Effective,
    "font-render-mode" 'R' true Accepted,
    "font-smoothing-threshold" 'B' true Accepted,
    "pango-markup" 'P' false NotYetUsed,
    "graph-render-mode" 'G' true Effective,
    "slope-mode" 'E' false Effective,
    "imgformat" 'a' true Effective,
    "interlaced" 'i' false Accepted,
    "tabwidth" 'T' true Effective,
    "base" 'b' true Effective,
    "watermark" 'W' true Effective,
    "use-nan-for-all-missing-data" 'Z' false Effective,
    "add-jsontime" _ false Accepted,
    "utc" _ false Effective,
    "no-minor" 'I' false Effective,
    "disable-rrdtool-tag" _ false Effective,
    "alt-y-mrtg" _ false Accepted,
    "graph-type" _ true Accepted,
}
