//! What the server shows. The caller implements it, so that the server knows neither the collector
//! nor its configuration.
//!
//! No community or other secret may be in here: everything can appear on a page.

use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use ::ranks::Kind;
use hashbrown::HashTable;
use texts::{Reader, Text};

use crate::limits::Limit;
use crate::own::Own;
use crate::status::Status;

/// The source of what the server shows; asked again for every page.
pub trait Site: Send + Sync {
    /// All targets. The same `Arc` is returned until a reload changes them.
    fn catalogue(&self) -> Arc<Catalogue>;

    /// The collector's status.
    fn status(&self) -> Arc<Status>;

    /// What the program measures of itself; `None` if it does not.
    fn own(&self) -> Option<Own> {
        None
    }

    /// The limits that are broken now.
    fn broken_limits(&self) -> Vec<BrokenLimit> {
        Vec::new()
    }
}

/// A limit of a target that is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenLimit {
    /// The target's name.
    pub target: Arc<str>,
    /// The limit's key in the configuration: `ThreshMaxI`.
    pub key: String,
    /// The value and the limit, in words.
    pub words: String,
    /// The first sample that broke it, in seconds since 1970.
    pub since_seconds: i64,
}

/// The targets, in the order of the configuration. They are made when they are asked for: a million
/// of them would take more memory than all that is measured.
pub trait Targets: Send + Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// The name of one of them, by its position.
    fn name(&self, position: usize) -> &str;

    /// One of them, by its position.
    fn target(&self, position: usize) -> Target;

    /// Labels of the series of one of them, by its position: names and values.
    fn labels(&self, position: usize) -> Vec<(String, String)> {
        let _ = position;
        Vec::new()
    }

    /// The labels of all of them, in their order.
    fn labels_of_all(&self, take: &mut dyn FnMut(Vec<(String, String)>)) {
        (0..self.count()).for_each(|position| take(self.labels(position)));
    }

    /// The address of what one of them measures, by its position, if the configuration tells it.
    fn address(&self, position: usize) -> Option<String> {
        let _ = position;
        None
    }

    /// Whether one of them, by its position, is measured by a counter that is known to have 32 bits.
    fn has_narrow_counter(&self, position: usize) -> bool {
        let _ = position;
        false
    }
}

impl Targets for Vec<Target> {
    fn count(&self) -> usize {
        self.len()
    }

    fn name(&self, position: usize) -> &str {
        &self[position].name
    }

    fn target(&self, position: usize) -> Target {
        self[position].clone()
    }
}

/// All targets.
pub struct Catalogue {
    /// The title in the head of every page.
    pub title: String,
    /// A remark for every page, such as that the network is simulated.
    pub notice: Option<String>,
    targets: Box<dyn Targets>,
    /// The targets' positions by their names.
    positions: HashTable<u32>,
    hasher: RandomState,
    /// What each target measures, once that was asked for.
    kinds: OnceLock<Box<[Kind]>>,
    /// Another one for each catalogue of this process.
    number: u64,
}

/// The catalogues that were made.
static MADE: AtomicU64 = AtomicU64::new(0);

impl std::fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Catalogue").field("title", &self.title).finish_non_exhaustive()
    }
}

/// A catalogue of nothing.
impl Default for Catalogue {
    fn default() -> Self {
        Self::new(String::new(), None, Box::new(Vec::new()))
    }
}

impl Catalogue {
    /// A catalogue of targets. Names should be unique: of two equal names, one target is found.
    #[must_use]
    pub fn new(title: String, notice: Option<String>, targets: Box<dyn Targets>) -> Self {
        let hasher = RandomState::new();
        let hash = |position: u32| hasher.hash_one(targets.name(position as usize));
        let count = targets.count();
        let mut positions = HashTable::with_capacity(count);
        for position in 0..count as u32 {
            positions.insert_unique(hash(position), position, |position| hash(*position));
        }
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        Self { title, notice, targets, positions, hasher, kinds: OnceLock::new(), number }
    }

    /// A number that no other catalogue of this process has.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// How many targets there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.targets.count()
    }

    /// The names of all targets, in their order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        (0..self.count()).map(|position| self.targets.name(position))
    }

    /// The target at a position, which is less than the count.
    pub(crate) fn target(&self, position: usize) -> Target {
        self.targets.target(position)
    }

    /// The labels of the target at a position.
    pub(crate) fn labels(&self, position: usize) -> Vec<(String, String)> {
        self.targets.labels(position)
    }

    /// The labels of all targets, in their order.
    pub(crate) fn labels_of_all(&self, take: &mut dyn FnMut(Vec<(String, String)>)) {
        self.targets.labels_of_all(take);
    }

    /// The address of what the target at a position measures.
    pub(crate) fn address(&self, position: usize) -> Option<String> {
        self.targets.address(position)
    }

    /// The name of a target, by its position.
    pub(crate) fn name_at(&self, position: usize) -> &str {
        self.targets.name(position)
    }

    /// Whether a target, by its position, is measured by a counter of 32 bits.
    pub(crate) fn has_narrow_counter(&self, position: usize) -> bool {
        self.targets.has_narrow_counter(position)
    }

    /// What a target measures, by its position; `find_out` tells it of all, once.
    pub(crate) fn kind(&self, position: usize, find_out: fn(&Self) -> Box<[Kind]>) -> Kind {
        let kinds = self.kinds.get_or_init(|| find_out(self));
        kinds.get(position).copied().unwrap_or(Kind::Other)
    }

    /// How many targets have a name that is as asked.
    pub(crate) fn count_where(&self, is_counted: impl Fn(&str) -> bool) -> usize {
        self.names().filter(|name| is_counted(name)).count()
    }

    /// The target with this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Target> {
        self.position(name).map(|position| self.targets.target(position))
    }

    /// The target with this name, and the labels of its series.
    #[must_use]
    pub fn find_labelled(&self, name: &str) -> Option<(Target, Vec<(String, String)>)> {
        let position = self.position(name)?;
        Some((self.targets.target(position), self.targets.labels(position)))
    }

    /// The position of the target with this name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let is_it = |position: &u32| self.targets.name(*position as usize) == name;
        let position = self.positions.find(self.hasher.hash_one(name), is_it)?;
        Some(*position as usize)
    }

    /// The targets whose names are as asked. The others are not made.
    pub(crate) fn matching(&self, is_asked: impl Fn(&str) -> bool) -> impl Iterator<Item = Target> {
        let positions = (0..self.count()).filter(move |nth| is_asked(self.targets.name(*nth)));
        positions.map(|position| self.targets.target(position))
    }

    /// The targets whose name, title, device or remark contain every word of the query, in any
    /// case.
    pub fn search(&self, query: &str) -> impl Iterator<Item = Target> {
        let query = query.to_lowercase();
        let words: Vec<String> = query.split_whitespace().map(str::to_owned).collect();
        let mut reader = Reader::default();
        let all = (0..self.count()).map(|position| self.targets.target(position));
        all.filter(move |target| words.iter().all(|word| target.mentions(word, &mut reader)))
    }
}

/// A stretch of the targets that were found: all of a million are counted, a page of them is kept.
#[derive(Debug)]
pub(crate) struct Stretch {
    pub(crate) count: usize,
    pub(crate) shown: Vec<Target>,
}

impl Stretch {
    /// At most `length` of them from the one with the number `first` on.
    pub(crate) fn of(found: impl Iterator<Item = Target>, first: usize, length: usize) -> Self {
        let mut stretch = Self { count: 0, shown: Vec::new() };
        for target in found {
            if stretch.count >= first && stretch.shown.len() < length {
                stretch.shown.push(target);
            }
            stretch.count += 1;
        }
        stretch
    }
}

/// One target: two measured values and the four graphs of them.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its unique name.
    pub name: Arc<str>,
    /// The page's title, and a description, such as an interface's name or an address.
    pub head: Text,
    /// The operator's HTML for the top of the page, inserted unchanged. People who may write the
    /// configuration are trusted with HTML, but the content security policy prevents scripts and
    /// external resources in it.
    pub page: Option<Text>,
    /// The device or devices that it is polled from.
    pub device: Arc<str>,
    /// Its position in [`Status::devices`]; `None` if it needs no device or several.
    pub device_index: Option<usize>,
    /// The name of its database in the store.
    pub database: Arc<str>,
    /// The store that it is in.
    pub store: Arc<StorePlace>,
    /// Why it is not measured; `None` if it is.
    pub problem: Option<Arc<str>>,
    /// How its graphs look.
    pub look: Arc<Look>,
    /// The expected maxima, if they change while it is measured, in place of those of the look.
    pub maxima: Option<Arc<Maxima>>,
}

/// The expected maxima of both values, which another thread may change.
#[derive(Debug, Default)]
pub struct Maxima([AtomicU64; 2]);

impl Maxima {
    /// These maxima.
    #[must_use]
    pub fn new(maxima: [f64; 2]) -> Self {
        Self(maxima.map(|maximum| maximum.to_bits().into()))
    }

    /// Changes them.
    pub fn set(&self, maxima: [f64; 2]) {
        for (place, maximum) in self.0.iter().zip(maxima) {
            place.store(maximum.to_bits(), Ordering::Relaxed);
        }
    }

    /// The present ones.
    #[must_use]
    pub fn get(&self) -> [f64; 2] {
        self.0.each_ref().map(|place| f64::from_bits(place.load(Ordering::Relaxed)))
    }
}

impl Target {
    /// The database as an argument of `rrdtool`, or of `gyre` if it is in a ring store. It is shown
    /// so that the graphs can be drawn by hand.
    pub(crate) fn database_path(&self) -> String {
        match &*self.database {
            "" => self.store.path.clone(),
            name => Path::new(&self.store.path).join(name).to_string_lossy().into_owned(),
        }
    }

    /// How its graphs look at present.
    pub(crate) fn present_look(&self) -> Arc<Look> {
        let Some(maxima) = &self.maxima else { return self.look.clone() };
        let mut look = Look::clone(&self.look);
        for (line, maximum) in look.lines.iter_mut().zip(maxima.get()) {
            line.maximum = maximum;
        }
        look.into()
    }

    /// The page's title.
    #[must_use]
    pub fn title(&self) -> String {
        self.head.field(0)
    }

    /// A description, or nothing.
    #[must_use]
    pub fn remark(&self) -> String {
        self.head.field(1)
    }

    /// The operator's HTML for the top of the page.
    pub(crate) fn page_top_html(&self) -> Option<String> {
        self.page.as_ref().map(|page| page.field(0))
    }

    /// Whether its name, title, device or remark contains a word, which is in lower case.
    pub(crate) fn mentions(&self, word: &str, reader: &mut Reader) -> bool {
        let contains = |text: &str| match text.is_ascii() && word.is_ascii() {
            true => contains_in_any_case(text.as_bytes(), word.as_bytes()),
            false => text.to_lowercase().contains(word),
        };
        contains(&self.name)
            || contains(&self.device)
            || reader.fields(&self.head).take(2).any(contains)
    }
}

fn contains_in_any_case(text: &[u8], word: &[u8]) -> bool {
    word.is_empty() || text.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word))
}

/// Where the databases of targets are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorePlace {
    /// The directory of the store.
    pub path: String,
    /// Whether it is a ring store.
    pub is_ring: bool,
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
    /// The limits that are watched.
    pub limits: Vec<Limit>,
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
