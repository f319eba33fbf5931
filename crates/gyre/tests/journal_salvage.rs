//! `gyre store salvage` on the journal of a daemon that was killed: the daemon starts again and
//! serves the samples that could be read.
#![allow(clippy::disallowed_methods)] // the test starts programs and damages their files

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::time::Duration;

const START: i64 = 1_600_000_000;
const BLOCK_BYTES: usize = 4096;
const SAMPLES: i64 = 6;

fn gyre(directory: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    command.args(words.split_whitespace()).current_dir(directory).env_remove("RRDCACHED_ADDRESS");
    command
}

fn run(directory: &Path, words: &str) -> Output {
    gyre(directory, words).output().unwrap()
}

const DAEMON: &str = "rrdcached -g -w 86400 -l unix:socket -j journal -b .";

/// A running daemon.
struct Daemon(Child);

impl Daemon {
    fn start(directory: &Path) -> (Self, BufReader<UnixStream>) {
        let mut child = gyre(directory, DAEMON).spawn().unwrap();
        for _ in 0..500 {
            if let Ok(stream) = UnixStream::connect(directory.join("socket")) {
                return (Self(child), BufReader::new(stream));
            }
            assert!(child.try_wait().unwrap().is_none(), "it ended");
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it does not listen");
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The lines of an answer.
fn ask(client: &mut BufReader<UnixStream>, line: &str) -> Vec<String> {
    client.get_mut().write_all(format!("{line}\n").as_bytes()).unwrap();
    let mut status = String::new();
    client.read_line(&mut status).unwrap();
    let count: usize = status.split(' ').next().unwrap().parse().expect("it is not refused");
    let mut lines = vec![String::new(); count];
    lines.iter_mut().for_each(|line| assert!(client.read_line(line).unwrap() > 0));
    lines
}

fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_daemon_starts_again_after_its_journal_was_salvaged() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path();
    let made = run(
        directory,
        &format!("create a.rrd -b {START} -s 10 DS:x:GAUGE:99:U:U RRA:LAST:0.5:1:9"),
    );
    assert!(made.status.success());
    let (daemon, mut client) = Daemon::start(directory);
    for nth in 1..=SAMPLES {
        ask(&mut client, &format!("UPDATE a.rrd {}:{nth}", START + 10 * nth));
    }
    let busy = run(directory, "store salvage --yes journal");
    assert!(!busy.status.success() && said(&busy).2.contains("another process"), "{busy:?}");
    drop((daemon, client)); // it is killed
    let _ = fs::remove_file(directory.join("socket"));

    let segment = directory.join("journal/journal-000000");
    let mut bytes = fs::read(&segment).unwrap();
    bytes[3 * BLOCK_BYTES + 20] ^= 4; // in the frame of the third sample
    fs::write(&segment, bytes).unwrap();
    let (code, _, error) = said(&run(directory, DAEMON));
    assert_eq!(code, Some(6), "{error}");
    assert!(error.contains("journal-000000: at byte 12288"), "{error}");
    assert!(error.contains("gyre store salvage") && error.contains("journal"), "{error}");

    let (code, told, error) = said(&run(directory, "store salvage journal"));
    assert_eq!(
        (code, error.as_str()),
        (Some(1), "ERROR: journal: nothing was written; --yes does it\n")
    );
    let (before, after) = (START + 20, START + 40);
    assert!(told.starts_with("given up  journal-000000: at byte 12288: "), "{told}");
    let times = format!("between a sample of {before} and one of {after}\n");
    assert!(told.contains(&times), "{told}");
    assert!(told.ends_with("journal: 5 samples of 1 file(s) would be kept\n"), "{told}");
    let (code, told, error) = said(&run(directory, "store salvage --yes --json journal"));
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&told["written"], &told["samples"]), (&true.into(), &5.into()), "{told}");
    assert_eq!(told["given_up"][0]["after_seconds"], before);
    assert!(directory.join("journal.salvaged-1/journal-000000").exists());

    let (_daemon, mut client) = Daemon::start(directory);
    let waiting = ask(&mut client, "PENDING a.rrd");
    let kept = (1..=SAMPLES).filter(|nth| *nth != 3);
    let expected: Vec<String> = kept.map(|nth| format!("{}:{nth}\n", START + 10 * nth)).collect();
    assert_eq!(waiting, expected);
    ask(&mut client, "FLUSH a.rrd");
    let (_, shown, _) = said(&run(directory, "lastupdate a.rrd"));
    assert!(shown.contains(&format!("{}: {SAMPLES}", START + 10 * SAMPLES)), "{shown}");
    let (code, told, _) = said(&run(directory, "store salvage elsewhere"));
    assert_eq!((code, told.as_str()), (Some(1), ""));
}
