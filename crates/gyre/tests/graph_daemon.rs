//! Graphs of files whose updates only a daemon has, in its memory and its journal: `daemon=` of a
//! DEF and of a graph shows them. Debian's rrdtool and ours, before Debian's rrdcached and ours.
#![allow(clippy::disallowed_methods)] // the test starts programs and reads the files they make

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use oracle::Rrdcached;

const WHAT: &str = "daemon= of a DEF";
/// The updates that only the daemon has.
const PENDING: [&str; 4] =
    ["1000000120:2.5", "1000000180:1e3", "1000000240:U", "1000000300:0.3333333333333333"];

/// A tool in the directory of a daemon's files.
struct Client<'a> {
    tool: &'a Path,
    base: &'a Path,
}

impl Client<'_> {
    /// What a command prints; it must succeed.
    fn said(&self, words: &[&str]) -> String {
        let mut command = Command::new(self.tool);
        command.args(words).current_dir(self.base).stdin(Stdio::null());
        command.env_remove("RRDCACHED_ADDRESS").env("TZ", "UTC").env("LC_ALL", "C");
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {error}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn make(&self, file: &str) {
        let sources = ["DS:x:GAUGE:120:U:U", "RRA:AVERAGE:0.5:1:20", "RRA:MAX:0.5:2:20"];
        self.said(&[&["create", file, "-b", "1000000000", "-s", "60"][..], &sources].concat());
        self.said(&["update", file, "1000000060:1"]);
    }

    /// Draws through the daemon, by what each DEF says or by what the whole graph does.
    fn drawn(&self, verb: &str, file: &str, address: &str, is_told_by_def: bool) -> String {
        let escaped = address.replace(':', "\\:");
        let by_def = if is_told_by_def { format!(":daemon={escaped}") } else { String::new() };
        let def = |name: &str, cf: &str| format!("DEF:{name}={file}:x:{cf}{by_def}");
        let (average, max) = (def("a", "AVERAGE"), def("m", "MAX"));
        let window = ["-s", "1000000000", "-e", "1000000300"];
        let further = match is_told_by_def {
            // A file that the daemon does not know, and that is read without it.
            true => ["DEF:d=direct.rrd:x:AVERAGE", "PRINT:d:MAX:%lf"],
            false => ["--daemon", address],
        };
        let elements = [
            "LINE:a#ff0000:in",
            "GPRINT:a:LAST:%lf",
            "PRINT:a:LAST:%.17le",
            "PRINT:a:MAX:%.17le",
            "PRINT:a:AVERAGE:%.17le",
            "PRINT:m:LAST:%.17le",
        ];
        let defs = [&*average, &*max];
        self.said(&[&[verb, "/dev/null"][..], &window, &further, &defs, &elements].concat())
    }
}

#[test]
fn pending_updates_are_drawn() {
    let (Some(rrdtool), Some(rrdcached)) =
        (oracle::program("rrdtool", WHAT), oracle::program("rrdcached", WHAT))
    else {
        return;
    };
    let root = tempfile::tempdir().unwrap();
    let ours = |name: &str| {
        let path = root.path().join(name);
        symlink(env!("CARGO_BIN_EXE_gyre"), &path).unwrap();
        path
    };
    let (tools, daemons) =
        ([rrdtool, ours("rrdtool")], [("debian", rrdcached), ("gyre", ours("rrdcached"))]);
    let mut said = Vec::new();
    for (name, daemon) in &daemons {
        let room = root.path().join(name);
        let (base, journal) = (room.join("base"), room.join("journal"));
        fs::create_dir_all(&base).unwrap();
        fs::create_dir(&journal).unwrap();
        let options = ["-B", "-j", journal.to_str().unwrap()];
        let daemon = Rrdcached::start(daemon, &room, &base, &options);
        said.extend(tools.iter().map(|tool| answers(tool, &base, &journal, &daemon)));
    }
    assert!(said[0].contains("4.45500000000000000e+02"), "{}", said[0]);
    for other in &said[1..] {
        assert_eq!(*other, said[0]);
    }
}

/// What a tool tells of graphs through a running daemon.
fn answers(tool: &PathBuf, base: &Path, journal: &Path, daemon: &Rrdcached) -> String {
    let client = Client { tool, base };
    let address = daemon.local_address();
    client.make("direct.rrd");
    let mut said = String::new();
    for (verb, is_told_by_def) in
        [("graph", true), ("graph", false), ("graphv", true), ("graphv", false)]
    {
        let by = tool.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let file = format!("{by}-{verb}-{is_told_by_def}.rrd");
        client.make(&file);
        client.said(&[&["update", "-d", &address, &file][..], &PENDING].concat());
        assert_eq!(client.said(&["last", &file]).trim(), "1000000060", "they are pending");
        assert!(fs::read_dir(journal).unwrap().count() > 0, "there is a journal");
        said += &client.drawn(verb, &file, &address, is_told_by_def);
    }
    said
}
