//! Configurations shaped as real sites have them, in `tests/sites`, and as cfgmaker writes them.
//! Debian's mrtg and gyre measure one agent with each: targets, databases and values are the same.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use super::super::{Bench, COMMUNITY, Programs, definition_in, text};

/// Values of these sites move up and down between two polls.
const MOVING: [&str; 4] = ["ucd-load", "ucd-memory", "arithmetic", "walks"];

/// What cfgmaker is told for each site that it writes.
const CFGMAKER: [(&str, &[&str]); 5] = [
    ("cfgmaker-nr", &["--ifref=nr"]),
    ("cfgmaker-name", &["--ifref=name", "--ifdesc=name", "--global", "Options[_]: growright,bits"]),
    ("cfgmaker-descr", &["--ifref=descr", "--ifdesc=alias"]),
    ("cfgmaker-ip", &["--ifref=ip", "--ifdesc=ip", "--subdirs=HOSTNAME"]),
    ("cfgmaker-eth", &["--ifref=eth", "--zero-speed=100000000"]),
];

/// Files of `tests/sites` that are included by others.
fn is_included(path: &Path) -> bool {
    path.extension() == Some("inc".as_ref())
}

#[derive(Clone)]
struct Site {
    name: String,
    /// Each file with its name; the main file first.
    files: Vec<(String, String)>,
}

fn written_by_hand(bench: &Bench) -> Vec<Site> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sites");
    let paths: Vec<PathBuf> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    let read = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(path).unwrap().replace("@COMMUNITY@", COMMUNITY);
        (name, text.replace("@PORT@", &bench.agent.port().to_string()))
    };
    let included: Vec<_> = paths.iter().filter(|path| is_included(path)).map(read).collect();
    let main = paths.iter().filter(|path| !is_included(path));
    main.map(|path| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let others = if name == "includes" { included.clone() } else { Vec::new() };
        Site { name, files: [vec![read(path)], others].concat() }
    })
    .collect()
}

fn written_by_cfgmaker(bench: &Bench, name: &str, more: &[&str]) -> Site {
    let output = Command::new("timeout")
        .arg("60")
        .arg(&bench.programs.cfgmaker)
        .args(["--global", "WorkDir: @DIR@/db", "--global", "LogFormat: rrdtool"])
        .args(["--no-down", "--if-filter=1"])
        .args(more)
        .arg(format!("--snmp-options=:{}::::2", bench.agent.port()))
        .arg(format!("{COMMUNITY}@{}", bench.agent.ip()))
        .env("LANG", "C")
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    assert!(output.status.success(), "{name}: {}", text(&output));
    let written = String::from_utf8(output.stdout).unwrap();
    Site { name: name.to_owned(), files: vec![("mrtg.cfg".to_owned(), written)] }
}

/// A site in a directory of its own.
struct Place {
    directory: PathBuf,
    main: PathBuf,
}

impl Place {
    fn new(bench: &Bench, site: &Site, whose: &str) -> Self {
        let directory = bench.path(&format!("{}-{whose}", site.name));
        for below in ["db/sub/deep", "db/127.0.0.1", "html", "images", "logs/routers"] {
            fs::create_dir_all(directory.join(below)).unwrap();
        }
        for (name, text) in &site.files {
            let text = text.replace("@DIR@", directory.to_str().unwrap());
            fs::write(directory.join(name), text).unwrap();
        }
        let main = directory.join(&site.files[0].0);
        Self { directory, main }
    }

    fn mrtg(&self, bench: &Bench) -> String {
        let output = Command::new("timeout")
            .arg("60")
            .arg(&bench.programs.mrtg)
            .arg(&self.main)
            .current_dir(&self.directory)
            .env("LANG", "C")
            .env("LC_ALL", "C")
            .output()
            .unwrap();
        text(&output)
    }

    /// The databases after a further run of mrtg, in a later second: databases take no second
    /// update in one.
    fn again(&self, bench: &Bench) -> BTreeMap<String, Database> {
        std::thread::sleep(Duration::from_secs(1));
        self.mrtg(bench);
        self.databases(bench)
    }

    fn gyre(&self) -> String {
        let output = Command::new("timeout")
            .args(["60", env!("CARGO_BIN_EXE_gyre"), "run", "--once", "--rrd-files", "--no-web"])
            .arg(&self.main)
            .current_dir(&self.directory)
            .output()
            .unwrap();
        text(&output)
    }

    /// The databases, by their path below the directory, with their definition and last readings.
    fn databases(&self, bench: &Bench) -> BTreeMap<String, Database> {
        let output = Command::new("find")
            .args([".", "-name", "*.rrd"])
            .current_dir(&self.directory)
            .output()
            .unwrap();
        let paths = String::from_utf8(output.stdout).unwrap();
        let questions = paths.lines().map(|path| format!("info {path}\nlastupdate {path}\n"));
        let told = self.rrdtool(bench, &questions.collect::<String>());
        let mut answers = told.split_inclusive("\n").collect::<Vec<_>>();
        answers.retain(|line| !line.trim().is_empty());
        let ends = |line: &&str| line.starts_with("OK ");
        let answers: Vec<_> = answers.split(ends).map(|lines| lines.concat()).collect();
        assert!(answers.len() >= 2 * paths.lines().count(), "{told}");
        let database = |two: &[String]| {
            let readings = two[1].lines().last().unwrap().split_once(": ").unwrap().1;
            let readings = readings.split(' ').map(|word| word.parse().ok()).collect();
            Database { definition: definition_in(&two[0]), readings }
        };
        paths.lines().map(str::to_owned).zip(answers.chunks(2).map(database)).collect()
    }

    /// The answers of one rrdtool to many commands.
    fn rrdtool(&self, bench: &Bench, commands: &str) -> String {
        let mut child = Command::new("timeout")
            .arg("60")
            .arg(&bench.programs.rrdtool)
            .arg("-")
            .current_dir(&self.directory)
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let commands = format!("{commands}quit\n");
        let mut input = child.stdin.take().unwrap();
        let writing = std::thread::spawn(move || input.write_all(commands.as_bytes()));
        let output = child.wait_with_output().unwrap();
        writing.join().unwrap().unwrap();
        text(&output)
    }
}

#[derive(Clone)]
struct Database {
    definition: String,
    readings: Vec<Option<f64>>,
}

/// Compares one site; returns what differs, in words.
fn compare(bench: &Bench, site: &Site) -> Vec<String> {
    let [theirs, ours] = ["mrtg", "gyre"].map(|whose| Place::new(bench, site, whose));
    let told = theirs.mrtg(bench);
    let before = theirs.databases(bench);
    let said = ours.gyre();
    let found = ours.databases(bench);
    let is_equal = found.iter().all(|(name, ours)| {
        before.get(name).is_some_and(|theirs| theirs.readings == ours.readings)
    });
    // Counters have gone on meanwhile.
    let after = if is_equal { before.clone() } else { theirs.again(bench) };
    let names = |all: &BTreeMap<String, Database>| all.keys().cloned().collect::<Vec<_>>();
    if names(&found) != names(&before) || found.is_empty() {
        let (found, wanted) = (names(&found), names(&before));
        return vec![format!("{}: {found:?} for {wanted:?}\n{told}\n{said}", site.name)];
    }
    let mut wrong = Vec::new();
    for (name, ours) in &found {
        let (before, after) = (&before[name], &after[name]);
        let about = format!("{}, {name}", site.name);
        if ours.definition != before.definition {
            wrong.push(format!("{about}: {}\nfor\n{}", ours.definition, before.definition));
        }
        let moves = MOVING.contains(&site.name.as_str());
        let pairs = before.readings.iter().zip(&after.readings).zip(&ours.readings);
        for ((before, after), found) in pairs {
            if !is_between(*found, *before, *after, moves) {
                wrong.push(format!("{about}: {found:?}, {before:?} to {after:?}\n{told}\n{said}"));
            }
        }
    }
    wrong
}

fn is_between(found: Option<f64>, before: Option<f64>, after: Option<f64>, moves: bool) -> bool {
    let (Some(found), Some(before), Some(after)) = (found, before, after) else {
        return (found, before) == (None, None);
    };
    let slack = if moves { (before.abs() + after.abs()) / 4.0 + 100.0 } else { 0.0 };
    (before.min(after) - slack..=before.max(after) + slack).contains(&found)
}

enum Work {
    Written(Site),
    Cfgmaker(&'static str, &'static [&'static str]),
}

#[test]
fn sites_have_the_same_targets_databases_and_values_as_with_mrtg() {
    let Some(programs) = Programs::find() else { return };
    let bench = Bench::with(programs, "sites", |port| {
        format!("rocommunity6 {COMMUNITY} ::1\nagentAddress udp6:[::1]:{port}\n")
    });
    let by_hand = written_by_hand(&bench).into_iter().map(Work::Written);
    let by_cfgmaker = CFGMAKER.into_iter().map(|(name, more)| Work::Cfgmaker(name, more));
    let all: Vec<Work> = by_cfgmaker.chain(by_hand).collect();
    assert!(all.len() >= 20, "{}", all.len());
    let left = Mutex::new(all);
    let one_after_the_other = || -> Vec<String> {
        let mut wrong = Vec::new();
        while let Some(work) = { left.lock().unwrap().pop() } {
            let site = match work {
                Work::Written(site) => site,
                Work::Cfgmaker(name, more) => written_by_cfgmaker(&bench, name, more),
            };
            wrong.extend(compare(&bench, &site));
        }
        wrong
    };
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(one_after_the_other)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
