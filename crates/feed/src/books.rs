//! What the tables say of databases, in memory.

use std::sync::Arc;

use sqlring::{Layout, Mark, Ring, Selection};
use std::collections::{HashMap, HashSet};

use crate::Error;

/// The tables of a feed, besides its rows.
pub(crate) struct Books {
    pub(crate) selection: Selection,
    /// The databases by their numbers; `None` for numbers that are free.
    databases: Vec<Option<Fed>>,
    by_name: HashMap<Arc<str>, u32>,
    /// The layouts by their numbers.
    layouts: Vec<Arc<Layout>>,
    layout_numbers: HashMap<Arc<Layout>, u32>,
    next_series: u32,
    /// Rings whose tables are there.
    pub(crate) rings: HashSet<Ring>,
    /// Rows of `gyre_block`.
    pub(crate) blocks: u64,
    pub(crate) trash: Vec<Trash>,
}

/// A database that is fed.
#[derive(Clone, Debug)]
pub(crate) struct Fed {
    pub(crate) name: Arc<str>,
    /// The number of its layout.
    pub(crate) layout: u32,
    /// The series of its first source; those of the others follow.
    pub(crate) first_series: u32,
    pub(crate) mark: Mark,
}

/// Series whose rows are to be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Trash {
    pub(crate) first_series: u32,
    pub(crate) series: u32,
    pub(crate) layout: u32,
}

/// Tables have whole numbers of 31 bits.
const NUMBER_MAX: u32 = i32::MAX as u32;

impl Books {
    pub(crate) fn new(selection: Selection) -> Self {
        Self {
            selection,
            databases: Vec::new(),
            by_name: HashMap::new(),
            layouts: Vec::new(),
            layout_numbers: HashMap::new(),
            next_series: 0,
            rings: HashSet::new(),
            blocks: 0,
            trash: Vec::new(),
        }
    }

    /// How many databases are fed.
    pub(crate) fn count(&self) -> usize {
        self.by_name.len()
    }

    /// How many numbers of databases were given.
    pub(crate) fn numbers(&self) -> u32 {
        self.databases.len() as u32
    }

    pub(crate) fn get(&self, number: u32) -> Option<&Fed> {
        self.databases.get(number as usize)?.as_ref()
    }

    pub(crate) fn number_of(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// The numbers and names of all databases.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Fed)> {
        (0..).zip(&self.databases).filter_map(|(number, fed)| Some((number, fed.as_ref()?)))
    }

    pub(crate) fn put(&mut self, number: u32, fed: Fed) {
        let place = number as usize;
        if self.databases.len() <= place {
            self.databases.resize(place + 1, None);
        }
        self.by_name.insert(Arc::clone(&fed.name), number);
        let series = self.layouts.get(fed.layout as usize).map_or(0, |it| it.sources.len());
        self.series_given(fed.first_series, series as u32);
        self.databases[place] = Some(fed);
    }

    pub(crate) fn rename(&mut self, number: u32, to: &str) {
        let Some(fed) = self.databases.get_mut(number as usize).and_then(Option::as_mut) else {
            return;
        };
        self.by_name.remove(&fed.name);
        fed.name = to.into();
        self.by_name.insert(Arc::clone(&fed.name), number);
    }

    pub(crate) fn remove(&mut self, number: u32) -> Option<Fed> {
        let fed = self.databases.get_mut(number as usize)?.take()?;
        self.by_name.remove(&fed.name);
        Some(fed)
    }

    pub(crate) fn set_mark(&mut self, number: u32, mark: Mark) {
        if let Some(Some(fed)) = self.databases.get_mut(number as usize) {
            fed.mark = mark;
        }
    }

    pub(crate) fn layout(&self, number: u32) -> &Arc<Layout> {
        &self.layouts[number as usize]
    }

    pub(crate) fn layouts(&self) -> u32 {
        self.layouts.len() as u32
    }

    pub(crate) fn layout_number(&self, layout: &Layout) -> Option<u32> {
        self.layout_numbers.get(layout).copied()
    }

    pub(crate) fn put_layout(&mut self, layout: Layout) -> u32 {
        let (layout, number) = (Arc::new(layout), self.layouts());
        self.layouts.push(Arc::clone(&layout));
        *self.layout_numbers.entry(layout).or_insert(number)
    }

    /// Series from this one on were given to somebody.
    pub(crate) fn series_given(&mut self, first: u32, count: u32) {
        self.next_series = self.next_series.max(first.saturating_add(count));
    }

    /// New series.
    pub(crate) fn new_series(&mut self, count: usize) -> Result<u32, Error> {
        let first = self.next_series;
        let count = u32::try_from(count).map_err(|_| Error::TooMany)?;
        let end = first.checked_add(count).filter(|end| *end <= NUMBER_MAX);
        self.next_series = end.ok_or(Error::TooMany)?;
        Ok(first)
    }
}
