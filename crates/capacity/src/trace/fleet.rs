//! Many files that are polled in turn.

use super::cursor::{self, Stretch};
use super::{Access, Shape};

/// Files of one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Their shape.
    pub shape: Shape,
    /// The number of files.
    pub files: u32,
}

/// When the files of a group are updated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turns {
    /// Seconds between two updates of a file.
    pub every_seconds: u64,
    /// The offset from a multiple of that.
    pub after_seconds: u64,
}

impl Turns {
    /// The last turn up to this time.
    fn last(self, now_seconds: u64) -> u64 {
        let since = self.after_seconds % self.every_seconds;
        now_seconds - (now_seconds + self.every_seconds - since) % self.every_seconds
    }
}

/// The initial positions of the newest rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scatter {
    /// In the first slot of every ring of every file, as by a tool that does not randomize them.
    Together,
    /// In a random slot of each ring, as `rrdtool create` does; from this seed.
    ByChance(u64),
}

/// Many files that are updated in a fixed order, group by group. Each group has its own turns:
/// usually one at each step.
///
/// Pages are numbered over all files, so that a simulator can use arrays. The pages of a file are
/// consecutive, numbered as in [`Shape`].
#[derive(Clone, Debug)]
pub struct Fleet {
    groups: Vec<Group>,
    /// The first page of each group, and the number of all pages.
    first_pages: Vec<u32>,
    /// The turns of each group.
    turns: Vec<Turns>,
    /// The time of each group's last update.
    last_seconds: Vec<u64>,
    /// For each group, file by file, the newest row of each archive.
    newest_rows: Vec<Vec<u64>>,
}

/// One page reference of a fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The index of the file's group.
    pub group: usize,
    /// The index of the file in the group.
    pub file: u32,
    /// The page, numbered over all files.
    pub page: u32,
    /// The same page, numbered within its file.
    pub page_of_file: u32,
    /// The access.
    pub access: Access,
}

impl Fleet {
    /// Files whose last update was at their last step up to `start_seconds`; `None` if their pages
    /// exceed 32 bits.
    #[must_use]
    pub fn new(groups: Vec<Group>, start_seconds: u64, scatter: Scatter) -> Option<Self> {
        let each_step =
            |group: &Group| Turns { every_seconds: group.shape.step_seconds(), after_seconds: 0 };
        let turns = groups.iter().map(each_step).collect();
        Self::with_turns(groups, turns, start_seconds, scatter)
    }

    /// The same for files that are not updated once a step: a journal updates a file with the
    /// samples of an hour at once, a fast poller several times within a step.
    ///
    /// # Panics
    ///
    /// If there are not as many turns as groups, an interval is 0 seconds, or the start is before
    /// the first turn.
    #[must_use]
    pub fn with_turns(
        groups: Vec<Group>,
        turns: Vec<Turns>,
        start_seconds: u64,
        scatter: Scatter,
    ) -> Option<Self> {
        assert!(turns.len() == groups.len());
        assert!(turns.iter().all(|turns| turns.every_seconds > 0));
        let mut first_pages = vec![0_u32];
        for group in &groups {
            let pages = group.shape.pages().checked_mul(group.files)?;
            first_pages.push(first_pages.last()?.checked_add(pages)?);
        }
        let mut random = Places::new(scatter);
        let newest_rows = groups.iter().map(|group| random.newest_rows(group)).collect();
        let last_seconds = turns.iter().map(|turns| turns.last(start_seconds)).collect();
        Some(Self { groups, first_pages, turns, last_seconds, newest_rows })
    }

    /// The same, with a time of last update for each group. A group whose time is in the future
    /// takes no turn before it.
    ///
    /// # Panics
    ///
    /// If there are not as many times as groups.
    #[must_use]
    pub fn arriving(mut self, last_seconds: Vec<u64>) -> Self {
        assert!(last_seconds.len() == self.groups.len());
        self.last_seconds = last_seconds;
        self
    }

    /// The groups.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// Pages of all files, including inodes and indirect blocks as their shapes count them.
    #[must_use]
    pub fn pages(&self) -> u32 {
        self.first_pages[self.groups.len()]
    }

    /// The number of files.
    #[must_use]
    pub fn files(&self) -> u64 {
        self.groups.iter().map(|group| u64::from(group.files)).sum()
    }

    /// A page of a file, numbered over all files.
    ///
    /// # Panics
    ///
    /// If there is no such group.
    #[must_use]
    pub fn page(&self, group: usize, file: u32, page: u32) -> u32 {
        debug_assert!(file < self.groups[group].files);
        self.first_pages[group] + file * self.groups[group].shape.pages() + page
    }

    /// The slot of each archive of a file that was written last.
    ///
    /// # Panics
    ///
    /// If there is no such group or file.
    #[must_use]
    pub fn newest_rows(&self, group: usize, file: u32) -> &[u64] {
        let archives = self.groups[group].shape.archives();
        &self.newest_rows[group][file as usize * archives..][..archives]
    }

    /// Updates every file of the group whose turn is next; returns the time. `touch` gets every
    /// page reference. Groups with equal turns are updated in their order.
    ///
    /// # Panics
    ///
    /// If the fleet has no groups.
    pub fn cycle(&mut self, mut touch: impl FnMut(Position)) -> u64 {
        let (group, now_seconds) = self.next_turn();
        for file in 0..self.groups[group].files {
            self.update_file(group, file, now_seconds, &mut touch);
        }
        self.last_seconds[group] = now_seconds;
        now_seconds
    }

    /// The group whose turn is next, and the time.
    ///
    /// # Panics
    ///
    /// If the fleet has no groups.
    #[must_use]
    pub fn next_turn(&self) -> (usize, u64) {
        let due = |group: usize| self.last_seconds[group] + self.turns[group].every_seconds;
        let turns = (0..self.groups.len()).map(|group| (due(group), group));
        let (now_seconds, group) = turns.min().expect("a fleet has groups");
        (group, now_seconds)
    }

    fn update_file(
        &mut self,
        group: usize,
        file: u32,
        now_seconds: u64,
        touch: &mut impl FnMut(Position),
    ) {
        let first_page = self.page(group, file, 0);
        let Group { shape, .. } = &self.groups[group];
        let stretch = Stretch::between(self.last_seconds[group], now_seconds, shape.step_seconds());
        let archives = shape.archives();
        let newest_rows = &mut self.newest_rows[group][file as usize * archives..][..archives];
        cursor::take(shape, &stretch, newest_rows, &mut |each| {
            let (page, access) = (first_page + each.page, each.access);
            touch(Position { group, file, page, page_of_file: each.page, access });
        });
    }
}

/// The initial positions of rings: random, or all in their first slot.
struct Places(Option<chance::Random>);

impl Places {
    fn new(scatter: Scatter) -> Self {
        match scatter {
            Scatter::Together => Self(None),
            Scatter::ByChance(seed) => Self(Some(chance::Random::new(seed))),
        }
    }

    fn newest_rows(&mut self, group: &Group) -> Vec<u64> {
        let rings = || group.shape.rings().iter();
        (0..group.files).flat_map(|_| rings()).map(|ring| self.below(ring.rows)).collect()
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0.as_mut().map_or(0, |random| random.below(limit))
    }
}
