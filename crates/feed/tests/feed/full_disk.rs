//! The disk of the database is full for a while.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use feed::{FeedThread, Origin, Paces, create, verify};
use sqlclient::Address;
use sqlring::Selection;

use crate::site::Site;
use crate::tables::assert_equal;

/// A small file system in memory; `None`, after saying what is not tested, for those who may not
/// mount one.
struct Small(tempfile::TempDir);

impl Small {
    fn mount(mebibytes: u32) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let size = format!("size={mebibytes}m");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(directory.path());
        if mount.output().is_ok_and(|output| output.status.success()) {
            return Some(Self(directory));
        }
        assert!(std::env::var_os("CI").is_none(), "a file system has to be mounted in CI");
        eprintln!("NOT TESTED, mount is not permitted: a full disk of a database");
        None
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        // Lazily: a database may still have its files open.
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

#[test]
fn a_full_disk_loses_nothing() {
    let Some(small) = Small::mount(2) else { return };
    let address = Address::sqlite(&small.path().join("t.sqlite"));
    create(&address, &Selection::all(), "").unwrap();
    let mut site = Site::new(5, 40);
    let paces = Paces {
        round: Duration::from_millis(5),
        rest_max: Duration::ZERO,
        pause: Duration::from_millis(10),
        pause_max: Duration::from_millis(200),
        ..Paces::default()
    };
    let origin = Origin::new(site.store());
    let told = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = std::sync::Arc::clone(&told);
    let tell = Box::new(move |words: &str| noted.lock().unwrap().push(words.to_owned()));
    let feed =
        FeedThread::start(origin.clone(), address.clone(), "a test".into(), paces, tell).unwrap();
    let filling = small.path().join("filling");
    // What is left is taken, until the database says that there is nothing.
    fs::write(&filling, vec![0; 1 << 20]).unwrap();
    let began = Instant::now();
    while !told.lock().unwrap().iter().any(|words| words.contains("full")) {
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", feed.watch().health());
        site.update();
        site.change();
    }
    (0..20).for_each(|_| site.update());
    fs::remove_file(&filling).unwrap();
    let behind = || {
        let found = verify(&origin, &address, &mut |_, _| true);
        found.map(|found| found.differences_count + found.rows_behind).unwrap_or(u64::MAX)
    };
    let began = Instant::now();
    while behind() > 0 {
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", feed.watch().health());
        thread::sleep(Duration::from_millis(50));
    }
    drop(feed);
    assert_equal(&*site.store, &address);
}
