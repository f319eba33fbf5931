//! The same commands to Debian's rrdcached and to ours, over equal directories.

use std::path::Path;

use crate::room::{Client, Daemon, OURS, Room};
use crate::script::{DIFFERENT, EQUAL};

/// Debian's daemon and ours.
pub(crate) struct Pair {
    rooms: [Room; 2],
    _daemons: [Daemon; 2],
    clients: [Client; 2],
}

impl Pair {
    /// Two daemons over files that are the same byte for byte.
    pub(crate) fn start(theirs: &Path, words: &[&str]) -> Self {
        let rooms = [Room::new(), Room::new()];
        let theirs = theirs.to_str().unwrap();
        let daemons = [rooms[0].start(theirs, words), rooms[1].start(OURS, words)];
        std::fs::create_dir(rooms[0].base().join("sub")).unwrap();
        std::fs::create_dir(rooms[1].base().join("sub")).unwrap();
        for name in ["a.rrd", "d.rrd", "sub/b\\ c.rrd"] {
            rooms[0].create(name);
            let file = name.replace('\\', "");
            std::fs::copy(rooms[0].base().join(&file), rooms[1].base().join(&file)).unwrap();
        }
        std::fs::write(rooms[0].base().join("no.rrd"), "no database").unwrap();
        std::fs::write(rooms[1].base().join("no.rrd"), "no database").unwrap();
        let clients = [rooms[0].client(), rooms[1].client()];
        Self { rooms, _daemons: daemons, clients }
    }

    /// What both answer, without what differs by chance.
    pub(crate) fn ask(&mut self, line: &str) -> [String; 2] {
        [0, 1].map(|nth| {
            let base = self.rooms[nth].base();
            let base = base.to_str().unwrap();
            let reply = self.clients[nth].ask(&line.replace("<base>", base));
            if reply.ends_with("<closed>") {
                self.clients[nth] = self.rooms[nth].client();
            }
            masked(line, &reply.replace(base, "<base>"))
        })
    }
}

/// Without row pointers, which begin at random, and in order where the file system has none.
fn masked(line: &str, reply: &str) -> String {
    let is_list = line.to_ascii_uppercase().starts_with("LIST");
    let mut lines: Vec<String> = reply
        .lines()
        .map(|line| match line.split_once(".cur_row 1 ") {
            Some((archive, _)) => format!("{archive}.cur_row 1 <row>"),
            None => line.to_owned(),
        })
        .collect();
    if is_list && !lines.is_empty() {
        lines[1..].sort();
    }
    lines.join("\n")
}

#[test]
fn words_are_those_of_rrdcached() {
    let Some(theirs) = oracle::program("rrdcached", "the daemon's words") else { return };
    let mut pair = Pair::start(&theirs, &[]);
    let mut differences = Vec::new();
    for line in EQUAL {
        let [theirs, ours] = pair.ask(line);
        if ours != theirs {
            differences.push(format!("{line}\ntheirs: {theirs}\nours: {ours}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

/// Where we differ on purpose, both are as the table says.
#[test]
fn differences_are_those_of_the_table() {
    let Some(theirs) = oracle::program("rrdcached", "the daemon's words") else { return };
    let mut pair = Pair::start(&theirs, &[]);
    for different in DIFFERENT {
        for line in different.before {
            let [theirs, ours] = pair.ask(line);
            assert_eq!(ours, theirs, "{line}");
        }
        let [theirs, ours] = pair.ask(different.line);
        assert!(theirs.starts_with(different.theirs), "{}: {theirs}", different.line);
        assert!(ours.starts_with(different.ours), "{}: {ours}", different.line);
        assert_ne!(ours, theirs, "{}: {}", different.line, different.reason);
    }
}

/// STATS has more lines than rrdcached's, behind those that rrdcached has.
#[test]
fn statistics_begin_with_those_of_rrdcached() {
    let Some(theirs) = oracle::program("rrdcached", "STATS") else { return };
    let mut pair = Pair::start(&theirs, &[]);
    for line in
        ["UPDATE a.rrd 1000000060:1:2", "UPDATE nix.rrd 5:1", "FLUSH a.rrd", "FLUSH nix.rrd"]
    {
        let [theirs, ours] = pair.ask(line);
        assert_eq!(ours, theirs, "{line}");
    }
    // rrdcached answers a FLUSH before it counts what it wrote for it.
    let counted = || {
        std::thread::sleep(std::time::Duration::from_millis(10));
        let answers = pair.ask("STATS");
        answers[0].contains("UpdatesWritten: 1").then_some(answers)
    };
    let counted = std::iter::repeat_with(counted).take(500).flatten().next();
    let [theirs, ours] = counted.expect("rrdcached counts what it wrote");
    let theirs: Vec<&str> = theirs.lines().collect();
    let ours: Vec<&str> = ours.lines().collect();
    assert_eq!(ours[1..theirs.len()], theirs[1..]);
    assert_eq!(ours[0], format!("{} Statistics follow", ours.len() - 1));
}

/// FETCH without times, or with ones back from now: a boundary may pass between the two.
#[test]
fn times_back_from_now_are_those_of_rrdcached() {
    let Some(theirs) = oracle::program("rrdcached", "times back from now") else { return };
    let mut pair = Pair::start(&theirs, &[]);
    for line in [
        "FETCH a.rrd AVERAGE",
        "FETCH a.rrd MAX -3000",
        "FETCH a.rrd AVERAGE -200 -100",
        "FETCH a.rrd AVERAGE 0 0",
        "FETCH a.rrd MAX 0",
    ] {
        let same = (0..20).any(|_| {
            let [theirs, ours] = pair.ask(line);
            theirs.contains("FlushVersion: 1") && ours == theirs
        });
        assert!(same, "{line}: {:?}", pair.ask(line));
    }
}

/// Every permission alone: what is not allowed, and what is told of words that are none.
#[test]
fn permissions_are_those_of_rrdcached() {
    let Some(theirs) = oracle::program("rrdcached", "-P") else { return };
    let lines = [
        "FLUSH d.rrd",
        "UPDATE a.rrd 1600000000:1:2",
        "PING",
        "HELP WROTE",
        "nix",
        "BATCH",
        ".",
        "WROTE",
        "FETCH",
        "INFO",
        "PENDING d.rrd",
        "SUSPENDALL",
        "QUIT",
    ];
    for permitted in ["FLUSH,update,PENDING", "BATCH", "", ",", "FETCH,INFO"] {
        let rooms = [Room::new(), Room::new()];
        let programs = [theirs.to_str().unwrap(), OURS];
        let replies = [0, 1].map(|nth| {
            // The first socket takes everything, so that it shows when the daemon is there.
            let restricted = rooms[nth].path("restricted");
            let mut command = rooms[nth].command(programs[nth], &["-g", "-P", permitted, "-l"]);
            command.arg(&restricted).stderr(std::process::Stdio::null());
            let _daemon = Daemon { child: command.spawn().unwrap() };
            crate::room::wait_until("it listens", || {
                std::os::unix::net::UnixStream::connect(&restricted).is_ok()
            });
            let base = rooms[nth].base();
            lines.map(|line| {
                let mut client = Client::connect(&restricted);
                std::io::Write::write_all(
                    &mut client.stream,
                    format!("{line}\n.\nQUIT\n").as_bytes(),
                )
                .unwrap();
                let reply = client.read_to_end().replace(base.to_str().unwrap(), "<base>");
                // The list of commands has two of later rrdcacheds, and two of our own.
                reply.lines().filter(|line| !is_listed(line)).collect::<Vec<_>>().join("\n")
            })
        });
        assert_eq!(replies[1], replies[0], "-P {permitted}");
    }
}

fn is_listed(line: &str) -> bool {
    let ours = ["TUNE ", "DUMP ", "CALL ", "AUTH "];
    line.ends_with(" Command overview") || ours.iter().any(|name| line.starts_with(name))
}
