//! gyre under the name `rrdtool` and Debian's rrdtool, each with a Debian rrdcached of its own: equal
//! arguments must give equal output, exit codes and, once all is flushed, files.
//!
//! The cases stand in `rrdcached_cases/`: L is the daemon by its socket, T the same by its port, N
//! nobody. What is not compared: the names of the two directories and ports, and the row pointers
//! that a new file gets at random (both go on with the same file).
//!
//! Where gyre means to differ, a test of its own says so below.
#![allow(clippy::disallowed_methods)] // the test starts programs and reads the files they make

use std::fs;
use std::io::Write as _;
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

struct Pair {
    theirs: Side,
    ours: Side,
    directory: tempfile::TempDir,
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
            _ => word.clone(),
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

    /// What was said, without what tells the two sides apart.
    fn neutral(&self, text: &str) -> String {
        let room = self.base.parent().unwrap().to_str().unwrap();
        text.replace(room, "ROOM").replace(&self.daemon.network_address(), "PORT")
    }

    /// The same as whole lines of the pipe mode's answer, replies told apart.
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

/// What a command said.
#[derive(Debug, PartialEq)]
struct Said {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Pair {
    fn new(what: &str) -> Option<Self> {
        let rrdtool = oracle::program("rrdtool", what)?;
        let rrdcached = oracle::program("rrdcached", what)?;
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let ours = root.join("rrdtool");
        symlink(env!("CARGO_BIN_EXE_gyre"), &ours).unwrap();
        Some(Self {
            theirs: Side::new(rrdtool, &rrdcached, &root.join("theirs")),
            ours: Side::new(ours, &rrdcached, &root.join("ours")),
            directory,
        })
    }

    /// Runs one command on both sides; returns what differs.
    fn compare(&self, line: &str, variables: &[(&str, &str)]) -> Option<String> {
        let (theirs, ours) = (self.theirs.run(line, variables), self.ours.run(line, variables));
        let is_making = line.starts_with("create") || line.starts_with("restore");
        if is_making {
            self.share_new_files();
        }
        (theirs != ours).then(|| format!("{line}\n  theirs: {theirs:?}\n  ours:   {ours:?}"))
    }

    /// Both go on with the same files, whose rows begin at a random place.
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
        let differences: Vec<String> =
            lines.filter_map(|line| self.compare(line, variables)).collect();
        assert!(differences.is_empty(), "{}", differences.join("\n"));
        assert_eq!(self.unequal_files(), [""; 0]);
    }
}

/// A file without its row pointers and padding.
fn masked(bytes: &[u8]) -> Option<(Vec<u8>, Vec<Vec<u64>>)> {
    let (mut header, snapshot) = rrdfile::decode(bytes).ok()?;
    header.newest_rows.fill(rrdfile::layout::RowIndex(0));
    let bits = |values: &Vec<f64>| values.iter().map(|value| value.to_bits()).collect();
    Some((header.encode(), snapshot.rows.iter().map(bits).collect()))
}

/// A line taken apart as a shell does: blanks, and quotes.
fn split(line: &str) -> Vec<String> {
    let (mut words, mut quote, mut is_open) = (vec![String::new()], None, false);
    for letter in line.chars() {
        match (quote, letter) {
            (Some(closing), _) if closing == letter => quote = None,
            (None, '\'' | '"') => (quote, is_open) = (Some(letter), true),
            (None, ' ') => {
                if is_open || !words.last().unwrap().is_empty() {
                    words.push(String::new());
                }
                is_open = false;
            }
            _ => words.last_mut().unwrap().push(letter),
        }
    }
    words
}

#[test]
fn a_daemon_of_this_machine() {
    let Some(pair) = Pair::new("--daemon with a socket") else { return };
    pair.check(include_str!("rrdcached_cases/local.txt"), &[]);
}

#[test]
fn a_daemon_elsewhere() {
    let Some(pair) = Pair::new("--daemon with a port") else { return };
    pair.check(include_str!("rrdcached_cases/network.txt"), &[]);
}

/// The same by the environment's word instead of an option.
#[test]
fn a_daemon_of_the_environment() {
    for (cases, name) in [
        (include_str!("rrdcached_cases/local.txt"), "L"),
        (include_str!("rrdcached_cases/network.txt"), "T"),
    ] {
        let Some(pair) = Pair::new("RRDCACHED_ADDRESS") else { return };
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
        dump a.rrd\nfetch a.rrd AVERAGE -s 1000000000 -e 1000000060\nlist .\nflushcached a.rrd\n\
        updatev a.rrd 1000000060:1\nupdate -d '' a.rrd 1000000120:1";
    pair.check(cases, &[("RRDCACHED_ADDRESS", "N")]);
}

#[test]
fn a_prefix_is_stripped_for_a_daemon_elsewhere() {
    let Some(pair) = Pair::new("RRDCACHED_STRIPPATH") else { return };
    let cases = "create /srv/rrd/a.rrd -d T -b 1000000000 -s 60 DS:a:GAUGE:120:0:U RRA:LAST:0.5:1:10\n\
        update /srv/rrd/a.rrd -d T 1000000060:1 1000000120:2\nlast /srv/rrd/a.rrd -d T\n\
        last /srv/rr/a.rrd -d T\nlast a.rrd -d T\nlast /srv/rrd/a.rrd -d L\n\
        fetch /srv/rrd/a.rrd LAST -s 1000000000 -e 1000000060 -d T\nflushcached /srv/rrd/a.rrd -d T";
    for prefix in ["/srv/rrd", "/srv/rrd/"] {
        pair.check(cases, &[("RRDCACHED_STRIPPATH", prefix)]);
        for side in [&pair.theirs, &pair.ours] {
            side.run("flushcached a.rrd -d L", &[]);
            fs::remove_file(side.base.join("a.rrd")).unwrap();
        }
    }
}

#[test]
fn the_pipe_mode_goes_from_daemon_to_daemon() {
    let Some(pair) = Pair::new("--daemon in the pipe mode") else { return };
    let commands = include_str!("rrdcached_cases/pipe.txt");
    let (theirs, ours) = (pair.theirs.pipe(commands), pair.ours.pipe(commands));
    let replies = theirs.iter().filter(|line| *line == "OK" || line.starts_with("ERROR: "));
    assert_eq!(replies.count(), commands.lines().count());
    assert_eq!(theirs, ours);
}
