//! No text makes the reader panic, and its time grows at most linearly with the text.
#![allow(clippy::disallowed_methods, reason = "measures time")]

mod support;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

use mrtg::Configuration;
use proptest::prelude::*;
use support::{Memory, PREFACE, read};

/// Reading succeeds, or gives an error of one line.
fn reads_or_explains(text: &[u8]) {
    match read(text) {
        Ok(configuration) => {
            for target in &configuration.targets {
                let _ = target.settings.definition();
                let _ = target.reading(mrtg::Direction::In, |_, _| Some(mrtg::Number::from(7_u64)));
            }
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.starts_with("mrtg.cfg"), "{message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }
}

fn piece() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "1",
        "-1",
        "#eth0",
        "\\a\\ b\\:",
        "/1.2.3.4",
        "!0-1-2",
        "%6",
        ":",
        "&",
        "@",
        "public",
        "host",
        "[::1]",
        ":161",
        ":::::2",
        "ifInOctets",
        ".1.3.6.1",
        "IndexPOS",
        "WaLK3",
        "GeTNEXT",
        "`",
        "echo",
        " ",
        "+",
        " - ",
        "*",
        "/",
        "(",
        ")",
        "1e999",
        "0.1",
        "|f",
        "\\",
        "PseudoZero",
        "\t",
    ]);
    prop_oneof![8 => known.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)]
}

fn line() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "Target",
        "Title",
        "MaxBytes",
        "AbsMax",
        "Options",
        "SetEnv",
        "kMG",
        "Factor",
        "XSize",
        "SnmpOptions",
        "Unscaled",
        "RRDRowCount",
        "Colors",
        "t*x",
        "NoHC",
        "Directory",
        "Bogus",
    ]);
    let global = prop::sample::select(vec![
        "Interval",
        "WorkDir",
        "Refresh",
        "SnmpOptions",
        "NoSpaceChar",
        "LogFormat",
        "Include",
    ]);
    let name = prop::sample::select(vec!["a", "_", "^", "$", "b]", "é", "../x", "\u{1}"]);
    let value = prop_oneof![
        prop::collection::vec(piece(), 0..12).prop_map(|pieces| pieces.concat()),
        "[ -~]{0,12}",
        "[0-9:.]{0,8}",
        Just("A=\"b\" C=\"d\"".to_owned()),
        Just("timeout => 3, x => 'y'".to_owned()),
    ];
    prop_oneof![
        6 => (key, name, value.clone()).prop_map(|(key, name, value)| format!("{key}[{name}]: {value}")),
        2 => (global, value.clone()).prop_map(|(key, value)| format!("{key}: {value}")),
        2 => value,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        reads_or_explains(&bytes);
    }

    #[test]
    fn any_target(pieces in prop::collection::vec(piece(), 0..30)) {
        reads_or_explains(format!("{PREFACE}Target[a]: {}\n", pieces.concat()).as_bytes());
    }

    #[test]
    fn any_lines(lines in prop::collection::vec(line(), 0..12)) {
        reads_or_explains(format!("{PREFACE}{}", lines.join("\n")).as_bytes());
    }

    #[test]
    fn a_real_file_with_damage(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>()), 1..8),
    ) {
        let mut text = include_bytes!("cfgmaker/name.cfg").to_vec();
        for (place, kind, byte) in edits {
            text.push(b'\n');
            let at = place.index(text.len());
            match kind {
                0 => text[at] = byte,
                1 => { text.remove(at); }
                2 => text.insert(at, byte),
                _ => text.truncate(at),
            }
        }
        reads_or_explains(&text);
    }
}

/// A configuration as cfgmaker would write it for many devices of 48 ports.
fn large(targets: usize) -> String {
    let mut text = PREFACE.to_owned() + "Options[_]: growright, bits\nPageTop[^]: <h1>x</h1>\n";
    for nth in 0..targets {
        let (device, port) = (nth / 48, nth % 48 + 1);
        let name = format!("10.{}.{}.1_{port}", device / 256, device % 256);
        let host = name.split('_').next().unwrap();
        writeln!(
            text,
            "Target[{name}]: #Gi0/{port}:public@{host}:::::2\n\
             SetEnv[{name}]: MRTG_INT_IP=\"\" MRTG_INT_DESCR=\"Gi0/{port}\"\n\
             MaxBytes[{name}]: 125000000\nTitle[{name}]: Traffic of port {port} of {host}\n\
             PageTop[{name}]: <h1>Traffic of port {port} of {host}</h1>\n\t\t<table>\n\t\t\t\
             <tr><td>Max Speed:</td><td>1000 Mbits/s</td></tr>\n\t\t</table>\n"
        )
        .unwrap();
    }
    text
}

fn seconds_to_read(text: &str) -> f64 {
    let source = Memory::with(&[("mrtg.cfg", text.as_bytes())]);
    let start = Instant::now();
    let configuration = Configuration::read(Path::new("mrtg.cfg"), &source).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(configuration.polls.len(), configuration.targets.len());
    seconds
}

#[test]
fn time_grows_with_the_text() {
    let best = |targets| {
        let text = large(targets);
        (0..3).map(|_| seconds_to_read(&text)).fold(f64::INFINITY, f64::min)
    };
    let (small, big) = (best(3_000), best(24_000));
    // Eight times the text would take 64 times as long if anything were quadratic.
    assert!(big < 30.0 * small, "{small} s for 3,000 targets, {big} s for 24,000");
}

#[test]
fn hostile_lines_take_little_time() {
    let texts = [
        "1-".repeat(100_000),
        "\\:".repeat(100_000),
        "#a\\:".repeat(50_000),
        "(".repeat(200_000),
        "1.".repeat(100_000),
        "`a`+".repeat(50_000),
        "a&".repeat(100_000),
        "1:a ".repeat(50_000),
        "1+#\\:\\:\\:".repeat(20_000),
        "1.3&1.3:a".repeat(20_000),
        "- 1 ".repeat(50_000),
    ];
    let start = processor_seconds();
    for text in texts {
        reads_or_explains(format!("{PREFACE}Target[a]: {text}\n").as_bytes());
    }
    let seconds = processor_seconds() - start;
    assert!(seconds < 20.0, "{seconds} s");
}

/// Of this thread, so that other programs do not count.
fn processor_seconds() -> f64 {
    let told = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    told.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// `cargo test --release -p mrtg --test all robustness -- --ignored --nocapture` prints the figure.
#[test]
#[ignore = "a measurement, for release builds"]
fn how_long_320_000_targets_take() {
    let text = large(320_000);
    println!("{} MB: {:.2} s", text.len() / 1_000_000, seconds_to_read(&text));
}

fn mib_piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "b",
        "B",
        "OBJECT-TYPE",
        "OBJECT IDENTIFIER",
        "::=",
        "{",
        "}",
        "(",
        ")",
        "7",
        "iso",
        "99999999999",
        "--",
        "\"",
        "\n",
        ";",
        "IMPORTS",
        "SEQUENCE",
        " ",
        "-",
        "::",
        ",",
    ])
}

proptest! {
    /// Whatever a MIB file holds, the configuration is read, with a note at most.
    #[test]
    fn any_mib_file(
        words in prop::collection::vec(mib_piece(), 0..60),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let text = format!("{PREFACE}LoadMIBs: words bytes\nTarget[t]: a.1&b.2:p@h\n");
        let words = words.join(" ");
        let files: [(&str, &[u8]); 3] =
            [("mrtg.cfg", text.as_bytes()), ("words", words.as_bytes()), ("bytes", &bytes)];
        let read = Configuration::read(Path::new("mrtg.cfg"), &Memory::with(&files)).unwrap();
        prop_assert_eq!(read.targets.len(), 1);
    }
}
