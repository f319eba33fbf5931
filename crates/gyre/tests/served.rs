//! Every verb on a ring store that another process has open: the output and exit codes are the same
//! as on a store that no process has open.
#![allow(clippy::disallowed_methods)] // the test starts the program

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Exit code, standard output and standard error.
type Ended = (Option<i32>, Vec<u8>, String);

fn gyre(directory: &Path, words: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    command.args(words).current_dir(directory).env_remove("RRDCACHED_ADDRESS");
    let output = command.env("TZ", "UTC").stdin(Stdio::null()).output().unwrap();
    (output.status.code(), output.stdout, String::from_utf8(output.stderr).unwrap())
}

fn line(directory: &Path, line: &str) -> Ended {
    gyre(directory, &line.split_whitespace().collect::<Vec<_>>())
}

/// A directory with the store `S`, which has two databases and an imported one, and with two files.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for words in [
        "store create S",
        "create S/a.rrd -b 1600000000 -s 10 DS:x:GAUGE:20:U:U DS:y:COUNTER:20:0:U \
         RRA:AVERAGE:0.5:1:60 RRA:MAX:0.5:6:20",
        "create S/sub/b.rrd -b 1600000000 -s 10 DS:x:GAUGE:20:U:U RRA:AVERAGE:0.5:1:60",
        "create file.rrd -b 1600000000 -s 10 DS:x:GAUGE:20:U:U RRA:LAST:0.5:1:9",
        "update file.rrd 1600000003.5:7 1600000013:8 1600000555:9",
        "import S file.rrd",
    ] {
        let (code, _, error) = line(place.path(), words);
        assert_eq!((code, error.as_str()), (Some(0), ""), "{words}");
    }
    fs::create_dir_all(place.path().join("late/sub")).unwrap();
    fs::write(place.path().join("late/mrtg.log"), MRTG_LOG).unwrap();
    for words in [
        "create late/sub/b.rrd -b 1600000000 -s 10 DS:x:GAUGE:20:U:U RRA:AVERAGE:0.5:1:60",
        "create late/c.rrd -b 1600000000 -s 10 DS:x:GAUGE:20:U:U RRA:AVERAGE:0.5:1:60",
        "update late/c.rrd 1600000003.5:7 1600000013:8 1600003555:9",
    ] {
        assert_eq!(line(place.path(), words).0, Some(0), "{words}");
    }
    fs::write(place.path().join("late/cut.rrd"), b"RRD").unwrap();
    let readings = (1..50).map(|nth| format!("{}:{}:{}", 1_600_000_000 + nth * 10, nth, nth * nth));
    let mut update = vec!["update".to_owned(), "S/a.rrd".to_owned()];
    update.extend(readings);
    let update: Vec<&str> = update.iter().map(String::as_str).collect();
    assert_eq!(gyre(place.path(), &update).0, Some(0));
    assert_eq!(line(place.path(), "dump S/a.rrd a.xml").0, Some(0));
    place
}

/// A process in the pipe mode with an open store.
struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(directory: &Path, opening: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
        command.arg("-").current_dir(directory).env_remove("RRDCACHED_ADDRESS");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let mut server = Self { child, input, output: BufReader::new(output) };
        server.say(opening);
        server
    }

    /// Sends a command and waits for its end.
    fn say(&mut self, words: &str) -> String {
        writeln!(self.input.as_mut().unwrap(), "{words}").unwrap();
        let mut reply = String::new();
        loop {
            let before = reply.len();
            assert!(self.output.read_line(&mut reply).unwrap() > 0, "{words}: it ended: {reply}");
            let last = &reply[before..];
            if last.starts_with("OK ") || last.starts_with("ERROR: ") {
                return reply;
            }
        }
    }

    fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        assert_eq!(self.child.wait().unwrap().signal(), Some(9));
    }
}

/// A log of MRTG without RRDtool: its counters, and five minutes of traffic.
const MRTG_LOG: &str = "1600000300 1000 2000\n1600000300 3 6 3 6\n1600000000 3 6 3 6\n";

const VERBS: &[&str] = &[
    "fetch S/a.rrd AVERAGE -s 1600000000 -e 1600000500",
    "fetch S/a.rrd MAX -s 1600000000 -e 1600000500 -r 60",
    "fetch S/a.rrd MIN -s 1600000000 -e 1600000500",
    "fetch S/none.rrd AVERAGE",
    "graph a.svg -a SVG -s 1600000000 -e 1600000500 DEF:x=S/a.rrd:x:AVERAGE DEF:b=S/sub/b.rrd:x:AVERAGE \
     LINE:x#ff0000 PRINT:x:MAX:%lf",
    "graph a.png -s 1600000000 -e 1600000500 DEF:x=S/none.rrd:x:AVERAGE LINE:x#ff0000",
    "xport -s 1600000000 -e 1600000500 DEF:x=S/a.rrd:x:AVERAGE XPORT:x:x",
    "info S/a.rrd",
    "info S/file.rrd",
    "info S/none.rrd",
    "dump S/a.rrd",
    "dump S/file.rrd",
    "first S/a.rrd",
    "first S/a.rrd --rraindex 1",
    "first S/a.rrd --rraindex 7",
    "last S/a.rrd",
    "last S/none.rrd",
    "lastupdate S/a.rrd",
    "update S/a.rrd 1600000510:1:2 1600000520:3:4",
    "update S/a.rrd 1600000530:1:2 1600000530:3:4 1600000540:1:2",
    "update S/a.rrd 1600000550:1",
    "update S/a.rrd 1600000550:1:2:3",
    "update S/a.rrd -t y:x 1600000560.25:1:2",
    "update S/a.rrd -t z 1600000570:1",
    "update S/a.rrd --skip-past-updates 1600000100:1:1 1600000580:5:6",
    "update S/none.rrd N:1",
    "updatev S/a.rrd 1600000590:1:2 1600000700:9:9",
    "updatev S/a.rrd 1600000590:1:2",
    "create S/new.rrd -b 1600000000 -s 60 DS:x:GAUGE:120:U:U RRA:AVERAGE:0.5:1:10",
    "create S/new.rrd -O -b 1600000000 -s 60 DS:x:GAUGE:120:U:U RRA:AVERAGE:0.5:1:10",
    "create S/past.rrd -b 1600000800 -s 10 -r S/a.rrd DS:x:GAUGE:20:U:U RRA:AVERAGE:0.5:1:30",
    "create S/../out.rrd -s 60 DS:x:GAUGE:120:U:U",
    "create S/wrong.rrd -s 60 DS:x:GAUGE:120:U:U",
    "tune S/a.rrd --maximum x:99 --heartbeat y:77",
    "tune S/a.rrd --maximum x:98 --maximum z:1",
    "tune S/a.rrd --data-source-rename x:z",
    "tune S/a.rrd DS:more:GAUGE:20:U:U RRA#0:+5",
    "tune S/a.rrd RRA#9:+5",
    "tune S/none.rrd --maximum x:1",
    "tune S/sub/b.rrd RRA:HWPREDICT:60:0.1:0.0035:20",
    "resize S/a.rrd 0 GROW 3",
    "resize S/a.rrd 9 GROW 3",
    "restore a.xml S/back.rrd",
    "restore a.xml S/back.rrd",
    "restore -f a.xml S/back.rrd",
    "list S",
    "list S/sub",
    "list --recursive S",
    "list S/none",
    "store list S",
    "store list S sub",
    "store list S s*/?.rrd",
    "store list S **/b.rrd",
    "store rename S new.rrd newer.rrd",
    "store rename S none.rrd newer.rrd",
    "store rename S newer.rrd a.rrd",
    "store tune S a.rrd y --minimum 3 --heartbeat 55",
    "store tune S a.rrd none --minimum 3",
    "store delete S newer.rrd",
    "store delete S newer.rrd",
    "import S file.rrd late",
    "import S file.rrd late",
    "import S a.rrd",
    "import --replace S late/sub/b.rrd late",
    "import S none",
    "info S/sub/b.rrd",
    "info S/mrtg.rrd",
    "dump S/sub/b.rrd",
    "export S sub/b.rrd a.rrd out",
    "export S none.rrd out",
    "export S s*/* a.rrd liked",
    "export S none* out",
    "export S --all all",
    "verify S",
    "last -",
];

/// The output without what differs from run to run: times and rates, and the bytes of the log,
/// which grows while the store is open.
fn told(ended: Ended) -> (Option<i32>, String, String) {
    let (code, out, error) = ended;
    let out = String::from_utf8_lossy(&out).into_owned();
    if let Some((taken, rest)) = out.split_once(" taken in ") {
        let (_, others) = rest.split_once("; ").unwrap();
        return (code, format!("{taken}; {others}"), error);
    }
    let out = match (out.split_once(" written in "), out.split_once(" read, ")) {
        (Some((written, _)), _) => written.to_owned(),
        (_, Some((before, after))) => {
            let (verdict, _bytes) = before.split_once("; ").unwrap();
            format!("{verdict}; {after}")
        }
        _ => out,
    };
    (code, out, error)
}

fn files_below(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut below = vec![directory.to_path_buf()];
    while let Some(directory) = below.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => below.push(path),
                false => files.push((path.display().to_string(), fs::read(&path).unwrap())),
            }
        }
    }
    files.sort();
    files
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap();
    assert!(copied.success());
}

#[test]
fn verbs_do_the_same_while_another_process_has_the_store() {
    let closed = place();
    let served = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    copy(&closed.path().join("."), served.path());
    // The server may use another name for the store than its clients do.
    let opening = format!("last {}/S/a.rrd", served.path().display());
    let mut server = Server::start(served.path(), &opening);
    for verb in VERBS {
        let expected = told(line(closed.path(), verb));
        assert_eq!(told(line(served.path(), verb)), expected, "{verb}");
        server.say("last S/sub/b.rrd");
    }
    server.end();
    for name in ["out", "all", "a.svg"] {
        let files = |place: &Path| {
            let files = files_below(place).into_iter().filter(|(path, _)| path.contains(name));
            let short = |(path, bytes): (String, Vec<u8>)| {
                (path.replace(&place.display().to_string(), ""), bytes)
            };
            files.map(short).collect::<Vec<_>>()
        };
        let (ours, expected) = (files(served.path()), files(closed.path()));
        assert!(!expected.is_empty());
        assert!(ours == expected, "{name} differs");
    }
    // No process has the store open any more, and both stores are equal.
    for place in [&closed, &served] {
        assert_eq!(line(place.path(), "export S --all last").0, Some(0));
    }
    for (path, bytes) in files_below(&closed.path().join("last")) {
        let other = path.replace(closed.path().to_str().unwrap(), served.path().to_str().unwrap());
        assert!(fs::read(other).unwrap() == bytes, "{path}");
    }
}

#[test]
fn what_a_killed_server_acknowledged_stays_and_the_next_call_opens_the_store() {
    let place = place();
    let server = Server::start(place.path(), "last S/a.rrd");
    let update = "update S/a.rrd 1600000600:1:2";
    assert_eq!(line(place.path(), update), (Some(0), Vec::new(), String::new()));
    server.kill();
    let started = Instant::now();
    let last = line(place.path(), "last S/a.rrd");
    assert_eq!((last.0, &last.1[..]), (Some(0), &b"1600000600\n"[..]), "{}", last.2);
    assert!(started.elapsed() < Duration::from_secs(4), "it waited for a server that is gone");
}

#[test]
fn a_pipe_goes_on_when_its_server_was_killed() {
    let place = place();
    let server = Server::start(place.path(), "last S/a.rrd");
    let mut client = Server::start(place.path(), "last S/a.rrd");
    assert!(client.say("update S/a.rrd 1600000600:1:2").starts_with("OK "));
    // The server dies between two calls: no client waits for an answer, and the next call opens the
    // store itself.
    server.kill();
    assert!(client.say("last S/a.rrd").starts_with("1600000600\nOK "));
    client.end();
}

#[test]
fn paths_that_no_socket_address_holds_are_served_too() {
    let place = place();
    let deep = place.path().join("d".repeat(200)).join("e".repeat(200));
    fs::create_dir_all(&deep).unwrap();
    fs::rename(place.path().join("S"), deep.join("S")).unwrap();
    let server = Server::start(&deep, "last S/a.rrd");
    let absolute = deep.join("S/a.rrd");
    let last = gyre(place.path(), &["last", absolute.to_str().unwrap()]);
    assert_eq!((last.0, &last.1[..]), (Some(0), &b"1600000490\n"[..]), "{}", last.2);
    server.end();
}

#[test]
fn rrdtool_of_debian_reaches_the_store_at_its_socket() {
    let Some(rrdtool) = oracle::program("rrdtool", "a store's socket") else { return };
    let place = place();
    let server = Server::start(place.path(), "last S/a.rrd");
    let ask = |words: &[&str]| {
        let output = Command::new(&rrdtool)
            .args(words)
            .env("RRDCACHED_ADDRESS", "unix:S/socket")
            .current_dir(place.path())
            .output()
            .unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(ask(&["last", "S/a.rrd"]), (true, "1600000490\n".to_owned()));
    assert_eq!(ask(&["update", "S/a.rrd", "1600000600:5:6"]), (true, String::new()));
    let fetched = ask(&["fetch", "S/a.rrd", "AVERAGE", "-s", "1600000400", "-e", "1600000480"]);
    let ours = line(place.path(), "fetch S/a.rrd AVERAGE -s 1600000400 -e 1600000480");
    assert_eq!(fetched, (true, String::from_utf8(ours.1).unwrap()));
    server.end();
}

/// Replies to a client that sends all lines at once, without their times.
fn replies_to(directory: &Path, lines: &[String]) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    command.arg("-").current_dir(directory).env_remove("RRDCACHED_ADDRESS").env("TZ", "UTC");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().unwrap();
    let text: String = lines.iter().map(|line| line.clone() + "\n").collect();
    let sender = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let replies = child.wait_with_output().unwrap();
    sender.join().unwrap().unwrap();
    let replies = String::from_utf8(replies.stdout).unwrap();
    let reply = |line: &str| if line.starts_with("OK u:") { "OK".into() } else { line.to_owned() };
    replies.lines().map(reply).collect()
}

/// Consecutive updates are sent to the server together; the client sees no difference.
#[test]
fn lines_that_are_sent_without_waiting_are_answered_in_their_order() {
    let closed = place();
    for words in
        ["store create T", "create T/c.rrd -b 1600000000 -s 10 DS:x:GAUGE:20:U:U RRA:LAST:0.5:1:9"]
    {
        assert_eq!(line(closed.path(), words).0, Some(0), "{words}");
    }
    let served = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    copy(&closed.path().join("."), served.path());
    let mut lines = Vec::new();
    for time in (1_600_000_600_i64..1_600_010_000).step_by(10) {
        lines.push(format!("update S/a.rrd {time}:{time}:7"));
        lines.push(format!("update \"S/sub/b.rrd\" {time}:5 {}:6", time + 5));
        lines.push(match time / 10 % 11 {
            0 => "update S/none.rrd N:1".into(),
            1 => format!("update S/a.rrd {time}:1:2"),
            2 => "last S/a.rrd".into(),
            3 => format!("update T/c.rrd {time}:1"),
            4 => format!("update file.rrd {time}:1"),
            5 => "update S/a.rrd".into(),
            6 => format!("update S/sub/b.rrd {}:1 {time}:1", time + 7),
            7 => format!("update -t y:x S/a.rrd {}:1:2", time + 1),
            8 => format!("updatev S/a.rrd {}:1:2", time + 1),
            9 => format!("update --skip-past-updates S/a.rrd {}:1:2", time - 70),
            _ => "fetch S/a.rrd AVERAGE -s 1600000600 -e 1600001000".into(),
        });
    }
    let mut server = Server::start(served.path(), "last S/a.rrd");
    server.say("last T/c.rrd");
    let expected = replies_to(closed.path(), &lines);
    let refused = expected.iter().filter(|reply| reply.starts_with("ERROR: ")).count();
    assert!(refused > lines.len() / 20 && expected.len() > lines.len(), "{refused} refused");
    assert_eq!(replies_to(served.path(), &lines), expected);
    server.end();
    for name in ["S/a.rrd", "S/sub/b.rrd", "T/c.rrd", "file.rrd"] {
        let dump = |place: &Path| line(place, &format!("dump {name}"));
        assert_eq!(dump(served.path()), dump(closed.path()), "{name}");
    }
}

#[test]
fn updates_that_are_sent_without_waiting_take_few_calls_of_the_system() {
    let place = place();
    let server = Server::start(place.path(), "last S/a.rrd");
    let lines: Vec<String> =
        (0..500).map(|nth| format!("update S/a.rrd {}:1:2", 1_600_000_600 + nth * 10)).collect();
    let writing_calls = || {
        let io = fs::read_to_string(format!("/proc/{}/io", server.child.id())).unwrap();
        let calls = io.lines().find_map(|line| line.strip_prefix("syscw: ")).unwrap();
        calls.parse::<u64>().unwrap()
    };
    let before = writing_calls();
    let replies = replies_to(place.path(), &lines);
    let calls = writing_calls() - before;
    assert_eq!(replies, vec!["OK"; 500]);
    // A single update takes one system call for the log and one for its answer.
    assert!(calls < 100, "{calls} calls");
    server.end();
}
