//! What the server shows: it is handed this, and knows neither collector nor configuration.
//!
//! Nothing in here may hold a community or another secret: everything can reach a page.

use std::collections::HashMap;
use std::sync::Arc;

/// Where the server finds what it shows; asked anew for every page.
pub trait Site: Send + Sync {
    /// All targets. The same `Arc` until a reload changes them.
    fn catalogue(&self) -> Arc<Catalogue>;

    /// How the collector fares.
    fn status(&self) -> Arc<Status>;
}

/// All targets, in the order of the configuration.
#[derive(Debug, Default)]
pub struct Catalogue {
    /// What is measured here, for the head of every page.
    pub title: String,
    /// A remark for every page, such as that the network is simulated.
    pub notice: Option<String>,
    targets: Vec<Target>,
    /// For each target, what a search looks through, in lower case.
    haystacks: Vec<String>,
    positions: HashMap<Arc<str>, usize>,
}

impl Catalogue {
    /// A catalogue of targets with unique names; of two with one name the later is found.
    #[must_use]
    pub fn new(title: String, notice: Option<String>, targets: Vec<Target>) -> Self {
        let haystacks = targets.iter().map(Target::haystack).collect();
        let names = targets.iter().map(|target| Arc::clone(&target.name));
        let positions = names.zip(0..).collect();
        Self { title, notice, targets, haystacks, positions }
    }

    /// Every target.
    #[must_use]
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// The target of that name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Target> {
        self.targets.get(*self.positions.get(name)?)
    }

    /// The targets whose name, title, device or remark hold every word of the query, in any case.
    pub fn search(&self, query: &str) -> impl Iterator<Item = &Target> {
        let query = query.to_lowercase();
        let words: Vec<String> = query.split_whitespace().map(str::to_owned).collect();
        self.targets
            .iter()
            .zip(&self.haystacks)
            .filter(move |(_, haystack)| words.iter().all(|word| haystack.contains(word)))
            .map(|(target, _)| target)
    }
}

/// One target: two measured values and the four graphs of them.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its unique name.
    pub name: Arc<str>,
    /// The page's title.
    pub title: Arc<str>,
    /// HTML of the operator for the top of the page, put there as it is: whoever may write the
    /// configuration is trusted with markup (but see the content policy, which lets nothing in it
    /// run or load).
    pub page_top_html: Option<Arc<str>>,
    /// The device or devices that it is measured on.
    pub device: Arc<str>,
    /// Its position in [`Status::devices`], unless it needs no device or several.
    pub device_index: Option<usize>,
    /// More words about it: an interface's name, an address.
    pub remark: Arc<str>,
    /// The name of its database in the store.
    pub database: Arc<str>,
    /// The database as `rrdtool` would be told it, or `gyre` if it is in a ring store; shown so
    /// that the graphs can be drawn by hand.
    pub database_path: Arc<str>,
    /// Whether it is in a ring store, which one process at a time may open.
    pub in_ring_store: bool,
    /// Why it is not measured, if it is not.
    pub problem: Option<Arc<str>>,
    /// How its graphs look.
    pub look: Arc<Look>,
}

impl Target {
    fn haystack(&self) -> String {
        let mut text = self.name.to_lowercase();
        for part in [&self.title, &self.device, &self.remark] {
            text.push('\n'); // so that no word is found across two parts
            text.push_str(&part.to_lowercase());
        }
        text
    }
}

/// How a target's graphs look: the settings of mrtg.cfg that concern them. Many targets share one.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Seconds between two measurements.
    pub step_seconds: u64,
    /// Each value is multiplied by this before it is shown: 8 for bits, 60 for a minute's.
    pub factor: f64,
    /// What `k` means: 1000 or 1024.
    pub kilo: f64,
    /// Whether values are shown without a fraction.
    pub integer: bool,
    /// Beside the vertical axis.
    pub y_axis: Arc<str>,
    /// Behind each number, without k, M, G.
    pub unit: Arc<str>,
    /// The two values, `ds0` then `ds1`.
    pub lines: [Line; 2],
    /// The graphs whose axis reaches to the larger expected maximum always.
    pub unscaled: Periods,
    /// The graphs that also draw the maxima.
    pub with_peak: Periods,
    /// The graphs that are left out.
    pub suppress: Periods,
    /// Whether the vertical axis is logarithmic.
    pub logarithmic: bool,
    /// Whether an unknown value is drawn as zero.
    pub unknown_as_zero: bool,
    /// The width of the graph proper.
    pub width_pixels: u32,
    /// The height of the graph proper.
    pub height_pixels: u32,
}

/// One of the two values of a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Whether it is shown at all.
    pub shown: bool,
    /// Before its numbers: `In`.
    pub label: Arc<str>,
    /// What it is, in full.
    pub legend: Arc<str>,
    /// What its maximum is, in full.
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

/// How the collector fares.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// What runs, with its version.
    pub program: String,
    /// When it started, in seconds since 1970.
    pub started_seconds: i64,
    /// Seconds between two cycles.
    pub interval_seconds: u64,
    /// The last cycle that is over.
    pub cycle: Option<Cycle>,
    /// Every device.
    pub devices: Vec<Device>,
    /// What else the operator should know: the clock was set back, an included file is broken.
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
    /// From the first question of the last cycle to the last answer, seconds.
    pub took_seconds: Option<f64>,
    /// When it was last heard of, in seconds since 1970.
    pub answered_seconds: Option<i64>,
    /// What is wrong.
    pub problem: Option<Arc<str>>,
}

/// Whether a device answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// It has not been asked yet.
    Unknown,
    /// It answers.
    Answering,
    /// It has restarted since the last cycle.
    Restarted,
    /// It does not answer.
    Silent,
}
