//! The manual and the completions: every verb has a page, each of its options is on it, and the
//! programs that read them do so without a complaint.
#![allow(clippy::disallowed_methods)] // the test starts programs and writes files

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn gyre(words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    let output = command.args(words).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The verbs in `gyre --help`.
fn verbs() -> Vec<String> {
    let text = gyre(&["--help"]);
    let is_verb = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let names = text.lines().filter(is_verb).flat_map(|line| {
        let names = line.trim().split("  ").next().unwrap_or_default();
        names.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>()
    });
    let mut names: Vec<String> = names.filter(|name| !name.is_empty() && name != "-").collect();
    names.sort();
    names.dedup();
    names
}

/// The pages, by name, written to a directory.
fn written(directory: &Path) -> BTreeMap<String, String> {
    gyre(&["manual", "--out", directory.to_str().unwrap()]);
    let sections = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let files = sections.flat_map(|section| fs::read_dir(section).unwrap());
    let named = files.map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(path).unwrap())
    });
    named.collect()
}

/// The options in a help text: each line whose first word is one.
fn options_of(verb: &str) -> Vec<String> {
    let help = gyre(&[verb, "--help"]);
    let heads = help.lines().filter(|line| {
        let indent = line.len() - line.trim_start().len();
        (1..=6).contains(&indent) && line.trim_start().starts_with('-')
    });
    let names = heads.filter_map(|line| line.split([' ', ',']).find(|it| it.starts_with("--")));
    names.map(str::to_owned).collect()
}

#[test]
fn every_verb_has_a_page_with_each_of_its_options() {
    let directory = tempfile::tempdir().unwrap();
    let pages = written(directory.path());
    let mut options = 0;
    for verb in verbs() {
        let page = pages.get(&format!("gyre-{verb}.1"));
        let page = page.unwrap_or_else(|| panic!("{verb} has no page")).replace("\\-", "-");
        for section in [".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH OPTIONS"] {
            assert!(page.contains(section), "{verb} lacks {section}");
        }
        for option in options_of(&verb) {
            assert!(page.contains(&format!("{option}\\fR")), "{verb}: {option} is missing");
            options += 1;
        }
    }
    assert!(options > 300, "{options}");
    for below in ["create", "list", "rename", "delete", "tune", "salvage", "upgrade"] {
        assert!(pages["gyre-store.1"].contains(&format!(".SS gyre store {below}\n")), "{below}");
    }
    let listed = gyre(&["manual", "--list"]);
    assert_eq!(listed.lines().count(), pages.len());
    assert!(pages.keys().all(|name| listed.contains(&(name.replace('.', "(") + ")"))));
}

/// What a program complains of.
fn complaints(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn man_and_mandoc_read_every_page_without_a_warning() {
    let directory = tempfile::tempdir().unwrap();
    let pages = written(directory.path());
    let man = oracle::program("man", "the manual read by man");
    let mandoc = oracle::program("mandoc", "the manual read by mandoc");
    for name in pages.keys() {
        let section = name.rsplit('.').next().unwrap();
        let path = directory.path().join(format!("man{section}")).join(name);
        if let Some(man) = &man {
            let mut command = Command::new(man);
            command.args(["--warnings", "-E", "UTF-8", "-l"]).arg(&path);
            let output = command.env("LC_ALL", "C.UTF-8").env("MANWIDTH", "80").output().unwrap();
            assert!(output.status.success() && output.stderr.is_empty(), "{name}: {output:?}");
            assert!(output.stdout.len() > 500, "{name}");
        }
        if let Some(mandoc) = &mandoc {
            let mut command = Command::new(mandoc);
            let output = command.args(["-T", "lint", "-W", "warning"]).arg(&path).output().unwrap();
            let said = complaints(&output);
            assert!(said.is_empty(), "{said}");
        }
    }
}

/// `man -k rrd` reads what `lexgrog` finds in a page.
#[test]
fn every_page_is_found_by_man_k_rrd() {
    let Some(lexgrog) = oracle::program("lexgrog", "names of pages as man -k has them") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    for name in written(directory.path()).keys() {
        let (page, section) = name.rsplit_once('.').unwrap();
        let path = directory.path().join(format!("man{section}")).join(name);
        let output = Command::new(&lexgrog).arg(&path).output().unwrap();
        let found = String::from_utf8(output.stdout).unwrap();
        assert!(found.contains(&format!("\"{page} - ")), "{name}: {found}");
        assert!(found.to_lowercase().contains("rrd"), "{name}: {found}");
    }
}

#[test]
fn a_page_is_shown_by_its_name() {
    let page = gyre(&["manual", "run"]);
    assert!(page.starts_with(".TH GYRE\\-RUN 1 "), "{page}");
    assert_eq!(page, gyre(&["manual", "gyre-run"]));
    assert!(gyre(&["manual", "boards", "--format", "markdown"]).starts_with("# gyre-boards(5)\n"));
    assert!(gyre(&["manual"]).contains("gyre\\-fincore"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    let output = command.args(["manual", "nonsense"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said, "gyre manual: there is no page nonsense; `gyre manual --list` names all\n");
}

/// What bash offers behind these words, in an empty directory with a file and a directory.
fn offered(script: &Path, line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("file.rrd"), "").unwrap();
    fs::write(place.path().join("one file.rrd"), "").unwrap();
    fs::create_dir(place.path().join("folder")).unwrap();
    let typed = format!(
        "source {}\nCOMP_WORDS=({})\nCOMP_CWORD={}\n_gyre\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script.display(),
        quoted.join(" "),
        words.len() - 1
    );
    let mut bash = Command::new("bash");
    let output = bash.args(["--norc", "-c", &typed]).current_dir(place.path()).output().unwrap();
    assert!(output.stderr.is_empty(), "{line}: {output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[test]
fn bash_completes_verbs_options_and_values() {
    let place = tempfile::tempdir().unwrap();
    let script = place.path().join("gyre.bash");
    fs::write(&script, gyre(&["completions", "bash"])).unwrap();
    let mut all = offered(&script, "gyre ");
    all.sort();
    assert_eq!(all, verbs());
    for verb in verbs() {
        let mut options = offered(&script, &format!("gyre {verb} --"));
        options.sort();
        let mut expected = options_of(&verb);
        expected.sort();
        expected.dedup();
        // The help of rrdtool's verbs lists only what is their own.
        let is_help = |it: &&String| *it == "--help" && !expected.contains(it);
        let found: Vec<&String> = options.iter().filter(|it| !is_help(it)).collect();
        assert_eq!(found, expected.iter().collect::<Vec<_>>(), "{verb}");
    }
    for (line, expected) in [
        ("gyre ru", "run"),
        ("gyre store li", "list"),
        ("gyre store create --spar", "--sparse"),
        ("gyre rrdcached --sync ", "always off"),
        ("gyre rrdcached --sync = a", "always"),
        ("gyre run --tokens ", "file.rrd folder one file.rrd"),
        ("gyre rrdcached --store ", "folder"),
        ("gyre run --listen ", ""),
        ("gyre info ", "file.rrd folder one file.rrd"),
        ("gyre info on", "one file.rrd"),
        ("gyre backup fi", "file.rrd"),
        ("gyre completions ", "bash fish zsh"),
    ] {
        let mut found = offered(&script, line);
        found.sort();
        assert_eq!(found.join(" "), expected, "{line}");
    }
}

#[test]
fn zsh_and_fish_parse_their_completions() {
    let place = tempfile::tempdir().unwrap();
    for (shell, options) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        let script = place.path().join(shell);
        fs::write(&script, gyre(&["completions", shell])).unwrap();
        let Some(program) = oracle::program(shell, "completions in this shell") else { continue };
        let output = Command::new(program).arg(options).arg(&script).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{shell}: {output:?}");
    }
}

/// fish tells what it would offer.
#[test]
fn fish_completes_verbs_and_options() {
    let Some(fish) = oracle::program("fish", "completions in fish") else { return };
    let place = tempfile::tempdir().unwrap();
    let script = place.path().join("gyre.fish");
    fs::write(&script, gyre(&["completions", "fish"])).unwrap();
    let offered = |line: &str| {
        let typed = format!("source {}; complete -C '{line}'", script.display());
        let mut command = Command::new(&fish);
        command.args(["--no-config", "-c", &typed]).env("HOME", place.path());
        let output = command.current_dir(place.path()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(offered("gyre ru"), ["run"]);
    assert_eq!(offered("gyre store li"), ["list"]);
    assert_eq!(offered("gyre run --alertm"), ["--alertmanager"]);
    assert_eq!(offered("gyre rrdcached --sync al"), ["always"]);
}
