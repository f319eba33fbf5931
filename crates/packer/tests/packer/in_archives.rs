//! Tar archives.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

use packer::{Moment, gzip, tar};

use crate::made_up::{MOMENT, contents};

#[test]
fn an_archive_tells_no_machine_and_no_time_of_its_making() {
    let archive = tar(&contents(), "./", MOMENT).unwrap();
    assert_eq!(archive, tar(&contents(), "./", MOMENT).unwrap());
    let listed = listed_by_tar(&archive);
    let expected = "\
drwxr-xr-x 0/0 2026-11-27 17:45 ./
drwxr-xr-x 0/0 2026-11-27 17:45 ./etc/
-rw-r--r-- 0/0 2026-11-27 17:45 ./etc/one
drwxr-xr-x 0/0 2026-11-27 17:45 ./usr/
drwxr-xr-x 0/0 2026-11-27 17:45 ./usr/bin/
-rwxr-xr-x 0/0 2026-11-27 17:45 ./usr/bin/one
lrwxrwxrwx 0/0 2026-11-27 17:45 ./usr/bin/other -> one
drwxr-xr-x 0/0 2026-11-27 17:45 ./usr/share/
drwxr-xr-x 0/0 2026-11-27 17:45 ./usr/share/one/
-rw-r--r-- 0/0 2026-11-27 17:45 ./usr/share/one/text
drwxr-xr-x 0/0 2026-11-27 17:45 ./var/
drwxr-xr-x 0/0 2026-11-27 17:45 ./var/lib/
drwxr-xr-x 7/7 2026-11-27 17:45 ./var/lib/one/
";
    assert_eq!(listed, expected);
}

#[test]
fn the_time_is_all_that_a_later_commit_changes() {
    let later = Moment { seconds: MOMENT.seconds + 1 };
    let [one, other] = [MOMENT, later].map(|moment| tar(&contents(), "", moment).unwrap());
    assert_eq!(one.len(), other.len());
    assert_ne!(one, other);
}

#[test]
fn a_name_that_is_too_long_is_refused() {
    let mut contents = contents();
    contents.file(&"n".repeat(101), Vec::new());
    let refused = tar(&contents, "", MOMENT).unwrap_err().to_string();
    assert!(refused.starts_with("name: nnn") && refused.ends_with("into the archive"), "{refused}");
}

#[test]
fn what_is_compressed_has_no_time() {
    let packed = gzip(b"some text");
    assert_eq!(packed[4..8], [0; 4], "the time of gzip's head");
    let mut text = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text, "some text");
}

/// As the tar of the machine reads it: mode, owner, time, name.
fn listed_by_tar(archive: &[u8]) -> String {
    let mut command = Command::new("tar");
    command.args(["-tvf-", "--numeric-owner"]).env("TZ", "UTC");
    let mut tar = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = tar.stdin.take().unwrap();
    input.write_all(archive).unwrap();
    drop(input);
    let output = tar.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let without_size = [&words[..2], &words[3..]].concat();
        without_size.join(" ") + "\n"
    };
    text.lines().map(line).collect()
}
