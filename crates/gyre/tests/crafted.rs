//! Malicious files and documents: every verb answers each of them with an error or with the
//! readable part, and does not crash, hang or use gigabytes.
//!
//! There are examples of each kind that users have reported of rrdtool: counts whose products
//! overflow, row pointers out of range, texts without an end, far too many rows, negative values.
#![allow(clippy::disallowed_methods)] // the test starts programs and makes their files

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The most address space of a process.
const MEMORY_KIB: u64 = 2_000_000;
/// The most processor time of a process, so that a hang is a failure.
const SECONDS: u64 = 60;

/// The offsets of the file's parts: two sources, three archives.
mod place {
    pub(super) const SOURCE: usize = 128;
    pub(super) const ARCHIVE: usize = SOURCE + 2 * 120;
    pub(super) const LIVE: usize = ARCHIVE + 3 * 120;
    pub(super) const PDP: usize = LIVE + 16;
    pub(super) const CDP: usize = PDP + 2 * 112;
    pub(super) const POINTER: usize = CDP + 2 * 3 * 80;
    pub(super) const ROWS: usize = POINTER + 3 * 8;
}

const VERBS: &[&str] = &[
    "info @",
    "first @",
    "first @ --rraindex 2",
    "last @",
    "lastupdate @",
    "fetch @ AVERAGE -s 1000000000 -e 1000003000",
    "fetch @ MAX -s 999500000 -e 1000500000 -r 1",
    "dump @",
    "dump @ -h xsd",
    "graph g.png -s 1000000000 -e 1000003000 DEF:a=@:a:AVERAGE PRINT:a:AVERAGE:%lf LINE:a#ff0000",
    "xport -s 1000000000 -e 1000003000 DEF:a=@:a:AVERAGE XPORT:a",
    "updatev @ 1000003000:1:2",
    "update @ 1000006000:1:2",
    "update @ 9000000000:1:2",
    "update -t b:a @ 9000000300:1:2",
    "tune @ -h a:900",
    "tune @ -r a:c",
    "tune @ RRA#0:+3",
    "tune @ DEL:b",
    "resize @ 0 GROW 5",
    "list .",
    "list ./@",
    "flushcached @",
    "create new.rrd -r @ DS:a:GAUGE:600:U:U RRA:AVERAGE:0.5:1:5",
    "create new.rrd -t @",
];

#[test]
fn files_do_no_harm() {
    let directory = tempfile::tempdir().unwrap();
    let program = program(directory.path());
    let good = good_file(directory.path(), &program);
    assert_eq!(&good[place::ARCHIVE..place::ARCHIVE + 7], b"AVERAGE", "the places are right");
    assert!(good.len() > place::ROWS);
    let (mut files, mut replies) = (0, 0);
    for (what, bytes) in crafted(&good) {
        let mut commands = String::new();
        for (nth, verb) in VERBS.iter().enumerate() {
            let name = format!("f{nth}.rrd");
            fs::write(directory.path().join(&name), &bytes).unwrap();
            commands += &verb.replace('@', &name);
            commands.push('\n');
        }
        let output = fed(&program, directory.path(), &["-"], &commands);
        let ends = output.stdout.split(|byte| *byte == b'\n');
        let answered =
            ends.filter(|line| line.starts_with(b"OK u:") || line.starts_with(b"ERROR: ")).count();
        assert!(output.status.success(), "{what}: {:?} {output:?}", output.status);
        assert_eq!(answered, VERBS.len(), "{what}: {}", String::from_utf8_lossy(&output.stdout));
        files += 1;
        replies += answered;
    }
    assert!(files > 250, "{files} files, {replies} replies");
}

#[test]
fn documents_do_no_harm() {
    let directory = tempfile::tempdir().unwrap();
    let program = program(directory.path());
    good_file(directory.path(), &program);
    let dump = fed(&program, directory.path(), &["dump", "good.rrd"], "").stdout;
    let dump = String::from_utf8(dump).unwrap();
    let restored = directory.path().join("new.rrd");
    let restore = |text: &str| {
        fs::write(directory.path().join("a.xml"), text).unwrap();
        let output = fed(&program, directory.path(), &["restore", "a.xml", "new.rrd"], "");
        let made = fs::remove_file(&restored).is_ok();
        assert_eq!(output.status.success(), made, "{output:?}");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(restore(&dump).0, Some(0), "the document is whole");
    for (from, to) in crafted_elements() {
        assert!(dump.contains(from), "{from}");
        let text = dump.replacen(from, &to, 1);
        let (code, words) = restore(&text);
        assert_eq!(code, Some(1), "{from} -> {:.60}: {words}", to);
        assert!(words.starts_with("ERROR: ") && words.len() < 500, "{:.60}: {words}", to);
    }
    for end in (0..dump.len()).step_by(dump.len() / 97) {
        assert_eq!(restore(&dump[..end]).0, Some(1), "cut off at {end}");
    }
    let deep = "<rrd>".repeat(200_000);
    let entities =
        "<!DOCTYPE rrd [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]><rrd>&b;</rrd>";
    for text in ["", "<rrd/>", "<rrd></rrd>", "RRD\0", "\u{feff}", "<a>", &deep, entities] {
        assert_eq!(restore(text).0, Some(1), "{text:.60}");
    }
}

/// Replacements for an element of a dump.
fn crafted_elements() -> Vec<(&'static str, String)> {
    let put = |from, to: &str| (from, to.to_owned());
    let mut all = vec![
        put("<step>300</step>", "<step>0</step>"),
        put("<step>300</step>", "<step>-300</step>"),
        put("<step>300</step>", "<step>18446744073709551615</step>"),
        put("<step>300</step>", "<step>99999999999999999999999</step>"),
        put("<step>300</step>", ""),
        put("<lastupdate>", "<lastupdate>-"),
        put("<lastupdate>", "<lastupdate>9999999999999999999"),
        put("<pdp_per_row>1</pdp_per_row>", "<pdp_per_row>0</pdp_per_row>"),
        put("<pdp_per_row>1</pdp_per_row>", "<pdp_per_row>-1</pdp_per_row>"),
        put("<pdp_per_row>1</pdp_per_row>", "<pdp_per_row>18446744073709551615</pdp_per_row>"),
        put("<pdp_per_row>1</pdp_per_row>", "<pdp_per_row>1e5</pdp_per_row>"),
        put("<cf>AVERAGE</cf>", "<cf>NOTHING</cf>"),
        put("<cf>AVERAGE</cf>", ""),
        put("<name> a </name>", "<name></name>"),
        put("<type> GAUGE </type>", "<type> NOTHING </type>"),
        put("<row>", "<row><v>1</v>"),
        put("<row>", "<row><w>1</w>"),
        put("<database>", "<database><row></row>"),
        put("<database>", "<database><x/>"),
        put("<cdp_prep>", "<cdp_prep><x/>"),
        put("</rrd>", "<rra></rra></rrd>"),
        put("</rrd>", ""),
        put("<xff>", "<xff>x"),
    ];
    for length in [20, 1000, 100_000] {
        all.push(("<name> a </name>", format!("<name>{}</name>", "n".repeat(length))));
        all.push(("<cf>AVERAGE</cf>", format!("<cf>{}</cf>", "F".repeat(length))));
        all.push(("<last_ds>", format!("<last_ds>{}", "9".repeat(length.max(30)))));
    }
    all
}

fn program(directory: &Path) -> PathBuf {
    let path = directory.join("rrdtool");
    symlink(env!("CARGO_BIN_EXE_gyre"), &path).unwrap();
    path
}

fn good_file(directory: &Path, program: &Path) -> Vec<u8> {
    let commands = "create good.rrd -b 1000000000 DS:a:GAUGE:600:0:100 DS:b:COUNTER:600:U:U \
                    RRA:AVERAGE:0.5:1:20 RRA:MAX:0.5:3:10 RRA:LAST:0.5:6:10\n\
                    update good.rrd 1000000300:5:100 1000000600:7:400 1000001800:9:500\n";
    let output = fed(program, directory, &["-"], commands);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("ERROR"), "{output:?}");
    fs::read(directory.join("good.rrd")).unwrap()
}

/// The output of the program within its limits.
fn fed(program: &Path, directory: &Path, words: &[&str], input: &str) -> Output {
    let script = format!("ulimit -v {MEMORY_KIB}; ulimit -t {SECONDS}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(program).args(words).current_dir(directory);
    command.env_remove("RRDCACHED_ADDRESS").env("TZ", "UTC");
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// Damaged files, each with a description of the damage.
fn crafted(good: &[u8]) -> Vec<(String, Vec<u8>)> {
    let (mut all, mut more) = (Vec::new(), Vec::new());
    let mut put = |what: String, offset: usize, bytes: &[u8]| {
        let mut file = good.to_vec();
        file[offset..offset + bytes.len()].copy_from_slice(bytes);
        all.push((what, file));
    };
    let counts = [
        0,
        1,
        7,
        1000,
        1 << 16,
        (1 << 31) - 1,
        1 << 31,
        u64::from(u32::MAX),
        1 << 32,
        1 << 40,
        u64::MAX / 8 + 1,
        (1 << 63) - 1,
        1 << 63,
        u64::MAX - 7,
        u64::MAX,
    ];
    for (name, offset) in [
        ("ds_cnt", 24),
        ("rra_cnt", 32),
        ("pdp_step", 40),
        ("heartbeat", place::SOURCE + 40),
        ("row_cnt", place::ARCHIVE + 24),
        ("row_cnt of the last", place::ARCHIVE + 2 * 120 + 24),
        ("pdp_cnt", place::ARCHIVE + 32),
        ("pdp_cnt of the second", place::ARCHIVE + 120 + 32),
        ("last_up", place::LIVE),
        ("last_up_usec", place::LIVE + 8),
        ("unknown seconds", place::PDP + 32),
        ("unknown PDPs", place::CDP + 8),
        ("rra_ptr", place::POINTER),
        ("rra_ptr of the last", place::POINTER + 16),
    ] {
        for count in counts {
            put(format!("{name} {count}"), offset, &count.to_le_bytes());
        }
    }
    let values = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1e300, -1e300, 5e-324];
    for (name, offset) in [
        ("minimum", place::SOURCE + 48),
        ("maximum", place::SOURCE + 56),
        ("xff", place::ARCHIVE + 40),
        ("amount", place::PDP + 40),
        ("cell", place::CDP),
        ("row", place::ROWS),
        ("float cookie", 16),
    ] {
        for value in values {
            put(format!("{name} {value}"), offset, &value.to_le_bytes());
        }
    }
    let texts: [&[u8]; 6] = [
        &[b'A'; 20],
        &[0xff; 20],
        b"%s%n%s%n%s%n%s%n%s%n",
        b"\"\n<&>'\\\x1b[2J\0",
        b"\0",
        b"../../\0",
    ];
    for (name, offset) in [
        ("name", place::SOURCE),
        ("type", place::SOURCE + 20),
        ("cf", place::ARCHIVE),
        ("last reading", place::PDP),
        ("last reading of the second", place::PDP + 112 + 10),
        ("version", 4),
    ] {
        for text in texts {
            let room = if name == "version" { 5 } else { 20 };
            let text = &text[..text.len().min(room)];
            put(format!("{name} {text:?}"), offset, text);
        }
    }
    for version in [b"0000", b"0001", b"0002", b"0004", b"0005", b"0006", b"9999", b"abcd"] {
        put(format!("version {version:?}"), 4, version);
    }
    // The kinds of archives with parameters of their own; parameters of a plain archive are
    // appended.
    let kinds = ["HWPREDICT", "MHWPREDICT", "SEASONAL", "DEVSEASONAL", "DEVPREDICT", "FAILURES"];
    for kind in kinds {
        put(format!("cf {kind}"), place::ARCHIVE, &padded(kind));
        put(format!("second cf {kind}"), place::ARCHIVE + 120, &padded(kind));
        let mut file = good.to_vec();
        file[place::ARCHIVE..place::ARCHIVE + 20].copy_from_slice(&padded(kind));
        file[place::ARCHIVE + 40..place::ARCHIVE + 120].fill(0xff);
        more.push((format!("{kind} with all bits set"), file));
    }
    for filling in [0_u8, 1, 19, 20, 0xff] {
        let mut file = good.to_vec();
        file[place::SOURCE + 20..place::SOURCE + 40].copy_from_slice(&padded("COMPUTE"));
        file[place::SOURCE + 40..place::SOURCE + 120].fill(filling);
        more.push((format!("COMPUTE of bytes {filling}"), file));
    }
    for part in [place::SOURCE, place::ARCHIVE, place::LIVE, place::PDP, place::CDP, place::POINTER]
    {
        for end in [part - 1, part, part + 1] {
            more.push((format!("cut off at {end}"), good[..end].to_vec()));
        }
    }
    for end in [0, 1, 4, 127, place::ROWS, good.len() - 8, good.len() - 1] {
        more.push((format!("cut off at {end}"), good[..end].to_vec()));
    }
    all.extend(more);
    all
}

fn padded(text: &str) -> [u8; 20] {
    let mut bytes = [0; 20];
    bytes[..text.len()].copy_from_slice(text.as_bytes());
    bytes
}
