//! A locale's decimal comma: rrdtool prints it in some places, gyre never does.
#![allow(clippy::disallowed_methods)] // the test starts programs

use std::path::Path;
use std::process::Command;

/// Makes a German locale in a directory, with the C library's own tool; false if that tool is
/// missing.
fn make_german(directory: &Path) -> bool {
    let Some(localedef) = oracle::program("localedef", "the decimal comma") else { return false };
    let sources = oracle::file("/usr/share/i18n/locales/de_DE", "the decimal comma");
    if sources.is_none() {
        return false;
    }
    let place = directory.join("de_DE.UTF-8");
    let mut command = Command::new(localedef);
    command.args(["--no-archive", "-i", "de_DE", "-f", "UTF-8"]).arg(&place);
    let _ = command.output().unwrap(); // it warns; what counts is what it made
    assert!(place.join("LC_NUMERIC").is_file());
    true
}

/// The output of a program in a locale.
fn said(program: &Path, directory: &Path, locale: &str, words: &str) -> String {
    let mut command = Command::new(program);
    command.args(words.split(' ')).current_dir(directory).env_remove("RRDCACHED_ADDRESS");
    let output =
        command.env("LOCPATH", directory).env("LC_ALL", locale).env("TZ", "UTC").output().unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[test]
fn gyre_prints_and_reads_points_in_every_locale() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let Some(rrdtool) = oracle::program("rrdtool", "the decimal comma") else { return };
    if !make_german(directory) {
        return;
    }
    let ours = directory.join("rrdtool");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_gyre"), &ours).unwrap();
    let create = "create a.rrd --start 1000000000 --step 10 DS:a:GAUGE:60:U:U RRA:AVERAGE:0.5:1:10";
    assert_eq!(said(&ours, directory, "C", create), "");
    assert_eq!(said(&ours, directory, "de_DE.UTF-8", "update a.rrd 1000000010:1.5"), "");
    let refused = said(&ours, directory, "de_DE.UTF-8", "update a.rrd 1000000020:2,5");
    assert_eq!(refused, said(&rrdtool, directory, "C", "update a.rrd 1000000020:2,5"));
    let window = "-s 1000000000 -e 1000000009";
    let commas = [
        format!("fetch a.rrd AVERAGE {window}"),
        "info a.rrd".to_owned(),
        format!("graph x.png {window} DEF:a=a.rrd:a:AVERAGE LINE:a#ff0000 PRINT:a:MAX:%lf"),
    ];
    let points = [
        "dump a.rrd".to_owned(),
        "lastupdate a.rrd".to_owned(),
        format!("xport {window} DEF:a=a.rrd:a:AVERAGE XPORT:a"),
        format!("xport --json {window} DEF:a=a.rrd:a:AVERAGE XPORT:a"),
    ];
    for words in commas.iter().chain(&points) {
        let here = said(&ours, directory, "de_DE.UTF-8", words);
        assert_eq!(here, said(&ours, directory, "C", words), "{words}");
        let theirs = said(&rrdtool, directory, "de_DE.UTF-8", words);
        let without_commas =
            theirs.replace("1,5", "1.5").replace("5,0", "5.0").replace("0,0", "0.0");
        assert_eq!(theirs != without_commas, commas.contains(words), "{words}: {theirs}");
        assert_eq!(here, without_commas, "{words}");
    }
}
