//! Many clients at the same time: single UPDATEs, which are taken together, and clients that say
//! nothing, which take no threads.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::room::{Client, Daemon, OURS, PATIENCE, Room, wait_until};

const FILES: u64 = 10;
/// So many of the clients update the same file, with the same time.
const RIVALS: u64 = 3;
const ROUNDS: u64 = 40;
const TAKEN: &str = "0 errors, enqueued 1 value(s).\n";

/// A client that sends one line at a time, and nothing behind it.
struct Single(BufReader<UnixStream>);

impl Single {
    fn connect(room: &Room) -> Self {
        let stream = UnixStream::connect(room.socket()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(BufReader::new(stream))
    }

    fn say(&mut self, line: &str) {
        self.0.get_mut().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn told(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line
    }
}

fn update(file: u64, round: u64) -> String {
    format!("UPDATE {file}.rrd {}:{round}:2", 1_000_000_060 + round * 60)
}

/// What is pending of a file, without the line before it.
fn pending(client: &mut Client, file: u64) -> Vec<String> {
    client.ask(&format!("PENDING {file}.rrd")).lines().skip(1).map(str::to_owned).collect()
}

fn start(room: &Room, sync: &str) -> Daemon {
    let journal = room.path("journal");
    room.start(OURS, &["-j", journal.to_str().unwrap(), "--sync", sync])
}

/// Each of many clients is told what became of its own update, and nothing that was acknowledged is
/// lost when the daemon is killed.
fn many_clients_update(sync: &str) {
    let room = Room::new();
    let daemon = start(&room, sync);
    (0..FILES).for_each(|file| room.create(&format!("{file}.rrd")));
    let mut clients: Vec<Single> = (0..FILES * RIVALS).map(|_| Single::connect(&room)).collect();
    let mut expected = vec![Vec::new(); FILES as usize];
    for round in 0..ROUNDS {
        for (nth, client) in clients.iter_mut().enumerate() {
            client.say(&update(nth as u64 % FILES, round));
        }
        let told: Vec<String> = clients.iter_mut().map(Single::told).collect();
        for file in 0..FILES {
            let of_file = told.iter().skip(file as usize).step_by(FILES as usize);
            let (taken, refused): (Vec<_>, Vec<_>) = of_file.partition(|reply| *reply == TAKEN);
            assert_eq!(taken.len(), 1, "{told:?}");
            // The words are those of an update that comes with other lines.
            let alone = room.client().ask(&update(file, round));
            assert!(alone.starts_with("-1 illegal attempt to update"), "{alone}");
            assert!(refused.iter().all(|reply| **reply == alone), "{refused:?}, {alone}");
            expected[file as usize]
                .push(update(file, round).split(' ').next_back().unwrap().to_owned());
        }
    }
    let found =
        |client: &mut Client| -> Vec<_> { (0..FILES).map(|file| pending(client, file)).collect() };
    assert_eq!(found(&mut room.client()), expected);
    drop(daemon); // kills it
    let _daemon = start(&room, sync);
    assert_eq!(found(&mut room.client()), expected);
}

#[test]
fn many_clients_update_and_each_waits_for_the_disk() {
    many_clients_update("always");
}

#[test]
fn many_clients_update_and_the_disk_is_synced_now_and_then() {
    many_clients_update("1");
}

/// What a client says while its update before that waits for the disk is heard afterwards.
#[test]
fn clients_that_wait_for_no_reply_are_told_each() {
    for sync in ["always", "1"] {
        let room = Room::new();
        let _daemon = start(&room, sync);
        (0..FILES).for_each(|file| room.create(&format!("{file}.rrd")));
        let mut clients: Vec<Single> = (0..FILES).map(|_| Single::connect(&room)).collect();
        for pair in 0..ROUNDS {
            for round in [2 * pair, 2 * pair + 1] {
                let both = clients.iter_mut().zip(0..);
                both.for_each(|(client, file)| client.say(&update(file, round)));
                // The second one comes at another moment of the first one's way each time.
                std::thread::sleep(Duration::from_micros(pair * 10));
            }
            for client in &mut clients {
                assert_eq!([client.told(), client.told()], [TAKEN, TAKEN]);
            }
        }
    }
}

#[test]
fn a_single_update_is_refused_in_the_same_words_as_one_among_others() {
    let room = Room::new();
    let _daemon = start(&room, "1");
    room.create("0.rrd");
    let mut single = Single::connect(&room);
    single.say(&update(0, 0));
    assert_eq!(single.told(), TAKEN);
    for line in [
        "UPDATE none.rrd 1000000060:1:2",
        "UPDATE 0.rrd 1000000060:1",
        "UPDATE 0.rrd 1000000060:1:2",
        "update 0.rrd N",
        "UPDATE 0.rrd",
        "UPDATE 0.rrd ",
        "UPDATE 0.rrd 1000000600:\u{7}",
        "UPDATE ../0.rrd 1000000600:1:2",
        r"UPDATE no\ ne.rrd 1000000600:1:2",
        "UPDATE  0.rrd 1000000600:1:2",
        "UPDATE ",
        "PING",
    ] {
        single.say(line);
        assert_eq!(single.told(), room.client().ask(line), "{line:?}");
    }
    single.0.get_mut().write_all(b"UPDATE 0.rrd 10000").unwrap();
    std::thread::sleep(Duration::from_millis(20));
    single.say("00600:1:2");
    assert_eq!(single.told(), TAKEN);
    single.say("UPDATE 0.rrd 1000000660:1:2\r");
    assert_eq!(single.told(), TAKEN);
}

/// Threads of the daemon that serve clients.
fn serving(daemon: &Daemon) -> usize {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", daemon.child.id())).unwrap();
    let names = tasks.filter_map(|task| std::fs::read(task.unwrap().path().join("comm")).ok());
    names.filter(|name| name.starts_with(b"gyre-client")).count()
}

#[test]
fn clients_that_say_nothing_take_no_threads() {
    let room = Room::new();
    let daemon = room.start(OURS, &[]);
    let mut clients: Vec<Client> = (0..300).map(|_| room.client()).collect();
    // Each is waited for by a thread of its own for a moment.
    clients.iter_mut().for_each(|client| assert_eq!(client.ask("PING"), "0 PONG\n"));
    // Four that rest, one that hears, and the one that began: it ends last, whether it works or not.
    wait_until("most threads ended", || serving(&daemon) <= 6);
    clients.iter_mut().for_each(|client| assert_eq!(client.ask("PING"), "0 PONG\n"));
}
