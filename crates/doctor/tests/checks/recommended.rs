//! The paper's recommendations.

use doctor::State::{Advice, Ok as Fine, Unknown, Warning};
use doctor::Unseen;

use crate::Row;
use crate::changes::{features, index, job, mounted, ring, unseen};

pub(crate) const ROWS: &[Row] = &[
    ("dedicated", |_| {}, Fine, "no other"),
    (
        "dedicated",
        |it| it.machine.processes.as_mut().unwrap()[0].name = "java".into(),
        Advice,
        "java (2.77 GiB)",
    ),
    ("dedicated", |it| it.machine.processes = unseen(), Unknown, "/proc/x"),
    ("random-advice", |_| {}, Fine, "no readahead"),
    (
        "random-advice",
        |it| it.machine.programs.libraries.push((8, "/usr/lib/librrd.so.8".into())),
        Fine,
        "",
    ),
    (
        "random-advice",
        |it| it.machine.programs.libraries.push((2, "/usr/lib/librrd.so.2".into())),
        Warning,
        "librrd.so.2",
    ),
    ("backups", |_| {}, Fine, "no job"),
    (
        "backups",
        |it| {
            it.machine
                .jobs
                .unseen
                .push(Unseen("/var/spool/cron/crontabs: Permission denied".into()))
        },
        Unknown,
        "crontabs",
    ),
    ("backups", |it| job(it, 1000), Advice, "rsync -a /data"),
    ("backups", |it| job(it, 160_000), Warning, "rsync -a /data"),
    (
        "backups",
        |it| {
            job(it, 1);
            it.work = ring(1);
        },
        Warning,
        "",
    ),
    ("splitting", |_| {}, Fine, "16 daemons"),
    ("splitting", |it| it.targets.as_mut().unwrap().targets = 0, Warning, "no target"),
    ("staggered-creation", |_| {}, Fine, "2 %"),
    ("staggered-creation", |it| it.sample.as_mut().unwrap().in_phase = Some(1.0), Advice, "100 %"),
    ("staggered-creation", |it| it.work = ring(9), Fine, "by design"),
    ("resolver", |_| {}, Fine, "127.0.0.1"),
    (
        "resolver",
        |it| it.machine.resolver.servers = Ok(vec!["192.0.2.1".into()]),
        Advice,
        "3,000 of 3,000",
    ),
    ("resolver", |it| it.machine.resolver.servers = unseen(), Unknown, "/proc/x"),
    (
        "resolver",
        |it| {
            it.machine.resolver.servers = unseen();
            it.targets.as_mut().unwrap().named = 0;
        },
        Fine,
        "by address",
    ),
    (
        "resolver",
        |it| {
            it.machine.resolver.servers = unseen();
            it.machine.resolver.has_cache = true;
        },
        Fine,
        "a cache",
    ),
    ("forks", |_| {}, Fine, "Forks: 4"),
    ("own-file-system", |_| {}, Fine, "nothing but the data"),
    (
        "own-file-system",
        |it| it.place.as_mut().unwrap().is_root = true,
        Advice,
        "the file system of /",
    ),
    (
        "own-file-system",
        |it| it.place.as_mut().unwrap().neighbours = Ok(vec!["home".into()]),
        Advice,
        "home",
    ),
    ("own-file-system", |it| it.place.as_mut().unwrap().mount = unseen(), Unknown, "/proc/x"),
    ("access-times", |_| {}, Fine, "nodiratime"),
    ("access-times", |it| mounted(it, "ext4", "rw,relatime"), Advice, "relatime"),
    (
        "access-times",
        |it| {
            mounted(it, "ext4", "rw,relatime");
            it.work = ring(9);
        },
        Fine,
        "relatime",
    ),
    ("access-times", |it| mounted(it, "ext4", "rw"), Warning, "strictatime"),
    ("access-times", |it| it.place.as_mut().unwrap().mount = unseen(), Unknown, "/proc/x"),
    ("directory-index", |_| {}, Fine, "has an index"),
    ("directory-index", |it| features(it, true), Fine, "has dir_index"),
    ("directory-index", |it| features(it, false), Warning, "no dir_index"),
    (
        "directory-index",
        |it| {
            features(it, false);
            it.sample.as_mut().unwrap().fullest_directory = 9;
        },
        Advice,
        "no dir_index",
    ),
    (
        "directory-index",
        |it| {
            features(it, true);
            index(it, false);
        },
        Advice,
        "was made without",
    ),
    ("directory-index", |it| index(it, false), Unknown, "/dev/nvme0n1p3"),
    ("directory-index", |it| it.work = ring(9), Fine, "few files"),
];
