//! Widths of texts in fonts of the system, held against a live rrdtool.
#![allow(clippy::disallowed_methods)] // it starts rrdtool

use std::process::Command;

use graph::{Arguments, draw};
use jiff::tz::TimeZone;
use rrd::{Stretch, Timestamp};

/// What `graphv` calls the edges of the first text.
fn edges(words: &[String]) -> Vec<f64> {
    let output = Command::new("rrdtool").arg("graphv").arg("/dev/null").args(words).output();
    let text = String::from_utf8_lossy(&output.expect("rrdtool runs").stdout).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix("coords[0] = ")).expect("a legend");
    line.trim_matches('"').split(',').map(|edge| edge.parse().expect("a number")).collect()
}

#[test]
fn fonts_of_the_system_have_rrdtools_widths() {
    let Some(_) = oracle::program("rrdtool", "texts against rrdtool's own") else { return };
    let font = "/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf";
    let Some(_) = oracle::file(font, "its widths in graphs") else { return };
    for family in [
        "DejaVu Serif",
        "Serif",
        "Times",
        "dejavuserif",
        "DejaVu Serif Bold",
        "No Such Family,DejaVu Serif,Sans",
        "DejaVu Sans Condensed",
        "DejaVu Sans Condensed Bold",
        "Sans Italic",
        "DejaVu Sans Bold Oblique",
        "Arial",
        "Helvetica Bold",
        "Courier",
        "Courier New",
        "Times New Roman Italic",
        "Palatino",
        "No Such Family",
    ] {
        for points in [6.0, 7.0, 8.0, 11.5, 15.0, 20.0] {
            let font = format!("LEGEND:{points}:{family}");
            compare(&font, "AVAVA ToTo iiWWW 0123 quick brown fox");
        }
    }
}

/// Holds the edges of a text against rrdtool's.
fn compare(font: &str, text: &str) {
    let words = ["-s", "1789000000", "-e", "1789090000", "-w", "600", "-n"];
    let mut words: Vec<String> = words.map(str::to_owned).into();
    words.extend([font.into(), format!("COMMENT:{text}\\l"), "HRULE:1#ff0000".into()]);
    let theirs = edges(&words);
    let mut arguments = Arguments::read(&words).expect("valid arguments");
    arguments.find_fonts(systemfonts::FINDER);
    let now = Timestamp::from_seconds(1_789_090_000);
    let mut nothing = |_: &[_]| Vec::<Result<Stretch, std::io::Error>>::new();
    let ours = draw(&arguments, now, &TimeZone::UTC, &mut nothing).expect("a drawing");
    let (left, right) = (ours.legend[0].left, ours.legend[0].right);
    let half = ours.legend[0].height / 2.0;
    let (top, bottom) = (ours.legend[0].middle - half, ours.legend[0].middle + half);
    assert!((top - theirs[1]).abs() <= 1.0, "{font} {text}: {top} and {theirs:?}");
    assert!((bottom - theirs[3]).abs() <= 1.0, "{font} {text}: {bottom} and {theirs:?}");
    assert!((left - theirs[0]).abs() <= 1.0, "{font} {text}: {left} and {theirs:?}");
    assert!((right - theirs[2]).abs() <= 1.0, "{font} {text}: {right} and {theirs:?}");
}

/// Letters that join, marks above others, and texts from right to left, in fonts that have them and
/// in those that another stands in for.
#[test]
fn texts_of_all_scripts_have_rrdtools_widths() {
    let Some(_) = oracle::program("rrdtool", "texts against rrdtool's own") else { return };
    let fonts = [
        ("opentype/fonts-hosny-amiri/Amiri-Regular.ttf", "Arabic texts"),
        ("truetype/lohit-devanagari/Lohit-Devanagari.ttf", "texts in Devanagari"),
        ("truetype/vlgothic/VL-Gothic-Regular.ttf", "Japanese texts"),
    ];
    for (path, texts) in fonts {
        let path = format!("/usr/share/fonts/{path}");
        let Some(_) = oracle::file(&path, &format!("{texts} in graphs")) else { return };
    }
    for (family, text) in [
        ("DejaVu Sans Mono", "\u{5e9}\u{5dc}\u{5d5}\u{5dd} abc 123"),
        ("DejaVu Sans", "\u{5e9}\u{5dc}\u{5d5}\u{5dd} abc 123"),
        ("DejaVu Sans", "in \u{5e9}\u{5dc}\u{5d5}\u{5dd} 12 (\u{5d0}) out"),
        ("DejaVu Sans Mono", "\u{645}\u{631}\u{62d}\u{628}\u{627} \u{628}\u{643}"),
        ("DejaVu Sans", "\u{645}\u{631}\u{62d}\u{628}\u{627} \u{628}\u{643} 5"),
        ("Amiri", "\u{627}\u{644}\u{633}\u{644}\u{627}\u{645} \u{639}\u{644}\u{64a}\u{643}\u{645}"),
        (
            "DejaVu Sans",
            "\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947} \u{915}\u{94d}\u{937}\u{93f} abc",
        ),
        (
            "Lohit Devanagari",
            "\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947} \u{939}\u{93f}\u{928}\u{94d}\u{926}\u{940}",
        ),
        ("DejaVu Sans Mono", "\u{53d7}\u{4fe1}\u{30d0}\u{30a4}\u{30c8} in"),
        (
            "VL Gothic",
            "\u{53d7}\u{4fe1}\u{30d0}\u{30a4}\u{30c8} \u{3072}\u{3089}\u{304c}\u{306a} in",
        ),
        ("DejaVu Sans", "e\u{301}a\u{308} cafe\u{301}"),
        ("DejaVu Sans Mono", "\u{3b1}\u{3b2}\u{3b3} \u{430}\u{431}\u{432} \u{2192} \u{2264}"),
    ] {
        for points in [8.0, 12.0, 16.0] {
            compare(&format!("LEGEND:{points}:{family}"), text);
        }
    }
}
