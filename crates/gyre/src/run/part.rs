//! `--part N/M`: several processes share a site, each measuring the targets of its own devices.
//!
//! A host's name alone decides its part, so adding a device moves no other, and the order of the
//! configuration does not matter. With one part more, only the hosts of the new part move.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use mrtg::{Configuration, Poll, Target};

/// The most parts.
const PARTS_MAX: u32 = 4096;

/// One of several parts of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Counted from 0.
    index: u32,
    parts: u32,
}

/// Text that is no part.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected N/M, such as 1/4, with N from 1 to M and M up to {PARTS_MAX}")]
pub(crate) struct NotAPart;

impl FromStr for Part {
    type Err = NotAPart;

    fn from_str(text: &str) -> Result<Self, NotAPart> {
        let (nth, parts) = text.split_once('/').ok_or(NotAPart)?;
        let number = |digits: &str| match digits.bytes().all(|digit| digit.is_ascii_digit()) {
            true => digits.parse::<u32>().map_err(|_| NotAPart),
            false => Err(NotAPart),
        };
        let (nth, parts) = (number(nth)?, number(parts)?);
        match (1..=parts).contains(&nth) && parts <= PARTS_MAX {
            true => Ok(Self { index: nth - 1, parts }),
            false => Err(NotAPart),
        }
    }
}

/// The name of a file that a run keeps beside its databases. Several configurations, and several
/// parts of one, may keep theirs in one directory.
pub(super) fn file_beside(configuration: &Path, part: Option<Part>, ending: &str) -> String {
    let stem = configuration.file_stem().unwrap_or_default().to_string_lossy();
    match part {
        Some(part) => format!("{stem}-{part}.{ending}"),
        None => format!("{stem}.{ending}"),
    }
}

/// As a part of a file's name: `1-of-4`.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-of-{}", self.index + 1, self.parts)
    }
}

impl Part {
    /// Removes the targets of other parts.
    pub(super) fn keep_own(self, configuration: &mut Configuration) {
        let targets = std::mem::take(&mut configuration.targets);
        let is_own = |target: &Target| self.has(&key(configuration, target));
        configuration.targets = targets.into_iter().filter(is_own).collect();
    }

    fn has(self, key: &str) -> bool {
        part_of(key, self.parts) == self.index
    }
}

/// What decides the part of a target: its first host, or its own name if it asks no device.
fn key(configuration: &Configuration, target: &Target) -> String {
    let host = target.expression.polls().find_map(|poll| match configuration.poll(poll) {
        Poll::Snmp(poll) => Some(configuration.agent(poll.agent).host.to_string()),
        Poll::Script(_) => None,
    });
    host.map_or_else(|| target.name.to_string(), |host| host.to_lowercase())
}

/// The part of a key: the jump consistent hash of Lamping and Veach. It must not change, because
/// hosts would then move between processes that each have a store.
fn part_of(key: &str, parts: u32) -> u32 {
    // FNV-1a, then the finalizer of SplitMix64, as the collector spreads devices over an interval;
    // mixed twice, so that the devices of a part are spread over the whole interval.
    let fnv = key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut state = chance::mix(chance::mix(fnv));
    let (mut part, mut next) = (0, 0);
    while next < u64::from(parts) {
        part = next;
        state = state.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
        let share = (1_u64 << 31) as f64 / ((state >> 33) + 1) as f64;
        next = ((part + 1) as f64 * share) as u64;
    }
    part as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    struct Text(String);

    impl mrtg::Source for Text {
        fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
            Ok(self.0.clone().into())
        }

        fn glob(&self, _: &Path) -> std::io::Result<Vec<std::path::PathBuf>> {
            Ok(Vec::new())
        }
    }

    /// The part of each target.
    fn parts(targets: &[String], parts: u32) -> BTreeMap<String, u32> {
        let text = "WorkDir: /w\nTitle[_]: t\nMaxBytes[_]: 1\n".to_owned() + &targets.concat();
        let mut found = BTreeMap::new();
        for index in 0..parts {
            let text = Text(text.clone());
            let mut read = Configuration::read(Path::new("mrtg.cfg"), &text).unwrap();
            Part { index, parts }.keep_own(&mut read);
            for target in read.targets {
                let before = found.insert(target.name.to_string(), index);
                assert_eq!(before, None, "a target in two parts");
            }
        }
        found
    }

    /// Targets of random hosts: names, addresses, sums over two hosts, and a program.
    fn random_targets(seed: u64, count: usize) -> Vec<String> {
        let mut state = seed;
        let mut random = |below: u64| {
            state = chance::mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15));
            state % below
        };
        let mut target = |nth: usize| {
            let mut poll = || {
                let port = random(48);
                match random(3) {
                    0 => format!("{port}:public@10.0.{}.{}", random(4), random(250) + 1),
                    1 => format!("{port}:public@Sw{}.example.org:::::2", random(300)),
                    _ => format!("{port}:other@[2001:db8::{:x}]", random(400) + 1),
                }
            };
            let expression = match nth % 7 {
                5 => format!("{} + {}", poll(), poll()),
                6 => "`uptime`".to_owned(),
                _ => poll(),
            };
            format!("Target[t{nth}]: {expression}\n")
        };
        (0..count).map(&mut target).collect()
    }

    #[test]
    fn parts_are_disjoint_and_complete_and_do_not_depend_on_order() {
        for (seed, count) in [(1, 1), (2, 60), (3, 300), (4, 300)] {
            let mut targets = random_targets(seed, count);
            for number in [1, 2, 3, 7] {
                let found = parts(&targets, number);
                assert_eq!(found.len(), count, "seed {seed}, {number} parts");
                targets.reverse();
                assert_eq!(parts(&targets, number), found);
                // Whatever is added or taken away, the others stay where they are.
                let fewer = parts(&targets[count / 3..], number);
                assert!(fewer.iter().all(|(name, part)| found[name] == *part));
            }
        }
    }

    #[test]
    fn a_host_is_in_one_part_whatever_its_port_community_and_case() {
        let targets = [
            "Target[a]: 1:public@Core.example.org\n".to_owned(),
            "Target[b]: 2:secret@core.example.org:1161::::2\n".to_owned(),
        ];
        for number in 2..40 {
            let found = parts(&targets, number);
            assert_eq!(found["a"], found["b"]);
        }
    }

    #[test]
    fn parts_are_alike_in_size_and_one_more_part_moves_only_its_share() {
        let hosts: Vec<String> =
            (0..20_000).map(|nth| format!("10.1.{}.{}", nth / 250, nth % 250)).collect();
        let mut sizes = [0_u32; 4];
        let mut moved = 0;
        for host in &hosts {
            let part = part_of(host, 4);
            sizes[part as usize] += 1;
            let grown = part_of(host, 5);
            assert!(grown == part || grown == 4, "it moves to the new part or not at all");
            moved += u32::from(grown != part);
        }
        assert!(sizes.iter().all(|size| (4_700..5_300).contains(size)), "{sizes:?}");
        assert!((3_700..4_300).contains(&moved), "{moved}");
        // Hosts must never move to another process by an update of gyre.
        let known = ["10.0.0.1", "sw1.example.org", "[2001:db8::1]"].map(|host| part_of(host, 8));
        assert_eq!(known, KNOWN);
    }

    const KNOWN: [u32; 3] = [1, 7, 7];

    #[test]
    fn a_part_is_written_as_a_fraction() {
        assert_eq!("3/4".parse(), Ok(Part { index: 2, parts: 4 }));
        let all: BTreeSet<&str> =
            ["", "1", "/", "0/4", "5/4", "1/0", "+1/4", "1/4097", "1/2/3", " 1/2"].into();
        for wrong in all {
            assert_eq!(wrong.parse::<Part>(), Err(NotAPart), "{wrong}");
        }
    }
}
