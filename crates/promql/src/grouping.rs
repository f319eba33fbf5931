//! Which series belong together: by some labels, or by all but some.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use hashbrown::HashTable;
use promql_parser::parser::LabelModifier;
use series::{Label, Labels, METRIC_NAME};

/// The labels by which series are told apart.
#[derive(Clone, Debug)]
pub(crate) struct Grouping {
    /// Sorted, each once.
    names: Vec<String>,
    is_by: bool,
}

/// Which group each series of some lists belongs to.
#[derive(Debug)]
pub(crate) struct Groups {
    /// The group of each series, for each list.
    pub(crate) of_list: Vec<Vec<u32>>,
    /// How many groups there are; they are counted in the order in which they came up.
    pub(crate) count: usize,
}

/// Where a group's first series is.
#[derive(Clone, Copy)]
struct First {
    hash: u64,
    list: usize,
    nth: usize,
    group: u32,
}

impl Grouping {
    /// By these labels alone.
    pub(crate) fn by(names: &[String]) -> Self {
        Self { names: sorted(names), is_by: true }
    }

    /// By all labels but these and the metric's name.
    pub(crate) fn without(names: &[String]) -> Self {
        let names = sorted(names.iter().chain([&METRIC_NAME.to_owned()]));
        Self { names, is_by: false }
    }

    /// By all labels, the metric's name too.
    pub(crate) fn exact() -> Self {
        Self { names: Vec::new(), is_by: false }
    }

    /// `by` or `without` of an aggregation; without either all series are one group.
    pub(crate) fn of_aggregation(modifier: Option<&LabelModifier>) -> Self {
        match modifier {
            None => Self::by(&[]),
            Some(LabelModifier::Include(names)) => Self::by(&names.labels),
            Some(LabelModifier::Exclude(names)) => Self::without(&names.labels),
        }
    }

    /// `on` or `ignoring` of an operator.
    pub(crate) fn of_matching(modifier: Option<&LabelModifier>) -> Self {
        match modifier {
            None => Self::without(&[]),
            Some(LabelModifier::Include(names)) => Self::by(&names.labels),
            Some(LabelModifier::Exclude(names)) => Self::without(&names.labels),
        }
    }

    /// The labels by which a group is told apart, of one of its series.
    pub(crate) fn kept(&self, labels: &Labels) -> Labels {
        let mut kept = labels.clone();
        kept.retain(|name| self.keeps(name));
        kept
    }

    /// Whether series are told apart by a label.
    pub(crate) fn keeps(&self, name: &str) -> bool {
        self.names.binary_search_by(|it| it.as_str().cmp(name)).is_ok() == self.is_by
    }

    /// Divides the series of some lists into groups. Each series is hashed once.
    pub(crate) fn assign(&self, lists: &[&[Labels]]) -> Groups {
        let random = RandomState::new();
        let mut table: HashTable<First> = HashTable::new();
        let mut of_list = Vec::with_capacity(lists.len());
        for (list, all) in lists.iter().enumerate() {
            let mut groups = Vec::with_capacity(all.len());
            for (nth, labels) in all.iter().enumerate() {
                let hash = self.hash(&random, labels);
                let is_same =
                    |it: &First| it.hash == hash && self.are_same(&lists[it.list][it.nth], labels);
                let next = table.len() as u32;
                let entry = table.entry(hash, is_same, |it| it.hash);
                let first = entry.or_insert(First { hash, list, nth, group: next });
                groups.push(first.get().group);
            }
            of_list.push(groups);
        }
        Groups { of_list, count: table.len() }
    }

    fn hash(&self, random: &RandomState, labels: &Labels) -> u64 {
        let mut hasher = random.build_hasher();
        for Label { name, value } in self.told_apart_by(labels) {
            hasher.write(name.as_bytes());
            hasher.write_u8(0xff); // no text has this byte
            hasher.write(value.as_bytes());
            hasher.write_u8(0xff);
        }
        hasher.finish()
    }

    fn are_same(&self, one: &Labels, other: &Labels) -> bool {
        self.told_apart_by(one).eq(self.told_apart_by(other))
    }

    fn told_apart_by<'a>(&'a self, labels: &'a Labels) -> impl Iterator<Item = &'a Label> {
        labels.iter().filter(|label| self.keeps(&label.name))
    }
}

fn sorted<'a>(names: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().cloned().collect();
    names.sort_unstable();
    names.dedup();
    names
}
