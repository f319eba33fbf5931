//! gyre under the name `rrdtool` against Debian's rrdtool: equal arguments in equal directories
//! must give equal output, exit codes and files.
//!
//! The cases are in `rrdtool_cases/`. Not compared are:
//!
//! * help, because its text is gyre's own. Its exit code and the first two words of its first line,
//!   where programs look for a version, are compared;
//! * `rra_ptr`, the row written last, of files that `create` or `restore` just made, because it is
//!   random. The rows are then compared from the oldest on. Both programs then continue with the
//!   same file, so that everything later is compared byte for byte;
//! * padding, and the bytes of `stat_head`, `rra_def` and fixed texts after their NUL: neither
//!   program promises them (they are compared in files that are only updated);
//! * times after `OK` in the pipe mode.
#![allow(clippy::disallowed_methods)] // the test starts programs and reads the files they make

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Both programs, each with its directory.
struct Pair {
    theirs: Program,
    ours: Program,
}

struct Program {
    path: PathBuf,
    directory: PathBuf,
}

impl Program {
    fn command(&self, words: &[String], zone: &str) -> Command {
        let mut command = Command::new(&self.path);
        command.args(words).current_dir(&self.directory).env_clear().envs([
            ("TZ", zone),
            ("LC_ALL", "C"),
            ("PATH", "/usr/bin:/bin"),
        ]);
        command
    }

    fn run(&self, words: &[String], zone: &str) -> Output {
        self.command(words, zone).stdin(Stdio::null()).output().unwrap()
    }

    /// Every file, by name.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(&self.directory).unwrap().map(|entry| entry.unwrap());
        let files = entries.filter(|entry| entry.path().is_file());
        files
            .map(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                (name, fs::read(entry.path()).unwrap())
            })
            .collect()
    }
}

impl Pair {
    fn new(rrdtool: &Path, root: &Path) -> Self {
        let (theirs, ours, bin) = (root.join("theirs"), root.join("ours"), root.join("bin"));
        for directory in [&theirs, &ours, &bin] {
            fs::create_dir_all(directory).unwrap();
        }
        let ours_path = bin.join("rrdtool");
        symlink(env!("CARGO_BIN_EXE_gyre"), &ours_path).unwrap();
        Self {
            theirs: Program { path: rrdtool.into(), directory: theirs },
            ours: Program { path: ours_path, directory: ours },
        }
    }

    /// Runs a command with both programs; returns the differences.
    fn compare(&self, line: &str, zone: &str) -> Vec<String> {
        let words = split(line);
        let theirs = self.theirs.run(&words, zone);
        let ours = self.ours.run(&words, zone);
        let mut differences = Vec::new();
        let mut check = |what: &str, theirs: String, ours: String| {
            if theirs != ours {
                differences
                    .push(format!("{line}\n  {what} theirs: {theirs}\n  {what} ours:   {ours}"));
            }
        };
        check("exit code", format!("{:?}", theirs.status), format!("{:?}", ours.status));
        check("stdout", visible(&theirs.stdout), visible(&ours.stdout));
        check("stderr", visible(&theirs.stderr), visible(&ours.stderr));
        let made = words.first().is_some_and(|verb| verb == "create" || verb == "restore");
        let (their_files, our_files) = (self.theirs.files(), self.ours.files());
        for name in their_files
            .keys()
            .chain(our_files.keys().filter(|name| !their_files.contains_key(*name)))
        {
            let (theirs, ours) = (their_files.get(name), our_files.get(name));
            if theirs == ours {
                continue;
            }
            if made && masked(theirs) == masked(ours) {
                // Both programs continue with the same file.
                fs::write(self.ours.directory.join(name), theirs.unwrap()).unwrap();
                continue;
            }
            let place = theirs.zip(ours).and_then(|(theirs, ours)| {
                (0..theirs.len().max(ours.len())).find(|at| theirs.get(*at) != ours.get(*at))
            });
            check(name, size(theirs), format!("{}, first difference at {place:?}", size(ours)));
            match theirs {
                Some(theirs) => fs::write(self.ours.directory.join(name), theirs).unwrap(),
                None => fs::remove_file(self.ours.directory.join(name)).unwrap(),
            }
        }
        differences
    }
}

fn size(file: Option<&Vec<u8>>) -> String {
    file.map_or("no file".into(), |bytes| format!("{} bytes", bytes.len()))
}

/// A file without its random parts; `None` if there is no file.
fn masked(bytes: Option<&Vec<u8>>) -> Option<(Vec<u8>, Vec<Vec<u64>>)> {
    let (mut header, snapshot) = rrdfile::decode(bytes?).ok()?;
    header.newest_rows.fill(rrdfile::layout::RowIndex(0)); // rra_ptr
    let bits = |values: &Vec<f64>| values.iter().map(|value| value.to_bits()).collect();
    // Encoding the header again leaves out padding.
    Some((header.encode().ok()?, snapshot.rows.iter().map(bits).collect()))
}

/// The output; help is reduced to the parts that are compared.
fn visible(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let help_starts = text.starts_with("RRDtool 1.7.2");
    if help_starts { "RRDtool 1.7.2 (help)".into() } else { text.into_owned() }
}

/// Splits the line of a case at blanks, with both kinds of quotes as in a shell.
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

fn cases(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rrdtool_cases").join(name);
    fs::read_to_string(path).unwrap()
}

fn compare_all(name: &str) {
    let Some(rrdtool) = oracle::program("rrdtool", &format!("the cases of {name}")) else { return };
    let (mut zone, mut differences, mut commands) = ("UTC".to_owned(), Vec::new(), 0);
    for case in cases(name).split("\n\n") {
        let directory = tempfile::tempdir().unwrap();
        let pair = Pair::new(&rrdtool, directory.path());
        for line in case.lines().filter(|line| !line.starts_with("# ") && !line.is_empty()) {
            if let Some(name) = line.strip_prefix("TZ=") {
                zone = name.into();
                continue;
            }
            commands += 1;
            differences.extend(pair.compare(line, &zone));
        }
    }
    assert!(commands > 0, "{name} holds cases");
    let count = differences.len();
    assert!(count == 0, "{count} of {commands} commands:\n{}", differences.join("\n"));
}

#[test]
fn creates_alike() {
    compare_all("create.txt");
}

#[test]
fn updates_alike() {
    compare_all("update.txt");
}

#[test]
fn fetches_alike() {
    compare_all("fetch.txt");
}

#[test]
fn reads_alike() {
    compare_all("reading.txt");
}

#[test]
fn restores_alike() {
    compare_all("restore.txt");
}

#[test]
fn forecasts_alike() {
    compare_all("forecasts.txt");
}

#[test]
fn graphs_tell_alike() {
    compare_all("graph.txt");
}

#[test]
fn exports_alike() {
    compare_all("xport.txt");
}

/// The names come in the order of the directory, which differs between directories.
#[test]
fn lists_alike() {
    let Some(rrdtool) = oracle::program("rrdtool", "list") else { return };
    let directory = tempfile::tempdir().unwrap();
    let pair = Pair::new(&rrdtool, directory.path());
    for program in [&pair.theirs, &pair.ours] {
        for name in ["sub/deep/", "empty/", ".hidden/", "d.rrd/"] {
            fs::create_dir_all(program.directory.join(name)).unwrap();
        }
        for name in [
            "a.rrd",
            "b c.rrd",
            "x.RRD",
            "x.txt",
            ".rrd",
            ".dot.rrd",
            "sub/a.rrd",
            "sub/x.txt",
            "sub/deep/e.rrd",
            ".hidden/h.rrd",
            "d.rrd/i.rrd",
        ] {
            fs::write(program.directory.join(name), "").unwrap();
        }
        symlink("/nowhere", program.directory.join("dangling.rrd")).unwrap();
        symlink("sub", program.directory.join("link")).unwrap();
    }
    let lines = [
        "list .",
        "list -r .",
        "list sub",
        "list --recursive sub/",
        "list -F sub",
        "list .//sub//",
        "list ./*",
        "list ./?.rrd",
        "list sub/*.rrd",
        "list ./[!.a-d]*",
        "list ./*/a.rrd",
        "list ./.*d",
        "list ./a.rrd",
        "list -r ./sub/a.rrd",
        "list x.RRD",
        "list sub/x.txt",
        "list nowhere",
        "list nowhere/x*",
        "list ./q*",
        "list ''",
        "list sub/..",
        "list a..b",
        "list -r ./s*",
        "list link",
    ];
    let sorted = |output: &Output| {
        let mut lines: Vec<String> = visible(&output.stdout).lines().map(str::to_owned).collect();
        lines.sort();
        (output.status.code(), lines, visible(&output.stderr))
    };
    for line in lines {
        let words = split(line);
        let (theirs, ours) = (pair.theirs.run(&words, "UTC"), pair.ours.run(&words, "UTC"));
        assert_eq!(sorted(&theirs), sorted(&ours), "{line}: theirs, ours");
    }
}

#[test]
fn pipes_alike() {
    let Some(rrdtool) = oracle::program("rrdtool", "the pipe mode") else { return };
    let directory = tempfile::tempdir().unwrap();
    let pair = Pair::new(&rrdtool, directory.path());
    let commands = cases("pipe.txt");
    let theirs = replies(&pair.theirs, &commands);
    let ours = replies(&pair.ours, &commands);
    assert!(theirs.len() > 60, "a reply to each command: {}", theirs.len());
    for (theirs, ours) in theirs.iter().zip(&ours) {
        assert_eq!(theirs, ours, "all of theirs:\n{theirs:#?}");
    }
    assert_eq!(theirs.len(), ours.len());
}

/// A program that bypassed a daemon that others use would miss, or spoil, its pending updates.
#[test]
fn goes_not_past_the_daemon_of_the_environment() {
    let Some(rrdtool) = oracle::program("rrdtool", "RRDCACHED_ADDRESS") else { return };
    let directory = tempfile::tempdir().unwrap();
    let pair = Pair::new(&rrdtool, directory.path());
    let made = split("create a.rrd -b 1000000000 DS:a:GAUGE:600:U:U RRA:AVERAGE:0.5:1:5");
    for program in [&pair.theirs, &pair.ours] {
        assert!(program.run(&made, "UTC").status.success());
        let before = program.files();
        for line in ["update a.rrd 1000000300:1", "last a.rrd", "fetch a.rrd AVERAGE"] {
            let mut command = program.command(&split(line), "UTC");
            command.env("RRDCACHED_ADDRESS", "unix:/nowhere/rrdcached.sock");
            let output = command.stdin(Stdio::null()).output().unwrap();
            let words = String::from_utf8(output.stderr).unwrap();
            assert!(
                words.starts_with("ERROR: Unable to connect to rrdcached: "),
                "{line}: {words}"
            );
            assert_eq!(output.status.code(), Some(1), "{line}");
        }
        assert_eq!(program.files(), before);
    }
}

/// New files get the same permissions as with rrdtool, for every umask.
#[test]
fn leaves_the_same_permissions() {
    use std::os::unix::fs::PermissionsExt as _;
    let Some(rrdtool) = oracle::program("rrdtool", "permissions of files") else { return };
    let directory = tempfile::tempdir().unwrap();
    let pair = Pair::new(&rrdtool, directory.path());
    let script = "
        umask $1
        \"$0\" create a.rrd -b 1000000000 DS:a:GAUGE:600:U:U RRA:AVERAGE:0.5:1:5
        chmod 640 a.rrd
        \"$0\" create a.rrd -b 1000000000 DS:a:GAUGE:600:U:U RRA:AVERAGE:0.5:1:5
        \"$0\" create b.rrd -b 1000000000 DS:a:GAUGE:600:U:U RRA:AVERAGE:0.5:1:5
        \"$0\" dump a.rrd a.xml && \"$0\" restore a.xml c.rrd
        cp a.rrd d.rrd && chmod 604 d.rrd && \"$0\" restore -f a.xml d.rrd";
    for mask in ["022", "077", "002"] {
        let modes = [&pair.theirs, &pair.ours].map(|program| {
            let mut shell = Command::new("sh");
            shell.args(["-ec", script]).arg(&program.path).arg(mask);
            assert!(shell.current_dir(&program.directory).status().unwrap().success());
            ["a.rrd", "b.rrd", "c.rrd", "d.rrd"].map(|name| {
                let path = program.directory.join(name);
                let mode = fs::metadata(&path).unwrap().permissions().mode();
                fs::remove_file(path).unwrap();
                format!("{name} {mode:o}")
            })
        });
        assert_eq!(modes[0], modes[1], "mask {mask}");
    }
}

/// The replies of the pipe mode, without times and the text of help.
fn replies(program: &Program, commands: &str) -> Vec<String> {
    let mut child = program
        .command(&["-".to_owned()], "UTC")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let (mut replies, mut reply) = (Vec::new(), String::new());
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        // The row pointer of a new file is random.
        if line.contains(".cur_row = ") {
            continue;
        }
        let is_end = line.starts_with("OK u:") || line.starts_with("ERROR: ");
        reply.push_str(if line.starts_with("OK u:") { "OK" } else { line });
        reply.push('\n');
        if is_end {
            let is_help = reply.starts_with("RRDtool 1.7.2");
            let text = if is_help { "RRDtool 1.7.2 (help)".into() } else { reply };
            replies.push(text);
            reply = String::new();
        }
    }
    replies.push(reply);
    replies
}
