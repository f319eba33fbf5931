//! What the server shows. The caller implements it, so that the server knows neither the collector
//! nor its configuration.
//!
//! No community or other secret may be in here: everything can appear on a page.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// The source of what the server shows; asked again for every page.
pub trait Site: Send + Sync {
    /// All targets. The same `Arc` is returned until a reload changes them.
    fn catalogue(&self) -> Arc<Catalogue>;

    /// The collector's status.
    fn status(&self) -> Arc<Status>;
}

/// All targets, in the order of the configuration.
#[derive(Debug, Default)]
pub struct Catalogue {
    /// The title in the head of every page.
    pub title: String,
    /// A remark for every page, such as that the network is simulated.
    pub notice: Option<String>,
    targets: Vec<Target>,
    positions: HashMap<Arc<str>, usize>,
}

impl Catalogue {
    /// A catalogue of targets. Names should be unique: of two equal names, the later target is
    /// found.
    #[must_use]
    pub fn new(title: String, notice: Option<String>, targets: Vec<Target>) -> Self {
        let names = targets.iter().map(|target| Arc::clone(&target.name));
        let positions = names.zip(0..).collect();
        Self { title, notice, targets, positions }
    }

    /// Every target.
    #[must_use]
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// The target with this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Target> {
        self.targets.get(*self.positions.get(name)?)
    }

    /// The targets whose name, title, device or remark contain every word of the query, in any
    /// case.
    pub fn search(&self, query: &str) -> impl Iterator<Item = &Target> {
        let query = query.to_lowercase();
        let words: Vec<String> = query.split_whitespace().map(str::to_owned).collect();
        self.targets.iter().filter(move |target| words.iter().all(|word| target.mentions(word)))
    }
}

/// One target: two measured values and the four graphs of them.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its unique name.
    pub name: Arc<str>,
    /// The page's title.
    pub title: Arc<str>,
    /// The operator's HTML for the top of the page, inserted unchanged. People who may write the
    /// configuration are trusted with HTML, but the content security policy prevents scripts and
    /// external resources in it.
    pub page_top_html: Option<Arc<str>>,
    /// The device or devices that it is polled from.
    pub device: Arc<str>,
    /// Its position in [`Status::devices`]; `None` if it needs no device or several.
    pub device_index: Option<usize>,
    /// A description, such as an interface's name or an address.
    pub remark: Arc<str>,
    /// The name of its database in the store.
    pub database: Arc<str>,
    /// The directory of the store, which all targets share.
    pub store_path: Arc<str>,
    /// Whether it is in a ring store.
    pub in_ring_store: bool,
    /// Why it is not measured; `None` if it is.
    pub problem: Option<Arc<str>>,
    /// How its graphs look.
    pub look: Arc<Look>,
}

impl Target {
    /// The database as an argument of `rrdtool`, or of `gyre` if it is in a ring store. It is shown
    /// so that the graphs can be drawn by hand.
    pub(crate) fn database_path(&self) -> String {
        match &*self.database {
            "" => self.store_path.to_string(),
            name => Path::new(&*self.store_path).join(name).to_string_lossy().into_owned(),
        }
    }

    /// Whether its name, title, device or remark contains a word, which is in lower case.
    fn mentions(&self, word: &str) -> bool {
        [&self.name, &self.title, &self.device, &self.remark].into_iter().any(|text| {
            match text.is_ascii() && word.is_ascii() {
                true => contains_in_any_case(text.as_bytes(), word.as_bytes()),
                false => text.to_lowercase().contains(word),
            }
        })
    }
}

fn contains_in_any_case(text: &[u8], word: &[u8]) -> bool {
    word.is_empty() || text.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word))
}

/// How a target's graphs look: the settings of mrtg.cfg for it. Many targets share one.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Seconds between two measurements.
    pub step_seconds: u64,
    /// The factor for each value before it is shown: 8 for bits, 60 for values a minute.
    pub factor: f64,
    /// The meaning of `k`: 1000 or 1024.
    pub kilo: f64,
    /// Whether values are shown without a fraction.
    pub integer: bool,
    /// The label of the vertical axis.
    pub y_axis: Arc<str>,
    /// The unit after each number, without k, M, G.
    pub unit: Arc<str>,
    /// The two values, `ds0` then `ds1`.
    pub lines: [Line; 2],
    /// The graphs whose axis always reaches to the larger expected maximum.
    pub unscaled: Periods,
    /// The graphs that also draw the maxima.
    pub with_peak: Periods,
    /// The graphs that are left out.
    pub suppress: Periods,
    /// Whether the vertical axis is logarithmic.
    pub logarithmic: bool,
    /// Whether an unknown value is drawn as zero.
    pub unknown_as_zero: bool,
    /// The width of the plotting area.
    pub width_pixels: u32,
    /// The height of the plotting area.
    pub height_pixels: u32,
}

/// One of the two values of a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Whether it is shown at all.
    pub shown: bool,
    /// The label before its numbers: `In`.
    pub label: Arc<str>,
    /// The description in the legend.
    pub legend: Arc<str>,
    /// The description of its maximum in the legend.
    pub peak_legend: Arc<str>,
    /// The expected maximum, in the units of the database.
    pub maximum: f64,
}

/// A set of the four graphs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Periods {
    pub day: bool,
    pub week: bool,
    pub month: bool,
    pub year: bool,
}

/// The collector's status.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// The name and version of the program.
    pub program: String,
    /// When it started, in seconds since 1970.
    pub started_seconds: i64,
    /// Seconds between two cycles.
    pub interval_seconds: u64,
    /// The last cycle that is over.
    pub cycle: Option<Cycle>,
    /// Every device.
    pub devices: Vec<Device>,
    /// Other remarks for the operator: the clock was set back, an included file has an error.
    pub remarks: Vec<String>,
}

impl Status {
    /// The devices that do not answer.
    pub(crate) fn silent(&self) -> impl Iterator<Item = &Device> {
        let is_silent = |device: &&Device| device.health == Health::Silent;
        self.devices.iter().filter(is_silent)
    }
}

/// One cycle.
#[derive(Clone, Debug, Default)]
pub struct Cycle {
    /// Its number, counted from 0.
    pub number: u64,
    /// When it was over, in seconds since 1970.
    pub ended_seconds: i64,
    /// Targets that got values.
    pub targets_polled: usize,
    /// Targets that got none.
    pub targets_missed: usize,
    /// From the first question to the last answer.
    pub poll_seconds: f64,
    /// Spent writing to the store.
    pub write_seconds: f64,
}

/// A device and its last cycle.
#[derive(Clone, Debug)]
pub struct Device {
    /// Its name or address, without any community.
    pub name: Arc<str>,
    /// Whether it answers.
    pub health: Health,
    /// Seconds from the first question of the last cycle to the last answer.
    pub took_seconds: Option<f64>,
    /// The time of its last answer, in seconds since 1970.
    pub answered_seconds: Option<i64>,
    /// Its problem, in words.
    pub problem: Option<Arc<str>>,
    /// What it says of itself: for a program, the name and the uptime that it prints.
    pub about: Option<Arc<str>>,
}

/// Whether a device answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// It has not been polled yet.
    Unknown,
    /// It answers.
    Answering,
    /// It has restarted since the last cycle.
    Restarted,
    /// It does not answer.
    Silent,
}
