//! Many files, polled in turn.

use super::cursor::{self, Stretch};
use super::{Access, Shape};

/// Files of one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Their shape.
    pub shape: Shape,
    /// How many.
    pub files: u32,
}

/// When the files of a group are updated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turns {
    /// Seconds between two updates of a file.
    pub every_seconds: u64,
    /// How long after a multiple of that.
    pub after_seconds: u64,
}

impl Turns {
    /// The last turn at this moment or before.
    fn last(self, now_seconds: u64) -> u64 {
        let since = self.after_seconds % self.every_seconds;
        now_seconds - (now_seconds + self.every_seconds - since) % self.every_seconds
    }
}

/// Where the newest rows of a fleet's files stand at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scatter {
    /// In the first slot of every ring, in every file: files made by a tool that does not scatter.
    Together,
    /// In a slot of its own for each ring, as `rrdtool create` chooses it; by this seed.
    ByChance(u64),
}

/// Many files that are updated in a fixed order, group by group, each at turns of its own: usually
/// at each step.
///
/// Pages are numbered through all files, so that a simulator can keep them in arrays: those of one
/// file side by side, as [`Shape`] numbers them.
#[derive(Clone, Debug)]
pub struct Fleet {
    groups: Vec<Group>,
    /// The first page of each group, and the number of all pages.
    first_pages: Vec<u32>,
    /// When each group is updated.
    turns: Vec<Turns>,
    /// When each group was updated last.
    last_seconds: Vec<u64>,
    /// For each group, file by file, the newest row of each archive.
    newest_rows: Vec<Vec<u64>>,
}

/// One page reference of a fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The group of the file.
    pub group: usize,
    /// The file in the group.
    pub file: u32,
    /// The page, among those of all files.
    pub page: u32,
    /// The same page, among those of its file.
    pub page_of_file: u32,
    /// What is done to it.
    pub access: Access,
}

impl Fleet {
    /// Files last updated at the last step of their own before or at this moment; `None` if all
    /// their pages are more than can be numbered with 32 bits.
    #[must_use]
    pub fn new(groups: Vec<Group>, start_seconds: u64, scatter: Scatter) -> Option<Self> {
        let each_step =
            |group: &Group| Turns { every_seconds: group.shape.step_seconds(), after_seconds: 0 };
        let turns = groups.iter().map(each_step).collect();
        Self::with_turns(groups, turns, start_seconds, scatter)
    }

    /// The same with files that are not updated once a step: a journal brings a file the samples of
    /// an hour at once, a fast poller several within a step.
    ///
    /// # Panics
    /// If there are not as many turns as groups, one comes every 0 seconds, or the start lies
    /// before the first.
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

    /// The same, each group last updated at a moment of its own: those whose moment is still to
    /// come take no turn before it.
    ///
    /// # Panics
    /// If there are not as many moments as groups.
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

    /// Pages of all files, inodes and indirect blocks counted as their shapes say.
    #[must_use]
    pub fn pages(&self) -> u32 {
        self.first_pages[self.groups.len()]
    }

    /// The number of files.
    #[must_use]
    pub fn files(&self) -> u64 {
        self.groups.iter().map(|group| u64::from(group.files)).sum()
    }

    /// The page among those of all files.
    ///
    /// # Panics
    /// If there is no such group.
    #[must_use]
    pub fn page(&self, group: usize, file: u32, page: u32) -> u32 {
        debug_assert!(file < self.groups[group].files);
        self.first_pages[group] + file * self.groups[group].shape.pages() + page
    }

    /// The slot of each archive of a file that was written last.
    ///
    /// # Panics
    /// If there is no such group or file.
    #[must_use]
    pub fn newest_rows(&self, group: usize, file: u32) -> &[u64] {
        let archives = self.groups[group].shape.archives();
        &self.newest_rows[group][file as usize * archives..][..archives]
    }

    /// Updates every file of the group whose turn is next, and gives the time; `touch` is told
    /// every page reference. Groups of one step take turns in their order.
    ///
    /// # Panics
    /// If the fleet has no groups.
    pub fn cycle(&mut self, mut touch: impl FnMut(Position)) -> u64 {
        let (group, now_seconds) = self.next_turn();
        for file in 0..self.groups[group].files {
            self.update_file(group, file, now_seconds, &mut touch);
        }
        self.last_seconds[group] = now_seconds;
        now_seconds
    }

    /// The group whose turn is next, and when.
    ///
    /// # Panics
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

/// Where rings stand at first: by chance, or all in their first slot.
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
