//! The updates of the benchmark's network: a pure function of the RRD and the cycle.
//!
//! The network has routers of 48 interfaces, and an RRD in MRTG's layout for each interface. A
//! poller polls router by router, so the updates of a router are consecutive. The order of the
//! routers is not that of their creation. Each router has a fixed time within the cycle.

use std::ops::Range;

use rrd::{Definition, Timestamp};
use serde::{Deserialize, Serialize};

/// Seconds between two cycles.
pub(crate) const STEP_SECONDS: i64 = 300;
/// Cycles of a day.
pub(crate) const DAY_CYCLES: u64 = 288;
/// Threads that send updates, each for half of the network.
pub(crate) const THREADS: u64 = 2;

const INTERFACES: u64 = 48;
/// A midnight (UTC).
const MIDNIGHT_SECONDS: i64 = 1_780_272_000;
/// The cycle at that midnight; earlier cycles are for warming up and for the past.
const MIDNIGHT_CYCLE: u64 = 10_000;

/// The archives of an RRD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Layout {
    /// MRTG's: 1x600, 6x700, 24x775, 288x797.
    Mrtg,
    /// The same steps with fewer rows, so that each ring except the last wraps several times a day.
    FewRows,
    /// MRTG's with all rows of five minutes of a month.
    Month,
}

impl Layout {
    fn archives(self) -> [(u64, u64); 4] {
        match self {
            Self::Mrtg => [(1, 600), (6, 700), (24, 775), (288, 797)],
            Self::FewRows => [(1, 18), (6, 3), (24, 2), (288, 1)],
            Self::Month => [(1, 31 * DAY_CYCLES), (6, 700), (24, 775), (288, 797)],
        }
    }
}

/// A network of this many RRDs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workload {
    pub(crate) rrds: u64,
    pub(crate) layout: Layout,
}

impl Workload {
    /// RRDs in MRTG's layout.
    pub(crate) const fn mrtg(rrds: u64) -> Self {
        Self { rrds, layout: Layout::Mrtg }
    }

    fn routers(&self) -> u64 {
        self.rrds.div_ceil(INTERFACES)
    }

    /// The RRDs that a thread updates in a cycle, in the order of delivery.
    pub(crate) fn deliveries(&self, thread: u64) -> impl Iterator<Item = u64> + use<> {
        let (rrds, routers) = (self.rrds, self.routers());
        let stride = stride(routers);
        self.share(thread)
            .map(move |slot| slot * stride % routers)
            .flat_map(|router| router * INTERFACES..(router + 1) * INTERFACES)
            .filter(move |rrd| *rrd < rrds)
    }

    /// Every RRD, in the order of delivery.
    pub(crate) fn all_deliveries(&self) -> impl Iterator<Item = u64> + use<'_> {
        (0..THREADS).flat_map(|thread| self.deliveries(thread))
    }

    /// The routers of a thread, by their positions in the order of polling.
    fn share(&self, thread: u64) -> Range<u64> {
        let routers = self.routers();
        routers * thread / THREADS..routers * (thread + 1) / THREADS
    }

    /// The time when an RRD is polled in a cycle.
    pub(crate) fn time(&self, rrd: u64, cycle: u64) -> Timestamp {
        let jitter_seconds = 1 + chance::first(rrd / INTERFACES) % (STEP_SECONDS as u64 - 1);
        Timestamp::from_seconds(cycle_seconds(cycle) + jitter_seconds as i64)
    }

    /// Appends the name of an RRD: `router-00012/interface-034.rrd`.
    pub(crate) fn push_name(&self, rrd: u64, text: &mut String) {
        text.push_str("router-");
        push_digits(rrd / INTERFACES, 5, text);
        text.push_str("/interface-");
        push_digits(rrd % INTERFACES, 3, text);
        text.push_str(".rrd");
    }

    pub(crate) fn name(&self, rrd: u64) -> String {
        let mut name = String::new();
        self.push_name(rrd, &mut name);
        name
    }

    /// Appends the value of an RRD's counter in a cycle.
    ///
    /// It grows by 125 to 8 million octets a second, evenly on a logarithmic scale; one RRD in
    /// eight has a 32-bit counter that wraps.
    pub(crate) fn push_counter(&self, rrd: u64, source: u64, cycle: u64, text: &mut String) {
        let own = chance::first(rrd * 2 + source);
        let octets_a_cycle = (125 << (own % 17)) * STEP_SECONDS as u64;
        let wave = chance::first(own ^ cycle) % (octets_a_cycle / 2);
        let count = (own >> 24) + octets_a_cycle * cycle + wave;
        let narrow = rrd % 8 == 5;
        push_digits(if narrow { count % (1 << 32) } else { count }, 1, text);
    }

    /// Appends the update of an RRD in a cycle: name, time and readings.
    pub(crate) fn push_update(&self, rrd: u64, cycle: u64, text: &mut String) {
        self.push_name(rrd, text);
        text.push(' ');
        push_digits(self.time(rrd, cycle).seconds.unsigned_abs(), 1, text);
        for source in 0..2 {
            text.push(':');
            self.push_counter(rrd, source, cycle, text);
        }
    }

    /// The RRDs of one of `count` connections, in the order of a poller.
    pub(crate) fn share_of(&self, nth: u64, count: u64) -> Vec<u64> {
        let all: Vec<u64> = self.all_deliveries().collect();
        let at = |nth| (all.len() as u64 * nth / count) as usize;
        all[at(nth)..at(nth + 1)].to_vec()
    }

    /// rrdcached's lines for updates of some RRDs in a cycle.
    pub(crate) fn updates(&self, rrds: &[u64], cycle: u64) -> String {
        let mut text = String::new();
        for rrd in rrds {
            text.push_str("UPDATE ");
            self.push_update(*rrd, cycle, &mut text);
            text.push('\n');
        }
        text
    }

    /// Lines of Influx's protocol for the same updates, times in nanoseconds:
    /// `mrtg,device=router-00012,port=interface-034 ds0=1,ds1=2 1780272000000000000`.
    pub(crate) fn influx_lines(&self, rrds: &[u64], cycle: u64) -> String {
        let mut text = String::new();
        for &rrd in rrds {
            text.push_str("mrtg,device=router-");
            push_digits(rrd / INTERFACES, 5, &mut text);
            text.push_str(",port=interface-");
            push_digits(rrd % INTERFACES, 3, &mut text);
            for (source, label) in [" ds0=", ",ds1="].into_iter().enumerate() {
                text.push_str(label);
                self.push_counter(rrd, source as u64, cycle, &mut text);
            }
            text.push(' ');
            push_digits(self.time(rrd, cycle).seconds.unsigned_abs(), 1, &mut text);
            text.push_str("000000000\n");
        }
        text
    }

    /// The definition of an RRD as words of a command line. There are four interface speeds, and
    /// one RRD in twenty has a heartbeat of two hours.
    pub(crate) fn words(&self, rrd: u64) -> Vec<String> {
        let octets_a_second_max = 12_500_000 * [1, 1, 10, 100][(chance::first(rrd) % 4) as usize];
        let heartbeat_seconds = if is_patient(rrd) { 7200 } else { 600 };
        let source =
            |name| format!("DS:{name}:COUNTER:{heartbeat_seconds}:0:{octets_a_second_max}");
        let archives = self.layout.archives().into_iter().flat_map(|(pdps, rows)| {
            ["AVERAGE", "MAX"].map(|cf| format!("RRA:{cf}:0.5:{pdps}:{rows}"))
        });
        ["ds0", "ds1"].map(source).into_iter().chain(archives).collect()
    }

    pub(crate) fn definition(&self, rrd: u64) -> Result<Definition, String> {
        let words = self.words(rrd);
        rrd::spec::definition(STEP_SECONDS as u64, words.iter().map(String::as_str))
            .map_err(|error| error.to_string())
    }
}

/// Whether an RRD has the long heartbeat, within which late updates are accepted.
pub(crate) fn is_patient(rrd: u64) -> bool {
    chance::first(rrd) % 20 == 3
}

/// The router of an RRD.
pub(crate) fn router(rrd: u64) -> u64 {
    rrd / INTERFACES
}

/// The start of a cycle, seconds.
pub(crate) fn cycle_seconds(cycle: u64) -> i64 {
    MIDNIGHT_SECONDS + (cycle as i64 - MIDNIGHT_CYCLE as i64) * STEP_SECONDS
}

/// The first of `cycles` cycles with a midnight in their middle.
pub(crate) fn around_midnight(cycles: u64) -> u64 {
    MIDNIGHT_CYCLE - cycles / 2
}

/// Whether a cycle ends a day (UTC), so that its readings make the rows of a day final.
pub(crate) fn is_midnight(cycle: u64) -> bool {
    cycle_seconds(cycle).rem_euclid(86_400) == 0
}

/// A step that visits every router once, because it has no common divisor with their number.
fn stride(routers: u64) -> u64 {
    let primes = [7919, 7907, 7901];
    primes.into_iter().find(|prime| !routers.is_multiple_of(*prime)).unwrap_or(1)
}

/// Appends a number with at least `width` digits. The standard library's formatting would take
/// nearly as long as the update itself.
fn push_digits(mut number: u64, width: usize, text: &mut String) {
    let mut digits = [b'0'; 20];
    let mut first = digits.len();
    while number > 0 || digits.len() - first < width {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    text.extend(digits[first..].iter().map(|digit| char::from(*digit)));
}

#[cfg(test)]
mod tests {
    use super::{THREADS, Workload, around_midnight, cycle_seconds, is_midnight};

    #[test]
    fn every_rrd_is_updated_once_a_cycle() {
        for rrds in [1, 47, 48, 1000, 20_011] {
            let workload = Workload::mrtg(rrds);
            let mut all: Vec<u64> =
                (0..THREADS).flat_map(|thread| workload.deliveries(thread)).collect();
            all.sort_unstable();
            assert_eq!(all, (0..rrds).collect::<Vec<_>>());
        }
    }

    #[test]
    fn counters_grow_below_the_maximum() {
        let workload = Workload::mrtg(1000);
        let count = |rrd, cycle| {
            let mut text = String::new();
            workload.push_counter(rrd, 1, cycle, &mut text);
            text.parse::<u64>().unwrap()
        };
        for rrd in (0..1000).filter(|rrd| rrd % 8 != 5) {
            let grown = count(rrd, 10_001) - count(rrd, 10_000);
            assert!((1..12_500_000 * 300).contains(&grown), "RRD {rrd}: {grown}");
        }
    }

    #[test]
    fn a_midnight_falls_in_the_middle() {
        let first = around_midnight(6);
        assert!(is_midnight(first + 3));
        assert_eq!(cycle_seconds(first + 3) % 86_400, 0);
        assert_eq!((first..first + 6).filter(|cycle| is_midnight(*cycle)).count(), 1);
    }

    #[test]
    fn names_are_made_of_router_and_interface() {
        let workload = Workload::mrtg(1000);
        assert_eq!(workload.name(12 * 48 + 34), "router-00012/interface-034.rrd");
    }

    #[test]
    fn an_update_is_a_line_of_influx_too() {
        let workload = Workload::mrtg(1000);
        let update = workload.updates(&[610], 10_000);
        let [time, first, second] = update
            .trim_end()
            .rsplit(' ')
            .next()
            .map(|it| {
                let mut readings = it.split(':');
                [(); 3].map(|()| readings.next().unwrap())
            })
            .unwrap();
        assert_eq!(
            workload.influx_lines(&[610], 10_000),
            format!(
                "mrtg,device=router-00012,port=interface-034 ds0={first},ds1={second} {time}000000000\n"
            ),
        );
    }
}
