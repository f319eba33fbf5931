//! `gyre pages`: the pages of MRTG and the index of indexmaker, from the same values.
#![allow(clippy::disallowed_methods)] // the test starts programs and reads what they write

mod html;
mod site;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use html::{cells, comments, links, number_in, sections};
use site::{Site, done, gyre, names, text};

/// The targets that MRTG and gyre write pages of.
const TARGETS: &str = "\
Target[plain]: `printf '3100\\n4200\\n2 days\\nr\\n'`
MaxBytes[plain]: 12500
Title[plain]: Plain
PageTop[plain]: <h1>Top</h1>\\n<p>of the page
Options[plain]: gauge, growright
ShortLegend[plain]: &nbsp;x
Target[all]: `printf '3100\\n4200\\n2 days\\nr\\n'`
MaxBytes1[all]: 12500
MaxBytes2[all]: 31000
Title[all]: All
PageTop[all]: <h1>Top <em>of &amp; all</em></h1>
Options[all]: gauge, growright, bits, dorelpercent, avgpeak, noinfo
WithPeak[all]: wmy
Directory[all]: sub/deep
AddHead[all]: <link rel=\"x\" href=\"y\">
PageFoot[all]: <p>foot</p>
Factor[all]: 2
kMG[all]: ,kilo,mega
kilo[all]: 1024
Colours[all]: RED#ff0000,GRAY#808080,AMBER#efa000,VIOLET#aa00ff,BROWN#a05000
Target[less]: `printf '3100\\n4200\\n2 days\\nr\\n'`
MaxBytes[less]: 12500
Title[less]: Less
PageTop[less]: <h1>Few</h1>
Options[less]: gauge, noo, nopercent, integer, nobanner, nolegend
Suppress[less]: wm
Extension[less]: htm
Timezone[less]: UTC
Factor[less]: 100000
kMG[less]: k,M
BodyTag[less]: <body class=\"less\">
";

/// Digits of the comments' numbers that may differ: MRTG rounds the values that it keeps, and its
/// maxima of the day know more than rows of five minutes.
fn is_near(key: &str, ours: f64, theirs: f64) -> bool {
    let may_differ = match key {
        "avmxin" | "avmxout" => theirs * 0.01,
        "maxpercent" => theirs * 0.02,
        // Shares are small whole numbers, which may be rounded to either side.
        "avpercent" | "cupercent" => 1.0,
        _ => theirs * 0.001,
    };
    (ours - theirs).abs() <= may_differ
}

#[test]
fn pages_are_those_of_mrtg() {
    let Some(site) = Site::by_mrtg("WriteExpires: Yes\n", TARGETS) else { return };
    site.write_pages(&[]);
    let is_page = |name: &String| {
        !name.ends_with(".log") && !name.ends_with(".old") && !name.starts_with("mrtg-")
    };
    let theirs: Vec<String> = names(&site.mrtgs()).into_iter().filter(is_page).collect();
    assert_eq!(names(&site.ours()), theirs);
    for name in ["plain.html", "sub/deep/all.html", "less.htm"] {
        let read = |root: &Path| fs::read_to_string(root.join(name)).unwrap();
        let (ours, theirs) = (read(&site.ours()), read(&site.mrtgs()));
        let (our_comments, their_comments) = (comments(&ours), comments(&theirs));
        let keys = |all: &[html::Number]| -> Vec<String> {
            all.iter().map(|it| format!("{} {}", it.key, it.letter)).collect()
        };
        assert_eq!(keys(&our_comments), keys(&their_comments), "{name}");
        assert!(our_comments.len() > 20, "{name}");
        for (our, their) in our_comments.iter().zip(&their_comments) {
            let same = match (our.value, their.value) {
                (Some(ours), Some(theirs)) => is_near(&our.key, ours, theirs),
                (ours, theirs) => ours == theirs,
            };
            assert!(same, "{name}: {our:?} {their:?}");
        }
        assert_eq!(sections(&ours), sections(&theirs), "{name}");
        assert_eq!(links(&ours, "<img", "src"), pictures_of(&theirs), "{name}");
        assert_eq!(html::title(&ours), html::title(&theirs), "{name}");
        compare_cells(name, &ours, &theirs);
    }
}

/// The pictures of a page of MRTG's, without those of its banner.
fn pictures_of(page: &str) -> Vec<String> {
    let all = links(page, "<img", "src").into_iter();
    all.filter(|link| !link.contains("mrtg-")).collect()
}

/// The tables: the same texts but for numbers, and near numbers.
fn compare_cells(name: &str, ours: &str, theirs: &str) {
    let (ours, theirs) = (cells(ours), cells(theirs));
    assert_eq!(ours.len(), theirs.len(), "{name}: {ours:?} {theirs:?}");
    for (our, their) in ours.iter().zip(&theirs) {
        assert_eq!(our.class, their.class, "{name}");
        let (our_number, our_rest) = number_in(&our.text);
        let (their_number, their_rest) = number_in(&their.text);
        // The last digit that is shown may be rounded to either side.
        let digit = match their.text.contains('.') && their.class != "relpercent" {
            true => 0.1,
            false => 1.0,
        };
        let is_near = |ours: f64, theirs: f64, digit: f64| {
            (ours - theirs).abs() <= (theirs * 0.02).max(digit * 1.01)
                || ours.is_nan() && theirs.is_nan()
        };
        assert!(is_near(our_number, their_number, digit), "{our:?} {their:?}");
        let (our_unit, our_share) = our_rest.split_once('(').unwrap_or((our_rest, ""));
        let (their_unit, their_share) = their_rest.split_once('(').unwrap_or((their_rest, ""));
        assert_eq!(our_unit, their_unit, "{our:?} {their:?}");
        let share = |text: &str| text.strip_suffix("%)").map(|share| share.parse::<f64>().unwrap());
        match (share(our_share), share(their_share)) {
            (Some(ours), Some(theirs)) => {
                assert!(is_near(ours, theirs, 0.1), "{our:?} {their:?}");
            }
            (ours, theirs) => assert_eq!(ours, theirs, "{our:?} {their:?}"),
        }
    }
}

#[test]
fn the_operators_html_stays_and_other_text_is_escaped() {
    let targets = "Target[a]: 1:public@h\nMaxBytes[a]: 1000\nTitle[a]: <script>x</script>&nbsp;y\n\
        PageTop[a]: <h1 class=own>Top</h1>\nLegendI[a]: <b>In\nShortLegend[a]: \"><script>\n\
        Background[a]: red}</style><script>alert(1)</script>\n";
    let site = Site::without_mrtg(targets);
    site.make_databases(&["a"]);
    site.write_pages(&["--index", "index.html", "--section", "title"]);
    let page = fs::read_to_string(site.ours().join("a.html")).unwrap();
    assert!(page.contains("<h1 class=own>Top</h1>"), "{page}");
    assert!(page.contains("<title>&lt;script&gt;x&lt;/script&gt;&nbsp;y</title>"), "{page}");
    assert!(!page.contains("<script") && !page.contains("<b>"), "{page}");
    let index = fs::read_to_string(site.ours().join("index.html")).unwrap();
    assert!(!index.contains("<script"), "{index}");
}

#[test]
fn the_index_links_what_indexmaker_links() {
    let Some(site) = Site::by_mrtg("", TARGETS) else { return };
    let ways: [(&[&str], &[&str]); 3] = [
        (&[], &[]),
        (&["--sort", "title", "--columns", "3"], &["--sort=title", "--columns=3"]),
        (&["--sort", "name", "--show", "year"], &["--sort=name", "--show=year"]),
    ];
    for (our_words, their_words) in ways {
        site.write_pages(&[&["--index", "index.html"], our_words].concat());
        let ours = fs::read_to_string(site.ours().join("index.html")).unwrap();
        let theirs = site.indexmaker(their_words);
        let pages = |index: &str, attribute: &str| -> Vec<String> {
            let all = links(index, "<a", attribute).into_iter();
            all.filter(|link| link.ends_with("html") || link.ends_with("htm")).collect()
        };
        let mut our_pages = pages(&ours, "href");
        our_pages.dedup();
        // indexmaker does not know of Extension.
        let their_pages = pages(&theirs, "href").into_iter();
        let their_pages: Vec<String> =
            their_pages.map(|link| link.replace("less.html", "less.htm")).collect();
        assert_eq!(our_pages, their_pages, "{our_words:?}");
        assert_eq!(links(&ours, "<img", "src"), pictures_of(&theirs), "{our_words:?}");
    }
    let ours = fs::read_to_string(site.ours().join("index.html")).unwrap();
    assert!(ours.contains(">Top of &amp; all</a>") && ours.contains("--columns:2"), "{ours}");
}

#[test]
fn an_index_of_many_targets_has_several_files() {
    let names: Vec<String> = (0..7).map(|nth| format!("t{nth}")).collect();
    let targets: String = names.iter().map(|name| site::target(name)).collect();
    let site = Site::without_mrtg(&targets);
    site.make_databases(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let told = site.write_pages(&["--index", "all.html", "--per-file", "3", "--show", "none"]);
    assert!(told.starts_with("7 pages written, 3 files of the index in "), "{told}");
    let read = |name: &str| fs::read_to_string(site.ours().join(name)).unwrap();
    assert_eq!(links(&read("all.html"), "<a", "href").last().unwrap(), "./all-2.html");
    let second = links(&read("all-2.html"), "<a", "href");
    assert_eq!(second, ["t3.html", "t4.html", "t5.html", "./all.html", "./all-3.html"]);
    assert_eq!(links(&read("all-3.html"), "<a", "href"), ["t6.html", "./all-2.html"]);
    assert!(!read("all.html").contains("<img"));
}

/// What has no page is listed without a link; a page with a name of the index is refused.
#[test]
fn an_index_links_what_is_there() {
    let names = ["a", "b", "all-2"];
    let site = Site::without_mrtg(&names.map(site::target).concat());
    site.make_databases(&["a", "all-2"]);
    let words = ["pages", "--store", "store", "--index", "all.html", "--per-file", "2"];
    let output = gyre(&site.place(), &[&words[..], &["mrtg.cfg", "ours"]].concat());
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("all-2.html: the index has the same name"), "{errors}");
    let read = |name: &str| fs::read_to_string(site.ours().join(name)).unwrap();
    assert_eq!(links(&read("all.html"), "<a", "href"), ["a.html", "a.html", "./all-2.html"]);
    assert_eq!(links(&read("all.html"), "<img", "src"), ["a-day.png"]);
    assert!(read("all.html").contains("Title of b"));
    // Where the index cannot be written, what was done is told all the same.
    fs::remove_file(site.ours().join("all.html")).unwrap();
    fs::create_dir_all(site.ours().join("all.html/x")).unwrap();
    let output = gyre(&site.place(), &[&words[..], &["mrtg.cfg", "ours"]].concat());
    let errors = text(&output.stderr);
    assert!(text(&output.stdout).starts_with("1 page written, 2 not written in "), "{errors}");
    assert!(errors.contains("the index: ") && output.status.code() == Some(1), "{errors}");
}

#[test]
fn only_changed_pages_are_written_again() {
    let site = Site::without_mrtg(&[site::target("a"), site::target("b")].concat());
    site.make_databases(&["a", "b"]);
    let after_all = (site.now_seconds + 600).to_string();
    let write = || -> serde_json::Value {
        let words = ["--at", &after_all, "--only-changed", "--json"];
        serde_json::from_str(&site.write_pages(&words)).unwrap()
    };
    let counts = |told: &serde_json::Value| {
        ["written", "unchanged", "failed"].map(|key| told[key].as_u64().unwrap())
    };
    // A page counts as newer than the configuration from the next second on.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(counts(&write()), [2, 0, 0]);
    assert_eq!(counts(&write()), [0, 2, 0]);
    let later = format!("{}:7:8", site.now_seconds + 300);
    done(&site.place(), &["update", "store/a.rrd", &later]);
    assert_eq!(counts(&write()), [1, 1, 0]);
    // A page of the past is none of the present, though its last update is the same.
    let past = (site.now_seconds - 3000).to_string();
    let words = ["pages", "--at", &past, "--only-changed", "--store", "store", "mrtg.cfg", "ours"];
    assert!(done(&site.place(), &words).starts_with("2 pages written"));
    let old = fs::read_to_string(site.ours().join("a.html")).unwrap();
    assert!(old.contains(&format!("last update {past}, ")), "{old}");
    assert_eq!(counts(&write()), [2, 0, 0]);
    // The time of a file is that of its writing: a browser that has an older one reads it again.
    let written = fs::metadata(site.ours().join("a.html")).unwrap().modified().unwrap();
    assert!(written.elapsed().unwrap().as_secs() < 60);
    // Without a picture, or with an empty one, a page is not whole.
    fs::remove_file(site.ours().join("a-week.png")).unwrap();
    fs::write(site.ours().join("b-year.png"), "").unwrap();
    assert_eq!(counts(&write()), [2, 0, 0]);
    // A page that is cut off is written again.
    let page = site.ours().join("b.html");
    fs::write(&page, "half").unwrap();
    assert_eq!(counts(&write()), [1, 1, 0]);
    assert!(fs::read_to_string(page).unwrap().ends_with("</html>"));
    std::thread::sleep(std::time::Duration::from_millis(1100));
    site.configure(&[site::target("a"), site::target("b")].concat());
    assert_eq!(counts(&write()), [2, 0, 0]);
}

#[test]
fn what_cannot_be_written_is_named_and_stops_nothing() {
    let site = Site::without_mrtg(
        &["a", "b", "c", "d"]
            .map(site::target)
            .concat()
            .replace("Title[c]", "Directory[c]: ../../outside\nDirectory[d]: link\nTitle[c]"),
    );
    site.make_databases(&["a", "link/d"]);
    fs::create_dir_all(site.ours()).unwrap();
    fs::create_dir_all(site.place().join("elsewhere")).unwrap();
    symlink(site.place().join("elsewhere"), site.ours().join("link")).unwrap();
    let output = gyre(&site.place(), &["pages", "--store", "store", "mrtg.cfg", "ours"]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(text(&output.stdout).starts_with("1 page written, 3 not written in "));
    for expected in [
        "target b: store: it has no database b.rrd\n",
        "target c: mrtg.cfg:8: its Directory leads out of the directory of pages\n",
        "ours/link: it leads out of the directory of pages\n",
        "ERROR: 3 pages not written\n",
    ] {
        assert!(errors.contains(expected), "{expected}\n{errors}");
    }
    assert!(site.ours().join("a.html").is_file());
    assert_eq!(fs::read_dir(site.place().join("elsewhere")).unwrap().count(), 0);
    assert!(!site.place().join("outside").exists());
}

/// The same pages come from a store that another process has open, and from files.
#[test]
fn pages_come_from_a_store_that_is_held_open_and_from_files() {
    let site = Site::without_mrtg(&site::target("a"));
    site.make_databases(&["a"]);
    site.write_pages(&[]);
    let expected = site.written();
    assert_eq!(expected.len(), 5);
    let mut holder = Command::new(env!("CARGO_BIN_EXE_gyre"))
        .arg("-")
        .current_dir(site.place())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = holder.stdin.take().unwrap();
    let mut told = BufReader::new(holder.stdout.take().unwrap());
    // An update opens the store, and a refused one changes nothing.
    writeln!(input, "update store/a.rrd 1:1:1").unwrap();
    let mut answer = String::new();
    told.read_line(&mut answer).unwrap();
    assert!(answer.starts_with("ERROR"), "{answer}");
    fs::remove_dir_all(site.ours()).unwrap();
    site.write_pages(&[]);
    drop(input);
    assert!(holder.wait().unwrap().success());
    assert!(site.written() == expected, "a store that is held open answers otherwise");
    done(&site.place(), &["export", "store", "--all", "files"]);
    fs::remove_dir_all(site.ours()).unwrap();
    done(&site.place(), &["pages", "--at", &site.at(), "--store", "files", "mrtg.cfg", "ours"]);
    assert!(site.written() == expected, "files answer otherwise");
}

#[test]
fn wrong_words_are_refused() {
    let site = Site::without_mrtg(&site::target("a"));
    site.make_databases(&["a"]);
    let cases: [(&[&str], i32, &str); 6] = [
        (&["mrtg.cfg"], 2, "expected mrtg.cfg and DIRECTORY"),
        (&["--index", "../x", "mrtg.cfg", "ours"], 2, "the name of a file in DIRECTORY"),
        (&["--show", "hour", "mrtg.cfg", "ours"], 2, "day, week, month, year or none"),
        (&["--at", "1", "--every", "5", "mrtg.cfg", "ours"], 2, "--at without --every"),
        (&["--at", "never", "mrtg.cfg", "ours"], 1, "--at: expected a time, found never"),
        (&["--store", "none", "mrtg.cfg", "ours"], 1, "none: No such file or directory"),
    ];
    for (words, code, expected) in cases {
        let output = gyre(&site.place(), &[&["pages"], words].concat());
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {errors}");
        assert!(errors.contains(expected), "{words:?}: {errors}");
    }
    assert!(!site.ours().exists());
}

/// What `--every` writes is there at once and again later.
#[test]
fn pages_are_written_again_and_again() {
    let site = Site::without_mrtg(&site::target("a"));
    site.make_databases(&["a"]);
    let mut process = Command::new(env!("CARGO_BIN_EXE_gyre"))
        .args(["pages", "--every", "1", "--store", "store", "mrtg.cfg", "ours"])
        .current_dir(site.place())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let told = BufReader::new(process.stdout.take().unwrap());
    let rounds: Vec<String> = told.lines().take(2).map(Result::unwrap).collect();
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(rounds.iter().all(|line| line.starts_with("1 page written in ")), "{rounds:?}");
}
