//! The options of a graph, validated.

use rrd::rpn::Vocabulary;

use super::grid_option::{TimeGrid, ValueGrid};
use crate::Error;
use crate::color::Palette;
use crate::font::{Face, Font, FontFinder, Wanted, embedded, found};
use crate::format::{ImageInfo, NumberFormat, duration};
use crate::png::{Look, Smoothing};
use crate::row_length::RowLength;
use crate::table_markup::Markup;
use crate::text::Line;

/// The format of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Png,
    Svg,
    Pdf,
    Eps,
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
            Self::Pdf => "application/pdf",
            Self::Eps => "application/postscript",
            Self::Table { markup: Markup::Xml { .. }, .. } => "text/xml",
            Self::Table { markup: Markup::Json, .. } => "application/json",
            Self::Table { markup: Markup::Separated(b'\t'), .. } => "text/tab-separated-values",
            Self::Table { markup: Markup::Separated(_), .. } => "text/csv",
        }
    }
}

/// How the limits of the value axis follow the data. Of several wishes the last one here counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AutoScale {
    /// To the next of a table of round values.
    Round,
    /// A margin above (`-M`).
    Maximum,
    /// A margin below (`-J`).
    Minimum,
    /// A margin on both sides (`-A`).
    Both,
}

/// The font of a kind of text.
#[derive(Clone, Debug)]
pub(crate) struct FontChoice {
    /// The size.
    pub(crate) points: f64,
    wanted: Wanted,
    face: &'static Face,
    finder: Option<FontFinder>,
}

impl FontChoice {
    fn of_size(points: f64) -> Self {
        let wanted = Wanted::default();
        Self { points, face: embedded(&wanted), wanted, finder: None }
    }

    pub(super) fn choose(&mut self, wanted: &Wanted) {
        self.face = embedded(wanted);
        self.wanted = wanted.clone();
    }

    pub(crate) fn font(&self) -> Font {
        Font::new(self.face, self.points, self.finder)
    }
}

/// The fonts of the kinds of text.
#[derive(Clone, Debug)]
pub(crate) struct Fonts {
    pub(crate) title: FontChoice,
    pub(crate) axis: FontChoice,
    pub(crate) unit: FontChoice,
    pub(crate) legend: FontChoice,
    pub(crate) watermark: FontChoice,
}

impl Fonts {
    pub(super) fn all(&mut self) -> [&mut FontChoice; 5] {
        [&mut self.title, &mut self.axis, &mut self.unit, &mut self.legend, &mut self.watermark]
    }

    /// Takes the system's fonts where others than the embedded ones are wanted, and for characters
    /// that a font lacks.
    pub(super) fn find(&mut self, finder: FontFinder) {
        for choice in self.all() {
            choice.face = found(&choice.wanted, finder);
            choice.finder = Some(finder);
        }
    }
}

impl Default for Fonts {
    fn default() -> Self {
        Self {
            title: FontChoice::of_size(9.0),
            axis: FontChoice::of_size(7.0),
            unit: FontChoice::of_size(8.0),
            legend: FontChoice::of_size(8.0),
            watermark: FontChoice::of_size(5.5),
        }
    }
}

/// Beside which edge of the graph its legend stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegendPosition {
    North,
    South,
    West,
    East,
}

impl LegendPosition {
    /// Whether it stands left or right of the graph.
    pub(crate) fn is_beside(self) -> bool {
        matches!(self, Self::West | Self::East)
    }
}

/// In which order the legend's lines follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegendDirection {
    TopDown,
    BottomUp,
    /// Lines of comments at either end keep their places.
    BottomUpWithin,
}

/// The axis right of the canvas: its values are those of the left one, scaled and shifted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RightAxis {
    pub(crate) scale: f64,
    pub(crate) shift: f64,
}

/// What the labels of a value axis stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AxisFormatter {
    #[default]
    Numeric,
    /// Seconds since 1970.
    Timestamp,
    /// Milliseconds.
    Duration,
}

/// How the labels of a value axis are printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct AxisFormat {
    pub(crate) formatter: AxisFormatter,
    /// Empty for the default.
    pub(crate) text: String,
}

impl AxisFormat {
    fn check(&self) -> Result<(), Error> {
        let is_number = NumberFormat::parse(&self.text).is_some_and(|it| !it.has_unit());
        match self.formatter {
            AxisFormatter::Numeric if !self.text.is_empty() && !is_number => {
                Err(Error::AxisFormat(self.text.clone()))
            }
            AxisFormatter::Duration => {
                duration(&self.text, 0.0).map(drop).map_err(|_| Error::DurationFormat)
            }
            _ => Ok(()),
        }
    }
}

/// The options, with rrdtool's defaults.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) start: Option<String>,
    pub(crate) end: Option<String>,
    pub(crate) row_length: RowLength,
    pub(crate) daemon: Option<String>,
    /// The words of CDEF expressions.
    pub(crate) vocabulary: Vocabulary,
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
    /// Whether lines and edges are moved to where pixels begin.
    pub(crate) grid_fit: bool,
    pub(crate) time_grid: TimeGrid,
    pub(crate) week_format: String,
    pub(crate) value_grid: ValueGrid,
    pub(crate) alternative_value_grid: bool,
    pub(crate) left_format: AxisFormat,
    pub(crate) right_axis: Option<RightAxis>,
    pub(crate) right_label: String,
    pub(crate) right_format: AxisFormat,
    pub(crate) logarithmic: bool,
    pub(crate) units_exponent: Option<i32>,
    pub(crate) units_length: u32,
    /// Whether there is room for these labels even where none are drawn.
    pub(crate) keeps_label_room: bool,
    pub(crate) si_log_units: bool,
    pub(crate) legend: bool,
    pub(crate) legend_position: LegendPosition,
    pub(crate) legend_direction: LegendDirection,
    pub(crate) force_rules_legend: bool,
    pub(crate) palette: Palette,
    pub(crate) grid_dash: (f64, f64),
    pub(crate) border: f64,
    pub(crate) zoom: f64,
    pub(crate) fonts: Fonts,
    pub(crate) antialias: bool,
    pub(crate) interlaced: bool,
    pub(crate) smooth_letters: bool,
    pub(crate) slope: bool,
    pub(crate) format: Format,
    /// Whether rows of JSON have their times.
    pub(crate) json_times: bool,
    /// What is told instead of the image's size.
    pub(crate) image_info: Option<ImageInfo>,
    /// Whether an image that is there and new enough is kept.
    pub(crate) lazy: bool,
    pub(crate) tab_points: f64,
    pub(crate) base: f64,
    pub(crate) watermark: String,
    pub(crate) markup: bool,
    pub(crate) dynamic_labels: bool,
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
            row_length: RowLength::default(),
            daemon: None,
            vocabulary: Vocabulary::default(),
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
            grid_fit: true,
            time_grid: TimeGrid::Automatic,
            week_format: "Week %V".into(),
            value_grid: ValueGrid::Automatic,
            alternative_value_grid: false,
            left_format: AxisFormat::default(),
            right_axis: None,
            right_label: String::new(),
            right_format: AxisFormat::default(),
            logarithmic: false,
            units_exponent: None,
            units_length: 6,
            keeps_label_room: false,
            si_log_units: false,
            legend: true,
            legend_position: LegendPosition::South,
            legend_direction: LegendDirection::TopDown,
            force_rules_legend: false,
            palette: Palette::default(),
            grid_dash: (1.0, 1.0),
            border: 2.0,
            zoom: 1.0,
            fonts: Fonts::default(),
            antialias: true,
            interlaced: false,
            smooth_letters: true,
            slope: false,
            format: Format::Png,
            json_times: false,
            image_info: None,
            lazy: false,
            tab_points: 40.0,
            base: 1000.0,
            watermark: String::new(),
            markup: false,
            dynamic_labels: false,
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
        self.left_format.check()?;
        self.right_format.check()?;
        self.check_markup()
    }

    /// How a PNG file is made.
    pub(crate) fn look(&self) -> Look {
        let smoothing = Smoothing { shapes: self.antialias, letters: self.smooth_letters };
        Look { zoom: self.zoom, smoothing, interlaced: self.interlaced }
    }

    fn check_markup(&self) -> Result<(), Error> {
        let texts = [&self.title, &self.vertical_label, &self.right_label, &self.watermark];
        for line in texts.into_iter().flat_map(|text| text.split('\n')) {
            Line::read(line, self.fonts.title.font(), self.palette.font, self.markup)?;
        }
        Ok(())
    }
}
