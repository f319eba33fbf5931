//! Traffic is a function: it never decreases, never exceeds its line, agrees with its own rate, and
//! has a weekly rhythm.

use proptest::prelude::*;
use simnet::{Config, Direction, Role, Topology, Traffic};
use std::time::Duration;

/// Monday, 16 November 2026, 00:00 UTC.
const MONDAY_SECONDS: u64 = 1_794_787_200;
const WAYS: [Direction; 2] = [Direction::In, Direction::Out];

fn network(seed: u64, devices: u32) -> (Topology, Traffic) {
    let config = Config { seed, devices, ..Config::default() };
    let topology = Topology::new(&config, 16161);
    let traffic = Traffic::new(seed, &topology);
    (topology, traffic)
}

fn at(seconds: f64) -> Duration {
    Duration::from_secs_f64(MONDAY_SECONDS as f64 + seconds)
}

/// Octets between two times of the week.
fn moved(traffic: &Traffic, port: (u32, u32), way: Direction, from: f64, to: f64) -> u64 {
    let octets = |seconds| traffic.octets(port.0, port.1, way, at(seconds));
    octets(to) - octets(from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn counters_never_fall_and_never_outrun_the_line(
        seed in any::<u64>(), device in 0..30u32, port in 1..49u32,
        start_ms in 1_577_000_000_000u64..2_000_000_000_000, steps_ms in proptest::collection::vec(prop_oneof![1..20u64, 1..20_000u64, 1..90_000_000u64], 1..40),
    ) {
        let (topology, traffic) = network(seed, 30);
        let line = topology.devices[device as usize].port(port).unwrap().speed_bits_per_second;
        for way in WAYS {
            let mut time_ms = start_ms;
            let octets = |ms| traffic.octets(device, port, way, Duration::from_millis(ms));
            let mut before = octets(time_ms);
            for step_ms in &steps_ms {
                time_ms += step_ms;
                let now = octets(time_ms);
                prop_assert!(now >= before, "{way:?} falls by {} at {time_ms}", before - now);
                // One octet for each part that is rounded down to whole octets.
                let most = line as f64 / 8.0 * *step_ms as f64 / 1000.0 + 3.0;
                prop_assert!((now - before) as f64 <= most, "{} of {most} in {step_ms} ms", now - before);
                before = now;
            }
        }
    }
}

#[test]
fn the_rate_is_the_slope() {
    let (topology, traffic) = network(3, 10);
    for device in topology.devices.iter() {
        for port in device.ports().step_by(5) {
            let id = (device.number, port.index);
            for way in WAYS {
                let mut sum = 0.0;
                // Five hours of Wednesday morning, by the second.
                for second in 0..18_000 {
                    let time = at(200_000.0 + f64::from(second) + 0.5);
                    sum += traffic.rate(id.0, id.1, way, time);
                }
                let octets = moved(&traffic, id, way, 200_000.0, 218_000.0) as f64;
                assert!(
                    (sum - octets).abs() <= octets * 1e-3 + 3.0,
                    "{} {sum} {octets}",
                    port.name
                );
            }
        }
    }
}

#[test]
fn midnight_and_new_weeks_leave_no_mark() {
    let (_, traffic) = network(4, 3);
    for port in 1..49 {
        for way in WAYS {
            for midnight in [0.0, 86_400.0, 604_800.0] {
                let before = moved(&traffic, (1, port), way, midnight - 10.0, midnight) as f64;
                let after = moved(&traffic, (1, port), way, midnight, midnight + 10.0) as f64;
                assert!(
                    (before - after).abs() <= 0.5 * before.max(after) + 5.0,
                    "{before} {after}"
                );
            }
        }
    }
}

#[test]
fn offices_rest_at_night_and_on_sunday() {
    let (topology, traffic) = network(5, 20);
    let mut desks = 0;
    for device in topology.devices.iter() {
        for port in device.ports().filter(|port| port.role == Role::Access) {
            let id = (device.number, port.index);
            let hours = |day: f64, from: f64, to: f64| {
                let second = |hour: f64| day * 86_400.0 + hour * 3600.0;
                let octets = moved(&traffic, id, Direction::Out, second(from), second(to));
                octets as f64 / (to - from)
            };
            let (noon, night, sunday) =
                (hours(1.0, 9.0, 17.0), hours(1.0, 0.0, 5.0), hours(6.0, 9.0, 17.0));
            assert!(noon > 4.0 * night && noon > 2.0 * sunday, "{noon} {night} {sunday}");
            desks += 1;
        }
    }
    assert!(desks > 300, "{desks} desks");
}

#[test]
fn noise_shows_within_a_minute_and_differs_from_port_to_port() {
    let (topology, traffic) = network(6, 1);
    let uplink = topology.devices[0].ports().find(|port| port.role == Role::Uplink).unwrap();
    let shape = |port: u32| -> Vec<f64> {
        let rate =
            |step: u32| traffic.rate(0, port, Direction::In, at(36_000.0 + f64::from(step) * 10.0));
        let rates: Vec<f64> = (0..30).map(rate).collect();
        rates.iter().map(|rate| rate / rates[0]).collect()
    };
    let (first, second) = (shape(uplink.index), shape(uplink.index + 1));
    let spread = |shape: &[f64]| {
        let high = shape.iter().fold(f64::MIN, |most, rate| most.max(*rate));
        high / shape.iter().fold(f64::MAX, |least, rate| least.min(*rate))
    };
    assert!(spread(&first) > 1.05 && spread(&second) > 1.05);
    assert!(first.iter().zip(&second).any(|(one, other)| (one - other).abs() > 0.05));
}

#[test]
fn both_ends_of_a_link_count_the_same() {
    let (topology, traffic) = network(8, 20);
    for edge in 1..20 {
        let (near, far) = ((0, edge), (edge, 47));
        let port = topology.devices[0].port(edge).unwrap();
        assert_eq!(port.alias, format!("link to edge{edge:02}"));
        let octets = |port, way| moved(&traffic, port, way, 40_000.0, 50_000.0);
        assert!(octets(near, Direction::In) > 0);
        assert_eq!(octets(near, Direction::In), octets(far, Direction::Out));
        assert_eq!(octets(near, Direction::Out), octets(far, Direction::In));
    }
    assert_eq!(topology.devices[0].port(20).unwrap().role, Role::Server, "there is no edge20");
}

#[test]
fn every_role_is_there_and_behaves() {
    let (topology, traffic) = network(7, 20);
    let mut seen = Vec::new();
    for device in topology.devices.iter() {
        for port in device.ports() {
            let line = port.speed_bits_per_second as f64 / 8.0;
            let share = |way| {
                moved(&traffic, (device.number, port.index), way, 0.0, 604_800.0) as f64
                    / (line * 604_800.0)
            };
            let (inward, outward) = (share(Direction::In), share(Direction::Out));
            let good = match port.role {
                Role::Uplink => inward.max(outward) > 0.05 && inward.min(outward) > 0.01,
                Role::Access => outward > 1e-4 && inward < outward,
                Role::Server => inward > 0.02,
                Role::Bursty => outward > 0.002 && inward < outward,
                Role::Idle => inward > 0.0 && inward < 1e-5,
                Role::Down => inward == 0.0 && outward == 0.0,
            };
            assert!(good, "{:?} {inward} {outward}", port.role);
            if !seen.contains(&port.role) {
                seen.push(port.role);
            }
        }
    }
    assert_eq!(seen.len(), 6);
}

#[test]
fn the_same_seed_is_the_same_network_and_another_is_not() {
    let octets = |seed| network(seed, 2).1.octets(1, 48, Direction::In, at(1.0));
    assert_eq!(octets(1), octets(1));
    assert_ne!(octets(1), octets(2));
    let (_, traffic) = network(1, 2);
    for (device, port) in [(0, 0), (0, 49), (2, 1), (u32::MAX, u32::MAX)] {
        assert_eq!(traffic.octets(device, port, Direction::In, at(0.0)), 0);
        assert_eq!(traffic.rate(device, port, Direction::In, at(0.0)), 0.0);
    }
    // The clock of a machine may have any value.
    for time in [Duration::ZERO, Duration::MAX] {
        traffic.octets(0, 48, Direction::Out, time);
        traffic.rate(0, 48, Direction::Out, time);
    }
}
