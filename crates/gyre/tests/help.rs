//! The help texts: every verb is listed, and every text is readable.
#![allow(clippy::disallowed_methods)] // the test starts gyre

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

/// The widest line.
const WIDTH: usize = 100;

fn help(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_gyre"))
        .args(words)
        .arg("--help")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The verbs that the program knows: those of rrdtool, and those that its sources match by name.
fn verbs() -> BTreeSet<String> {
    // The names are in the table of verbs, or in other matches.
    let sources = [include_str!("../src/verbs.rs"), include_str!("../src/main.rs")];
    let behind = |mark: &'static str| sources.iter().flat_map(move |text| text.split(mark).skip(1));
    let named = behind("name: \"").chain(behind("Some(\""));
    let named = named.filter_map(|rest| rest.split('"').next());
    let named = named.filter(|name| !name.starts_with('-') && *name != "help");
    let of_databases = rrdtool::VERBS.iter().map(|verb| verb.name);
    named.chain(of_databases).chain(["-"]).map(str::to_owned).collect()
}

#[test]
fn every_verb_that_runs_is_told_of() {
    let text = help(&[]);
    let (list, _) = text.split_once("Called by the name").unwrap();
    // The name of a verb begins its line, after up to two blanks.
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names =
        names.flat_map(|line| line.trim().split("  ").next().unwrap_or_default().split(','));
    let told: BTreeSet<String> = names.map(|name| name.trim().to_owned()).collect();
    let told: BTreeSet<String> = told.into_iter().filter(|name| !name.is_empty()).collect();
    assert!(verbs().len() > 30);
    assert_eq!(verbs(), told);
}

#[test]
fn no_help_is_wider_than_a_terminal_or_runs_its_columns_together() {
    let mut texts = vec![(String::new(), help(&[]))];
    texts.extend(verbs().into_iter().map(|verb| (verb.clone(), help(&[&verb]))));
    let mut options = 0;
    for (verb, text) in texts {
        let mut names = BTreeSet::new();
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{verb}: {} columns: {line}", line.len());
            // A deeper indent continues the help of an option.
            let indent = line.len() - line.trim_start().len();
            if (1..=6).contains(&indent) && line.trim_start().starts_with('-') {
                assert!(is_head_apart(line), "{verb}: {line}");
                let name = line.split_whitespace().find(|word| word.starts_with("--"));
                assert!(names.insert(name.map(str::to_owned)), "{verb}: {line} stands twice");
                options += 1;
            }
        }
    }
    assert!(options > 200, "{options}");
}

/// If standard output cannot be written, a verb prints one line about it. If its reader has closed
/// the pipe, the verb succeeds.
#[test]
fn help_that_cannot_be_printed_gives_one_error_or_none() {
    let mut words: Vec<Vec<String>> =
        verbs().into_iter().map(|verb| vec![verb, "--help".into()]).collect();
    words.extend([vec!["--help".into()], vec!["--version".into()]]);
    for words in words {
        let end = |output: Stdio| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
            let ended = command.args(&words).stdin(Stdio::null()).stdout(output).output().unwrap();
            (ended.status.code(), String::from_utf8(ended.stderr).unwrap())
        };
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let (code, said) = end(full.into());
        assert!(matches!(code, Some(1 | 2)), "{words:?}: {code:?} {said}");
        let is_clear = said.lines().count() == 1 && said.contains("No space left on device");
        assert!(is_clear, "{words:?}: {said}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let (code, said) = end(writer.into());
        assert!(matches!(code, Some(0 | 1)) && said.is_empty(), "{words:?}: {code:?} {said}");
    }
}

/// An error that cannot be printed keeps its exit code and causes no panic.
#[test]
fn errors_that_cannot_be_printed_keep_their_exit_code() {
    let mut words: Vec<Vec<String>> =
        verbs().into_iter().map(|verb| vec![verb, "--no-such-option".into()]).collect();
    words.extend(["store", "info", "no-such-verb"].map(|word| vec![word.into()]));
    words.push(["info", "no-such-file"].map(str::to_owned).into());
    for words in words {
        let end = |errors: Stdio| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
            command.args(&words).stdin(Stdio::null()).stderr(errors).output().unwrap().status.code()
        };
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let untold = end(full.into());
        assert_eq!(untold, end(Stdio::piped()), "{words:?}");
        assert!(matches!(untold, Some(1 | 2)), "{words:?}: {untold:?}");
    }
}

/// Whether at least two blanks separate an option's name from its help.
fn is_head_apart(line: &str) -> bool {
    let head = line.trim_start().split("  ").next().unwrap_or_default();
    let mut words = head.split(' ').filter(|word| !word.is_empty());
    // `-x,` and `--long` in either order, then at most one word for the value: in capitals, or its
    // choices (as graph's --units).
    let is_name = |word: &&str| word.starts_with('-');
    let rest: Vec<&str> = words.by_ref().skip_while(is_name).collect();
    let is_value = |word: &str| {
        let small = word.chars().filter(char::is_ascii_lowercase).count();
        small == 0 || word == "si" || word.contains(['|', ',', ':', '=', '.', '[', '<'])
    };
    let is_quoted = rest.join(" ").starts_with('\'') && head.ends_with('\'');
    is_quoted || rest.len() <= 2 && rest.iter().all(|word| is_value(word))
}
