//! `[_]`, `[^]`, `[$]` and continuation lines: by example, and compared with MRTG's own reader.
#![allow(clippy::disallowed_methods, reason = "runs Debian's MRTG as an oracle")]

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use support::{PREFACE, Scratch, have, read, run};

fn page_top(lines: &str) -> String {
    let configuration = read(format!("{PREFACE}{lines}\nTarget[a]: 1:p@h\n")).unwrap();
    configuration.targets[0].page_top().as_deref().unwrap_or("none").to_owned()
}

#[test]
fn defaults_go_around_a_value() {
    assert_eq!(page_top("PageTop[^]: <\nPageTop[$]: >\nPageTop[a]: x"), "< x >");
    assert_eq!(page_top("PageTop[^]: <\nPageTop[$]: >"), "< ");
    assert_eq!(page_top("PageTop[_]: d\nPageTop[$]: >"), "d");
    assert_eq!(page_top("PageTop[_]: d\nPageTop[^]: <\nPageTop[$]: >\nPageTop[a]: x"), "x >");
    assert_eq!(page_top("PageTop[_]: d\nPageTop[a]:"), "");
}

#[test]
fn defaults_act_from_the_first_mention_on() {
    assert_eq!(page_top("Legend1[a]: x\nPageTop[_]: d"), "d");
    assert_eq!(page_top("PageTop[_]: d\nLegend1[a]: x\nPageTop[_]: e"), "d");
    assert_eq!(page_top("PageTop[_]: d\nPageTop[_]:"), "none");
    assert_eq!(page_top("PageTop[$]: >\nPageTop[$]:\nPageTop[a]: x"), "x");
    assert_eq!(page_top("PageTop[a]: x\nPageTop[$]: >"), "x >".trim_end_matches(" >"));
}

#[test]
fn no_space_char_joins_without_a_space() {
    assert_eq!(page_top("NoSpaceChar: ~\nPageTop[^]: <~\nPageTop[$]: >~\nPageTop[a]: x"), "<x>");
}

#[test]
fn lines_are_continued_with_a_space_and_defaults_with_a_line_break() {
    assert_eq!(page_top("PageTop[a]: x\n  y\n# comment\n\n\tz"), "x y z");
    assert_eq!(page_top("PageTop[_]: x\n  y"), "x\ny");
}

#[test]
fn a_continued_global_key_is_told() {
    let notes = read(format!("{PREFACE}Interval: 5\n  more\n")).unwrap().notes;
    let told = "mrtg.cfg:6: Interval cannot be continued on a second line, which is ignored";
    assert_eq!(notes[0].to_string(), told);
}

/// Prints MRTG's interpretation of each file: `file, key, target, value` on each line, with line
/// breaks as `\n`.
const READ_AS_MRTG: &str = r#"
use MRTG_lib;
$MRTG_lib::debug = 0;
for my $file (@ARGV) {
    my (@routers, %cfg, %rcfg);
    eval { readcfg($file, \@routers, \%cfg, \%rcfg); 1 } or do { my $e = $@; $e =~ s/\n/ /g; print "$file\tERROR\t\t$e\n"; next };
    print "$file\tORDER\t\t@routers\n";
    for my $key (qw(pagetop legend1 legend2)) {
        for my $target (@routers) {
            my $value = $rcfg{$key}{$target};
            next unless defined $value;
            $value =~ s/\n/\\n/g;
            print "$file\t$key\t$target\t$value\n";
        }
    }
}
"#;

type Answers = BTreeMap<(String, String, String), String>;

fn mrtgs_answers(files: &[String]) -> Answers {
    let mut arguments = vec!["-e", READ_AS_MRTG];
    arguments.extend(files.iter().map(String::as_str));
    let output = run("perl", &arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| {
            let mut parts = line.splitn(4, '\t').map(str::to_owned);
            let mut next = || parts.next().unwrap();
            ((next(), next(), next()), next())
        })
        .collect()
}

fn our_answers(file: &str, text: &str) -> Answers {
    let mut answers = Answers::new();
    let mut answer = |key: &str, target: &str, value: &str| {
        let place = (file.to_owned(), key.to_owned(), target.to_owned());
        answers.insert(place, value.replace('\n', "\\n"));
    };
    let Ok(configuration) = read(text) else {
        answer("ERROR", "", "");
        return answers;
    };
    let names: Vec<_> = configuration.targets.iter().map(|each| &*each.name).collect();
    answer("ORDER", "", &names.join(" "));
    for target in &configuration.targets {
        if let Some(value) = &target.page_top() {
            answer("pagetop", &target.name, value);
        }
        // Values with defaults in MRTG are compared only if they are set to a non-empty text.
        for (key, value) in [
            ("legend1", &target.settings.legends.incoming),
            ("legend2", &target.settings.legends.outgoing),
        ] {
            if !value.contains("Traffic in Bytes") {
                answer(key, &target.name, value);
            }
        }
    }
    answers
}

/// Lines in all combinations, then the keys that each target needs.
fn configuration() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec!["PageTop", "legend1", "Legend2"]);
    let name = prop::sample::select(vec!["a", "b", "C", "_", "^", "$"]);
    let value = prop::sample::select(vec!["", "x", "y z", "q~", "(w) ", "a: b", "[c]:"]);
    let setting =
        (key, name, value).prop_map(|(key, name, value)| format!("{key}[{name}]: {value}"));
    let other = prop::sample::select(vec![
        "  more",
        "\tand more  ",
        "# comment",
        "",
        " # indented",
        "NoSpaceChar: ~",
        "a*b: c",
        "t*PageTop[d]: x",
        "Refresh: 300",
        "Colors[a]: x",
        "supress[b]: d",
    ]);
    let line = prop_oneof![6 => setting, 2 => other.prop_map(str::to_owned)];
    (prop::collection::vec(line, 1..14), prop::bool::weighted(0.2)).prop_map(|(lines, dos)| {
        let mut text = PREFACE.to_owned() + &lines.join("\n") + "\n";
        for name in ["a", "b", "c", "d"] {
            writeln!(text, "Target[{name}]: 1:p@h").unwrap();
        }
        if dos { text.replace('\n', "\r\n") } else { text }
    })
}

#[test]
fn random_lines_mean_what_mrtg_takes_them_to_mean() {
    if !have(&["perl", "mrtg"]) {
        return;
    }
    let scratch = Scratch::new("defaults");
    let mut runner = TestRunner::default();
    let texts: Vec<_> =
        (0..400).map(|_| configuration().new_tree(&mut runner).unwrap().current()).collect();
    let written = texts.iter().enumerate().map(|(nth, text)| {
        // MRTG checks that the directory exists.
        let text = text.replace("/w", scratch.0.to_str().unwrap());
        scratch.write(&format!("{nth}.cfg"), text).to_str().unwrap().to_owned()
    });
    let files: Vec<_> = written.collect();
    let mut theirs = mrtgs_answers(&files);
    // For an empty legend, MRTG's page writer uses its default, as gyre does.
    theirs.retain(|(_, key, _), value| !(key.starts_with("legend") && value.is_empty()));
    let accepted = theirs.keys().filter(|(_, key, _)| key == "ORDER").count();
    assert!(accepted > 100, "only {accepted} of 400 were acceptable to MRTG");
    for value in theirs.iter_mut().filter(|((_, key, _), _)| key == "ERROR").map(|(_, value)| value)
    {
        value.clear();
    }
    for (file, text) in files.iter().zip(&texts) {
        // Another tool's key given twice is ignored here, and fatal to MRTG.
        if text.matches("t*PageTop").count() > 1 {
            continue;
        }
        let of_file = |(name, _, _): &(String, String, String)| name == file;
        let expected: Answers = theirs
            .iter()
            .filter(|(place, _)| of_file(place))
            .map(|(a, b)| (a.clone(), b.clone()))
            .collect();
        assert_eq!(our_answers(file, text), expected, "\n{text}");
    }
}
