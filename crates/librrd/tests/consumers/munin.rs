//! Munin's update over RRDs: a node that we play tells values, munin-update keeps them.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::databases::dumps;
use crate::library::{BOTH, Library, assert_same, place, text};

const UPDATE: &str = "/usr/share/munin/munin-update";
const ROUNDS: u64 = 3;
const START_SECONDS: u64 = 1_700_000_000;

#[test]
fn munin_keeps_the_same() {
    let what = "Munin's update with our library";
    let Some(rrdtool) = oracle::program("rrdtool", what) else { return };
    if oracle::program("munin-check", what).is_none() {
        return;
    }
    let kept = BOTH.map(|library| {
        let (place, errors) = updated(library);
        (dumps(&rrdtool, &place.path().join("db")), errors)
    });
    let [(debian, debian_errors), (ours, our_errors)] = &kept;
    assert_eq!(our_errors, debian_errors);
    assert_eq!(debian.len(), 3, "{:?}", debian.keys());
    assert_eq!(ours.keys().collect::<Vec<_>>(), debian.keys().collect::<Vec<_>>());
    for (file, dump) in debian {
        assert!(dump.contains("<v>1."), "{file}: nothing was measured\n{dump}");
        assert_same(dump, &ours[file]);
    }
}

/// A directory in which munin-update has run some times, and how many errors it logged.
fn updated(library: Library) -> (TempDir, usize) {
    let place = place();
    let user = user();
    for name in ["db", "html", "log", "run"] {
        fs::create_dir(place.path().join(name)).unwrap();
    }
    for round in 0..ROUNDS {
        let node = TcpListener::bind("127.0.0.1:0").unwrap();
        write_configuration(place.path(), node.local_addr().unwrap().port());
        own(place.path(), user);
        let answering = std::thread::spawn(move || answer(&node.accept().unwrap().0, round));
        let mut command = library.command(Path::new(UPDATE));
        command.arg("--nofork").arg("--config").arg(place.path().join("munin.conf"));
        if let Some((user, group)) = user {
            command.uid(user).gid(group);
        }
        let said = library.said(&mut command);
        answering.join().unwrap();
        let log = fs::read_to_string(place.path().join("log/munin-update.log")).unwrap();
        // Munin tunes what it is about to make, and finds nothing there.
        let mut errors = log.lines().filter(|line| line.contains("[ERROR]"));
        assert!(errors.all(|line| line.contains("[ERROR] Tuning ")), "{library:?}: {said}\n{log}");
    }
    let log = fs::read_to_string(place.path().join("log/munin-update.log")).unwrap();
    (place, log.matches("[ERROR]").count())
}

/// Munin refuses to run as root and has a user for that; anybody else stays himself.
fn user() -> Option<(u32, u32)> {
    let number = |arguments: &[&str]| -> Option<u32> {
        text(&Command::new("id").args(arguments).output().ok()?).trim().parse().ok()
    };
    (number(&["-u"])? == 0).then_some(())?;
    Some((number(&["-u", "munin"])?, number(&["-g", "munin"])?))
}

fn own(place: &Path, user: Option<(u32, u32)>) {
    let Some((user, group)) = user else { return };
    let inside = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path());
    for path in inside.chain([place.to_path_buf()]) {
        chown(path, Some(user), Some(group)).unwrap();
    }
}

fn write_configuration(place: &Path, port: u16) {
    let here = place.display();
    let configuration = format!(
        "dbdir {here}/db\nhtmldir {here}/html\nlogdir {here}/log\nrundir {here}/run\n\
         [example.test]\naddress 127.0.0.1\nport {port}\nuse_node_name yes\n"
    );
    fs::write(place.join("munin.conf"), configuration).unwrap();
}

/// Plays a node to one caller. Values carry their times, so that both libraries get the same.
fn answer(caller: &TcpStream, round: u64) {
    let mut to_caller = caller;
    to_caller.write_all(b"# munin node at example.test\n").unwrap();
    // Who has all he wants may hang up without a word.
    for line in BufReader::new(caller).lines().map_while(Result::ok) {
        let reply = match line.split(' ').collect::<Vec<_>>()[..] {
            ["cap", ..] => "cap multigraph\n".into(),
            ["nodes"] => "example.test\n.\n".into(),
            ["list", ..] => "load traffic\n".into(),
            ["config", service] => config(service, round),
            ["fetch", service] => values(service, round),
            ["quit"] => return,
            _ => "# Unknown command. Try cap, list, nodes, config, fetch, version or quit\n".into(),
        };
        to_caller.write_all(reply.as_bytes()).unwrap();
    }
}

/// The last round finds a limit and a type changed: Munin tunes files, and begins new ones.
fn config(service: &str, round: u64) -> String {
    match service {
        "load" => {
            let limit = if round + 1 == ROUNDS { "load.max 100\n" } else { "" };
            format!("graph_title Load\nload.label load\nload.type GAUGE\nload.min 0\n{limit}.\n")
        }
        _ => "graph_title Traffic\nin.label in\nin.type DERIVE\nin.min 0\n\
              out.label out\nout.type COUNTER\nout.max 1000\n.\n"
            .into(),
    }
}

fn values(service: &str, round: u64) -> String {
    let time = |nth: u64| START_SECONDS + 300 * (4 * round + nth);
    let lines = (0..4).map(|nth| match service {
        "load" => format!("load.value {}:1.{nth}5\n", time(nth)),
        _ => {
            let counter = 390 * (4 * round + nth);
            format!("in.value {0}:{counter}\nout.value {0}:{counter}\n", time(nth))
        }
    });
    lines.chain([".\n".to_owned()]).collect()
}
