//! From arguments to a plan: what must be fetched, and what is then drawn.

use jiff::tz::TimeZone;
use rrd::{Tick, Timestamp};

use crate::Error;
use crate::arguments::{Arguments, Context, Element, Format, Script, Settings, TextKind, window};
use crate::leads::Leads;
use crate::row_length::RowLength;
use crate::series_request::SeriesRequest;
use crate::time_window::TimeWindow;

/// The most pixels that a side of the canvas may have.
const DRAWN_SIDE_PIXELS_MAX: u32 = 20_000;

/// The most pixels of an image.
const PIXELS_MAX: u64 = 100_000_000;

/// A checked graph: arguments in, nothing fetched yet.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) settings: Settings,
    pub(crate) script: Script,
    pub(crate) now: Timestamp,
    pub(crate) zone: TimeZone,
    pub(crate) window: TimeWindow,
    /// Whether the image that is there is kept, and none is drawn.
    pub(crate) keeps_image: bool,
    /// What is calculated before the start, for windows; `None` of a graph, which has no such rows.
    pub(crate) leads: Option<Leads>,
}

impl Plan {
    /// Plans the graph of these arguments.
    ///
    /// `now` is what AT-style times and NOW refer to; `zone` is that of the time axis.
    ///
    /// # Errors
    /// One [`Error`] with rrdtool's words where it has them.
    pub fn new(arguments: &Arguments<'_>, now: Timestamp, zone: &TimeZone) -> Result<Self, Error> {
        let settings = arguments.settings.clone();
        let columns = u64::from(settings.width);
        let plan = Self::of(settings, columns, &arguments.elements, now, zone)?;
        if plan.draws_something() {
            plan.check_size()?;
        }
        Ok(plan)
    }

    /// A plan of these elements, whose window is shared among `columns`.
    pub(crate) fn of(
        settings: Settings,
        columns: u64,
        elements: &[&str],
        now: Timestamp,
        zone: &TimeZone,
    ) -> Result<Self, Error> {
        let zone = if settings.utc { &TimeZone::UTC } else { zone };
        let window = window(
            settings.start.as_deref().unwrap_or("end-24h"),
            settings.end.as_deref().unwrap_or("now"),
            now.seconds,
            zone,
        )?;
        let context = Context {
            now_seconds: now.seconds,
            zone,
            window,
            row_length: settings.row_length.longer(RowLength::of_column(window, columns)),
            vocabulary: settings.vocabulary,
        };
        let mut script = Script::parse(elements, &context)?;
        for request in &mut script.requests {
            request.daemon = request.daemon.take().or_else(|| settings.daemon.clone());
        }
        let zone = zone.clone();
        Ok(Self { script, now, zone, window, settings, keeps_image: false, leads: None })
    }

    /// How old, in seconds, an image may be that `--lazy` keeps; `None` without that option.
    #[must_use]
    pub fn age_kept_seconds(&self) -> Option<i64> {
        let is_image = !matches!(self.settings.format, Format::Table { .. });
        let columns = i64::from(self.settings.width.max(1));
        let span_seconds = self.window.tick.to_floor(self.window.span_ticks(), Tick::SECOND);
        (self.settings.lazy && is_image).then(|| span_seconds / columns)
    }

    /// Whether the image is a PNG file.
    #[must_use]
    pub fn makes_png(&self) -> bool {
        self.settings.format == Format::Png
    }

    /// Keeps the image that is there: all is calculated and printed, but none is drawn.
    pub fn keep_image(&mut self) {
        self.keeps_image = true;
    }

    /// What must be fetched; equal fetches are asked once.
    #[must_use]
    pub fn requests(&self) -> &[SeriesRequest] {
        &self.script.requests
    }

    /// Whether there is a picture: PRINT alone makes none.
    pub(crate) fn draws_something(&self) -> bool {
        let drawn = |element: &Element| {
            let is_gprint = matches!(element, Element::Text(TextKind::Gprint(_)));
            is_gprint || matches!(element, Element::Shape(_) | Element::Rule(_))
        };
        self.script.elements.iter().any(drawn)
    }

    fn check_size(&self) -> Result<(), Error> {
        for (side, pixels) in [("width", self.settings.width), ("height", self.settings.height)] {
            if pixels > DRAWN_SIDE_PIXELS_MAX {
                return Err(Error::Option(format!("{side} above {DRAWN_SIDE_PIXELS_MAX} pixels")));
            }
        }
        // Before anything is fetched; what is around the canvas is not known yet.
        let [width, height] =
            [self.settings.width, self.settings.height].map(|side| f64::from(side) + 500.0);
        self.check_pixels(width, height)
    }

    /// Refuses an image of this size before zoom that would take more memory than is sensible.
    pub(crate) fn check_pixels(&self, width: f64, height: f64) -> Result<(), Error> {
        let [width, height] = [width, height].map(|side| (side * self.settings.zoom) as u64);
        if width.saturating_mul(height) > PIXELS_MAX {
            return Err(Error::TooLarge { width, height });
        }
        Ok(())
    }
}
