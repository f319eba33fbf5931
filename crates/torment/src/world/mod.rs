//! The inputs of a trial: databases of some layouts, the times of their samples, and how they are
//! kept. Everything follows from the seed.

mod layout;
mod habit;
mod readings;

pub(crate) use habit::Habit;
pub(crate) use layout::Layout;
pub(crate) use readings::Readings;

use disk::Random;

/// The first second of every world.
pub(crate) const START_SECONDS: i64 = 1_600_000_000;

/// How databases are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kept {
    /// `.rrd` files, behind a journal.
    Files,
    /// A ring store.
    Ring,
}

/// The program that makes a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Born {
    /// Debian's rrdtool: gyre finds the file, or imports it.
    AsFile,
    /// gyre, when a client requests it in the database's first cycle.
    ByClient,
}

/// A database as determined by the seed.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) layout: usize,
    pub(crate) habit: Habit,
    pub(crate) born: Born,
}

/// Everything that a seed determines before the trial runs.
#[derive(Clone, Debug)]
pub(crate) struct World {
    /// Whether the power is cut; otherwise processes are only killed.
    pub(crate) is_cut: bool,
    /// Whether the disk fails instead.
    pub(crate) is_failing: bool,
    pub(crate) layouts: Vec<Layout>,
    /// In the order of the clients that update them.
    pub(crate) members: Vec<Member>,
    pub(crate) clients: usize,
    /// For a ring store: cycles between flushes of a group, and rows in a page.
    pub(crate) flush_cycles: u32,
    pub(crate) tile_rows: u32,
    /// When the daemon acknowledges (`--sync`).
    pub(crate) sync: &'static str,
    /// How many seconds updates wait before they are written to files.
    pub(crate) write_after_seconds: u32,
}

impl World {
    /// The world of a seed. With `is_cut`, updates are synced before they are acknowledged, because
    /// only those survive a power cut.
    pub(crate) fn new(is_cut: bool, is_failing: bool, random: &mut Random) -> Self {
        let layouts: Vec<Layout> = (0..1 + random.below(3)).map(|_| Layout::new(random)).collect();
        let count = match random.below(20) {
            0 => 40 + random.below(200),
            1 | 2 => 1,
            _ => 2 + random.below(12),
        };
        let mut members: Vec<_> = (0..count).map(|nth| member(nth, &layouts, random)).collect();
        if members.iter().all(|member| member.habit == Habit::Absent) {
            // Otherwise each run of the daemon might wait in vain for its first samples.
            members[0].habit = Habit::Steady;
        }
        let syncs = ["always", "always", "1s", "off"];
        Self {
            is_cut,
            is_failing,
            layouts,
            members,
            clients: 1 + random.below(4) as usize,
            flush_cycles: pick(random, &[1, 1, 2, 4, 18]),
            tile_rows: pick(random, &[1, 2, 2, 5, 18]),
            sync: if is_cut || is_failing { "always" } else { pick(random, &syncs) },
            write_after_seconds: pick(random, &[1, 1, 300]),
        }
    }
}

fn member(nth: u64, layouts: &[Layout], random: &mut Random) -> Member {
    let layout = random.below(layouts.len() as u64) as usize;
    let as_file = layouts[layout].forecasts() || random.below(2) == 0;
    Member {
        name: match nth % 3 {
            0 => format!("d{nth}.rrd"),
            1 => format!("site/d{nth}.rrd"),
            _ => format!("site/rack-{nth}/d.rrd"),
        },
        layout,
        habit: Habit::new(random),
        born: if as_file { Born::AsFile } else { Born::ByClient },
    }
}

/// A random one of several.
pub(crate) fn pick<T: Copy>(random: &mut Random, all: &[T]) -> T {
    all[random.below(all.len() as u64) as usize]
}
