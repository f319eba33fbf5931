//! A ring store that another process serves, from a program that forks and closes what it did not
//! open.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::Stdio;

use ring::{RingOptions, RingStore};

use crate::c_programs::compiled;
use crate::daemon::{Daemon, Whose};
use crate::library::{Library, place};

/// What the program says until the server is taken from it.
const FIRST: &str = "create: 0 failed ''
updates: 0 failed ''
descriptors more: 0
beside a child: 0 failed ''
child: 0 failed ''
after closing all: 0 failed ''
spoiled: 0
over to you
";

#[test]
fn a_connection_that_is_kept_harms_nobody() {
    let place = place();
    let Some(program) = compiled("served_store", place.path()) else { return };
    let options = RingOptions::default();
    RingStore::create(&place.path().join("store"), options).unwrap().close().unwrap();
    let server = serve(place.path());
    let mut command = Library::Ours.command(&program);
    command.current_dir(place.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut running = command.spawn().unwrap();
    let mut told = BufReader::new(running.stdout.take().unwrap());
    let mut said = String::new();
    while !said.ends_with("over to you\n") && told.read_line(&mut said).unwrap() > 0 {}
    assert_eq!(said, FIRST);

    let mut stdin = running.stdin.take().unwrap();
    let mut go_on = || {
        stdin.write_all(b"\n").unwrap();
        let mut line = String::new();
        told.read_line(&mut line).unwrap();
        line
    };
    drop(server);
    assert_eq!(go_on(), "after the server: 0 failed ''\n", "nobody has it open");
    let server = serve(place.path());
    assert_eq!(go_on(), "after the server: 0 failed ''\n", "a server came");
    drop(server);
    let server = serve(place.path());
    assert_eq!(go_on(), "after the server: 0 failed ''\n", "another came in its place");
    drop(stdin);
    let mut rest = String::new();
    told.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "last: 1129, 999\n");
    assert!(running.wait().unwrap().success());
    drop(server);
}

/// What `rrd_open` shows of a database that has no file.
const OPENED: &str = "0003 1 a 10, last 1000000002
read 8: 4
write -1: attempting to write to a file that is open for reading
lock -1: a database of a ring store has no file that could be locked
close 0
0: 'store/a.rrd' is in a ring store: it can be opened for reading alone
0: opening 'store/none.rrd': No such file or directory
";

#[test]
fn a_database_without_a_file_is_opened_as_a_copy() {
    let place = place();
    let Some(program) = compiled("stored", place.path()) else { return };
    let options = RingOptions::default();
    RingStore::create(&place.path().join("store"), options).unwrap().close().unwrap();
    let mut command = Library::Ours.command(&program);
    assert_eq!(Library::Ours.said(command.current_dir(place.path())), OPENED);
}

/// A server of the store in a directory.
fn serve(place: &Path) -> Daemon {
    let at = |name: &str| place.join(name).display().to_string();
    let options = ["-g".into(), format!("-lunix:{}", at("own")), format!("-p{}", at("pid"))];
    let options = [&options[..], &["--store".into(), at("store")]].concat();
    let daemon = Daemon::start_with(Whose::Ours, &options, &place.join("store/socket"));
    daemon.expect("our daemon is always there")
}
