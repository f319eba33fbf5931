//! StatsD's intervals.

use std::time::Duration;

use intake::Protocol;

use crate::world::{BOTH, Kept, World, now_seconds};

#[test]
fn an_interval_is_summed_up_whatever_carries_its_lines() {
    for kept in BOTH {
        let second = |options: &mut agents::Options| {
            options.statsd_interval = Duration::from_secs(1);
        };
        let world = World::with(kept, second);
        // What a client for Node.js sends: one metric, or several with ends of lines between them.
        world.send_datagram(Protocol::Statsd, b"api.hits:3|c|@0.1");
        world.send_datagram(Protocol::Statsd, b"queue:5|g\nqueue:+2|g\ntime:320|ms\n");
        world.send(Protocol::Statsd, b"backlog:+8|g\nusers:alice|s\nwrong\n");
        world.wait_wrong(Protocol::Statsd, 1);
        let names = [
            "counters/api/hits/rate",
            "counters/api/hits/count",
            "timers/time/mean",
            "sets/users/count",
        ];
        for name in names {
            let name = format!("stats/{name}.rrd");
            world.wait_until(&name, |world| world.names().contains(&name));
        }
        for (name, value) in [("queue", "7"), ("backlog", "8")] {
            let name = format!("stats/gauges/{name}.rrd");
            world.wait_until(&name, |world| {
                world.names().contains(&name) && world.last(&name).1 == [value]
            });
        }
        let (time, _) = world.last("stats/gauges/queue.rrd");
        assert!((now_seconds() - time).abs() <= 2, "{time}");
        let taken = world.outcomes(Protocol::Statsd).taken;
        world
            .wait_until("another interval", |world| world.outcomes(Protocol::Statsd).taken > taken);
    }
}

#[test]
fn an_interval_that_is_cut_off_is_stored_at_the_end() {
    let hour = |options: &mut agents::Options| options.statsd_interval = Duration::from_secs(3600);
    let mut world = World::with(Kept::Files, hour);
    world.send_datagram(Protocol::Statsd, b"hits:7|c");
    world.send(Protocol::Statsd, b"hits:4|c\nwrong\n");
    world.wait_wrong(Protocol::Statsd, 1);
    world.stop();
    assert_eq!(world.last("stats/counters/hits/count.rrd").1, ["11"]);
    assert_eq!(world.outcomes(Protocol::Statsd).taken, 2);
}
