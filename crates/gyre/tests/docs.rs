//! The commands in README.md and docs/: each verb and option exists, and a command on a line of its
//! own runs in a directory with the files that it names.
#![allow(clippy::disallowed_methods)] // the test reads the documents and starts gyre

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How a command line is run. Verbs that would run for long, or that need more than a directory,
/// parse their words and then fail at an obstacle, with the exit code for it.
const SHELL: &str = r#"
gyre() {
  case "$1 $2" in
    "run "*) command gyre "$@" --store mrtg.cfg/below; [ $? = 1 ] ;;
    "status "*) command gyre status "127.0.0.1:1"; [ $? = 1 ] ;; # nobody listens there
    "demo "*) command gyre "$@" --dir mrtg.cfg/below; [ $? = 1 ] ;;
    "network control") command gyre "$@"; [ $? = 1 ] ;; # no network runs there
    "network "*) command gyre "$@" --address-base 10.0.0.0; [ $? = 1 ] ;;
    "rrdcached "*) command gyre "$@" -b mrtg.cfg/below; [ $? = 5 ] ;;
    "fadvise -l") (cd empty && command gyre "$@"); [ $? = 1 ] ;;
    "fincore --watch") command gyre "$@" --count 1 ;;
    "doctor "*) command gyre "$@"; [ $? -le 1 ] ;; # 1: this machine could do better
    "simulate --group"|"simulate --record") command gyre "$@" --days 1 ;;
    "simulate --trace") command gyre "$@" ;;
    "simulate "*) command gyre "$@" --files 2 --days 1 ;;
    *) command gyre "$@" ;;
  esac
}
sudo() { shift 2; "$@"; }
program() { cat > program.out; }
"#;

/// A document's commands.
#[derive(Default)]
struct Commands {
    /// Commands on lines of their own, complete.
    typed: Vec<String>,
    /// Commands in the middle of a sentence, perhaps incomplete.
    mentioned: Vec<String>,
}

/// README.md and all below docs/, by name.
fn documents() -> Vec<(String, String)> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let mut paths = vec![project.join("README.md")];
    for directory in ["docs", "docs/bench", "docs/inside"].map(|name| project.join(name)) {
        paths.extend(fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()));
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    let named = |path: PathBuf| {
        let name = path.strip_prefix(project).unwrap().display().to_string();
        (name, fs::read_to_string(path).unwrap())
    };
    paths.into_iter().map(named).collect()
}

impl Commands {
    fn of(document: &str) -> Self {
        assert!(!document.contains("```"), "code is indented in this project's documents");
        let mut commands = Self::default();
        for paragraph in document.split("\n\n") {
            let (code, prose): (Vec<&str>, Vec<&str>) =
                paragraph.lines().partition(|line| line.starts_with("    "));
            commands.typed.extend(typed(&code));
            let prose = prose.join(" ");
            let spans = prose.split('`').skip(1).step_by(2);
            let spans = spans.filter(|span| span.starts_with("gyre "));
            commands.mentioned.extend(spans.map(str::to_owned));
        }
        commands
    }
}

/// The commands of a code block: its lines after a prompt, or without prompts the lines that begin
/// with gyre. Text after a blank and a `#` is a comment.
fn typed(code: &[&str]) -> Vec<String> {
    let code = whole_lines(code);
    let behind_prompt = |line: &str| {
        let command = line.strip_prefix("    $ ").or_else(|| line.strip_prefix("    # "))?;
        Some(command.to_owned())
    };
    let prompted: Vec<String> = code.iter().filter_map(|line| behind_prompt(line)).collect();
    let lines = match prompted.is_empty() {
        true => code.iter().map(|line| line[4..].to_owned()).collect(),
        false => prompted,
    };
    let is_command = |line: &String| {
        let begins = ["gyre ", "{ gyre ", "sudo -u nobody gyre "];
        // `gyre page trace` is the first line of a file, not a command.
        begins.iter().any(|words| line.starts_with(words)) && !line.starts_with("gyre page trace")
    };
    let bare = |line: String| line.split(" #").next().unwrap_or_default().trim_end().to_owned();
    lines.into_iter().filter(is_command).map(bare).collect()
}

/// Lines, each with those that it goes on in, behind a backslash.
fn whole_lines(code: &[&str]) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in code {
        let part = line.strip_suffix('\\').unwrap_or(line);
        match whole.last_mut().filter(|_| goes_on) {
            Some(last) => last.push_str(part.trim_start()),
            None => whole.push(part.to_owned()),
        }
        goes_on = part.len() < line.len();
    }
    whole
}

/// Whether a command is a synopsis instead of a command to type.
fn is_synopsis(command: &str) -> bool {
    let is_choice = |word: &str| word.contains('|') && word != "|";
    command.contains('[') || command.contains(" ...") || command.split(' ').any(is_choice)
}

fn help(words: &[&str]) -> Option<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
    let output = command.args(words).arg("--help").stdin(Stdio::null()).output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

/// The verb or option of a command that does not exist, if any.
fn unknown_words(command: &str) -> Option<String> {
    command.split("gyre ").skip(1).find_map(|call| {
        let is_edge = |letter: char| letter.is_whitespace() || "[]|(){};,'\"".contains(letter);
        let mut words = call.split(is_edge).filter(|word| !word.is_empty()).peekable();
        let verb = words.next()?;
        if verb == "VERB" || verb.starts_with("--") {
            return None; // of any verb, or of none
        }
        let mut verbs = vec![vec![verb]];
        let is_name = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_below = |word: &&str| match verb {
            "store" | "sql" => is_name(word),
            "token" => ["new", "list"].contains(word), // a file of tokens has a name, too
            "backup" => ["list", "verify"].contains(word),
            "config" => ["check", "explain"].contains(word),
            "network" => ["control"].contains(word),
            _ => false,
        };
        while let Some(below) = words.next_if(is_below) {
            verbs.push(vec![verb, below]);
        }
        let mut known = BTreeSet::new();
        for verb in verbs {
            let Some(help) = help(&verb) else { return Some(format!("no verb {verb:?}")) };
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
            known.extend(help.split(|letter| !is_part(letter)).map(str::to_owned));
        }
        let is_option = |word: &&str| word.len() > 1 && word.starts_with('-');
        // A number, or a time as `-2min`.
        let is_value = |word: &&str| word[1..].starts_with(|letter: char| letter.is_ascii_digit());
        let mut options = words.filter(|word| is_option(word) && !is_value(word));
        let name = |option: &str| option.split('=').next().unwrap_or_default().to_owned();
        options.find(|option| !known.contains(&name(option))).map(|it| format!("no option {it}"))
    })
}

#[test]
fn every_verb_and_option_is_there() {
    let (mut count, mut wrong) = (0, Vec::new());
    for (name, document) in documents() {
        let Commands { typed, mentioned } = Commands::of(&document);
        for command in typed.iter().chain(&mentioned) {
            let unknown = unknown_words(command);
            wrong.extend(unknown.map(|unknown| format!("{name}: {command}: {unknown}")));
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 120, "{count}");
}

/// A directory with the files that the documents name, and gyre.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    for directory in ["bin", "empty", "w", "var/tmp", "mnt", "boards"] {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    symlink(env!("CARGO_BIN_EXE_gyre"), root.join("bin/gyre")).unwrap();
    run(root, "gyre create one DS:ds0:GAUGE:600:U:U RRA:AVERAGE:0.5:1:600").unwrap();
    let files = ["old.rrd", "OLD", "file", "STORE.rrd", "DIRECTORY/router/port1.rrd"];
    let trees = ["rrd/port1.rrd", "tree/port1.rrd", "var/lib/mrtg/port1.rrd", "srv/store/one.rrd"];
    for file in files.iter().chain(&trees) {
        disk::create_parents(&root.join(file)).unwrap();
        fs::copy(root.join("one"), root.join(file)).unwrap();
    }
    let sources = "DS:ds0:GAUGE:600:U:U DS:ds1:GAUGE:600:U:U";
    let archives = "RRA:AVERAGE:0.5:1:600 RRA:MAX:0.5:1:600";
    run(root, &format!("gyre create w/a.rrd {sources} {archives}")).unwrap();
    let configuration = "WorkDir: w\nTarget[a]: 1:public@127.0.0.1\nMaxBytes[a]: 1\nTitle[a]: a\n";
    fs::write(root.join("mrtg.cfg"), configuration).unwrap();
    fs::write(root.join("intake.toml"), "http = true\n").unwrap();
    let board = text_after("docs/boards.md", "title = \"Backbone\"");
    fs::write(root.join("boards/backbone.toml"), board).unwrap();
    place
}

/// The code of a document that begins with a line, to where other words follow.
fn text_after(document: &str, first: &str) -> String {
    let (_, text) = documents().into_iter().find(|it| it.0 == document).unwrap();
    let lines = text.lines().skip_while(|line| line.trim() != first);
    let lines = lines.take_while(|line| line.is_empty() || line.starts_with("    "));
    lines.map(|line| format!("{}\n", line.trim_start())).collect()
}

/// Runs a command as shown, with its absolute paths moved below the directory.
fn run(root: &Path, command: &str) -> Result<(), String> {
    let below = command.replace(" /", &format!(" {}/", root.display())).replace("...", "");
    let path = format!("{}:/usr/bin:/bin", root.join("bin").display());
    let mut shell = Command::new("bash");
    shell.args(["-o", "pipefail", "-c", &format!("{SHELL}\n{below}")]).current_dir(root);
    shell.env("PATH", path).env_remove("RRDCACHED_ADDRESS").stdin(Stdio::null());
    let output = shell.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(format!("{}: {said}", output.status)) }
}

#[test]
fn what_stands_on_its_own_line_runs() {
    let (mut count, mut wrong) = (0, Vec::new());
    // graph_manual.rs runs the commands of the manual of graphs, tutorial.rs those of the tutorial.
    let others = ["docs/graph.md", "docs/tutorial.md"];
    for (name, document) in documents().into_iter().filter(|it| !others.contains(&&*it.0)) {
        let place = place();
        for command in Commands::of(&document).typed.iter().filter(|it| !is_synopsis(it)) {
            let ended = run(place.path(), command);
            wrong.extend(ended.err().map(|reason| format!("{name}: {command}: {reason}")));
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 50, "{count}");
}

#[test]
fn wrong_commands_are_found() {
    assert_eq!(unknown_words("gyre fincore --names rrd | gyre store list STORE"), None);
    let cases = [
        ("gyre fincore --nmaes rrd", "no option --nmaes"),
        ("gyre fincore rrd | gyre simulate --tarce -", "no option --tarce"),
        ("gyre export [--everything] STORE", "no option --everything"),
        ("gyre verfy STORE", "no verb [\"verfy\"]"),
        ("gyre store list|remove", "no verb [\"store\", \"remove\"]"),
    ];
    for (command, said) in cases {
        assert_eq!(unknown_words(command).as_deref(), Some(said));
    }
    let place = place();
    assert_eq!(run(place.path(), "gyre import STORE DIRECTORY"), Ok(()));
    for wrong in ["gyre export STORE DIRECTORY", "gyre lab nothing", "gyre run a b", "gyre demo x"]
    {
        assert!(run(place.path(), wrong).is_err(), "{wrong}");
    }
}

#[test]
fn files_that_the_architecture_names_are_there() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let page = fs::read_to_string(project.join("ARCHITECTURE.md")).unwrap();
    let is_path = |span: &&str| {
        let words = span.bytes().all(|byte| byte.is_ascii_graphic());
        words && span.contains('/') && (span.ends_with('/') || span.contains('.'))
    };
    let named: Vec<&str> = page.split('`').skip(1).step_by(2).filter(is_path).collect();
    assert!(named.len() > 20, "{named:?}");
    for path in named {
        let is_there = |below: &Path| below.join(path).exists();
        assert!(is_there(project) || is_there(&project.join("crates")), "{path}");
    }
}
