//! Input that gyre reads whole may be endless: it is refused with an error that names its source.

use std::fs;

use super::place::{Place, told};

/// Address space in which no endless file fits.
const MEMORY_MIB: u64 = 1500;

/// The one line of a refused command.
fn refused(place: &Place, words: &[&str]) -> String {
    let output = place.gyre(MEMORY_MIB, words);
    assert!(matches!(output.status.code(), Some(1 | 2)), "{words:?}: {}", told(&output));
    told(&output)
}

#[test]
fn a_configuration_ends() {
    let place = Place::new();
    let configure = |line: &str| {
        let text = format!("WorkDir: {}\n# a comment\n{line}\n", place.path().display());
        fs::write(place.path().join("mrtg.cfg"), text).unwrap();
    };
    let large = fs::File::create(place.path().join("large.inc")).unwrap();
    large.set_len(3 << 30).unwrap();
    let mkfifo = std::process::Command::new("mkfifo").arg(place.path().join("pipe.inc")).status();
    assert!(mkfifo.unwrap().success());
    for (line, words) in [
        ("Include: /dev/zero", "/dev/zero"),
        ("Include: /dev/zer*", "/dev/zero"),
        ("Include: large.inc", "large.inc"),
        ("Include: larg*.inc", "large.inc"),
    ] {
        configure(line);
        for verb in ["run", "plan", "doctor"] {
            let error = refused(&place, &[verb, "mrtg.cfg"]);
            let is_told = error.contains("mrtg.cfg:3: ") && error.contains(words);
            assert!(is_told, "{verb} {line}: {error}");
        }
    }
    // It does not wait on a pipe that no process writes.
    configure("Include: pipe.inc");
    place.gyre(MEMORY_MIB, &["plan", "mrtg.cfg"]);
    let error = refused(&place, &["run", "/dev/zero"]);
    assert!(error.contains("/dev/zero"), "{error}");
    configure(&format!("Include: {}*", "{a,b}".repeat(60)));
    let error = refused(&place, &["run", "mrtg.cfg"]);
    assert!(error.contains("mrtg.cfg:3: ") && error.contains("1000 patterns"), "{error}");
    // Trying every length for every star would take longer than the universe exists.
    fs::write(place.path().join("a".repeat(200)), "").unwrap();
    configure(&format!("Include: {}b", "a*".repeat(60)));
    place.gyre(MEMORY_MIB, &["plan", "mrtg.cfg"]);
}

#[test]
fn a_document_begins_with_a_tag() {
    let place = Place::new();
    refused(&place, &["restore", "/dev/zero", "a.rrd"]);
    let output =
        place.shell(MEMORY_MIB, "cat /dev/zero | \"$0\" \"$@\"", &["restore", "-", "a.rrd"]);
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    // An endless document of blanks and comments ends at the memory bound.
    let script = "{ echo '<rrd>'; yes '<!-- a comment -->'; } | \"$0\" \"$@\"";
    let output = place.shell(200, script, &["restore", "-", "a.rrd"]);
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
}

#[test]
fn a_line_of_the_pipe_mode_ends() {
    let place = Place::new();
    let script = "{ head -c 300000000 /dev/zero; echo; echo pwd; } | \"$0\" -";
    let output = place.shell(400, script, &[]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?} {}", told(&output));
    assert!(lines[0].starts_with("ERROR: a line of more than"), "{lines:?}");
    assert!(lines[2].starts_with("OK u:"), "{lines:?}");
}
