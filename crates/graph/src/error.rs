//! Why a graph is refused.

/// One clear error; the words are rrdtool's where it has them.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// An option or its value.
    #[error("{0}")]
    Option(String),
    /// A graph element (DEF, LINE, GPRINT …) or its fields.
    #[error("{0}")]
    Element(String),
    /// A time.
    #[error("{0}")]
    Time(String),
    /// An RPN expression.
    #[error(transparent)]
    Rpn(#[from] rrd::rpn::RpnError),
    /// A PRINT or GPRINT format that is not exactly one number, an optional unit and text.
    #[error(
        "invalid format string '{0}' (should match '^(?:[^%]+|%%)*%[-+ 0#]?[0-9]*(?:[.][0-9]+)?l[eEfFgG](?:[^%]+|%%)*(?:%[sS])?(?:[^%]+|%%)*$')"
    )]
    Format(String),
    /// Text with markup that is wrong or not known.
    #[error("the markup of '{0}' is not understood")]
    Markup(String),
    /// A format of an axis that is not one number and text.
    #[error(
        "invalid format string '{0}' (should match '^(?:[^%]+|%%)*%[-+ 0#]?[0-9]*(?:[.][0-9]+)?l[eEfFgG](?:[^%]+|%%)*$')"
    )]
    AxisFormat(String),
    /// A format of `--imginfo` that is not a name, a width, a height and text.
    #[error(
        "invalid format string '{0}' (should match '^(?:[^%]+|%%)*%s(?:[^%]+|%%)*%lu(?:[^%]+|%%)*%lu(?:[^%]+|%%)*$')"
    )]
    ImageInfo(String),
    /// A format of `valstrfduration` that names no unit of time.
    #[error("Wrong duration format")]
    DurationFormat,
    /// The store had no answer.
    #[error("{0}")]
    Fetch(String),
    /// The picture would take more memory than is sensible.
    #[error("an image of {width} x {height} pixels is too large")]
    TooLarge {
        /// The width asked for.
        width: u64,
        /// The height asked for.
        height: u64,
    },
}

/// Why a graph was not drawn.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Undrawn<F> {
    /// It is refused.
    #[error("{0}")]
    Graph(#[from] Error),
    /// What it shows was not fetched.
    #[error("{0}")]
    Fetch(F),
}
