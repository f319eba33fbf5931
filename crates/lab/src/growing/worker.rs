//! The program that executes a growing run and reports each cycle.

use std::ops::Range;
use std::time::Instant;

use testbed::{ProcessCounters, sync_file_system};

use super::cohorts::Cohorts;
use super::ring::Ring;
use super::writers::Writers;
use super::{Growth, Keeping, Turn, judged};
use crate::cycle::Cycle;
use crate::files::{Clocks, Files};
use crate::layouts::PAGE_BYTES;
use crate::updating::Readings;
use crate::ways::Way;

/// Executes a run, to the end of its steps or until it breaks.
///
/// # Errors
///
/// The way does not exist, or the file system fails.
pub(crate) fn grow(
    growth: &Growth,
    mut tell: impl FnMut(&Turn) -> Result<(), String>,
) -> Result<(), String> {
    let mut subject = Subject::new(growth)?;
    let mut cohorts = Cohorts::default();
    let mut turns = Vec::new();
    let mut now_seconds = growth.last_seconds;
    'life: for step in &growth.steps {
        subject.add(cohorts.grow(step.databases), now_seconds)?;
        sync_file_system(&growth.directory)?;
        for nth in 0..step.cycles {
            now_seconds += growth.layout.step_seconds();
            cohorts.pass_cycle();
            let turn = turn(growth, &mut subject, &cohorts, now_seconds)?;
            turns.push(Turn { is_first: nth == 0, ..turn });
            tell(&turns[turns.len() - 1])?;
            if growth.share.is_some_and(|share| judged(share, &turns).1.is_some()) {
                break 'life;
            }
        }
    }
    subject.end()
}

/// Updates every database once, then waits until all of it is on disk. The older databases come
/// first, so that pages read for the added ones can be counted separately.
fn turn(
    growth: &Growth,
    subject: &mut Subject,
    cohorts: &Cohorts,
    at_seconds: u64,
) -> Result<Turn, String> {
    let newest = cohorts.newest();
    let before = subject.spent()?;
    let begun = Instant::now();
    subject.take(cohorts.databases(), at_seconds);
    subject.write(&(0..newest.start), cohorts)?;
    let between = subject.spent()?;
    subject.write(&newest, cohorts)?;
    let seconds = begun.elapsed().as_secs_f64();
    let updated = subject.spent()?;
    subject.work()?;
    sync_file_system(&growth.directory)?;
    let synced_seconds = begun.elapsed().as_secs_f64();
    let after = subject.spent()?;
    Ok(Turn {
        databases: cohorts.databases(),
        added: newest.end - newest.start,
        added_pages_read: (updated.read_bytes - between.read_bytes) / PAGE_BYTES,
        is_first: false,
        kept_pages_read: (after.read_bytes - updated.read_bytes) / PAGE_BYTES,
        cycle: Cycle {
            at_seconds,
            pages_read: (updated.read_bytes - before.read_bytes) / PAGE_BYTES,
            pages_read_beside: 0,
            minor_faults: 0,
            pages_written: (after.written_bytes - before.written_bytes) / PAGE_BYTES,
            processor_seconds: after.running_seconds - before.running_seconds,
            seconds,
            synced_seconds,
        },
        anonymous_bytes: after.anonymous_bytes,
    })
}

/// The program that keeps the databases.
enum Subject {
    Files(Writers),
    Ring(Ring, Option<Readings>),
}

/// Its use of resources so far.
struct Spent {
    read_bytes: u64,
    written_bytes: u64,
    running_seconds: f64,
    anonymous_bytes: u64,
}

impl Subject {
    fn new(growth: &Growth) -> Result<Self, String> {
        let Growth { layout, writers, last_seconds, .. } = *growth;
        match &growth.keeping {
            Keeping::Files { way, journal_cycles } => {
                let way = Way::named(way).ok_or_else(|| format!("there is no way {way:?}"))?;
                let directory = growth.directory.clone();
                let clocks = Clocks::Together;
                let files = Files { directory, layout, count: 0, last_seconds, clocks };
                Writers::new(files, way, *journal_cycles, writers).map(Self::Files)
            }
            Keeping::Ring { tile_rows_max } => {
                let ring = Ring::new(&growth.directory, layout, *tile_rows_max, writers)?;
                Ok(Self::Ring(ring, None))
            }
        }
    }

    fn add(&self, databases: Range<u32>, last_seconds: u64) -> Result<(), String> {
        match self {
            Self::Files(_) => Ok(()), // they are there
            Self::Ring(ring, _) => ring.add(databases, last_seconds),
        }
    }

    /// Sets the readings of a cycle.
    fn take(&mut self, databases: u32, at_seconds: u64) {
        match self {
            Self::Files(writers) => writers.take(databases, at_seconds),
            Self::Ring(ring, readings) => *readings = Some(ring.readings(at_seconds)),
        }
    }

    fn write(&mut self, range: &Range<u32>, cohorts: &Cohorts) -> Result<(), String> {
        match self {
            Self::Files(writers) => writers.write(range, cohorts),
            Self::Ring(ring, readings) => {
                readings.as_ref().map_or(Ok(()), |readings| ring.write(range, readings))
            }
        }
    }

    fn work(&self) -> Result<(), String> {
        match self {
            Self::Files(_) => Ok(()),
            Self::Ring(ring, _) => ring.work(),
        }
    }

    fn spent(&self) -> Result<Spent, String> {
        let counted = match self {
            Self::Files(writers) => writers.counters()?,
            Self::Ring(..) => vec![ProcessCounters::own()?],
        };
        Ok(Spent {
            read_bytes: counted.iter().map(|it| it.read_bytes).sum(),
            written_bytes: counted.iter().map(|it| it.written_bytes).sum(),
            running_seconds: counted.iter().map(|it| it.user_seconds + it.system_seconds).sum(),
            anonymous_bytes: counted.iter().map(|it| it.anonymous_bytes).sum(),
        })
    }

    fn end(self) -> Result<(), String> {
        match self {
            Self::Files(_) => Ok(()),
            Self::Ring(ring, _) => ring.end(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use files::RrdFiles;
    use ring::{RingOptions, RingStore};
    use store::Store;

    use super::grow;
    use crate::files::Files;
    use crate::growing::{Growth, Keeping, Share, Step, Turn};
    use crate::layouts::Layout;

    const MIDNIGHT_SECONDS: u64 = 1_767_225_600;
    const STEPS: [Step; 2] = [Step { databases: 5, cycles: 3 }, Step { databases: 8, cycles: 2 }];

    fn growth(keeping: Keeping, directory: &Path) -> Growth {
        Growth {
            keeping,
            layout: Layout::Mrtg,
            directory: directory.into(),
            steps: STEPS.into(),
            last_seconds: MIDNIGHT_SECONDS,
            writers: 3,
            share: None,
        }
    }

    fn lived(growth: &Growth) -> Vec<Turn> {
        let mut turns = Vec::new();
        grow(growth, |turn| {
            turns.push(*turn);
            Ok(())
        })
        .unwrap();
        turns
    }

    fn files(below: &Path) -> Files {
        let mut files =
            Files::make(below, Layout::Mrtg, STEPS[0].databases, MIDNIGHT_SECONDS).unwrap();
        files.last_seconds += STEPS[0].cycles * 300;
        files.add(STEPS[1].databases - STEPS[0].databases).unwrap();
        files
    }

    /// The time of the last update, in cycles since the beginning.
    fn updated(store: &dyn Store, name: &str) -> u64 {
        let outline = store.outline(Path::new(name)).unwrap();
        (outline.last_update.seconds as u64 - MIDNIGHT_SECONDS) / 300
    }

    #[test]
    fn every_file_is_updated_from_its_step_on() {
        let below = tempfile::tempdir().unwrap();
        let files = files(below.path());
        let keeping = Keeping::Files { way: "pread-advice".into(), journal_cycles: 0 };
        let turns = lived(&growth(keeping, &files.directory));
        let counts: Vec<_> = turns.iter().map(|it| (it.databases, it.added, it.is_first)).collect();
        assert_eq!(counts[2..4], [(5, 0, false), (8, 3, true)]);
        let store = RrdFiles::below(&files.directory);
        assert!((0..8).all(|nth| updated(&store, &format!("{nth:06}.rrd")) == 5));
    }

    #[test]
    fn a_journal_is_written_once_in_its_time_to_those_that_were_there() {
        let below = tempfile::tempdir().unwrap();
        let files = files(below.path());
        let keeping = Keeping::Files { way: "mapping".into(), journal_cycles: 4 };
        lived(&growth(keeping, &files.directory));
        let store = RrdFiles::below(&files.directory);
        assert!((0..8).all(|nth| updated(&store, &format!("{nth:06}.rrd")) == 4));
    }

    #[test]
    fn the_ring_store_grows_alike() {
        let below = tempfile::tempdir().unwrap();
        let directory = below.path().join("ring");
        let turns = lived(&growth(Keeping::Ring { tile_rows_max: 1 }, &directory));
        assert_eq!(turns.len(), 5);
        let store = RingStore::open(&directory, RingOptions::default()).unwrap();
        assert_eq!(store.names("").unwrap().len(), 8);
        assert!((0..8).all(|nth| updated(&store, &format!("{nth:07}.rrd")) == 5));
    }

    #[test]
    fn a_life_ends_where_it_breaks() {
        let below = tempfile::tempdir().unwrap();
        let share = Share { cycle_seconds: 1e-9, window_cycles: 2, warm_cycles: 1, processors: 1 };
        let growth = Growth {
            share: Some(share),
            ..growth(Keeping::Ring { tile_rows_max: 1 }, &below.path().join("ring"))
        };
        assert_eq!(lived(&growth).len(), 3);
    }
}
