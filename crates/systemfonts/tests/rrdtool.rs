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
        "No Such Family",
    ] {
        for points in [7.0, 8.0, 11.5, 15.0] {
            let font = format!("LEGEND:{points}:{family}");
            let text = "COMMENT:AVAVA ToTo iiWWW 0123 quick brown fox\\l";
            let words = ["-s", "1789000000", "-e", "1789090000", "-w", "600", "-n"];
            let mut words: Vec<String> = words.map(str::to_owned).into();
            words.extend([font.clone(), text.into(), "HRULE:1#ff0000".into()]);
            let theirs = edges(&words);
            let mut arguments = Arguments::read(&words).expect("valid arguments");
            arguments.find_fonts(&systemfonts::find);
            let now = Timestamp::from_seconds(1_789_090_000);
            let mut nothing = |_: &[_]| Vec::<Result<Stretch, std::io::Error>>::new();
            let ours = draw(&arguments, now, &TimeZone::UTC, &mut nothing).expect("a drawing");
            let (left, right) = (ours.legend[0].left, ours.legend[0].right);
            assert!((left - theirs[0]).abs() <= 1.0, "{font}: {left} and {theirs:?}");
            assert!((right - theirs[2]).abs() <= 1.0, "{font}: {right} and {theirs:?}");
        }
    }
}
