//! The checks, in the order of the report: first those that the paper recommends (Plonka, Gupta and
//! Carder, "Application Buffer-Cache Management for Performance: Running the World's Largest MRTG",
//! LISA 2007), then those for current machines.

mod layout;
mod others;
mod naming;
mod disk;
mod writing;
mod room;
mod memory;
mod limits;
mod service;

use crate::facts::Facts;
use crate::finding::Finding;
use crate::unseen::Seen;
use crate::work::{Keeping, Work};

/// The result of a check; `None` if the check does not apply.
pub(crate) type Verdict = Seen<Option<Finding>>;

/// A check.
pub struct Check {
    /// Its name, for `--only`.
    pub name: &'static str,
    /// Its group in the report.
    pub group: &'static str,
    /// A description of what it checks.
    pub about: &'static str,
    run: fn(&Facts) -> Verdict,
}

const PAPER: &str = "What Plonka, Gupta and Carder recommend (LISA 2007)";
const DISK: &str = "Disk";
const MEMORY: &str = "Memory";
const LIMITS: &str = "Limits";
const SERVICE: &str = "Service";

/// Every check.
pub const CHECKS: &[Check] = &[
    check(
        "dedicated",
        PAPER,
        "whether other large programs share memory and page cache",
        others::dedicated,
    ),
    check(
        "random-advice",
        PAPER,
        "whether the programs that write .rrd files ask for no readahead",
        others::random_advice,
    ),
    check("backups", PAPER, "jobs that read whole files through the page cache", others::backups),
    check(
        "splitting",
        PAPER,
        "whether targets have to be split over processes",
        service::splitting,
    ),
    check(
        "staggered-creation",
        PAPER,
        "whether files reach new pages at the same update",
        layout::staggered_creation,
    ),
    check("resolver", PAPER, "whether a name server runs on this machine", naming::resolver),
    check(
        "forks",
        PAPER,
        "whether the mrtg.cfg sets Forks, which gyre does not need",
        service::forks,
    ),
    check(
        "own-file-system",
        PAPER,
        "whether the data have a file system of their own",
        layout::own_file_system,
    ),
    check("access-times", PAPER, "whether reading a file writes its inode", layout::access_times),
    check(
        "directory-index",
        PAPER,
        "whether large directories of ext have an index",
        layout::directory_index,
    ),
    check(
        "file-system",
        DISK,
        "whether the kind of file system suits small writes in place",
        disk::file_system,
    ),
    check(
        "readahead",
        DISK,
        "the device's readahead against the size of the files",
        disk::readahead,
    ),
    check("scheduler", DISK, "the I/O scheduler against the kind of device", disk::scheduler),
    check(
        "journal",
        DISK,
        "the journal of ext: what is written twice, and what a power cut takes",
        writing::journal,
    ),
    check(
        "write-cache",
        DISK,
        "the device's write cache, and what a sync costs",
        writing::write_cache,
    ),
    check(
        "write-back",
        DISK,
        "how much data may wait to be written, and when writers have to wait",
        writing::write_back,
    ),
    check("space", DISK, "free space against the plan", room::space),
    check("inodes", DISK, "free inodes against the plan", room::inodes),
    check(
        "memory",
        MEMORY,
        "memory against the plan, the control group's limit included",
        memory::memory,
    ),
    check(
        "swap",
        MEMORY,
        "whether states that are used once a step may be swapped out",
        memory::swap,
    ),
    check(
        "cache-pressure",
        MEMORY,
        "whether inodes of many files stay in memory",
        memory::cache_pressure,
    ),
    check("updatedb", MEMORY, "whether updatedb walks through the data", others::updatedb),
    check("descriptors", LIMITS, "the limit of open files against the plan", limits::descriptors),
    check(
        "socket-buffers",
        LIMITS,
        "room for the answers of all devices at once",
        limits::socket_buffers,
    ),
    check(
        "conntrack",
        LIMITS,
        "whether the firewall's table of connections is large enough",
        limits::conntrack,
    ),
    check("kernel", LIMITS, "what this kernel can do for gyre", limits::kernel),
    check(
        "catalogue",
        SERVICE,
        "whether the ring store's catalogue, on which the plan is based, can be read",
        service::catalogue,
    ),
    check("clock", SERVICE, "whether the clock is synchronized", service::clock),
    check(
        "configuration",
        SERVICE,
        "whether the mrtg.cfg says what gyre does: RunAsDaemon, LogFormat",
        service::configuration,
    ),
];

const fn check(
    name: &'static str,
    group: &'static str,
    about: &'static str,
    run: fn(&Facts) -> Verdict,
) -> Check {
    Check { name, group, about, run }
}

impl Check {
    /// Runs the check; `None` if it does not apply.
    #[must_use]
    pub fn decide(&self, facts: &Facts) -> Option<Finding> {
        (self.run)(facts).unwrap_or_else(|unseen| Some(Finding::unknown(unseen.0)))
    }
}

/// The plan, if `.rrd` files are kept.
fn files(facts: &Facts) -> Option<&Work> {
    facts.work.as_ref().filter(|work| work.keeping == Keeping::Files)
}

/// The plan, if a ring store is kept.
fn ring(facts: &Facts) -> Option<&Work> {
    facts.work.as_ref().filter(|work| work.keeping == Keeping::Ring)
}
