//! `-B` while somebody swaps files and directories for links that lead out.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::room::{Client, OURS, Room, SOURCES};

/// Everything below a directory: paths and contents.
fn contents(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut directories = vec![directory.to_path_buf()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else {
                found.push((path.clone(), std::fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// A daemon with `d/e/a.rrd` and `d/e/b.rrd`, which it knows, and the same names outside.
struct Swap {
    room: Room,
    outside: PathBuf,
}

const VALUE_OUTSIDE: &str = "7.70000000000000000e+01";

impl Swap {
    fn new() -> Self {
        let room = Room::new();
        let outside = room.path("outside");
        std::fs::create_dir_all(room.base().join("d/e")).unwrap();
        std::fs::create_dir_all(outside.join("e")).unwrap();
        let daemon = room.start(OURS, &[]);
        for name in ["d/e/a.rrd", "d/e/b.rrd"] {
            room.create(name);
        }
        let mut client = room.client();
        assert!(client.ask("UPDATE d/e/a.rrd 1000000060:77:1 1000000120:77:2").starts_with("0 "));
        assert!(daemon.end().success());
        for name in ["e/a.rrd", "e/b.rrd", "a.rrd"] {
            std::fs::copy(room.base().join("d/e/a.rrd"), outside.join(name)).unwrap();
        }
        // Inside, nothing was ever measured.
        std::fs::copy(room.base().join("d/e/b.rrd"), room.base().join("d/e/a.rrd")).unwrap();
        Self { room, outside }
    }

    /// Puts a link in the place of something inside.
    fn swap(&self, inside: &str, outside: &str) {
        let inside = self.room.base().join(inside);
        std::fs::rename(&inside, inside.with_extension("moved")).unwrap();
        symlink(self.outside.join(outside), inside).unwrap();
    }
}

/// Lets the daemon hear of the paths, so that it knows where they lead.
fn make_known(client: &mut Client) {
    for name in ["d/e/a.rrd", "d/e/b.rrd"] {
        assert!(client.ask(&format!("UPDATE {name} 1000000060:1:1")).starts_with("0 "));
        assert!(client.ask(&format!("FLUSH {name}")).starts_with("0 "));
        assert!(client.ask(&format!("UPDATE {name} 1000000120:1:2")).starts_with("0 "));
        assert!(client.ask(&format!("INFO {name}")).contains(" Info for "));
    }
}

fn ask_everything(client: &mut Client) -> String {
    let mut told = String::new();
    for line in [
        "UPDATE d/e/a.rrd 1000000180:1:3",
        "FLUSH d/e/a.rrd",
        "FLUSH d/e/b.rrd",
        "FETCH d/e/a.rrd AVERAGE 1000000000 1000000200",
        "INFO d/e/a.rrd",
        "LAST d/e/a.rrd",
        "FIRST d/e/a.rrd 0",
        "TUNE d/e/a.rrd -h x:7",
        "LIST /d/e",
        "LIST RECURSIVE /",
        "LIST /d/e/*",
        &format!("CREATE d/e/a.rrd {SOURCES}"),
        &format!("CREATE d/e/new.rrd {SOURCES}"),
        &format!("CREATE d/e/sub/new.rrd {SOURCES}"),
        &format!("CREATE copy.rrd -r d/e/a.rrd {SOURCES}"),
        "CREATE copied.rrd -t d/e/a.rrd",
        "DUMP d/e/a.rrd",
    ] {
        told += &client.ask(line);
    }
    told
}

#[test]
fn a_link_in_place_of_what_was_known_leads_nowhere() {
    for (inside, outside) in [("d/e/a.rrd", "a.rrd"), ("d/e", "e"), ("d", "")] {
        for journal in [false, true] {
            let swap = Swap::new();
            let directory = swap.room.path("journal");
            let journal = match journal {
                true => vec!["-B", "-R", "-j", directory.to_str().unwrap()],
                false => vec!["-B", "-R"],
            };
            let daemon = swap.room.start(OURS, &journal);
            let mut client = swap.room.client();
            make_known(&mut client);
            let before = contents(&swap.outside);
            swap.swap(inside, outside);
            let told = ask_everything(&mut client);
            assert!(!told.contains(VALUE_OUTSIDE), "{inside} {journal:?}: {told}");
            assert_eq!(swap.room.client().ask("PING"), "0 PONG\n");
            daemon.end();
            assert!(contents(&swap.outside) == before, "{inside} {journal:?}: {told}");
            assert!(!swap.room.socket().exists() && !swap.room.path("pid").exists());
        }
    }
}

#[test]
fn a_ring_store_beside_the_base_directory_is_reached() {
    let room = Room::new();
    let store = room.path("store");
    let words = ["-B", "--store", store.to_str().unwrap()];
    for time in [1_000_000_060, 1_000_000_120] {
        let daemon = room.start(OURS, &words);
        if time == 1_000_000_060 {
            room.create("a.rrd");
        }
        let mut client = room.client();
        assert!(client.ask(&format!("UPDATE a.rrd {time}:1:1")).starts_with("0 "));
        assert!(client.ask("INFO a.rrd").contains(" Info for "));
        drop(client);
        assert!(daemon.end().success());
    }
}
