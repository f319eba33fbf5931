//! Texts of all scripts in PDF and EPS, read by other programs.
#![allow(clippy::disallowed_methods)] // it writes files and starts programs

use std::process::Command;

use graph::{Arguments, draw};
use jiff::tz::TimeZone;
use rrd::{Stretch, Timestamp};

const JAPANESE: &str = "\u{53d7}\u{4fe1}\u{30d0}\u{30a4}\u{30c8}";
const HEBREW: &str = "\u{5e9}\u{5dc}\u{5d5}\u{5dd}";
const ARABIC: &str = "\u{645}\u{631}\u{62d}\u{628}\u{627}";
const DEVANAGARI: &str = "\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947}";

/// A graph whose legend has all of them.
fn image(format: &str) -> Vec<u8> {
    let mut words: Vec<String> =
        ["-a", format, "-s", "1789000000", "-e", "1789090000", "-t"].map(str::to_owned).into();
    words.extend([JAPANESE.into(), "HRULE:1#ff0000".into()]);
    // A font whose outlines are in the Compact Font Format, where the machine has it.
    words.extend(["-n".into(), "AXIS:9:Times".into()]);
    words.extend([HEBREW, ARABIC, DEVANAGARI, "Bits"].map(|text| format!("COMMENT:{text} 12\\l")));
    let mut arguments = Arguments::read(&words).expect("valid arguments");
    arguments.find_fonts(systemfonts::FINDER);
    let now = Timestamp::from_seconds(1_789_090_000);
    let mut nothing = |_: &[_]| Vec::<Result<Stretch, std::io::Error>>::new();
    draw(&arguments, now, &TimeZone::UTC, &mut nothing).expect("a drawing").image
}

fn has_fonts() -> bool {
    ["truetype/lohit-devanagari/Lohit-Devanagari.ttf", "truetype/vlgothic/VL-Gothic-Regular.ttf"]
        .iter()
        .all(|path| oracle::file(&format!("/usr/share/fonts/{path}"), "its texts").is_some())
}

#[test]
fn pdf_tells_its_texts_in_all_scripts() {
    let Some(program) = oracle::program("pdftotext", "graphs as PDF, read") else { return };
    if !has_fonts() {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("graph.pdf");
    std::fs::write(&file, image("PDF")).expect("a file");
    let output = Command::new(program).arg(&file).arg("-").output().expect("pdftotext runs");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for words in [JAPANESE, HEBREW, ARABIC, "Bits 12"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

/// Ghostscript finds no fault, and ink where the texts are.
#[test]
fn eps_has_glyphs_of_all_scripts() {
    let Some(program) = oracle::program("gs", "graphs as EPS") else { return };
    if !has_fonts() {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("graph.eps");
    let eps = image("EPS");
    std::fs::write(&file, &eps).expect("a file");
    let options = ["-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dEPSCrop", "-sDEVICE=png16m"];
    let drawn = format!("-sOutputFile={}", directory.path().join("drawn.png").display());
    let output = Command::new(program).args(options).arg(drawn).arg(&file).output();
    let output = output.expect("ghostscript runs");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let text = String::from_utf8(eps).expect("ASCII");
    // Letters of Hebrew and Japanese stand for themselves.
    for name in ["uni05E9", "uni53D7", "uni0042"] {
        assert!(text.contains(&format!("/{name}{{")), "{name}");
    }
}
