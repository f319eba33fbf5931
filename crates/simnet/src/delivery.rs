//! What happens to an answer on its way: it is lost, late, cut, repeated, or from another address.

use crate::fault::{Condition, Fault};
use crate::sockets::Route;
use crate::topology::{Device, Health};
use chance::Random;
use std::net::Ipv4Addr;
use std::time::Duration;

/// An address of loopback that no device has.
const ELSEWHERE: Ipv4Addr = Ipv4Addr::new(127, 255, 255, 254);

/// An answer on its way.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Letter {
    pub(crate) route: Route,
    pub(crate) datagram: Vec<u8>,
}

/// How an answer is delivered.
#[derive(Debug)]
pub(crate) struct Delivery {
    pub(crate) letter: Letter,
    pub(crate) delay: Duration,
    /// How often it is sent; 0 if it is lost.
    pub(crate) times: u32,
}

/// Whether a device answers nothing at all.
pub(crate) fn is_dead(device: &Device, condition: Option<&Condition>) -> bool {
    let dead = |condition: &Condition| condition.faults().any(|fault| fault == Fault::Dead);
    device.health == Health::Dead || condition.is_some_and(dead)
}

/// How the answer of a device is delivered.
pub(crate) fn deliver(
    letter: Letter,
    device: &Device,
    condition: Option<&Condition>,
    random: &mut Random,
) -> Delivery {
    let delay = match device.health {
        Health::Slow(by) => by,
        _ => Duration::ZERO,
    };
    let mut delivery = Delivery { letter, delay, times: 1 };
    for fault in condition.into_iter().flat_map(Condition::faults) {
        match fault {
            Fault::Latency { least, jitter } => {
                let jitter_us = random.below(jitter.as_micros() as u64 + 1);
                delivery.delay += least + Duration::from_micros(jitter_us);
            }
            Fault::Source => delivery.letter.route.device = ELSEWHERE,
            Fault::Cut => {
                let half = delivery.letter.datagram.len() / 2;
                delivery.letter.datagram.truncate(half);
            }
            Fault::Repeat(times) if delivery.times > 0 => delivery.times = times,
            Fault::Loss(share) if random.chance((share * 1e6) as u32) => delivery.times = 0,
            _ => {}
        }
    }
    delivery
}
