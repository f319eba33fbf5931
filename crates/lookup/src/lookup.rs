//! Answers query languages from a store.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use series::{
    Described, METRIC_NAME, Matcher, Node, PathPart, PathPattern, Paths, Selected, SelectedPath,
    Source, Unanswered, Window,
};
use std::collections::HashSet;
use store::{Follow, Rooted};

use crate::changes::{Changed, Changes};
use crate::index::{Index, MoreLabels};
use crate::limits::Limits;
use crate::picks::{IsSeen, Pick, Picker};
use crate::rows::Reading;
use crate::rules::{DATABASE_LABEL, Rules, without_suffix};
use crate::tree::Search;

/// How old an index is when it is made anew.
pub const REFRESH_SECONDS: u64 = 30;
/// How old it is at least when it is made anew because the store told of changes.
const REFRESH_LEAST: Duration = Duration::from_millis(500);
/// How old what is known of databases may be, where another program changes them unseen.
const LAYOUTS_MAX: Duration = Duration::from_secs(3600);
/// A question waits for an index of so many databases: that takes a tenth of a second.
const WAITED_FOR: usize = 50_000;

/// The series of a store.
#[derive(Clone)]
pub struct Lookup {
    shared: Arc<Shared>,
    is_seen: Arc<IsSeen>,
    limits: Limits,
}

struct Shared {
    store: Rooted,
    rules: Rules,
    more: Box<MoreLabels>,
    changes: Arc<Changes>,
    current: Mutex<Current>,
    /// Held by the question that makes the first index: others wait for it.
    first: Mutex<()>,
}

#[derive(Default)]
struct Current {
    index: Option<Arc<Index>>,
    made_at: Option<Instant>,
    /// When nothing was taken over from an index before it.
    read_at: Option<Instant>,
    is_being_made: bool,
}

impl Lookup {
    /// The series of a store, named by rules; `more` adds labels.
    #[must_use]
    pub fn new(store: Rooted, rules: Rules, more: Box<MoreLabels>) -> Self {
        let changes = Arc::new(Changes::new(store.clone()));
        // A store that tells nobody is looked at again every half a minute.
        let _: bool = store.store().follow(Arc::clone(&changes) as Arc<dyn Follow>);
        let shared = Shared {
            store,
            rules,
            more,
            changes,
            current: Mutex::default(),
            first: Mutex::default(),
        };
        Self { shared: Arc::new(shared), is_seen: Arc::new(|_| true), limits: Limits::default() }
    }

    /// The same with other bounds.
    #[must_use]
    pub fn within(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The same, for one who may see some databases only.
    #[must_use]
    pub fn seen_by(&self, is_seen: Arc<dyn Fn(&str) -> bool + Send + Sync>) -> Self {
        Self { is_seen, ..self.clone() }
    }

    /// Makes the index anew.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn refresh(&self) -> Result<(), Unanswered> {
        self.shared.made_anew().map(drop)
    }

    fn index(&self) -> Result<Arc<Index>, Unanswered> {
        let mut current = self.shared.lock();
        let Some(index) = current.index.clone() else {
            drop(current);
            return self.shared.first_index();
        };
        let age = current.made_at.map_or(Duration::MAX, |made_at| made_at.elapsed());
        let has_changed = age > REFRESH_LEAST && self.shared.changes.are_there();
        let is_old = has_changed || age > Duration::from_secs(REFRESH_SECONDS);
        if !is_old || current.is_being_made {
            return Ok(index);
        }
        current.is_being_made = true;
        drop(current);
        let maker = Maker(self.shared.clone());
        if has_changed && index.names.len() < WAITED_FOR {
            return maker.0.made_anew();
        }
        // If the store cannot be read, the index stays as it is, and the next question tries.
        std::thread::spawn(move || {
            let _: Result<_, Unanswered> = maker.0.made_anew();
        });
        Ok(index)
    }

    fn picked(
        &self,
        picker: &mut Picker<'_>,
        matchers: &[Matcher],
    ) -> Result<Vec<Pick>, Unanswered> {
        let (mut picks, limit) = (Vec::new(), self.limits.series_max);
        picker.each(matchers, &mut |pick| {
            picks.push(pick);
            picks.len() <= limit
        });
        self.limits.check_series(picks.len())?;
        Ok(picks)
    }

    /// The series that a pattern of paths finds, with their paths, and its branches.
    fn found(
        &self,
        picker: &mut Picker<'_>,
        pattern: &PathPattern,
    ) -> Result<FoundPaths, Unanswered> {
        let names_max = self.limits.names_max;
        let names = &picker.index.names;
        let is_seen = |database: u32| (picker.is_seen)(names.get(database as usize));
        let search = Search { parts: pattern.parts(), is_seen: &is_seen, count_max: names_max };
        let found = picker.index.tree.find(&search);
        let found = found.ok_or(Unanswered::TooMuch {
            what: "names",
            count: names_max as u64 + 1,
            limit: names_max as u64,
        })?;
        let mut all = FoundPaths { branches: found.branches, series: Vec::new() };
        for database in found.whole {
            self.whole(picker, database, &mut all);
        }
        let Some(last) = pattern.parts().last() else { return Ok(all) };
        for database in found.databases {
            let database = database as usize;
            let Some(shape) = picker.shape_of(database) else { continue };
            let stem = self.path(picker, database);
            let is_one_value = picker.shape(shape).layout.is_one_value();
            for (of_layout, column) in picker.shape(shape).layout.columns.iter().zip(0..) {
                let name = format!("{}{}", of_layout.source, of_layout.suffix);
                // Signs stand for the series that are meant where no function is named.
                let is_meant = match last {
                    PathPart::Text(text) => *text == name,
                    pattern @ PathPart::Pattern(_) => {
                        !is_one_value && of_layout.suffix.is_empty() && pattern.matches(&name)
                    }
                };
                if is_meant {
                    let pick = Pick { database: database as u32, shape, column };
                    all.series.push(FoundSeries { path: format!("{stem}.{name}"), pick });
                }
            }
            self.limits.check_names(all.series.len())?;
        }
        all.series.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(all)
    }

    /// A database whose own path a pattern matches: a series if it has one value only, else the
    /// branch with its series.
    fn whole(&self, picker: &mut Picker<'_>, database: u32, all: &mut FoundPaths) {
        let path = self.path(picker, database as usize);
        let shape = picker.shape_of(database as usize);
        let one = shape.map(|shape| (shape, &*picker.shape(shape).layout));
        let one = one.filter(|(_, layout)| layout.is_one_value());
        match one.and_then(|(shape, layout)| Some((shape, layout.plain_column()?))) {
            Some((shape, column)) => {
                all.series.push(FoundSeries { path, pick: Pick { database, shape, column } });
            }
            None => all.branches.push(path),
        }
    }

    fn path(&self, picker: &Picker<'_>, database: usize) -> String {
        self.shared.rules.naming(picker.index.names.get(database)).0.path
    }
}

struct FoundPaths {
    branches: Vec<String>,
    series: Vec<FoundSeries>,
}

struct FoundSeries {
    path: String,
    pick: Pick,
}

/// The one that makes an index; when it goes, another may.
struct Maker(Arc<Shared>);

impl Drop for Maker {
    fn drop(&mut self) {
        self.0.lock().is_being_made = false;
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn first_index(&self) -> Result<Arc<Index>, Unanswered> {
        let _first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let made = self.lock().index.clone();
        made.map_or_else(|| self.made_anew(), Ok)
    }

    fn made_anew(&self) -> Result<Arc<Index>, Unanswered> {
        let (earlier, read_at) = {
            let current = self.lock();
            (current.index.clone(), current.read_at)
        };
        let told = self.changes.take();
        let read_at = read_at.filter(|read_at| read_at.elapsed() < LAYOUTS_MAX);
        let changed = if read_at.is_some() { told } else { Changed::everything() };
        let earlier = earlier.as_deref();
        let made = Index::new(&self.store, &self.rules, &self.more, earlier, &changed);
        let failed = |error| {
            // What was told is not known any more.
            self.changes.note_all();
            Unanswered::Store(Box::new(error))
        };
        let index = Arc::new(made.map_err(failed)?);
        let mut current = self.lock();
        current.index = Some(index.clone());
        current.made_at = Some(Instant::now());
        current.read_at = read_at.or(current.made_at);
        Ok(index)
    }
}

impl Source for Lookup {
    fn select(&self, matchers: &[Matcher], window: &Window) -> Result<Vec<Selected>, Unanswered> {
        let index = self.index()?;
        let mut picker = Picker::new(&index, &self.shared.store, &*self.is_seen);
        let picks = self.picked(&mut picker, matchers)?;
        Reading { picker: &picker, window, limits: &self.limits }.of_picks(&picks)
    }

    fn describe(&self, matchers: &[Matcher]) -> Result<Vec<Described>, Unanswered> {
        let index = self.index()?;
        let mut picker = Picker::new(&index, &self.shared.store, &*self.is_seen);
        let picks = self.picked(&mut picker, matchers)?;
        let described = picks.iter().map(|&pick| Described {
            labels: picker.labels(pick),
            kind: picker.column(pick).kind,
            step_micros: picker.layout(pick).step_micros,
        });
        Ok(described.collect())
    }

    fn label_names(&self, matchers: &[Matcher]) -> Result<Vec<String>, Unanswered> {
        let index = self.index()?;
        let mut picker = Picker::new(&index, &self.shared.store, &*self.is_seen);
        let (mut has, mut any) = (vec![false; index.columns.len()], false);
        picker.each(matchers, &mut |pick| {
            any = true;
            for (has, (_, column)) in has.iter_mut().zip(&index.columns) {
                *has |= column.position(pick.database as usize) != 0;
            }
            !has.iter().all(|has| *has)
        });
        let named = has.iter().zip(&index.columns).filter(|(has, _)| **has);
        let mut names: Vec<String> = named.map(|(_, (name, _))| name.to_string()).collect();
        if any {
            names.extend([METRIC_NAME.to_owned(), DATABASE_LABEL.to_owned()]);
        }
        names.sort();
        Ok(names)
    }

    fn label_values(&self, label: &str, matchers: &[Matcher]) -> Result<Vec<String>, Unanswered> {
        let index = self.index()?;
        let mut picker = Picker::new(&index, &self.shared.store, &*self.is_seen);
        let limit = self.limits.names_max;
        let mut values: Vec<String> = match label {
            METRIC_NAME => {
                // Each shape has its names; databases of one shape differ in none.
                let mut met: Vec<Pick> = Vec::new();
                let mut known = HashSet::new();
                let mut latest = None;
                picker.each(matchers, &mut |pick| {
                    let name = (pick.shape, pick.column);
                    if latest != Some(name) && known.insert(name) {
                        met.push(pick);
                    }
                    latest = Some(name);
                    met.len() <= limit
                });
                let names: HashSet<&str> = met.iter().map(|&pick| &**picker.metric(pick)).collect();
                names.into_iter().map(str::to_owned).collect()
            }
            DATABASE_LABEL => {
                let mut databases = Vec::new();
                picker.each(matchers, &mut |pick| {
                    if databases.last() != Some(&pick.database) {
                        databases.push(pick.database);
                    }
                    databases.len() <= limit
                });
                let names = databases.iter().map(|database| index.names.get(*database as usize));
                names.map(|name| without_suffix(name).to_owned()).collect()
            }
            label => {
                let Some(column) = index.column(label) else { return Ok(Vec::new()) };
                let mut has = vec![false; column.values_count()];
                picker.each(matchers, &mut |pick| {
                    has[column.position(pick.database as usize) as usize] = true;
                    true
                });
                let positions = (1..has.len()).filter(|position| has[*position]);
                positions.map(|position| column.value(position as u32).to_string()).collect()
            }
        };
        self.limits.check_names(values.len())?;
        values.sort_unstable();
        Ok(values)
    }
}

impl Paths for Lookup {
    fn find(&self, pattern: &PathPattern) -> Result<Vec<Node>, Unanswered> {
        let index = self.index()?;
        let mut picker = Picker::new(&index, &self.shared.store, &*self.is_seen);
        let found = self.found(&mut picker, pattern)?;
        let branches = found.branches.into_iter();
        let branches = branches.map(|path| Node { path, is_series: false, is_branch: true });
        let series = found.series.into_iter().map(|series| series.path);
        let series = series.map(|path| Node { path, is_series: true, is_branch: false });
        let mut nodes: Vec<Node> = branches.chain(series).collect();
        nodes.sort();
        nodes.dedup_by(|later, earlier| {
            let is_same = later.path == earlier.path;
            if is_same {
                earlier.is_series |= later.is_series;
                earlier.is_branch |= later.is_branch;
            }
            is_same
        });
        Ok(nodes)
    }

    fn select_paths(
        &self,
        pattern: &PathPattern,
        window: &Window,
    ) -> Result<Vec<SelectedPath>, Unanswered> {
        let index = self.index()?;
        let mut picker = Picker::new(&index, &self.shared.store, &*self.is_seen);
        let (paths, picks): (Vec<String>, Vec<Pick>) = self
            .found(&mut picker, pattern)?
            .series
            .into_iter()
            .map(|series| (series.path, series.pick))
            .unzip();
        self.limits.check_series(picks.len())?;
        let reading = Reading { picker: &picker, window, limits: &self.limits };
        let selected = paths.into_iter().zip(reading.of_picks(&picks)?);
        let selected = selected.map(|(path, Selected { labels, kind, rows })| SelectedPath {
            path,
            labels,
            kind,
            rows,
        });
        Ok(selected.collect())
    }
}
