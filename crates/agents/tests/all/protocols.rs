//! Each protocol by sockets of the test's own.

use std::io::Write as _;
use std::net::{TcpListener, UdpSocket};
use std::sync::Arc;

use agents::{Collectd, ListenError, Listeners, Listening, Options};
use intake::{Intake, Limits, Outcomes, Protocol, Rules, Tallies};
use senders::collectd::{Level, Security};
use store::Rooted;

use crate::world::{BOTH, Kept, World, loopback, now_seconds};

#[test]
fn graphite_comes_over_tcp_and_udp() {
    for kept in BOTH {
        let world = World::new(kept);
        let now = now_seconds();
        let mut connection = world.connect(Protocol::Graphite);
        // A line in parts, and the end of one with the beginning of the next.
        for part in ["a.b 1", &format!(" {}\na.", now - 60), &format!("b 2.5 {now}\r\n")] {
            connection.write_all(part.as_bytes()).unwrap();
            connection.flush().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        world.wait_taken(Protocol::Graphite, 2);
        assert_eq!(world.last("a/b.rrd"), (now, vec!["2.5".into()]));
        // A datagram's last line may lack its end.
        let lines = format!("c;k=v 3 {now}\nd 4 {now}");
        world.send_datagram(Protocol::Graphite, lines.as_bytes());
        world.wait_taken(Protocol::Graphite, 4);
        assert_eq!(world.names(), ["a/b.rrd", "c/k=v.rrd", "d.rrd"]);
        assert_eq!(world.outcomes(Protocol::Graphite).made, 3);
        assert_eq!(world.told(), [""; 0]);
    }
}

#[test]
fn the_time_of_arrival_is_taken_where_none_is_sent() {
    let world = World::new(Kept::Ring);
    let begin = now_seconds();
    world.send(Protocol::Graphite, b"a 1 -1\nb 2 N\n");
    world.send_datagram(Protocol::Influx, b"m,k=v value=3\n");
    world.wait_taken(Protocol::Graphite, 2);
    world.wait_taken(Protocol::Influx, 1);
    for (name, value) in [("a.rrd", "1"), ("b.rrd", "2"), ("m/k=v.rrd", "3")] {
        let (time, readings) = world.last(name);
        assert!((begin..=now_seconds()).contains(&time), "{name}: {time}");
        assert_eq!(readings, [value]);
    }
}

#[test]
fn influx_lines_come_over_udp() {
    for kept in BOTH {
        let world = World::new(kept);
        let nanos = |seconds: i64| seconds * 1_000_000_000;
        let now = now_seconds();
        let text = format!(
            "cpu,host=web1 idle=97.5,jobs=3i,note=\"text\" {}\ncpu,host=web1 idle=x {}\n",
            nanos(now),
            nanos(now)
        );
        world.send_datagram(Protocol::Influx, text.as_bytes());
        world.wait_taken(Protocol::Influx, 2);
        world.wait_wrong(Protocol::Influx, 1);
        assert_eq!(world.names(), ["cpu_idle/host=web1.rrd", "cpu_jobs/host=web1.rrd"]);
        let told = world.told();
        assert_eq!(told.len(), 1);
        assert!(
            told[0].ends_with(
                "byte 20 of a line: expected a number, true, false or a text in quotation marks"
            ),
            "{told:?}"
        );
    }
}

const PACKETS: [(&[u8], Level); 3] = [
    (include_bytes!("../../../senders/tests/golden/collectd/plain.bin"), Level::None),
    (include_bytes!("../../../senders/tests/golden/collectd/signed.bin"), Level::Sign),
    (include_bytes!("../../../senders/tests/golden/collectd/encrypted.bin"), Level::Encrypt),
];

#[test]
fn packets_of_collectd_are_as_secure_as_they_must_be() {
    for (nth, (_, level)) in PACKETS.iter().enumerate() {
        let users = "alice: rosebud\nbob: swordfish\n";
        let security = Security::of_text(*level, users).unwrap();
        let world = World::with(Kept::Ring, |options| options.collectd.security = security);
        for (packet, _) in &PACKETS {
            world.send_datagram(Protocol::Collectd, packet);
        }
        world.wait_wrong(Protocol::Collectd, nth as u64);
        world.wait_until("a packet's samples", |world| {
            let Outcomes { taken, made, .. } = world.outcomes(Protocol::Collectd);
            taken >= 16 && made >= 16
        });
        assert!(
            world.names().contains(&"web1/interface-lo/if_octets.rrd".to_owned()),
            "{:?}",
            world.names()
        );
        assert_eq!(world.told().len(), usize::from(nth > 0), "{:?}", world.told());
    }
}

#[test]
fn users_of_collectd_can_be_told_anew() {
    let world = World::new(Kept::Ring);
    let security = Security::of_text(Level::Encrypt, "alice: rosebud").unwrap();
    world.listeners().set_collectd(Collectd { security, ..Collectd::default() });
    world.send_datagram(Protocol::Collectd, PACKETS[0].0);
    world.wait_wrong(Protocol::Collectd, 1);
    assert_eq!(world.outcomes(Protocol::Collectd), Outcomes::default());
}

#[test]
fn a_socket_that_cannot_be_made_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let open = |protocol, address| {
        let store = Arc::new(files::RrdFiles::below(directory.path()));
        let limits = Limits::default();
        let intake = Intake::new(Rooted::new(store), Rules::default(), limits, [1, 2]);
        let all = [loopback(Protocol::Influx), Listening { protocol, address }];
        let tallies = Arc::new(Tallies::default());
        let options = Options::new(Arc::new(|_| ()));
        Listeners::open(&all, Arc::new(intake), tallies, options)
            .err()
            .map(|it: ListenError| it.to_string())
    };
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = tcp.local_addr().unwrap();
    let used = |transport| format!("listening on {at} for {transport}: Address already in use");
    assert_eq!(open(Protocol::Pickle, at), Some(used("pickle over TCP")));
    drop(tcp);
    assert_eq!(open(Protocol::Pickle, at), None);
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let at = udp.local_addr().unwrap();
    let used = format!("listening on {at} for statsd over UDP: Address already in use");
    assert_eq!(open(Protocol::Statsd, at), Some(used));
    let http = open(Protocol::RemoteWrite, at).unwrap();
    assert_eq!(
        http,
        format!(
            "listening on {at} for remote_write: expected a protocol that does not come by HTTP"
        )
    );
}
