//! CREATEs that come together, to a ring store.

use std::path::Path;

use disk::Random;
use journal::{is_segment, segment_use};

use crate::room::{OURS, Room, SOURCES};

/// The words of a daemon over a ring store that waits for the disk.
fn words(store: &Path) -> [&str; 4] {
    ["--store", store.to_str().unwrap(), "--sync", "always"]
}

/// Bytes of the store's log that are written: each wait for the disk begins a block of its own.
fn log_bytes(store: &Path) -> usize {
    let files = std::fs::read_dir(store).unwrap().map(Result::unwrap);
    let segments = files.filter(|file| file.file_name().to_str().is_some_and(is_segment));
    let used = segments.filter_map(|file| segment_use(&std::fs::read(file.path()).unwrap()));
    used.map(|used| used.end_bytes).sum()
}

#[test]
fn creates_that_come_together_wait_for_the_disk_together() {
    const COUNT: usize = 2000;
    const BLOCK_BYTES: usize = 4096;
    let room = Room::new();
    let store = room.path("store");
    let _daemon = room.start(OURS, &words(&store));
    let line = |nth| format!("CREATE r/{nth} -s 60 -b 1000000000 {SOURCES}");
    let lines: Vec<String> = (0..COUNT).map(line).collect();
    assert_eq!(room.client().ask(&lines.join("\n")), "0 RRD created OK\n".repeat(COUNT));
    let bytes = log_bytes(&store);
    assert!(bytes < COUNT * BLOCK_BYTES / 4, "{bytes} bytes of log for {COUNT} creates");
    assert_eq!(room.client().ask("LIST RECURSIVE /").lines().count(), COUNT + 1);
}

#[test]
fn a_sparse_store_takes_disk_as_it_is_written_whoever_serves_it() {
    use std::os::unix::fs::MetadataExt as _;

    let room = Room::new();
    let store = room.path("store");
    for (nth, options) in [&["--sparse"][..], &[]].into_iter().enumerate() {
        let daemon = room.start(OURS, &[&words(&store), options].concat());
        let line = format!("CREATE {nth} -s 60 DS:x:GAUGE:120:U:U RRA:LAST:0.5:1:10000{nth}");
        assert_eq!(room.client().ask(&line), "0 RRD created OK\n");
        daemon.end();
        let tiles = std::fs::metadata(store.join(format!("{nth:06}.tiles"))).unwrap();
        assert!(tiles.blocks() * 512 < tiles.len() / 10, "{} blocks", tiles.blocks());
    }
}

/// Lines about few databases, so that each depends on those before it.
fn history(random: &mut Random) -> Vec<String> {
    let mut seconds = 1_000_000_000;
    let mut line = || {
        let name = format!("a/{}", random.below(4));
        let slashes = if random.below(5) == 0 { name.replace('/', "//") } else { name };
        let kept = if random.below(2) == 0 { " -O" } else { "" };
        let archive = 5 + random.below(2);
        seconds += 20;
        match random.below(12) {
            0..5 => format!(
                "CREATE {slashes} -s 60 -b 1000000000{kept} DS:x:GAUGE:120:U:U RRA:LAST:0.5:1:{archive}"
            ),
            5 => format!("CREATE {slashes} DS:x:NIX:120:U:U RRA:LAST:0.5:1:5"),
            6 => format!("CREATE ../{slashes} DS:x:GAUGE:120:U:U RRA:LAST:0.5:1:5"),
            7 => format!("LAST {slashes}"),
            8 => format!("UPDATE {slashes}"),
            _ => format!("UPDATE {slashes} {seconds}:{}", random.below(9)),
        }
    };
    (0..60).map(|_| line()).collect()
}

#[test]
fn lines_that_come_together_are_answered_as_one_by_one() {
    for seed in 0..8 {
        let lines = history(&mut Random::new(seed));
        let told = [false, true].map(|together| {
            let room = Room::new();
            let store = room.path("store");
            let _daemon = room.start(OURS, &words(&store));
            let mut client = room.client();
            let mut told = match together {
                true => client.ask(&lines.join("\n")),
                false => lines.iter().map(|line| client.ask(line)).collect(),
            };
            for name in ["a/0", "a/1", "a/2", "a/3"] {
                told.push_str(&client.ask(&format!("FETCH {name} LAST 1000000000 1000001200")));
            }
            told += &client.ask(&format!("BATCH\n{}\n.", lines.join("\n")));
            told.replace(room.base().to_str().unwrap(), "<base>")
        });
        assert_eq!(told[0], told[1], "seed {seed}");
        assert!(told[0].contains("created OK") && told[0].contains("File exists"), "{}", told[0]);
    }
}

#[test]
fn several_clients_create_at_once() {
    const CLIENTS: usize = 4;
    const COUNT: usize = 600;
    let room = Room::new();
    let store = room.path("store");
    let daemon = room.start(OURS, &words(&store));
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let room = &room;
            scope.spawn(move || {
                // Some of one layout, some of the client's own; `shared` is made by all.
                let line = |nth| {
                    let rows = if nth % 3 == 0 { 10 + client } else { 9 };
                    format!(
                        "CREATE c{client}/{nth} -s 60 DS:x:GAUGE:120:U:U RRA:LAST:0.5:1:{rows}\n\
                         CREATE shared/{nth} -O -s 60 DS:x:GAUGE:120:U:U RRA:LAST:0.5:1:9"
                    )
                };
                let lines: Vec<String> = (0..COUNT).map(line).collect();
                let told = room.client().ask(&lines.join("\n"));
                for pair in told.lines().collect::<Vec<_>>().chunks(2) {
                    assert_eq!(pair[0], "0 RRD created OK");
                    assert!(pair[1] == pair[0] || pair[1].ends_with("File exists"), "{pair:?}");
                }
            });
        }
    });
    let count = |room: &Room| room.client().ask("LIST RECURSIVE /").lines().count() - 1;
    assert_eq!(count(&room), CLIENTS * COUNT + COUNT);
    drop(daemon); // kills it
    let _daemon = room.start(OURS, &words(&store));
    assert_eq!(count(&room), CLIENTS * COUNT + COUNT);
}
