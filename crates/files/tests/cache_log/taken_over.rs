//! What a real rrdcached left when it was killed, taken over: beside the one that replays it
//! itself.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;

use files::cache::{CacheOptions, FileCache, Journaling};
use oracle::{Rrdcached, Rrdtool};

const FILES: usize = 5;

struct Connection(BufReader<UnixStream>);

impl Connection {
    fn to(daemon: &Rrdcached) -> Self {
        let address = daemon.local_address();
        let stream = UnixStream::connect(address.strip_prefix("unix:").unwrap()).unwrap();
        Self(BufReader::new(stream))
    }

    fn ask(&mut self, line: &str) -> String {
        writeln!(self.0.get_mut(), "{line}").unwrap();
        let mut reply = String::new();
        self.0.read_line(&mut reply).unwrap();
        reply
    }
}

fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

fn options(directory: &Path) -> CacheOptions {
    CacheOptions {
        journal: Some(Journaling { directory: directory.join("journal"), sync_every: None }),
        base: directory.join("base"),
        ..CacheOptions::default()
    }
}

/// Updates of several files, some of them refused, one file written in between.
fn load(connection: &mut Connection) {
    for nth in 1..200 {
        let file = nth * 7 % FILES;
        let seconds = 1_000_000_000 + nth * 60;
        let reply =
            connection.ask(&format!("update file{file}.rrd {seconds}:{nth} {}:5", seconds + 9));
        assert!(reply.starts_with("0 errors"), "{reply}");
        if nth % 31 == 0 {
            let reply = connection.ask(&format!("update file{file}.rrd {}:1", seconds - 600));
            assert!(reply.starts_with("-1 illegal attempt"), "{reply}");
            let reply = connection.ask(&format!("flush file{}.rrd", (nth + 1) % FILES));
            assert!(reply.starts_with("0 "), "{reply}");
        }
        if nth == 100 {
            assert_eq!(connection.ask("forget file3.rrd"), "0 Gone!\n");
        }
    }
}

#[test]
fn a_journal_of_rrdcached_is_replayed_as_it_does_itself() {
    let what = "journals of rrdcached are taken over";
    let (Some(rrdcached), Some(rrdtool)) =
        (oracle::program("rrdcached", what), oracle::program("rrdtool", what))
    else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let (ours, theirs) = (directory.path().join("ours"), directory.path().join("theirs"));
    let (base, journal) = (ours.join("base"), ours.join("journal"));
    fs::create_dir_all(&base).unwrap();
    fs::create_dir_all(&journal).unwrap();
    let mut creator = Rrdtool::start(&rrdtool, &base);
    for file in 0..FILES {
        let words = "-b 1000000000 -s 60 DS:x:GAUGE:600:U:U RRA:AVERAGE:0.5:1:100 RRA:MAX:0.5:5:9";
        creator.send(&format!("create file{file}.rrd {words}"));
    }
    let daemon = Rrdcached::start(&rrdcached, &ours, &base, &["-j", journal.to_str().unwrap()]);
    load(&mut Connection::to(&daemon));
    drop(daemon); // killed: what it had not handed to the kernel is lost, in the middle of a line
    let (saved_base, saved_journal) = (ours.join("saved"), ours.join("saved-journal"));
    copy_directory(&base, &saved_base);
    copy_directory(&journal, &saved_journal);

    // At the same place: its journal has paths.
    let daemon = Rrdcached::start(&rrdcached, &ours, &base, &["-j", journal.to_str().unwrap()]);
    let mut connection = Connection::to(&daemon);
    (0..FILES).for_each(|file| drop(connection.ask(&format!("flush file{file}.rrd"))));
    drop(daemon);
    copy_directory(&base, &theirs);
    fs::remove_dir_all(&journal).unwrap();
    copy_directory(&saved_base, &base);
    copy_directory(&saved_journal, &journal);

    // Taken over in part, as by one that is killed; then again.
    let cache = FileCache::open(options(&ours)).unwrap();
    assert!(cache.pending(&base.join("file0.rrd")).is_some_and(|pending| !pending.is_empty()));
    drop(cache);
    let cache = FileCache::open(options(&ours)).unwrap();
    for file in 0..FILES {
        let path = base.join(format!("file{file}.rrd"));
        let _ = cache.flush(&path).unwrap();
        let expected = fs::read(theirs.join(format!("file{file}.rrd"))).unwrap();
        let found = fs::read(path).unwrap();
        assert_eq!(
            found.iter().zip(&expected).position(|(one, other)| one != other),
            None,
            "{file}"
        );
    }
    // The threads may still be at it.
    cache.close(true);
    drop(cache);
    let cache = FileCache::open(options(&ours)).unwrap();
    let is_left = || {
        let names = fs::read_dir(ours.join("journal")).unwrap().map(|it| it.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with("rrd.journal")).count()
    };
    let start = std::time::Instant::now();
    while is_left() > 0 {
        assert!(start.elapsed().as_secs() < 60, "rrdcached's journals are left");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    drop(cache);
}
