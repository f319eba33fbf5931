//! Checks `docs/compatibility.md` against gyre's tables, Debian's help, Debian's librrd, the names
//! that our own librrd exports, and the HELP of both daemons.
#![allow(clippy::disallowed_methods)] // the test reads files and starts programs

mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;

use page::{LANGUAGE, State, page, root};

#[test]
fn every_option_of_ours_is_on_the_page() {
    let page = page();
    for verb in rrdtool::VERBS {
        let rows = &page.verbs.get(verb.name).unwrap_or_else(|| panic!("{} is missing", verb.name));
        assert!(!page.missing.contains(verb.name), "{} is there", verb.name);
        for rule in verb.options {
            let found = rows.get(rule.long);
            let (letter, state) = found.unwrap_or_else(|| panic!("{} --{}", verb.name, rule.long));
            assert_eq!(*letter, rule.short, "{} --{}", verb.name, rule.long);
            let is_there = !rule.help.contains("not supported yet");
            assert_eq!(*state != State::NotYet, is_there, "{} --{}", verb.name, rule.long);
        }
        for (name, (_, state)) in rows.iter().filter(|_| !verb.name.starts_with("graph")) {
            let is_there = verb.options.iter().any(|rule| rule.long == name);
            assert!(is_there || *state == State::NotYet, "{} --{name} is not there", verb.name);
        }
    }
    let known = |name: &String| rrdtool::find(name).is_some();
    assert!(page.missing.is_empty(), "{:?} are not there", page.missing);
    assert!(page.verbs.keys().all(known), "verbs that are not there");
}

#[test]
fn every_option_of_graphs_is_on_the_page() {
    let rows = &page().verbs["graph"];
    assert_eq!(rows.len(), graph::OPTIONS.len());
    for naming in graph::OPTIONS {
        let (letter, state) = rows[naming.long];
        assert_eq!(letter, naming.short, "--{}", naming.long);
        let expected = match graph::status_of(naming.long) {
            graph::Status::Effective => State::Works,
            graph::Status::Accepted => State::Accepted,
        };
        assert_eq!(state, expected, "--{}", naming.long);
    }
}

#[test]
fn every_option_of_rrdtools_help_is_on_the_page() {
    let Some(rrdtool) = oracle::program("rrdtool", "its options on the page") else { return };
    let page = page();
    let help = |words: &[&str]| {
        let output = Command::new(&rrdtool).args(words).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let overview = help(&["help"]);
    let (_, verbs) = overview.split_once("Valid commands: ").unwrap();
    let (verbs, _) = verbs.split_once("\n\n").unwrap();
    let verbs: Vec<&str> =
        verbs.split([',', ' ', '\t', '\n']).filter(|name| !name.is_empty()).collect();
    assert!(verbs.len() >= 17, "{verbs:?}");
    let mut options = 0;
    for verb in verbs {
        let rows = page.verbs.get(verb).unwrap_or_else(|| panic!("{verb} is missing"));
        if page.missing.contains(verb) {
            continue;
        }
        for (long, letter) in options_in(&help(&["help", verb])) {
            let found = rows.get(&long).unwrap_or_else(|| panic!("{verb} --{long} is missing"));
            assert!(letter.is_none() || found.0 == letter, "{verb} --{long}: {letter:?}");
            options += 1;
        }
    }
    assert!(options > 80, "{options} options found");
}

/// `--long|-l` and `-l|--long`, anywhere in the text.
fn options_in(help: &str) -> Vec<(String, Option<char>)> {
    let is_name = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    let mut found = Vec::new();
    for (at, _) in help.match_indices("--") {
        let name: String = help[at + 2..].chars().take_while(|letter| is_name(*letter)).collect();
        let behind = &help[at + 2 + name.len()..];
        let letter = match behind.strip_prefix("|-").and_then(|rest| rest.chars().next()) {
            None => help[..at].strip_suffix('|').and_then(|before| before.chars().next_back()),
            letter => letter,
        };
        found.push((name, letter.filter(char::is_ascii_alphabetic)));
    }
    found
}

#[test]
fn every_function_of_librrd_is_on_the_page() {
    let functions = page().functions;
    let ours = own_functions(&root().join("crates/librrd/src"));
    for (name, state) in &functions {
        assert!(ours.contains(name), "{name} is not there");
        assert!(*state != State::NotYet, "{name}");
    }
    let later =
        ["rrd_tune_r", "rrdc_flushall", "rrdc_flushall_if_daemon", "rrdc_list", "rrdc_ping"];
    for name in later {
        assert!(functions.contains_key(name), "{name} is missing");
    }
    let library = Path::new("/usr/lib/x86_64-linux-gnu/librrd.so.8");
    let nm = oracle::program("nm", "the names that Debian's librrd exports");
    let (Some(nm), true) = (nm, library.exists()) else { return };
    let output = Command::new(nm).args(["-D", "--defined-only"]).arg(library).output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let names: Vec<&str> = output.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    assert!(names.len() > 80, "{names:?}");
    for name in names {
        assert!(functions.contains_key(name), "{name} is missing");
    }
}

#[test]
fn every_option_of_the_daemons_is_on_the_page() {
    let options = page().daemon;
    let output = Command::new(env!("CARGO_BIN_EXE_gyre")).args(["rrdcached", "--help"]).output();
    let help = String::from_utf8(output.unwrap().stdout).unwrap();
    let ours: BTreeMap<String, Option<char>> = help.lines().filter_map(daemon_option).collect();
    assert_eq!(ours, options);
    let Some(rrdcached) = oracle::program("rrdcached", "its options on the page") else { return };
    let output = Command::new(rrdcached).arg("-h").output().unwrap();
    let help = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let letters: Vec<char> =
        help.lines().filter_map(|line| line.strip_prefix("  -")?.chars().next()).collect();
    assert!(letters.len() > 20, "{help}");
    for letter in letters {
        assert!(options.values().any(|known| *known == Some(letter)), "-{letter} is missing");
    }
}

/// An option in our help: `  -l, --listen ADDRESS   ...`, or `      --store ...`.
fn daemon_option(line: &str) -> Option<(String, Option<char>)> {
    let (before, behind) = line.split_once("--")?;
    let letter = match before.trim() {
        "" => None,
        short => Some(short.strip_prefix('-')?.strip_suffix(',')?.chars().next()?),
    };
    let is_name = |letter: &char| letter.is_ascii_lowercase() || *letter == '-';
    Some((behind.chars().take_while(is_name).collect(), letter))
}

#[test]
fn every_command_of_the_daemons_is_on_the_page() {
    let commands = page().commands;
    let ours = commands_of(Path::new(env!("CARGO_BIN_EXE_gyre")), true);
    assert_eq!(ours, commands.keys().cloned().collect());
    assert!(commands.values().all(|state| *state == State::Works));
    let Some(rrdcached) = oracle::program("rrdcached", "its commands on the page") else { return };
    let theirs = commands_of(&rrdcached, false);
    assert!(theirs.len() > 20 && theirs.is_subset(&ours), "{theirs:?}");
}

/// A daemon's answer to HELP.
fn commands_of(program: &Path, is_ours: bool) -> BTreeSet<String> {
    let room = tempfile::tempdir().unwrap();
    let program = match is_ours {
        true => {
            let link = room.path().join("rrdcached");
            std::os::unix::fs::symlink(program, &link).unwrap();
            link
        }
        false => program.to_path_buf(),
    };
    let base = room.path().join("base");
    fs::create_dir(&base).unwrap();
    let daemon = oracle::Rrdcached::start(&program, room.path(), &base, &[]);
    let address = daemon.local_address();
    let mut socket = UnixStream::connect(address.strip_prefix("unix:").unwrap()).unwrap();
    socket.write_all(b"HELP\nQUIT\n").unwrap();
    let mut said = String::new();
    socket.read_to_string(&mut said).unwrap();
    said.lines().skip(1).map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

/// The functions that our librrd defines for callers in C, by its text below a directory: the
/// library itself is another package's.
fn own_functions(directory: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            names.extend(own_functions(&path));
            continue;
        }
        let text = fs::read_to_string(path).unwrap();
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        for (at, _) in text.match_indices("rrd") {
            let name: String = text[at..].chars().take_while(|letter| is_name(*letter)).collect();
            let before = &text[..at];
            let is_definition = before.ends_with("extern \"C\" fn ") || before.ends_with("globl ");
            if is_definition {
                names.insert(name);
            }
        }
    }
    names
}

/// The arguments of a graph that uses one word of the language, over a database `a.rrd` of one
/// source.
fn graph_of(section: &str, word: &str) -> Vec<String> {
    let counted = ["COPY", "INDEX", "SORT", "REV", "AVG", "MEDIAN", "STDEV", "SMIN", "SMAX"];
    let cdef = match word {
        "ROLL" => "CDEF:c=a,a,2,1,ROLL,POP".to_owned(),
        "PERCENT" => "CDEF:c=a,a,50,2,PERCENT".to_owned(),
        "TREND" | "TRENDNAN" => format!("CDEF:c=a,600,{word}"),
        "PREDICTPERC" => "CDEF:c=600,1,600,50,a,PREDICTPERC".to_owned(),
        word if word.starts_with("PREDICT") => format!("CDEF:c=600,1,600,a,{word}"),
        // Enough values for every operator, and a POP for those that leave one more: only the word
        // is tested.
        word if counted.contains(&word) => format!("CDEF:c=a,a,2,{word},POP"),
        word => format!("CDEF:c=a,a,a,{word},POP"),
    };
    let parameter = if word.starts_with("PERCENT") { "50," } else { "" };
    let said: Vec<String> = match (section, word) {
        ("Operators of CDEF", _) => vec![cdef, "LINE:c#ff0000".into()],
        ("Functions of VDEF", _) => {
            vec![format!("VDEF:v=a,{parameter}{word}"), "PRINT:v:%lf".into()]
        }
        ("Image formats", _) => vec!["-a".into(), word.into(), "LINE:a#ff0000".into()],
        ("Value formatters", _) => {
            vec!["VDEF:v=a,MAXIMUM".into(), format!("PRINT:v:%H:{word}")]
        }
        (_, "DEF") => vec!["LINE:a#ff0000".into()],
        (_, "CDEF") => vec!["CDEF:c=a".into(), "LINE:c#ff0000".into()],
        (_, "VDEF") => vec!["VDEF:v=a,MAXIMUM".into(), "PRINT:v:%lf".into()],
        (_, "STACK") => vec!["AREA:a#ff0000".into(), "STACK:a#00ff00".into()],
        (_, "TICK") => vec!["TICK:a#ff0000:0.5".into()],
        (_, "HRULE") => vec!["HRULE:1#ff0000".into()],
        (_, "VRULE") => vec!["VRULE:1000000100#ff0000".into()],
        (_, "PRINT" | "GPRINT") => vec![format!("{word}:a:MAX:%lf")],
        (_, "COMMENT") => vec!["COMMENT:x".into()],
        (_, "TEXTALIGN") => vec!["TEXTALIGN:left".into()],
        (_, "XPORT") => vec!["XPORT:a".into()],
        (_, "SHIFT") => vec!["SHIFT:a:10".into()],
        (_, word) => vec![format!("{word}:a#ff0000")],
    };
    let words = ["graph", "x", "-s", "1000000000", "-e", "1000000200", "DEF:a=a.rrd:a:AVERAGE"];
    words.iter().map(|word| (*word).to_owned()).chain(said).collect()
}

/// The program's complaint about a word. Empty if the program knows the word, even if it refuses
/// the stack.
fn refusal(program: &Path, directory: &Path, words: &[String]) -> Option<String> {
    let mut command = Command::new(program);
    let output = command.args(words).current_dir(directory).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_known = output.status.success() || told.contains("stack");
    (!is_known).then_some(told)
}

#[test]
fn every_word_of_a_graph_is_as_the_page_says() {
    let page = page();
    let gyre = Path::new(env!("CARGO_BIN_EXE_gyre"));
    let rrdtool = oracle::program("rrdtool", "the words of graphs");
    let directory = tempfile::tempdir().unwrap();
    let specs =
        ["create", "a.rrd", "-b", "1000000000", "DS:a:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:9"];
    assert_eq!(refusal(gyre, directory.path(), &specs.map(str::to_owned)), None);
    assert_eq!(page.language.len(), LANGUAGE.len());
    for (section, words) in &page.language {
        for (word, state) in words {
            let graph = graph_of(section, word);
            let refused = refusal(gyre, directory.path(), &graph);
            let is_told = refused.as_deref().is_some_and(|told| {
                told.contains("not supported yet") || told.contains("don't understand")
            });
            assert_eq!(*state == State::NotYet, is_told, "{section}: {word}: {refused:?}");
            if let Some(rrdtool) = rrdtool.as_deref().filter(|_| word != "ROUND") {
                let refused = refusal(rrdtool, directory.path(), &graph);
                assert_eq!(refused, None, "rrdtool knows no {section}: {word}");
            }
        }
    }
}

/// A key that gyre does not use is noted; one that it does not know is refused.
#[test]
fn every_key_that_acts_on_values_is_as_the_page_says() {
    use mrtg::Note;
    struct Text(String);
    impl mrtg::Source for Text {
        fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
            Ok(self.0.clone().into())
        }
        fn glob(&self, _: &Path) -> std::io::Result<Vec<std::path::PathBuf>> {
            Ok(Vec::new())
        }
    }
    let page = page();
    assert_eq!(page.keys.len(), 27);
    for (key, state) in &page.keys {
        let key = key.replace("[]", "[a]");
        let text =
            format!("WorkDir: /w\nTitle[_]: t\nMaxBytes[_]: 1\nTarget[a]: 1:p@h\n{key}: 1\n");
        let is_used = match mrtg::Configuration::read(Path::new("mrtg.cfg"), &Text(text)) {
            Ok(read) => {
                let is_idle = |note: &Note| {
                    matches!(
                        note,
                        Note::OfPages { .. } | Note::OfStaticPages { .. } | Note::Moot { .. }
                    )
                };
                !read.notes.iter().any(is_idle)
            }
            // A key that is read for its value is used.
            Err(error) => !error.to_string().contains("unknown key"),
        };
        assert_eq!(*state == State::Works, is_used, "{key}");
    }
}

/// README's paragraph on missing features names all of them, and none that exists.
#[test]
fn the_readme_tells_what_is_not_there() {
    let page = page();
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let from = text.split("What is not there yet: ").nth(1).expect("the paragraph");
    let paragraph = from.split("\n\n").next().unwrap();
    let told: BTreeSet<String> =
        paragraph.split('`').skip(1).step_by(2).map(|name| name.to_owned()).collect();
    let mut missing = page.missing.clone();
    let of_graph = page.verbs["graph"].iter().filter(|(_, (_, state))| *state == State::NotYet);
    missing.extend(of_graph.map(|(name, _)| format!("--{name}")));
    let words = page.language.values().flatten().filter(|(_, state)| **state == State::NotYet);
    missing.extend(words.map(|(word, _)| word.clone()).filter(|word| word != "ROUND"));
    assert_eq!(told, missing);
}
