//! gyre under the name `rrdcgi` beside Debian's program: the same templates and requests give the
//! same pages, byte for byte, but for the time of day in their heads.
//!
//! Templates stand in `rrdcgi_cases/`. What Debian's program crashes on, or does not end with, is
//! in tests of its own.
#![allow(clippy::disallowed_methods)] // the test starts programs and writes their templates

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

/// A directory with a database and files to include.
fn place() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let words = "create a.rrd -b 1000000000 -s 60 DS:x:GAUGE:120:U:U RRA:AVERAGE:0.5:1:10";
    for words in [words, "update a.rrd 1000000060:1 1000000120:2 1000000180:4.5"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gyre"));
        command.args(words.split(' ')).current_dir(place.path());
        assert!(command.status().unwrap().success());
    }
    fs::write(place.path().join("b.txt"), "bbb").unwrap();
    let tags = "<RRD::TIME::NOW a><RRD::SETVAR q w>.<RRD::GETVAR q><RRD::INCLUDE b.txt>\n";
    fs::write(place.path().join("tags.txt"), tags).unwrap();
    fs::create_dir(place.path().join("below")).unwrap();
    place
}

/// Ours, under rrdtool's name for it.
fn ours(place: &Path) -> PathBuf {
    let path = place.join("rrdcgi");
    if !path.exists() {
        symlink(env!("CARGO_BIN_EXE_gyre"), &path).unwrap();
    }
    path
}

fn debians() -> Option<PathBuf> {
    oracle::program("rrdcgi", "pages from templates")
}

/// What a program says to words and variables, with `input` on standard input.
fn run(
    program: &Path,
    place: &Path,
    words: &[&str],
    variables: &[(&str, &str)],
    input: &str,
) -> Said {
    let mut command = Command::new("timeout");
    command.arg("20").arg(program).args(words).current_dir(place).env_clear();
    command.envs([("PATH", "/usr/bin:/bin"), ("TZ", "UTC"), ("LC_ALL", "C")]);
    command.envs([("FROM_OUTSIDE", "outside"), ("HOME", "/root")]);
    command.envs(variables.iter().copied()).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes()); // it need not read
    Said::of(&child.wait_with_output().unwrap())
}

/// What a program said.
#[derive(Debug, PartialEq)]
struct Said {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Said {
    fn of(output: &Output) -> Self {
        let stdout = without_dates(&String::from_utf8_lossy(&output.stdout));
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        Self { code: output.status.code(), stdout, stderr }
    }
}

/// The head's dates follow the time of day.
fn without_dates(text: &str) -> String {
    let line = |line: &str| match line.split_once(": ") {
        Some((name @ ("Last-Modified" | "Expires"), date)) => {
            format!("{name}: {} bytes\n", date.len())
        }
        _ => line.to_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}

/// The cases of a file, without its first line.
fn cases(text: &str) -> impl Iterator<Item = &str> {
    let (_, cases) = text.split_once('\n').unwrap();
    cases.split("====\n").map(|case| case.trim_end_matches('\n'))
}

/// Both programs render a template, in directories of their own.
fn compare(template: &str, words: &[&str], variables: &[(&str, &str)], input: &str) {
    let Some(debians) = debians() else { return };
    let places = [place(), place()];
    let said = [debians, ours(places[1].path())].map(|program| {
        let place = if program.starts_with("/usr") { &places[0] } else { &places[1] };
        fs::write(place.path().join("page.html"), format!("#!/usr/bin/rrdcgi\n{template}"))
            .unwrap();
        run(&program, place.path(), words, variables, input)
    });
    assert_ne!(said[0].code, Some(124), "Debian's program does not end: {template}");
    assert_eq!(said[1], said[0], "{template}\n{variables:?}");
    for picture in ["x.png", "below/x.png", "a.png"] {
        let exists = places.each_ref().map(|place| place.path().join(picture).exists());
        assert_eq!(exists[1], exists[0], "{picture}: {template}");
    }
}

#[test]
fn filters_print_the_same_pages() {
    for template in cases(include_str!("rrdcgi_cases/filter.txt")) {
        compare(template, &["--filter", "page.html"], &[], "");
    }
}

#[test]
fn requests_get_the_same_pages() {
    for case in cases(include_str!("rrdcgi_cases/request.txt")) {
        let (query, template) = case.split_once('\n').unwrap();
        let get = [("REQUEST_METHOD", "GET"), ("QUERY_STRING", query)];
        compare(template, &["page.html"], &get, "");
        let length = query.len().to_string();
        let post = [("REQUEST_METHOD", "POST"), ("CONTENT_LENGTH", &length)];
        compare(template, &["page.html"], &post, query);
    }
}

#[test]
fn requests_of_every_kind_are_understood() {
    let template = "<RRD::CV a>|<RRD::CV b>";
    let all: [(&[(&str, &str)], &str); 9] = [
        (&[], "a=1\nb=%41\n"),
        (&[("REQUEST_METHOD", "PUT"), ("QUERY_STRING", "a=9")], ""),
        (&[("REQUEST_METHOD", "HEAD"), ("QUERY_STRING", "a=9")], "a=7\n"),
        (&[("REQUEST_METHOD", "GET")], "a=1\n"),
        (&[("REQUEST_METHOD", "POST"), ("CONTENT_LENGTH", "4")], "a=1&b=%41"),
        (&[("REQUEST_METHOD", "POST"), ("CONTENT_LENGTH", "99")], "a=1&b=%41"),
        (&[("REQUEST_METHOD", "POST")], "a=1&b=%41"),
        (&[("REQUEST_METHOD", "POST"), ("QUERY_STRING", "a=9"), ("CONTENT_LENGTH", "3")], "a=1"),
        (&[("REQUEST_METHOD", "GET"), ("QUERY_STRING", "a=1;b=2")], ""),
    ];
    for (variables, input) in all {
        compare(template, &["page.html"], variables, input);
    }
}

#[test]
fn words_are_understood_alike() {
    let template = "second <RRD::INTERNAL VERSION>\n";
    for words in [
        &["page.html", "-f"][..],
        &["-f", "page.html"],
        &["--filter", "page.html", "other.html"],
        &["-f", "--", "page.html"],
        &["-f", "-"],
        &["-f", "none.html"],
        &["none.html"],
        &["--filter"],
        &[],
        &["-x", "page.html"],
        &["--nope", "page.html"],
    ] {
        compare(template, words, &[], "first line\n<RRD::INTERNAL VERSION>\n");
    }
}

/// What ours says of a template as a filter.
fn page(template: &str) -> Said {
    let place = place();
    fs::write(place.path().join("page.html"), format!("#!x\n{template}")).unwrap();
    run(&ours(place.path()), place.path(), &["-f", "page.html"], &[], "")
}

/// Where Debian's program crashes, or never ends.
#[test]
fn what_is_wrong_gets_one_clear_error() {
    for (template, expected) in [
        (
            "a <RRD::INCLUDE none.txt> b",
            "a [ERROR opening 'none.txt': No such file or directory] b",
        ),
        ("a <RRD::INCLUDE .> b", "a [ERROR opening '.': Is a directory] b"),
        (
            "abc <RRD::SETVAR x \"unclosed> more",
            "abc [ERROR: Parsing Problem with the following text\n Check original file. This may \
             have been altered by parsing.]\n\nRRD::SETVAR x",
        ),
    ] {
        let said = page(template);
        assert_eq!(
            (said.code, said.stdout.as_str(), said.stderr.as_str()),
            (Some(0), expected, "")
        );
    }
    let said = page("<RRD::INCLUDE page.html>");
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""));
    assert!(said.stderr.starts_with("ERROR: the page has more than 100000 tags"), "{said:?}");
    let said = page(&"<RRD::TIME::NOW ".repeat(100_000));
    assert_eq!(said.stderr, "ERROR: more than 64 tags stand within each other\n");
}

/// With --lazy a picture that is young enough stays, and the page tells of it as if it was drawn.
#[test]
fn lazy_graphs_keep_their_picture() {
    let mut rrdcgis: Vec<PathBuf> = debians().into_iter().collect();
    let place = place();
    rrdcgis.push(ours(place.path()));
    let graph = "-s 1000000000 -e 1000000600 DEF:a=a.rrd:x:AVERAGE LINE1:a#ff0000 PRINT:a:LAST:%lf";
    let template =
        |option: &str| format!("#!x\n<RRD::GRAPH lazy.png {option} -w 100 {graph}>|<RRD::PRINT 0>");
    let picture = place.path().join("lazy.png");
    for rrdcgi in rrdcgis {
        let page = |option: &str| {
            fs::write(place.path().join("page.html"), template(option)).unwrap();
            run(&rrdcgi, place.path(), &["-f", "page.html"], &[], "").stdout
        };
        let drawn = page("");
        assert!(drawn.contains("lazy.png") && drawn.ends_with("|2.833333"), "{drawn}");
        let before = fs::read(&picture).unwrap();
        let modified = SystemTime::now() - Duration::from_secs(2);
        File::options().write(true).open(&picture).unwrap().set_modified(modified).unwrap();
        assert_eq!(page("--lazy"), drawn, "{}", rrdcgi.display());
        let facts = fs::metadata(&picture).unwrap();
        assert_eq!(facts.modified().unwrap(), modified, "{}", rrdcgi.display());
        assert_eq!(fs::read(&picture).unwrap(), before);
        assert_eq!(page(""), drawn);
        assert_ne!(fs::metadata(&picture).unwrap().modified().unwrap(), modified);
    }
}

/// Without Debian's program: one page as it was made by it.
#[test]
fn a_page_as_debians_program_makes_it() {
    let said = page(
        "<H1><RRD::TIME::LAST a.rrd \"%F %T\"></H1>\n<RRD::GRAPH below/x.png -s 1000000000 -e \
         1000000600\n DEF:a=a.rrd:x:AVERAGE LINE1:a#ff0000 PRINT:a:LAST:%lf>\n<RRD::PRINT 0>\n",
    );
    let expected = "<H1>2001-09-09 01:49:40</H1>\n<IMG SRC=\"./x.png\" WIDTH=\"481\" HEIGHT=\"141\">\n\
                    2.833333\n";
    assert_eq!(said.stdout, expected);
}

#[test]
fn gyre_has_it_as_a_verb() {
    let place = place();
    fs::write(place.path().join("page.html"), "\n<RRD::INTERNAL VERSION>").unwrap();
    let said =
        |words: &[&str]| run(Path::new(env!("CARGO_BIN_EXE_gyre")), place.path(), words, &[], "");
    assert_eq!(said(&["rrdcgi", "-f", "page.html"]).stdout, "1.7.2");
    assert!(said(&["rrdcgi", "--help"]).stdout.starts_with("Usage: gyre rrdcgi "));
    assert_eq!(said(&["rrdcgi"]).code, Some(2));
}
