//! Every check in every state that it can have.
#![allow(clippy::disallowed_methods)] // a test: it makes files

mod given;

use std::collections::BTreeSet;

use doctor::checks::CHECKS;
use doctor::machine::{Clock, Limit, Pruning};
use doctor::place::Room;
use doctor::work::Work;
use doctor::{Facts, Measured, State, Unseen};
use given::facts;

use State::{Advice, Ok as Fine, Unknown, Warning};

/// A change of the facts.
type Change = fn(&mut Facts);

/// Check, change of a good machine, the state that follows, words of the finding.
type Row = (&'static str, Change, State, &'static str);

fn unseen<T>() -> Result<T, Unseen> {
    Err(Unseen("/proc/x: Permission denied".into()))
}

fn ring(databases: u64) -> Option<Work> {
    let words = ["DS:a:COUNTER:600:0:U", "DS:b:COUNTER:600:0:U", "RRA:AVERAGE:0.5:1:800"];
    Work::of_ring(databases, &rrd::spec::definition(300, words).unwrap())
}

fn mounted(facts: &mut Facts, kind: &str, options: &str) {
    let mount = facts.place.as_mut().unwrap().mount.as_mut().unwrap();
    mount.kind = kind.into();
    mount.options = options.split(',').map(str::to_owned).collect();
}

fn options(facts: &mut Facts, options: &str) {
    let ext = facts.place.as_mut().unwrap().ext.as_mut().unwrap();
    ext.options = Ok(options.split(',').map(str::to_owned).collect());
}

fn device(facts: &mut Facts) -> &mut doctor::place::Device {
    facts.place.as_mut().unwrap().device.as_mut().unwrap()
}

fn scheduler(facts: &mut Facts, name: &str, rotational: bool, chosen: &str) {
    let all = ["none", "mq-deadline", "bfq"].map(str::to_owned).to_vec();
    *device(facts) = doctor::place::Device {
        name: name.into(),
        is_rotational: rotational,
        read_ahead_kibibytes: 128,
        scheduler: Some((chosen.into(), all)),
        has_write_cache: Some(true),
    };
}

fn features(facts: &mut Facts, has_directory_index: bool) {
    let ext = facts.place.as_mut().unwrap().ext.as_mut().unwrap();
    ext.features = Ok(doctor::place::Features { has_journal: true, has_directory_index });
}

fn room(facts: &mut Facts) -> &mut Room {
    facts.place.as_mut().unwrap().room.as_mut().unwrap()
}

fn measured(sync_seconds: f64) -> Option<Result<Measured, Unseen>> {
    Some(Ok(Measured {
        sync_seconds,
        cold_read_seconds: 0.008,
        write_bytes_per_second: 150e6,
        read_bytes_per_second: 180e6,
    }))
}

const ROWS: &[Row] = &[
    ("dedicated", |_| {}, Fine, "no other"),
    (
        "dedicated",
        |it| it.machine.processes.as_mut().unwrap()[0].name = "java".into(),
        Advice,
        "java (2.8 GiB)",
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
    ("own-file-system", |_| {}, Fine, "the data alone"),
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
    ("file-system", |_| {}, Fine, "ext4"),
    ("file-system", |it| mounted(it, "btrfs", "rw"), Advice, "btrfs"),
    ("file-system", |it| mounted(it, "zfs", "rw"), Advice, "zfs"),
    ("file-system", |it| mounted(it, "overlay", "rw"), Warning, "overlay"),
    ("file-system", |it| mounted(it, "tmpfs", "rw"), Warning, "memory alone"),
    ("file-system", |it| mounted(it, "nfs4", "rw"), Warning, "another machine"),
    ("file-system", |it| it.place.as_mut().unwrap().mount = unseen(), Unknown, "/proc/x"),
    ("readahead", |_| {}, Fine, "128 KiB"),
    ("readahead", |it| device(it).read_ahead_kibibytes = 8192, Advice, "8192 KiB"),
    (
        "readahead",
        |it| {
            device(it).read_ahead_kibibytes = 8192;
            it.work = ring(9);
        },
        Fine,
        "ring store",
    ),
    ("readahead", |it| it.place.as_mut().unwrap().device = unseen(), Unknown, "/proc/x"),
    ("scheduler", |_| {}, Fine, "none on nvme0n1, NVMe"),
    ("scheduler", |it| scheduler(it, "sda", true, "mq-deadline"), Fine, "turns"),
    ("scheduler", |it| scheduler(it, "sda", true, "none"), Advice, "turns"),
    ("scheduler", |it| scheduler(it, "sda", true, "bfq"), Advice, "turns"),
    ("scheduler", |it| scheduler(it, "sda", false, "bfq"), Advice, "solid"),
    ("scheduler", |it| scheduler(it, "vda", true, "none"), Fine, "virtual"),
    ("scheduler", |it| device(it).scheduler = None, Fine, "below"),
    ("scheduler", |it| it.place.as_mut().unwrap().device = unseen(), Unknown, "/proc/x"),
    ("journal", |_| {}, Fine, "data=ordered"),
    ("journal", |it| options(it, "rw,data=journal"), Warning, "journals data"),
    ("journal", |it| options(it, "rw,nobarrier"), Warning, "barriers off"),
    ("journal", |it| options(it, "rw,data=ordered,commit=1"), Advice, "every 1 s"),
    ("journal", |it| options(it, "rw"), Fine, "no journal"),
    ("journal", |it| it.place.as_mut().unwrap().mount = unseen(), Unknown, "/proc/x"),
    ("write-cache", |_| {}, Fine, "no write cache"),
    ("write-cache", |it| it.measured = measured(0.0001), Fine, "a sync takes 100 µs"),
    ("write-cache", |it| it.measured = measured(0.012), Advice, "a sync takes 12.0 ms"),
    ("write-cache", |it| it.measured = Some(unseen()), Unknown, "/proc/x"),
    ("write-back", |_| {}, Fine, "at 1 GiB dirty"),
    ("write-back", |it| ratios(it, 50), Advice, "held up at 6.7 GiB"),
    (
        "write-back",
        |it| it.work = Some(Work::of_files(1_000_000, 105_312, 300, true)),
        Advice,
        "a step writes",
    ),
    ("write-back", |it| it.machine.settings.dirty_bytes = unseen(), Unknown, "/proc/x"),
    ("space", |_| {}, Fine, "512 GiB of 1 TiB"),
    ("space", |it| room(it).free_bytes = 1 << 30, Advice, "1 GiB of 1 TiB"),
    (
        "space",
        |it| {
            room(it).free_bytes = 1 << 20;
            it.work = ring(1_000_000);
        },
        Warning,
        "still to come",
    ),
    ("space", |it| it.place.as_mut().unwrap().room = unseen(), Unknown, "/proc/x"),
    ("inodes", |_| {}, Fine, "of 16,777,216"),
    ("inodes", |it| room(it).inodes = 0, Fine, "as they are needed"),
    ("inodes", |it| room(it).free_inodes = 1000, Advice, "1,000 of"),
    (
        "inodes",
        |it| {
            room(it).free_inodes = 1000;
            it.work = Some(Work::of_files(5000, 105_312, 300, false));
        },
        Warning,
        "5,000 more",
    ),
    ("inodes", |it| it.place.as_mut().unwrap().room = unseen(), Unknown, "/proc/x"),
    ("memory", |_| {}, Fine, "160,000 databases need 4.9 GiB"),
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
    ("cache-pressure", |it| it.machine.settings.cache_pressure = Ok(200), Advice, "198.4 MiB"),
    ("cache-pressure", |it| it.machine.settings.cache_pressure = unseen(), Unknown, "/proc/x"),
    ("updatedb", |_| {}, Fine, "leaves"),
    ("updatedb", |it| it.machine.jobs.updatedb = Some(Pruning::default()), Advice, "every day"),
    ("descriptors", |_| {}, Fine, "65,536"),
    (
        "descriptors",
        |it| it.machine.descriptors = Ok(Limit { soft: 256, hard: 4096 }),
        Warning,
        "RLIMIT_NOFILE 256",
    ),
    ("descriptors", |it| it.machine.settings.files_max = Ok(300), Warning, "fs.file-max 300"),
    (
        "descriptors",
        |it| {
            it.work = ring(100_000_000);
        },
        Warning,
        "99,464",
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
    ("clock", |_| {}, Fine, "chronyd runs"),
    ("clock", |it| clock(it, Some(true), None), Fine, "synchronised"),
    ("clock", |it| clock(it, Some(false), Some("ntpd")), Warning, "ntpd runs, but"),
    ("clock", |it| clock(it, Some(false), None), Warning, "nothing keeps"),
    ("clock", |it| clock(it, None, None), Unknown, "does not tell"),
    ("configuration", |_| {}, Fine, "LogFormat: rrdtool"),
    ("configuration", |it| it.targets.as_mut().unwrap().has_rrd_format = false, Advice, "rateup"),
];

fn job(facts: &mut Facts, files: u64) {
    facts.machine.jobs.readers.push(doctor::machine::Job {
        file: "/etc/crontab".into(),
        program: "rsync",
        line: "0 3 * * * root rsync -a /data host:".into(),
    });
    facts.work = Some(Work::of_files(files, 105_312, 300, true));
}

fn index(facts: &mut Facts, is_indexed: bool) {
    facts.place.as_mut().unwrap().directory.as_mut().unwrap().is_indexed = Ok(is_indexed);
}

fn ratios(facts: &mut Facts, ratio: u64) {
    let settings = &mut facts.machine.settings;
    (settings.dirty_bytes, settings.dirty_background_bytes) = (Ok(0), Ok(0));
    settings.dirty_ratio = Ok(ratio);
}

fn swappy(facts: &mut Facts) {
    facts.machine.memory.as_mut().unwrap().swap_bytes = 1 << 30;
    facts.machine.settings.swappiness = Ok(60);
}

fn clock(facts: &mut Facts, is_synchronised: Option<bool>, daemon: Option<&str>) {
    facts.machine.clock = Clock { is_synchronised, daemon: daemon.map(str::to_owned) };
}

#[test]
fn every_state_of_every_check() {
    let mut wrong = Vec::new();
    for (name, change, state, words) in ROWS {
        let mut facts = facts("good");
        change(&mut facts);
        let check = CHECKS.iter().find(|check| check.name == *name).unwrap();
        let finding = check.decide(&facts).unwrap_or_else(|| panic!("{name} says nothing"));
        if finding.state != *state || !finding.found.contains(words) {
            wrong.push(format!("{name}: expected {state:?} and '{words}', found {finding:?}"));
        }
        let is_to_change = finding.state >= Advice;
        assert_eq!(
            is_to_change,
            !finding.change.is_empty(),
            "{name} says what to change: {finding:?}"
        );
        assert!(
            !is_to_change || finding.gain.is_some() || finding.found.contains("no target"),
            "{name}: what it gains"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_check_is_left_out() {
    let tested: BTreeSet<&str> = ROWS.iter().map(|(name, ..)| *name).collect();
    let all: BTreeSet<&str> = CHECKS.iter().map(|check| check.name).collect();
    assert_eq!(tested, all);
    assert_eq!(all.len(), CHECKS.len(), "no two have one name");
}

#[test]
fn what_does_not_arise_is_not_told() {
    let mut facts = facts("good");
    (facts.place, facts.work, facts.sample, facts.targets) = (None, None, None, None);
    let decided = CHECKS.iter().filter(|check| check.decide(&facts).is_some());
    let told: Vec<&str> = decided.map(|check| check.name).collect();
    assert_eq!(
        told,
        ["dedicated", "resolver", "write-back", "swap", "descriptors", "kernel", "clock"]
    );
}

#[test]
fn every_check_is_documented() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/doctor.md");
    let text = std::fs::read_to_string(file).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let documented: Vec<&str> =
        rows.map(|(name, _)| name).filter(|name| !name.starts_with('-')).collect();
    let all: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
    assert_eq!(documented, all, "the table of docs/doctor.md, in the order of the checks");
}
