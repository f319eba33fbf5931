//! gyre under the names `rrdtool` and `rrdcached` compared with Debian's programs, and mixed with
//! them: our client with either daemon, and Debian's client with ours. Equal arguments must give
//! equal output, exit codes and, after a flush, files.
//!
//! The cases are in `rrdcached_cases/`. L is the daemon's socket, T its port, N a socket without a
//! daemon; SOCKET is the path of L. A line after `!` is only for Debian's daemon: ours answers
//! differently on purpose (docs/daemon.md). Not compared are the names of the two directories and
//! ports, and the row pointers that a new file gets at random (both sides then continue with the
//! same file).
//!
//! Intended differences are tested below.
#![allow(clippy::disallowed_methods)] // the test starts programs and reads the files they make

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use oracle::Rrdcached;

/// One of the two programs, with its daemon.
struct Side {
    program: PathBuf,
    base: PathBuf,
    daemon: Rrdcached,
}

/// Which programs of the tested pair are gyre's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ours {
    /// Our rrdtool with Debian's rrdcached.
    Tool,
    /// Debian's rrdtool with our rrdcached.
    Daemon,
    /// Our rrdtool with our rrdcached.
    Both,
}

impl Ours {
    const ALL: [Self; 3] = [Self::Tool, Self::Daemon, Self::Both];

    fn has_our_daemon(self) -> bool {
        self != Self::Tool
    }
}

struct Pair {
    beside: Ours,
    theirs: Side,
    ours: Side,
    /// Removed with the pair.
    _directory: tempfile::TempDir,
}

impl Side {
    fn new(program: PathBuf, rrdcached: &Path, room: &Path) -> Self {
        let base = room.join("base");
        fs::create_dir_all(&base).unwrap();
        let daemon = Rrdcached::start(rrdcached, room, &base, &["-B"]);
        Self { program, base, daemon }
    }

    fn command(&self, words: &[String], variables: &[(&str, &str)]) -> Command {
        let mut command = Command::new(&self.program);
        let address = |word: &String| match word.as_str() {
            "L" => self.daemon.local_address(),
            "T" => self.daemon.network_address(),
            "N" => "unix:/nowhere/rrdcached.sock".into(),
            _ => word.replace("SOCKET", &self.daemon.local_address()["unix:".len()..]),
        };
        command.args(words.iter().map(address)).current_dir(&self.base).env_clear();
        let value = |text: &str| address(&text.to_owned());
        command.envs(variables.iter().map(|(name, text)| (*name, value(text))));
        command.envs([("TZ", "UTC"), ("LC_ALL", "C"), ("PATH", "/usr/bin:/bin")]);
        command
    }

    fn run(&self, line: &str, variables: &[(&str, &str)]) -> Said {
        let mut command = self.command(&split(line), variables);
        self.heard(&command.stdin(Stdio::null()).output().unwrap())
    }

    fn heard(&self, output: &Output) -> Said {
        let text = |bytes: &[u8]| self.neutral(&String::from_utf8_lossy(bytes));
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        Said { code: output.status.code(), stdout, stderr }
    }

    /// A text without the names that differ between the two sides.
    fn neutral(&self, text: &str) -> String {
        let room = self.base.parent().unwrap().to_str().unwrap();
        text.replace(room, "ROOM").replace(&self.daemon.network_address(), "PORT")
    }

    /// The answers of the pipe mode, as whole lines, with replies separated.
    fn pipe(&self, commands: &str) -> Vec<String> {
        let addressed = commands.lines().map(|line| {
            let words = line.split(' ').map(|word| match word {
                "L" => self.daemon.local_address(),
                "T" => self.daemon.network_address(),
                "N" => "unix:/nowhere/rrdcached.sock".into(),
                other => other.to_owned(),
            });
            words.collect::<Vec<_>>().join(" ")
        });
        let commands = addressed.collect::<Vec<_>>().join("\n");
        let mut command = self.command(&["-".to_owned()], &[]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        writeln!(child.stdin.take().unwrap(), "{commands}").unwrap();
        let output = child.wait_with_output().unwrap();
        let text = self.neutral(&String::from_utf8_lossy(&output.stdout));
        let known = text.lines().filter(|line| !line.contains("cur_row"));
        known
            .map(|line| if line.starts_with("OK u:") { "OK".into() } else { line.into() })
            .collect()
    }
}

/// The result of a command.
#[derive(Debug, PartialEq)]
struct Said {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Pair {
    fn new(what: &str) -> Option<Self> {
        Self::of(Ours::Tool, what)
    }

    fn of(beside: Ours, what: &str) -> Option<Self> {
        let rrdtool = oracle::program("rrdtool", what)?;
        let rrdcached = oracle::program("rrdcached", what)?;
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let ours = |name: &str| {
            let path = root.join(name);
            symlink(env!("CARGO_BIN_EXE_gyre"), &path).unwrap();
            path
        };
        let (our_tool, our_daemon) = (ours("rrdtool"), ours("rrdcached"));
        let (tool, daemon) = match beside {
            Ours::Tool => (our_tool, rrdcached.clone()),
            Ours::Daemon => (rrdtool.clone(), our_daemon),
            Ours::Both => (our_tool, our_daemon),
        };
        Some(Self {
            beside,
            theirs: Side::new(rrdtool, &rrdcached, &root.join("theirs")),
            ours: Side::new(tool, &daemon, &root.join("ours")),
            _directory: directory,
        })
    }

    /// Runs a command on both sides; returns the difference.
    fn compare(&self, line: &str, variables: &[(&str, &str)]) -> Option<String> {
        let (theirs, ours) = (self.theirs.run(line, variables), self.ours.run(line, variables));
        let is_making = line.starts_with("create") || line.starts_with("restore");
        if is_making {
            self.share_new_files();
        }
        (theirs != ours).then(|| format!("{line}\n  theirs: {theirs:?}\n  ours:   {ours:?}"))
    }

    /// Gives both sides the same new files, because the rows of new files begin at a random place.
    fn share_new_files(&self) {
        for entry in fs::read_dir(&self.theirs.base).unwrap() {
            let path = entry.unwrap().path();
            let other = self.ours.base.join(path.file_name().unwrap());
            let (theirs, ours) = (fs::read(&path).unwrap(), fs::read(&other).unwrap_or_default());
            if let (Some(before), Some(after)) = (masked(&theirs), masked(&ours))
                && before == after
            {
                fs::write(other, theirs).unwrap();
            }
        }
    }

    /// Makes both daemons write their pending updates, with the same client.
    fn flush(&self) {
        for side in [&self.theirs, &self.ours] {
            let names = fs::read_dir(&side.base).unwrap().map(|entry| entry.unwrap().path());
            let files = names.filter(|path| path.extension().is_some_and(|ending| ending == "rrd"));
            let mut command = Command::new(&self.theirs.program);
            command.arg("flushcached").arg("-d").arg(side.daemon.local_address()).args(files);
            assert!(command.status().unwrap().success());
        }
    }

    /// The names of files that differ, or are missing on a side.
    fn unequal_files(&self) -> Vec<String> {
        let names = |side: &Side| -> Vec<String> {
            let entries = fs::read_dir(&side.base).unwrap();
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        };
        let mut all = [names(&self.theirs), names(&self.ours)].concat();
        all.sort();
        all.dedup();
        let read = |side: &Side, name: &String| fs::read(side.base.join(name)).ok();
        all.retain(|name| read(&self.theirs, name) != read(&self.ours, name));
        all
    }

    fn check(&self, cases: &str, variables: &[(&str, &str)]) {
        let lines = cases.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let lines = lines.filter_map(|line| match line.strip_prefix("! ") {
            Some(_) if self.beside.has_our_daemon() => None,
            Some(line) => Some(line),
            None => Some(line),
        });
        let differences: Vec<String> =
            lines.filter_map(|line| self.compare(line, variables)).collect();
        assert!(differences.is_empty(), "{:?}: {}", self.beside, differences.join("\n"));
        self.flush();
        assert_eq!(self.unequal_files(), [""; 0], "{:?}", self.beside);
    }
}

/// A file without its row pointers and padding.
fn masked(bytes: &[u8]) -> Option<(Vec<u8>, Vec<Vec<u64>>)> {
    let (mut header, snapshot) = rrdfile::decode(bytes).ok()?;
    header.newest_rows.fill(rrdfile::layout::RowIndex(0));
    let bits = |values: &Vec<f64>| values.iter().map(|value| value.to_bits()).collect();
    Some((header.encode().ok()?, snapshot.rows.iter().map(bits).collect()))
}

/// Splits a line at blanks, with quotes as in a shell.
fn split(line: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![None::<String>], None);
    for letter in line.chars() {
        let word = words.last_mut().unwrap();
        match (quote, letter) {
            (Some(closing), _) if closing == letter => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, ' ') if word.is_some() => words.push(None),
            (None, ' ') => {}
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.into_iter().flatten().collect()
}

#[test]
fn a_daemon_of_this_machine() {
    for beside in Ours::ALL {
        let Some(pair) = Pair::of(beside, "--daemon with a socket") else { return };
        pair.check(include_str!("rrdcached_cases/local.txt"), &[]);
    }
}

#[test]
fn verbs_that_flush_list_and_export() {
    for beside in Ours::ALL {
        let Some(pair) = Pair::of(beside, "flushcached, list and xport with a daemon") else {
            return;
        };
        pair.check(include_str!("rrdcached_cases/others.txt"), &[]);
    }
}

#[test]
fn a_daemon_elsewhere() {
    for beside in Ours::ALL {
        let Some(pair) = Pair::of(beside, "--daemon with a port") else { return };
        pair.check(include_str!("rrdcached_cases/network.txt"), &[]);
    }
}

/// The address of the daemon comes from the environment instead of an option.
#[test]
fn a_daemon_of_the_environment() {
    let local = (include_str!("rrdcached_cases/local.txt"), "L");
    let network = (include_str!("rrdcached_cases/network.txt"), "T");
    for (beside, (cases, name)) in Ours::ALL.into_iter().flat_map(|it| [(it, local), (it, network)])
    {
        let Some(pair) = Pair::of(beside, "RRDCACHED_ADDRESS") else { return };
        let option = [format!(" -d {name}"), format!(" --daemon {name}")];
        let own = cases.lines().filter(|line| option.iter().any(|option| line.contains(option)));
        // Without an operand there is only help.
        let own = own.map(|line| line.replace(&option[0], "").replace(&option[1], ""));
        let own: Vec<String> = own.filter(|line| line.contains(' ')).collect();
        assert!(own.len() > 20);
        pair.check(&own.join("\n"), &[("RRDCACHED_ADDRESS", name)]);
    }
    let Some(pair) = Pair::new("RRDCACHED_ADDRESS of nobody") else { return };
    let cases = "create a.rrd -b 1000000000 -s 60 DS:a:GAUGE:120:0:U RRA:AVERAGE:0.5:1:10\n\
        update a.rrd 1000000060:1\nlast a.rrd\nfirst a.rrd\ninfo a.rrd\nlastupdate a.rrd\n\
        dump a.rrd\nfetch a.rrd AVERAGE -s 1000000000 -e 1000000060\n\
        updatev a.rrd 1000000060:1\nupdate -d '' a.rrd 1000000120:1";
    pair.check(cases, &[("RRDCACHED_ADDRESS", "N")]);
}

#[test]
fn a_prefix_is_stripped_for_a_daemon_elsewhere() {
    let Some(pair) = Pair::new("RRDCACHED_STRIPPATH") else { return };
    let cases = "create /srv/rrd/a.rrd -d T -b 1000000000 -s 60 DS:a:GAUGE:120:0:U RRA:LAST:0.5:1:10\n\
        update /srv/rrd/a.rrd -d T 1000000060:1 1000000120:2\nlast /srv/rrd/a.rrd -d T\n\
        last a.rrd -d T\nlast /srv/rrd/a.rrd -d L\n\
        fetch /srv/rrd/a.rrd LAST -s 1000000000 -e 1000000060 -d T";
    for prefix in ["/srv/rrd", "/srv/rrd/"] {
        pair.check(cases, &[("RRDCACHED_STRIPPATH", prefix)]);
        for side in [&pair.theirs, &pair.ours] {
            fs::remove_file(side.base.join("a.rrd")).unwrap();
        }
    }
}

/// The line that a client sends to a daemon elsewhere, which answers that all is well.
fn line_sent(program: &Path, place: &Path, words: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut command = Command::new(program);
    command.args(split(words)).args(["-d", &address]).current_dir(place);
    command.env("RRDCACHED_STRIPPATH", place).stdin(Stdio::null());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut stream, _) = listener.accept().unwrap();
    let mut line = String::new();
    BufReader::new(&stream).read_line(&mut line).unwrap();
    stream.write_all(b"0 RRD created OK\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{words}: {output:?}");
    line
}

#[test]
fn files_that_a_new_one_comes_from_are_told_as_rrdtool_tells_them() {
    let Some(rrdtool) = oracle::program("rrdtool", "create with a daemon elsewhere") else {
        return;
    };
    let room = tempfile::tempdir().unwrap();
    let place = room.path().canonicalize().unwrap();
    fs::write(place.join("a.rrd"), "").unwrap();
    let ours = place.join("rrdtool");
    symlink(env!("CARGO_BIN_EXE_gyre"), &ours).unwrap();
    let make = format!("create {}/n.rrd -b 1000000000 -s 60", place.display());
    for origins in ["-r a.rrd", "-t ./a.rrd", "-r PLACE/a.rrd -t PLACE/none.rrd", "-t /none.rrd"] {
        let origins = origins.replace("PLACE", place.to_str().unwrap());
        let words = format!("{make} {origins} DS:x:GAUGE:120:0:U");
        let sent = [&rrdtool, &ours].map(|program| line_sent(program, &place, &words));
        assert!(sent[0].starts_with("create n.rrd ") && sent[0].contains(&origins), "{sent:?}");
        assert_eq!(sent[1], sent[0]);
    }
}

/// The kernel takes paths of 107 bytes.
#[test]
fn sockets_of_long_paths_are_shared() {
    let Some(rrdcached) = oracle::program("rrdcached", "sockets of long paths") else { return };
    let Some(rrdtool) = oracle::program("rrdtool", "sockets of long paths") else { return };
    let gyre = |place: &Path, name: &str| {
        let path = place.join(name);
        symlink(env!("CARGO_BIN_EXE_gyre"), &path).unwrap();
        path
    };
    let programs = tempfile::tempdir().unwrap();
    let clients = [rrdtool, gyre(programs.path(), "rrdtool")];
    for daemon in [rrdcached, gyre(programs.path(), "rrdcached")] {
        // The path is cut in the socket's name, in that of its directory, or between the two.
        for (directory, name) in [("d", "s".repeat(200)), (&"d".repeat(150), "socket".into())] {
            let room = tempfile::tempdir().unwrap();
            let place = room.path().canonicalize().unwrap();
            fs::create_dir(place.join(directory)).unwrap();
            let address = format!("unix:{}/{directory}/{name}", place.display());
            let _daemon = Rrdcached::start(&daemon, &place, &place, &["-l", &address]);
            for client in &clients {
                let mut command = Command::new(client);
                command.args(["list", "-d", &address, "/"]).stdin(Stdio::null());
                let output = command.output().unwrap();
                assert!(output.status.success(), "{daemon:?} {client:?}: {output:?}");
            }
        }
    }
}

#[test]
fn the_pipe_mode_goes_from_daemon_to_daemon() {
    for beside in Ours::ALL {
        let Some(pair) = Pair::of(beside, "--daemon in the pipe mode") else { return };
        let commands = include_str!("rrdcached_cases/pipe.txt");
        let (theirs, ours) = (pair.theirs.pipe(commands), pair.ours.pipe(commands));
        let replies = theirs.iter().filter(|line| *line == "OK" || line.starts_with("ERROR: "));
        assert_eq!(replies.count(), commands.lines().count());
        assert_eq!(theirs, ours, "{beside:?}");
    }
}

/// Errors of rrdtool 1.7.2 that gyre does not have.
mod better {
    use super::{Pair, fs};

    const MAKE: &str = "create a.rrd -d T -b 1000000000 -s 60 DS:a:GAUGE:120:0:U \
                        DS:c:COMPUTE:a,2,* DS:b:GAUGE:120:0:U RRA:LAST:0.5:1:10";

    fn pair(what: &str) -> Option<Pair> {
        let pair = Pair::new(what)?;
        assert_eq!(pair.ours.run(MAKE, &[]).code, Some(0));
        assert_eq!(pair.theirs.run(MAKE, &[]).code, Some(0));
        Some(pair)
    }

    /// Runs a line on both sides; Debian's side refuses it with these words, ours does not.
    fn theirs_refuses(pair: &Pair, line: &str, words: &str) {
        let theirs = pair.theirs.run(line, &[]);
        assert_eq!(theirs.code, Some(1), "{line}");
        assert!(theirs.stderr.contains(words), "{line}: {theirs:?}");
        let ours = pair.ours.run(line, &[]);
        assert_eq!((ours.code, ours.stderr.as_str()), (Some(0), ""), "{line}");
    }

    /// The content of our file after a flush.
    fn after_flush(pair: &Pair, verb: &str) -> String {
        pair.flush();
        pair.ours.run(&format!("{verb} a.rrd"), &[]).stdout
    }

    /// oetiker/rrdtool-1.x#1286.
    #[test]
    fn past_updates_are_passed_over() {
        let Some(pair) = pair("--skip-past-updates with a daemon") else { return };
        for side in [&pair.theirs, &pair.ours] {
            assert_eq!(side.run("update a.rrd -d L 1000000060:1:2", &[]).code, Some(0));
        }
        let line =
            "update a.rrd -s -d L 1000000060:1:2 1000000120:3:4 1000000030:1:1 1000000180:5:6";
        theirs_refuses(&pair, line, "illegal attempt to update using time 1000000060");
        let line = "update a.rrd -s -t b -d L 1000000180:7 1000000240:7";
        theirs_refuses(&pair, line, "cannot be used together with templates");
        assert_eq!(after_flush(&pair, "lastupdate"), " a c b\n\n1000000240: U U 7\n");
    }

    /// Times that `update` takes without a daemon are also taken with one.
    #[test]
    fn times_of_every_kind_are_resolved() {
        let Some(pair) = pair("AT-style times with a daemon") else { return };
        let line = "update a.rrd -d L 20100102@1:2 '20100103 12:00@3:4'";
        theirs_refuses(&pair, line, "Cannot find timestamp in");
        assert_eq!(after_flush(&pair, "last"), "1262520000\n");
        theirs_refuses(&pair, "update a.rrd -d L -- -5:7:8", "using time -5.0");
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let age = now.as_secs() as i64 - after_flush(&pair, "last").trim().parse::<i64>().unwrap();
        assert!((4..60).contains(&age), "{age}");
    }

    /// 1.7.2 counts COMPUTE among the sources that take readings, and the daemon drops the update.
    #[test]
    fn templates_leave_computed_sources_out() {
        for address in ["L", "T"] {
            let Some(pair) = pair("--template with a daemon") else { return };
            let line = format!("update a.rrd -d {address} -t b:a 1000000060:7:8");
            assert_eq!(pair.ours.run(&line, &[]).code, Some(0));
            assert_eq!(after_flush(&pair, "lastupdate"), " a c b\n\n1000000060: 8 U 7\n");
        }
    }

    /// oetiker/rrdtool-1.x#1293 and #325: the file exists where the daemon runs, not here.
    #[test]
    fn files_elsewhere_need_not_be_here() {
        let Some(pair) = pair("files of another machine") else { return };
        for side in [&pair.theirs, &pair.ours] {
            fs::create_dir(side.base.join("there")).unwrap();
            fs::rename(side.base.join("a.rrd"), side.base.join("there/a.rrd")).unwrap();
        }
        let elsewhere = |words: &str| {
            [&pair.theirs, &pair.ours].map(|side| {
                let away = tempfile::tempdir().unwrap();
                let words = super::split(words);
                let mut command = side.command(&words, &[]);
                side.heard(&command.current_dir(away.path()).output().unwrap())
            })
        };
        let [theirs, ours] = elsewhere("update there/a.rrd -d T -t b 1000000060:7");
        assert!(theirs.stderr.contains("No such file or directory"), "{theirs:?}");
        assert_eq!(ours.code, Some(0), "{ours:?}");
        let [theirs, ours] = elsewhere("lastupdate there/a.rrd -d T");
        assert!(theirs.stderr.contains("No such file or directory"), "{theirs:?}");
        assert_eq!(ours.stdout, " a c b\n\n1000000060: U U 7\n");
    }

    /// A prefix that does not match: 1.7.2 loses the update and reports success.
    #[test]
    fn paths_without_the_prefix_are_refused() {
        let Some(pair) = pair("RRDCACHED_STRIPPATH") else { return };
        let variables = [("RRDCACHED_STRIPPATH", "/srv/rrd")];
        let said = [&pair.theirs, &pair.ours]
            .map(|side| side.run("update /var/a.rrd -d T 1000000060:1:2", &variables));
        assert_eq!((said[0].code, said[0].stderr.as_str()), (Some(0), ""));
        assert_eq!(said[1].code, Some(1));
        assert!(said[1].stderr.contains("absolute path names not allowed"), "{said:?}");
    }

    /// More samples than fit in one line of the protocol.
    #[test]
    fn many_samples_are_no_matter() {
        let Some(pair) = pair("long updates with a daemon") else { return };
        let samples = (1..=400).map(|at| format!(" {}:{at}:2", 1_000_000_000 + at));
        let line = format!("update a.rrd -d L{}", samples.collect::<String>());
        theirs_refuses(&pair, &line, "No buffer space available");
        assert_eq!(after_flush(&pair, "last"), "1000000400\n");
    }

    /// oetiker/rrdtool-1.x#782: lines of more than 4096 bytes.
    #[test]
    fn wide_files_are_fetched() {
        let Some(pair) = Pair::new("fetching wide files from a daemon") else { return };
        let sources = (0..250).map(|at| format!(" DS:a_rather_long_na{at}:GAUGE:120:U:U"));
        let sources = sources.collect::<String>();
        let make = format!("create w.rrd -b 1000000000 -s 60{sources} RRA:LAST:0.5:1:10");
        for side in [&pair.theirs, &pair.ours] {
            assert_eq!(side.run(&make, &[]).code, Some(0));
        }
        let line = "fetch w.rrd LAST -s 1000000000 -e 1000000060 -d L";
        assert_eq!(pair.theirs.run(line, &[]).code, Some(1));
        let through = pair.ours.run(line, &[]);
        assert_eq!(through.code, Some(0), "{through:?}");
        let direct = pair.ours.run("fetch w.rrd LAST -s 1000000000 -e 1000000060", &[]);
        assert_eq!(through, direct);
    }

    /// A newline within a word would start another command to the daemon.
    #[test]
    fn no_word_is_a_command() {
        let Some(pair) = pair("line ends in words for a daemon") else { return };
        let said = pair.ours.run("update a.rrd -d L '1000000060:1:2\nFORGET a.rrd'", &[]);
        assert_eq!(said.code, Some(1));
        assert!(said.stderr.contains("cannot be sent to rrdcached"), "{said:?}");
        assert_eq!(after_flush(&pair, "last"), "1000000000\n");
    }
}
