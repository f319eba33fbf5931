//! `-B`, `-R` and `-O`.

use std::os::unix::fs::symlink;

use crate::room::{OURS, Room, SOURCES};

#[test]
fn nothing_outside_is_reached() {
    let room = Room::new();
    let daemon = room.start(OURS, &[]);
    room.create("a.rrd");
    drop(daemon);
    let outside = room.path("outside");
    std::fs::create_dir(&outside).unwrap();
    let secret = outside.join("o.rrd");
    std::fs::copy(room.base().join("a.rrd"), &secret).unwrap();
    let before = std::fs::read(&secret).unwrap();
    symlink(&outside, room.base().join("link")).unwrap();
    symlink(&secret, room.base().join("leaf.rrd")).unwrap();
    symlink("a.rrd", room.base().join("inside.rrd")).unwrap();
    let _daemon = room.start(OURS, &["-B", "-R"]);
    let mut client = room.client();
    let base = room.base();
    let absolute = secret.to_str().unwrap();
    for path in
        ["link/o.rrd", "leaf.rrd", "../outside/o.rrd", "sub/../../outside/o.rrd", absolute, ".."]
    {
        let spelled =
            if path.starts_with('/') { path.into() } else { format!("{}/{path}", base.display()) };
        let denied = format!("-1 {spelled}: Permission denied\n");
        for command in ["FLUSH", "INFO", "LAST", "FORGET", "DUMP", "TUNE"] {
            assert_eq!(client.ask(&format!("{command} {path}")), denied, "{command}");
        }
        assert_eq!(client.ask(&format!("FIRST {path} 0")), denied);
        assert_eq!(client.ask(&format!("FETCH {path} AVERAGE")), denied);
        assert_eq!(client.ask(&format!("UPDATE {path} 1000000060:1:2")), denied);
        assert_eq!(client.ask(&format!("CREATE {path} {SOURCES}")), denied);
        for (option, kind) in [("-r", "source"), ("-t", "template")] {
            let told = client.ask(&format!("CREATE n.rrd {option} {path} {SOURCES}"));
            assert_eq!(told, format!("-1 RRD Error: Cannot open {kind} RRD {path}\n"));
        }
    }
    for list in ["LIST /link", "LIST RECURSIVE /link", "LIST /link/o.rrd"] {
        assert!(client.ask(list).ends_with("Permission denied\n"), "{list}");
    }
    assert_eq!(client.ask("LIST /leaf*"), client.ask("LIST /none*").replace("none", "leaf"));
    assert!(!client.ask("LIST RECURSIVE /").contains("o.rrd"));
    assert!(!client.ask("LIST /").contains("link"));
    // A link that stays inside is one name more.
    assert_eq!(client.ask("UPDATE inside.rrd 1000000060:1:2"), "0 errors, enqueued 1 value(s).\n");
    assert_eq!(client.ask("PENDING a.rrd"), "1 updates pending\n1000000060:1:2\n");
    assert_eq!(std::fs::read(&secret).unwrap(), before);
}

#[test]
fn directories_are_made_below_the_base_directory_only() {
    let room = Room::new();
    let _daemon = room.start(OURS, &["-B", "-R"]);
    let mut client = room.client();
    assert_eq!(client.ask(&format!("CREATE x/y/z.rrd {SOURCES}")), "0 RRD created OK\n");
    assert!(room.base().join("x/y/z.rrd").is_file());
    let told = client.ask(&format!("CREATE ../w/z.rrd {SOURCES}"));
    assert!(told.ends_with("Permission denied\n") && !room.path("w").exists());
    let told = client.ask(&format!("CREATE x/y/z.rrd/f.rrd {SOURCES}"));
    assert!(told.starts_with("-1 "), "{told}");
}

#[test]
fn nothing_is_made_anew_with_o() {
    let room = Room::new();
    let _daemon = room.start(OURS, &["-O"]);
    room.create("a.rrd");
    let told = room.client().ask(&format!("CREATE a.rrd {SOURCES}"));
    let expected =
        format!("-1 RRD Error: creating '{}': File exists\n", room.base().join("a.rrd").display());
    assert_eq!(told, expected);
}
