//! Names of the ways to keep databases.

use capacity::replay::Method;
use planner::{Access, Way};

/// The name of a way, and the way.
pub(super) type Named = (&'static str, Way);

/// A mapping of the whole file, without advice about the order of reads.
const MAPPED: Access = Access { method: Method::Mapping, has_advice: false };
const RRDCACHED: Way = Way::Journal { write_seconds: 3600, access: Access::RRDTOOL };

/// Every way; the first [`USUAL`] are the default.
pub(super) const NAMES: [Named; 7] = [
    ("files", Way::FILES),
    ("no-advice", Way::Files(Access::STREAM)),
    ("journal", Way::DAEMON),
    ("ring", Way::RING),
    ("rrdtool", Way::Files(Access::RRDTOOL)),
    ("mapped", Way::Files(MAPPED)),
    ("rrdcached", RRDCACHED),
];
/// The number of ways that are shown by default.
pub(super) const USUAL: usize = 4;

/// A short description of a way.
pub(super) fn about(name: &str) -> &'static str {
    match name {
        "files" => ".rrd files, each update written at once, with advice: gyre",
        "no-advice" => ".rrd files read by streams without advice: RRDtool before 1.3",
        "journal" => ".rrd files behind a journal: gyre rrdcached",
        "ring" => "a ring store",
        "rrdtool" => ".rrd files through a mapping with advice: RRDtool since 1.3",
        "mapped" => ".rrd files through a mapping without advice",
        _ => ".rrd files through a mapping with advice, behind a journal: rrdcached",
    }
}
