//! The options of a graph, validated.

use super::grid_option::{TimeGrid, ValueGrid};
use crate::Error;
use crate::color::Palette;
use crate::format::ImageInfo;
use crate::table::Markup;

/// The format of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Png,
    Svg,
    /// No image, but the series of the graph as a table.
    Table {
        markup: Markup,
        with_time: bool,
    },
}

impl Format {
    /// The type of the file's contents.
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Svg => "image/svg+xml",
            Self::Table { markup: Markup::Xml { .. }, .. } => "text/xml",
            Self::Table { markup: Markup::Json, .. } => "application/json",
            Self::Table { markup: Markup::Separated(b'\t'), .. } => "text/tab-separated-values",
            Self::Table { markup: Markup::Separated(_), .. } => "text/csv",
        }
    }
}

/// How the limits of the value axis follow the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AutoScale {
    /// To the next of a table of round values.
    Round,
    /// A margin on both sides (`-A`).
    Both,
    /// A margin below (`-J`).
    Minimum,
    /// A margin above (`-M`).
    Maximum,
}

/// The sizes of text, in points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FontSizes {
    pub(crate) title: f64,
    pub(crate) axis: f64,
    pub(crate) unit: f64,
    pub(crate) legend: f64,
    pub(crate) watermark: f64,
}

/// The options, with rrdtool's defaults.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) start: Option<String>,
    pub(crate) end: Option<String>,
    pub(crate) step_seconds: u64,
    pub(crate) daemon: Option<String>,
    pub(crate) title: String,
    pub(crate) vertical_label: String,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) only_graph: bool,
    pub(crate) full_size: bool,
    pub(crate) upper: f64,
    pub(crate) lower: f64,
    pub(crate) rigid: bool,
    pub(crate) allow_shrink: bool,
    pub(crate) auto_scale: AutoScale,
    pub(crate) time_grid: TimeGrid,
    pub(crate) week_format: String,
    pub(crate) value_grid: ValueGrid,
    pub(crate) alternative_value_grid: bool,
    pub(crate) logarithmic: bool,
    pub(crate) units_exponent: Option<i32>,
    pub(crate) units_length: u32,
    pub(crate) si_log_units: bool,
    pub(crate) legend: bool,
    pub(crate) force_rules_legend: bool,
    pub(crate) palette: Palette,
    pub(crate) grid_dash: (f64, f64),
    pub(crate) border: f64,
    pub(crate) zoom: f64,
    pub(crate) fonts: FontSizes,
    pub(crate) antialias: bool,
    pub(crate) slope: bool,
    pub(crate) format: Format,
    /// Whether rows of JSON have their times.
    pub(crate) json_times: bool,
    /// What is told instead of the image's size.
    pub(crate) image_info: Option<ImageInfo>,
    /// Whether an image that is there and new enough is kept.
    pub(crate) lazy: bool,
    pub(crate) tab_pixels: f64,
    pub(crate) base: f64,
    pub(crate) watermark: String,
    pub(crate) missing_is_unknown: bool,
    pub(crate) utc: bool,
    pub(crate) minor_grid: bool,
    pub(crate) tag: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            start: None,
            end: None,
            step_seconds: 0,
            daemon: None,
            title: String::new(),
            vertical_label: String::new(),
            width: 400,
            height: 100,
            only_graph: false,
            full_size: false,
            upper: f64::NAN,
            lower: f64::NAN,
            rigid: false,
            allow_shrink: false,
            auto_scale: AutoScale::Round,
            time_grid: TimeGrid::Automatic,
            week_format: "Week %V".into(),
            value_grid: ValueGrid::Automatic,
            alternative_value_grid: false,
            logarithmic: false,
            units_exponent: None,
            units_length: 6,
            si_log_units: false,
            legend: true,
            force_rules_legend: false,
            palette: Palette::default(),
            grid_dash: (1.0, 1.0),
            border: 2.0,
            zoom: 1.0,
            fonts: FontSizes { title: 9.0, axis: 7.0, unit: 8.0, legend: 8.0, watermark: 5.5 },
            antialias: true,
            slope: false,
            format: Format::Png,
            json_times: false,
            image_info: None,
            lazy: false,
            tab_pixels: tab_pixels(40.0),
            base: 1000.0,
            watermark: String::new(),
            missing_is_unknown: false,
            utc: false,
            minor_grid: true,
            tag: true,
        }
    }
}

impl Settings {
    /// What options say together.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.logarithmic && self.lower <= 0.0 {
            return Err(Error::Option(
                "for a logarithmic yaxis you must specify a lower-limit > 0".into(),
            ));
        }
        Ok(())
    }
}

/// The distance of tabs, given in points.
pub(super) fn tab_pixels(points: f64) -> f64 {
    (points.clamp(1.0, 1000.0) * 100.0 / 72.0).round()
}
