//! The disk.

use doctor::State::{Advice, Ok as Fine, Unknown, Warning};
use doctor::work::Work;

use crate::Row;
use crate::changes::{device, measured, mounted, options, ratios, ring, room, scheduler, unseen};

pub(crate) const ROWS: &[Row] = &[
    ("file-system", |_| {}, Fine, "ext4"),
    ("file-system", |it| mounted(it, "btrfs", "rw"), Advice, "btrfs"),
    ("file-system", |it| mounted(it, "zfs", "rw"), Advice, "zfs"),
    ("file-system", |it| mounted(it, "overlay", "rw"), Warning, "overlay"),
    ("file-system", |it| mounted(it, "tmpfs", "rw"), Warning, "memory only"),
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
    ("scheduler", |it| scheduler(it, "sda", true, "mq-deadline"), Fine, "rotating"),
    ("scheduler", |it| scheduler(it, "sda", true, "none"), Advice, "rotating"),
    ("scheduler", |it| scheduler(it, "sda", true, "bfq"), Advice, "rotating"),
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
    ("write-cache", |it| it.measured = measured(0.012), Advice, "a sync takes 12 ms"),
    ("write-cache", |it| it.measured = Some(unseen()), Unknown, "/proc/x"),
    ("write-back", |_| {}, Fine, "at 1 GiB dirty"),
    ("write-back", |it| ratios(it, 50), Advice, "held up at 6.68 GiB"),
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
];
