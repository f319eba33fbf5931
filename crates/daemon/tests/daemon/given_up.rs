//! CREATEs in a ring store that take long, and whose client leaves or whose daemon ends meanwhile.

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::process::Signal;

use crate::room::{Daemon, OURS, Room, wait_until};

/// Far more groups than are made before a client that left is noticed.
const LAYOUTS: usize = 600;

fn start(room: &Room) -> Daemon {
    room.start(OURS, &["--store", room.path("store").to_str().unwrap(), "--sync", "always"])
}

fn tiles(store: &Path) -> Vec<String> {
    let files = std::fs::read_dir(store).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".tiles")).collect()
}

/// Databases of many layouts, of which each needs a group.
fn layouts() -> String {
    let line = |nth| format!("CREATE {nth} -s 60 DS:x:GAUGE:120:U:U RRA:LAST:0.5:1:{}\n", 10 + nth);
    (0..LAYOUTS).map(line).collect()
}

/// Asks for something, and waits until the group of that number is being made.
fn begin(room: &Room, lines: &str, group: usize) -> UnixStream {
    let mut client = UnixStream::connect(room.socket()).unwrap();
    client.write_all(lines.as_bytes()).unwrap();
    let path = room.path("store").join(format!("{group:06}.tiles"));
    let is_there = || std::fs::metadata(&path).is_ok_and(|tiles| tiles.len() > 0);
    wait_until("the group is being made", is_there);
    client
}

#[test]
fn groups_are_made_no_further_when_the_client_or_the_daemon_ends() {
    for is_told_to_end in [false, true] {
        let room = Room::new();
        let daemon = start(&room);
        let client = begin(&room, &layouts(), 0);
        if is_told_to_end {
            assert!(daemon.end().success());
            drop(client);
        } else {
            drop(client);
            // A database that needs no group waits for no other client's groups.
            assert_eq!(room.client().ask("PING"), "0 PONG\n");
            assert!(daemon.end().success());
        }
        let made = tiles(&room.path("store")).len();
        assert!(made < LAYOUTS / 6, "{made} groups, told to end: {is_told_to_end}");
        // The store has just the databases of these groups.
        let _daemon = start(&room);
        assert_eq!(room.client().ask("LIST RECURSIVE /").lines().count(), made + 1);
    }
}

/// How the client of a long CREATE is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Client,
    Daemon,
    Killed,
}

#[test]
fn a_large_database_with_a_past_is_given_up_and_leaves_nothing() {
    const LARGE: &str = "CREATE large -r small DS:x:GAUGE:120:U:U RRA:LAST:0.5:1:20000000\n";
    for end in [End::Client, End::Daemon, End::Killed] {
        let room = Room::new();
        let store = room.path("store");
        let mut daemon = start(&room);
        let small = "CREATE small -s 60 DS:x:GAUGE:120:U:U RRA:LAST:0.5:1:10";
        assert_eq!(room.client().ask(small), "0 RRD created OK\n");
        let client = begin(&room, LARGE, 1);
        match end {
            End::Client => {
                drop(client);
                wait_until("it is given up", || tiles(&store).len() == 1);
            }
            End::Daemon => {
                assert!(daemon.end().success());
                assert_eq!(tiles(&store), ["000000.tiles"]);
                daemon = start(&room);
            }
            End::Killed => {
                daemon.signal(Signal::KILL);
                daemon.child.wait().unwrap();
                assert_eq!(tiles(&store).len(), 2, "it was made before the kill");
                daemon = start(&room);
            }
        }
        assert_eq!(room.client().ask("LIST RECURSIVE /").lines().nth(1), Some("small"), "{end:?}");
        assert_eq!(room.client().ask("LIST RECURSIVE /").lines().count(), 2, "{end:?}");
        assert_eq!(tiles(&store), ["000000.tiles"], "{end:?}");
        drop(daemon);
    }
}
