//! The group that may reach a ring store at the socket in its directory.

use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use crate::room::{Client, OURS, Room, wait_until};

#[test]
fn the_socket_of_a_store_gets_the_group_that_is_asked_for() {
    let room = Room::new();
    let store = room.path("store");
    // Only root may give a file to a group that it is not in.
    let group = match rustix::process::geteuid().is_root() {
        true => 12_345,
        false => rustix::process::getegid().as_raw(),
    };
    let words = ["--store", store.to_str().unwrap(), "--store-group", &group.to_string()];
    let _daemon = room.start(OURS, &words);
    let socket = store.join("socket");
    wait_until("the store is served", || UnixStream::connect(&socket).is_ok());
    let found = socket.metadata().unwrap();
    assert_eq!((found.gid(), found.mode() & 0o777), (group, 0o760));
    assert_eq!(Client::connect(&socket).ask("PING"), "0 PONG\n");
}

#[test]
fn a_group_that_there_is_not_is_named_before_anything_is_served() {
    let room = Room::new();
    let store = room.path("store");
    let words = ["--store", store.to_str().unwrap(), "--store-group", "no-such-group", "-g", "-l"];
    let mut command = room.command(OURS, &words);
    let ended = command.arg(room.socket()).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(ended.status.code(), Some(5));
    let said = String::from_utf8(ended.stderr).unwrap();
    let expected = "--store-group: couldn't map \"no-such-group\" to a group, Sorry\n";
    assert!(said.ends_with(expected), "{said}");
    assert!(!room.socket().exists());
}
