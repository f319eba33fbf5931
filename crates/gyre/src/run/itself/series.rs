//! The databases in which a run keeps what it measures of itself.

use std::path::Path;

use rrd::{Archive, ConsolidationFunction, DataSource, Definition, SourceKind};
use server::OwnSource;

use super::super::part::{Part, file_beside};

/// The directory of these databases.
const DIRECTORY: &str = "gyre";
/// How long rows are, at least, and how many archives of each function there are: like MRTG's.
const ROW_SECONDS: [u64; 4] = [300, 1800, 7200, 86_400];
const ROWS: u64 = 800;
/// A value that comes later than this makes a gap.
const HEARTBEAT_SECONDS_MIN: u64 = 120;

/// A database, and what its values are. Its sources have one unit.
pub(super) struct OwnDatabase {
    pub(super) key: &'static str,
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) unit: &'static str,
    pub(super) sources: &'static [OwnSource],
}

const fn source(name: &'static str, label: &'static str) -> OwnSource {
    OwnSource { name, label }
}

/// All of them, in the order of the page.
pub(super) const ALL: [OwnDatabase; 9] = [
    OwnDatabase {
        key: "cycle",
        title: "Cycle",
        about: "How long polling and writing took in the last cycle, and how late it ended.",
        unit: "s",
        sources: &[
            source("poll_seconds", "polling"),
            source("write_seconds", "writing"),
            source("late_seconds", "late"),
        ],
    },
    OwnDatabase {
        key: "targets",
        title: "Targets of a cycle",
        about: "Targets that got values in the last cycle, and those that got none.",
        unit: "",
        sources: &[source("polled", "polled"), source("missed", "missed")],
    },
    OwnDatabase {
        key: "queue",
        title: "Queue",
        about: "Messages that wait for the writing thread.",
        unit: "",
        sources: &[source("messages", "messages")],
    },
    OwnDatabase {
        key: "disk",
        title: "Disk",
        about: "What this process had the kernel write and read.",
        unit: "B/s",
        sources: &[source("written_bytes", "written"), source("read_bytes", "read")],
    },
    OwnDatabase {
        key: "pageins",
        title: "Page-ins",
        about: "Page faults of this process a second that had to wait for a disk.",
        unit: "/s",
        sources: &[source("page_ins", "page-ins")],
    },
    OwnDatabase {
        key: "journal",
        title: "Journal",
        about: "Bytes of the store's log that a restart would read.",
        unit: "B",
        sources: &[source("log_bytes", "log")],
    },
    OwnDatabase {
        key: "memory",
        title: "Memory",
        about: "What this process has in memory, and the part of it that is the store's.",
        unit: "B",
        sources: &[source("resident_bytes", "process"), source("store_bytes", "store")],
    },
    OwnDatabase {
        key: "room",
        title: "Room",
        about: "How many more databases like those of the targets this machine carries, as the \
                planner predicts.",
        unit: "",
        sources: &[source("databases_more", "databases")],
    },
    OwnDatabase {
        key: "strain",
        title: "Strain",
        about: "The share of the scarcest resource that is used, as the planner predicts.",
        unit: "%",
        sources: &[source("strain_percent", "used")],
    },
];

/// Whether a database is one of some run's own.
pub(in super::super) fn is_own(definition: &Definition) -> bool {
    ALL.iter().any(|own| own.is(definition))
}

/// The name of a run's database: `gyre/mrtg/cycle.rrd` for mrtg.cfg. Runs of other configurations,
/// and of other parts of one, may keep theirs in the same directory.
pub(super) fn name(configuration: &Path, part: Option<Part>, key: &str) -> String {
    let site = file_beside(configuration, part, "");
    format!("{DIRECTORY}/{}/{key}.rrd", site.trim_end_matches('.'))
}

impl OwnDatabase {
    /// The definition, for a value every so many seconds.
    pub(super) fn definition(&self, step_seconds: u64) -> Definition {
        let heartbeat_seconds = (2 * step_seconds).max(HEARTBEAT_SECONDS_MIN);
        let source = |source: &OwnSource| DataSource {
            name: source.name.to_owned(),
            kind: SourceKind::Gauge,
            heartbeat_seconds,
            minimum: 0.0,
            maximum: f64::NAN,
        };
        let mut steps_of_row: Vec<u64> = vec![1];
        steps_of_row.extend(ROW_SECONDS.map(|seconds| seconds / step_seconds));
        steps_of_row.retain(|steps| *steps > 0);
        steps_of_row.dedup();
        let functions = [ConsolidationFunction::Average, ConsolidationFunction::Max];
        let archives = functions.into_iter().flat_map(|cf| {
            steps_of_row.iter().map(move |steps| Archive::plain(cf, ROWS, *steps, 0.5))
        });
        Definition {
            tick: rrd::Tick::SECOND,
            step_seconds,
            sources: self.sources.iter().map(source).collect(),
            archives: archives.collect(),
        }
    }

    /// Whether a database is one of these, whatever its step is.
    pub(super) fn is(&self, definition: &Definition) -> bool {
        let names = definition.sources.iter().map(|source| source.name.as_str());
        names.eq(self.sources.iter().map(|source| source.name))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{ALL, name};

    #[test]
    fn databases_are_named_by_configuration_and_part() {
        let part = "2/3".parse().ok();
        assert_eq!(name(Path::new("/etc/mrtg.cfg"), None, "cycle"), "gyre/mrtg/cycle.rrd");
        assert_eq!(name(Path::new("a.b.cfg"), part, "disk"), "gyre/a.b-2-of-3/disk.rrd");
    }

    #[test]
    fn each_step_has_rows_for_a_day_and_a_year() {
        for step_seconds in [1, 7, 60, 300, 3600, 86_400] {
            for own in &ALL {
                let definition = own.definition(step_seconds);
                assert_eq!(definition.archives[0].pdp_per_row, 1);
                let most = definition.archives.iter().map(|it| it.pdp_per_row * it.rows).max();
                assert!(most.is_some_and(|steps| steps * step_seconds >= 365 * 86_400));
                assert!(own.is(&definition) && own.sources.len() <= 3);
            }
        }
    }
}
