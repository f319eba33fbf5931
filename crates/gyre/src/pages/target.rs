//! Writes the page and the pictures of one target.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use graph::Undrawn;
use jiff::tz::TimeZone;
use mrtg::{Period, Target};
use mrtgpages::{PERIODS, Page, Picture, Places, PlacesError, Summary, expires, update_mark};
use store::Error;

use super::directory::{Directory, WriteError};
use super::drawing::Source;
use super::site::Site;

/// How long after its interval a page expires: as with MRTG.
const EXPIRES_AFTER_SECONDS: i64 = 5;

/// Why a target has no new page.
#[derive(Debug, thiserror::Error)]
pub(super) enum PageError {
    #[error(transparent)]
    Places(#[from] PlacesError),
    #[error("{}", .0)]
    Store(#[from] Error),
    #[error("{store}: it has no database {name}")]
    NoDatabase { store: String, name: String },
    #[error("its {period} picture: {cause}")]
    Undrawn { period: &'static str, cause: Undrawn<Error> },
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("{}: the index has the same name", .0.display())]
    IsIndex(PathBuf),
}

/// What became of a target's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Done {
    Written,
    /// The page that is there shows the last update of the database.
    Unchanged,
}

/// What all pages have in common.
pub(super) struct Writer<'w> {
    pub(super) site: &'w Site,
    pub(super) directory: &'w Directory,
    pub(super) only_changed: bool,
    /// The names of the index, which no page may have.
    pub(super) index: &'w HashSet<PathBuf>,
}

impl Writer<'_> {
    /// Writes the pictures of a target, and its page behind them.
    ///
    /// # Errors
    /// It has no database, or a file cannot be written.
    pub(super) fn write(&self, target: &Target) -> Result<Done, PageError> {
        let site = self.site;
        let places = Places::of(target, &site.configuration.globals)?;
        let page = places.page();
        if self.index.contains(&page) {
            return Err(PageError::IsIndex(page));
        }
        let database = site.database(target);
        // What came after the time that is asked for is not shown.
        let last_seconds = self.updated_seconds(&database)?;
        let updated_seconds = site.at_seconds.map_or(last_seconds, |at| at.min(last_seconds));
        let mark = update_mark(updated_seconds, site.at_seconds);
        if self.only_changed && self.is_unchanged(target, &places, &mark) {
            return Ok(Done::Unchanged);
        }
        let (zone, zone_name) = zone(target, &site.zone);
        let source = Source { site, target, database, updated_seconds, zone: zone.clone() };
        let pictures = self.pictures(&source, &places)?;
        let html = Page {
            target,
            places: &places,
            pictures,
            updated_seconds,
            mark: &mark,
            zone: &zone,
            zone_name,
            refresh_seconds: site.configuration.globals.refresh.as_secs(),
            version: env!("CARGO_PKG_VERSION"),
        };
        self.put(target, &page, html.html().as_bytes())?;
        Ok(Done::Written)
    }

    fn updated_seconds(&self, database: &str) -> Result<i64, PageError> {
        match self.site.store.outline(Path::new(database)) {
            Ok(outline) => Ok(outline.last_update.seconds),
            Err(error) if error.is_missing() => {
                let store = self.site.root.display().to_string();
                Err(PageError::NoDatabase { store, name: database.to_owned() })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a page shows this update, was written after the configuration, and is there with
    /// all its pictures.
    fn is_unchanged(&self, target: &Target, places: &Places, mark: &str) -> bool {
        let is_current = self.directory.page(&places.page()).is_some_and(|page| {
            page.is_whole
                && page.has_mark(mark)
                && page.written_seconds > self.site.configured_seconds
        });
        let suppress = target.settings.suppress;
        let mut shown = PERIODS.into_iter().filter(|period| !suppress.has(*period));
        is_current && shown.all(|period| self.directory.is_there(&places.picture(period)))
    }

    fn pictures(
        &self,
        source: &Source<'_>,
        places: &Places,
    ) -> Result<[Option<Picture>; 4], PageError> {
        let suppress = source.target.settings.suppress;
        let drawn: Vec<Period> = PERIODS.into_iter().filter(|it| !suppress.has(*it)).collect();
        let mut summaries = source.summaries(&drawn)?.into_iter();
        let mut pictures = [const { None }; 4];
        for (period, place) in PERIODS.into_iter().zip(&mut pictures) {
            if !suppress.has(period)
                && let Some(summary) = summaries.next()
            {
                *place = Some(self.picture(source, places, period, summary)?);
            }
        }
        Ok(pictures)
    }

    fn picture(
        &self,
        source: &Source<'_>,
        places: &Places,
        period: Period,
        summary: Summary,
    ) -> Result<Picture, PageError> {
        let drawing = source.draw(period);
        let drawing =
            drawing.map_err(|cause| PageError::Undrawn { period: word(period), cause })?;
        self.put(source.target, &places.picture(period), &drawing.image)?;
        Ok(Picture { width_pixels: drawing.width, height_pixels: drawing.height, summary })
    }

    /// Writes a file, and the one that says when it expires if `WriteExpires` asks for it.
    fn put(&self, target: &Target, name: &Path, bytes: &[u8]) -> Result<(), PageError> {
        self.directory.write(name, bytes)?;
        if self.site.configuration.globals.write_expires {
            let interval_seconds = target.settings.interval.step_seconds().cast_signed();
            let words = expires(self.site.now_seconds + interval_seconds + EXPIRES_AFTER_SECONDS);
            let mut meta = name.as_os_str().to_owned();
            meta.push(".meta");
            self.directory.write(Path::new(&meta), words.as_bytes())?;
        }
        Ok(())
    }
}

/// The zone of a target's times, and its name if `Timezone` gives it.
fn zone<'t>(target: &'t Target, usual: &TimeZone) -> (TimeZone, Option<&'t str>) {
    let name = target.settings.page.as_ref().and_then(|page| page.timezone.as_deref());
    let found = name.and_then(|name| {
        let zone = TimeZone::get(name).or_else(|_| TimeZone::posix(name));
        Some((zone.ok()?, Some(name)))
    });
    found.unwrap_or_else(|| (usual.clone(), None))
}

const fn word(period: Period) -> &'static str {
    match period {
        Period::Day => "day",
        Period::Week => "week",
        Period::Month => "month",
        Period::Year => "year",
    }
}
