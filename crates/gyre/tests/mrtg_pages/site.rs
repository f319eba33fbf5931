//! A site in a directory: a configuration, MRTG's pages (`mrtgs`), the store, our pages (`ours`).

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{SystemTime, UNIX_EPOCH};

pub(super) struct Site {
    place: tempfile::TempDir,
    /// The time of the last update.
    pub(super) now_seconds: i64,
}

/// The keys of a target that measures nothing in this test.
pub(super) fn target(name: &str) -> String {
    format!("Target[{name}]: 1:public@h\nMaxBytes[{name}]: 12500\nTitle[{name}]: Title of {name}\n")
}

pub(super) fn gyre(directory: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    command.current_dir(directory).args(words).env("TZ", "UTC").env("LC_ALL", "C");
    command.output().expect("gyre starts")
}

pub(super) fn done(directory: &Path, words: &[&str]) -> String {
    let output = gyre(directory, words);
    assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The names of all files below a directory, in order.
pub(super) fn names(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut pending = vec![root.to_path_buf()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => pending.push(path),
                false => found.push(path.strip_prefix(root).unwrap().display().to_string()),
            }
        }
    }
    found.sort();
    found
}

impl Site {
    /// A site of which MRTG has written pages. `None` without MRTG.
    pub(super) fn by_mrtg(globals: &str, targets: &str) -> Option<Self> {
        let mrtg = oracle::program("mrtg", "the static pages")?;
        let place = tempfile::tempdir().unwrap();
        let mut site = Self { place, now_seconds: 0 };
        site.write_configuration(globals, targets);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64;
        for name in ["plain.log", "sub/deep/all.log", "less.log"] {
            let path = site.mrtgs().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, log(now - 290)).unwrap();
        }
        let mut command = Command::new(mrtg);
        command.arg("mrtg.cfg").current_dir(site.place()).env("LANG", "C").env("TZ", "UTC");
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let log = fs::read_to_string(site.mrtgs().join("plain.log")).unwrap();
        site.now_seconds = log.split(' ').next().unwrap().parse().unwrap();
        done(&site.place(), &["import", "--sparse", "store", "mrtgs"]);
        Some(site)
    }

    /// A site of which MRTG knows nothing.
    pub(super) fn without_mrtg(targets: &str) -> Self {
        let site = Self { place: tempfile::tempdir().unwrap(), now_seconds: 1_700_000_000 };
        site.configure(targets);
        site
    }

    pub(super) fn configure(&self, targets: &str) {
        self.write_configuration("", targets);
    }

    fn write_configuration(&self, globals: &str, targets: &str) {
        let directory = self.mrtgs().display().to_string();
        fs::create_dir_all(&directory).unwrap();
        let text = format!("WorkDir: {directory}\n{globals}{targets}");
        fs::write(self.place().join("mrtg.cfg"), text).unwrap();
    }

    /// Makes databases with some values up to now, in the store.
    pub(super) fn make_databases(&self, names: &[&str]) {
        for name in names {
            let file = format!("files-before/{name}.rrd");
            let path = self.place().join(&file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let begin = (self.now_seconds - 40 * 300 - 1).to_string();
            let mut words = vec!["create", &file, "-b", &begin, "-s", "300"];
            words.extend(["DS:ds0:GAUGE:600:0:U", "DS:ds1:GAUGE:600:0:U"]);
            words.extend(["RRA:AVERAGE:0.5:1:600", "RRA:MAX:0.5:1:600"]);
            done(&self.place(), &words);
            let updates = (0..=40).map(|nth| {
                let at = self.now_seconds - (40 - nth) * 300;
                format!("{at}:{}:{}", 100 + nth, 2000 - nth)
            });
            let updates: Vec<String> = updates.collect();
            let words = ["update", &file].into_iter().chain(updates.iter().map(String::as_str));
            done(&self.place(), &words.collect::<Vec<_>>());
        }
        done(&self.place(), &["import", "--sparse", "store", "files-before"]);
    }

    pub(super) fn place(&self) -> PathBuf {
        self.place.path().to_path_buf()
    }

    pub(super) fn mrtgs(&self) -> PathBuf {
        self.place.path().join("mrtgs")
    }

    pub(super) fn ours(&self) -> PathBuf {
        self.place.path().join("ours")
    }

    /// The time of pages: that of the last update.
    pub(super) fn at(&self) -> String {
        self.now_seconds.to_string()
    }

    /// Writes our pages from the store. Returns what is told.
    pub(super) fn write_pages(&self, words: &[&str]) -> String {
        let at = self.at();
        let usual = ["pages", "--at", &at, "--store", "store", "mrtg.cfg", "ours"];
        done(&self.place(), &[&usual, words].concat())
    }

    /// Our files with their bytes.
    pub(super) fn written(&self) -> BTreeMap<String, Vec<u8>> {
        let read = |name: String| {
            let bytes = fs::read(self.ours().join(&name)).unwrap();
            (name, bytes)
        };
        names(&self.ours()).into_iter().map(read).collect()
    }

    pub(super) fn indexmaker(&self, words: &[&str]) -> String {
        let indexmaker = oracle::program("indexmaker", "the index").expect("it comes with mrtg");
        let mut command = Command::new(indexmaker);
        let output =
            command.args(words).arg("mrtg.cfg").current_dir(self.place()).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    }
}

/// A log of MRTG's whose last run was then, with values that change like those of a day.
fn log(last_seconds: i64) -> String {
    let both = |at: i64| {
        let at = at as f64;
        let incoming = 3000.0 + 2000.0 * (at / 7000.0).sin() + 500.0 * (at / 900.0).sin();
        let outgoing = 5000.0 + 2500.0 * (at / 9000.0).cos() + 300.0 * (at / 777.0).sin();
        [incoming.floor(), outgoing.floor()]
    };
    let mut lines = format!("{last_seconds} 3000 4000\n");
    let mut put = |at: i64, step: i64| {
        let values: Vec<[f64; 2]> = (0..step / 300).map(|nth| both(at - nth * 300)).collect();
        let average =
            |nth: usize| values.iter().map(|value| value[nth]).sum::<f64>() / values.len() as f64;
        let maximum = |nth: usize| values.iter().map(|value| value[nth]).fold(0.0, f64::max);
        // Writing to a String cannot fail.
        let _ = writeln!(
            lines,
            "{at} {:.0} {:.0} {} {}",
            average(0),
            average(1),
            maximum(0),
            maximum(1)
        );
    };
    put(last_seconds, 300);
    let mut at = last_seconds;
    for (rows, step) in [(600, 300), (600, 1800), (600, 7200), (732, 86_400)] {
        at = (at - 1).div_euclid(step) * step;
        for _ in 0..rows {
            put(at, step);
            at -= step;
        }
        at += 1;
    }
    lines
}
