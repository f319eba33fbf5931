//! Memory, limits and running programs.

use doctor::State::{Advice, Ok as Fine, Unknown, Warning};
use doctor::machine::{Limit, Pruning};
use doctor::work::Work;

use crate::Row;
use crate::changes::{clock, ring, swappy, unseen};

pub(crate) const ROWS: &[Row] = &[
    ("memory", |_| {}, Fine, "160,000 databases need 4.88 GiB"),
    (
        "memory",
        |it| it.work = Some(Work::of_files(400_000, 105_312, 300, true)),
        Advice,
        "12.2 GiB",
    ),
    (
        "memory",
        |it| it.work = Some(Work::of_files(480_000, 105_312, 300, true)),
        Warning,
        "14.6 GiB",
    ),
    (
        "memory",
        |it| {
            it.work = ring(160_000);
            it.machine.memory.as_mut().unwrap().group = Some((32 << 20, 0));
        },
        Warning,
        "control group",
    ),
    ("memory", |it| it.machine.memory = unseen(), Unknown, "/proc/x"),
    ("swap", |_| {}, Fine, "no swap"),
    ("swap", |it| it.machine.memory.as_mut().unwrap().swap_bytes = 1 << 30, Fine, "swappiness 10"),
    ("swap", |it| swappy(it), Advice, "swappiness 60"),
    (
        "swap",
        |it| {
            swappy(it);
            it.machine.settings.swappiness = unseen();
        },
        Unknown,
        "/proc/x",
    ),
    ("cache-pressure", |_| {}, Fine, "vfs_cache_pressure 50"),
    ("cache-pressure", |it| it.machine.settings.cache_pressure = Ok(200), Advice, "198 MiB"),
    ("cache-pressure", |it| it.machine.settings.cache_pressure = unseen(), Unknown, "/proc/x"),
    ("updatedb", |_| {}, Fine, "leaves"),
    ("updatedb", |it| it.machine.jobs.updatedb = Some(Pruning::default()), Advice, "every day"),
    ("descriptors", |_| {}, Fine, "4,096 files are kept open"),
    (
        "descriptors",
        |it| it.machine.descriptors = Ok(Limit { soft: 256, hard: 8192 }),
        Fine,
        "raised to the hard one, 8,192",
    ),
    (
        "descriptors",
        |it| it.machine.descriptors = Ok(Limit { soft: 1024, hard: 4096 }),
        Advice,
        "3,071 files are kept open between updates, which would be 4,096",
    ),
    (
        "descriptors",
        |it| {
            it.machine.descriptors = Ok(Limit { soft: 1024, hard: 4096 });
            it.work = Some(Work::of_files(2000, 105_312, 300, true));
        },
        Fine,
        "2,000 files are kept open",
    ),
    (
        "descriptors",
        |it| {
            it.machine.descriptors = Ok(Limit { soft: 128, hard: 128 });
            it.work = ring(100_000);
        },
        Warning,
        "about 256",
    ),
    ("descriptors", |it| it.machine.settings.files_max = Ok(300), Warning, "fs.file-max 300"),
    (
        "descriptors",
        |it| {
            it.machine.descriptors = Ok(Limit { soft: 65_536, hard: 65_536 });
            it.work = ring(100_000_000);
        },
        Fine,
        "about 256",
    ),
    ("descriptors", |it| it.machine.descriptors = unseen(), Unknown, "/proc/x"),
    ("socket-buffers", |_| {}, Fine, "3,000 devices"),
    (
        "socket-buffers",
        |it| it.machine.settings.receive_buffer_max_bytes = Ok(212_992),
        Warning,
        "184 answers",
    ),
    (
        "socket-buffers",
        |it| it.machine.settings.receive_buffer_max_bytes = unseen(),
        Unknown,
        "/proc/x",
    ),
    (
        "conntrack",
        |it| it.machine.settings.connections = Some((262_144, 10)),
        Fine,
        "10 of 262,144",
    ),
    (
        "conntrack",
        |it| it.machine.settings.connections = Some((4096, 1000)),
        Warning,
        "1,000 of 4,096",
    ),
    ("kernel", |_| {}, Fine, "has cachestat"),
    ("kernel", |it| it.machine.settings.kernel = Ok((5, 14)), Fine, "lacks cachestat"),
    ("kernel", |it| it.machine.settings.kernel = unseen(), Unknown, "/proc/x"),
    ("catalogue", |it| it.catalogue = Some(Ok(1)), Fine, "it has 1 database"),
    ("catalogue", |it| it.catalogue = Some(unseen()), Unknown, "/proc/x"),
    ("clock", |_| {}, Fine, "chronyd runs"),
    ("clock", |it| clock(it, Some(true), None), Fine, "synchronised"),
    ("clock", |it| clock(it, Some(false), Some("ntpd")), Warning, "ntpd runs, but"),
    ("clock", |it| clock(it, Some(false), None), Warning, "nothing keeps"),
    ("clock", |it| clock(it, None, None), Unknown, "does not tell"),
    ("configuration", |_| {}, Fine, "LogFormat: rrdtool"),
    ("configuration", |it| it.targets.as_mut().unwrap().has_rrd_format = false, Advice, "rateup"),
];
