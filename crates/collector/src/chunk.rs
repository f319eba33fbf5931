//! The GET requests of a poll: variables packed into datagrams.
//!
//! ```text
//! sysUpTime.0 | ifName.7 ifHCInOctets.7 ifHCOutOctets.7 | ifName.9 ifHCInOctets.9 …
//! ```
//!
//! Every datagram begins with sysUpTime.0, so that a restart between two datagrams is noticed. The
//! counters of an interface are in the same datagram as the property that identifies it.

use crate::interfaces::InterfaceId;
use snmp::{Oid, mib};

/// One GET request, and the meaning of each answer.
#[derive(Debug)]
pub(crate) struct Chunk {
    /// The names to ask for: sysUpTime.0 first, and none twice.
    pub(crate) oids: Vec<Oid>,
    /// For each name, what to do with its answer.
    pub(crate) asks: Vec<Ask>,
}

/// What to do with an answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ask {
    /// The answer shows whether this interface still has its index.
    pub(crate) verifies: Option<InterfaceId>,
    /// The answer is the value of these variables.
    pub(crate) variables: Vec<usize>,
}

/// Names that must be in the same datagram.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// The property that shows whether the interface still has its index.
    pub(crate) verification: Option<(Oid, InterfaceId)>,
    values: Vec<(Oid, Vec<usize>)>,
}

impl Group {
    /// A variable and the name it has at present.
    pub(crate) fn add(&mut self, oid: Oid, variable: usize) {
        match self.values.iter_mut().find(|(known, _)| *known == oid) {
            Some((_, variables)) => variables.push(variable),
            None => self.values.push((oid, vec![variable])),
        }
    }
}

/// Packs groups into requests of at most `bindings_max` bindings. Without groups there is one
/// request for sysUpTime.0 only.
pub(crate) fn pack(groups: Vec<Group>, bindings_max: usize) -> Vec<Chunk> {
    // Room for sysUpTime.0, a verification and a value.
    let bindings_max = bindings_max.max(3);
    let mut chunks = vec![Chunk::empty()];
    for group in groups {
        let checks = usize::from(group.verification.is_some());
        let mut values = group.values.into_iter().peekable();
        let mut length = checks + values.len();
        while values.peek().is_some() {
            let has_room = |chunk: &Chunk| chunk.oids.len() + length <= bindings_max;
            let chunk = match chunks.last_mut() {
                Some(chunk) if has_room(chunk) || chunk.is_empty() => chunk,
                _ => {
                    chunks.push(Chunk::empty());
                    continue;
                }
            };
            if let Some((oid, interface)) = &group.verification {
                chunk.push_verification(oid.clone(), *interface);
            }
            while chunk.oids.len() < bindings_max
                && let Some((oid, variables)) = values.next()
            {
                chunk.push_value(oid, variables);
            }
            length = checks + values.len();
        }
    }
    chunks
}

impl Chunk {
    fn empty() -> Self {
        Self { oids: vec![mib::SYS_UP_TIME], asks: vec![Ask::default()] }
    }

    fn is_empty(&self) -> bool {
        self.oids.len() == 1
    }

    fn push_verification(&mut self, oid: Oid, interface: InterfaceId) {
        self.oids.push(oid);
        self.asks.push(Ask { verifies: Some(interface), variables: Vec::new() });
    }

    fn push_value(&mut self, oid: Oid, variables: Vec<usize>) {
        if oid == mib::SYS_UP_TIME {
            self.asks[0].variables.extend(variables);
            return;
        }
        self.oids.push(oid);
        self.asks.push(Ask { verifies: None, variables });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(interface: u32, values: u32) -> Group {
        let mut group = Group::default();
        for column in 0..values {
            let oid = mib::IF_TABLE.extended(&[1, column + 1, interface]).unwrap();
            group.add(oid, (interface * 100 + column) as usize);
        }
        group
    }

    fn lengths(chunks: &[Chunk]) -> Vec<usize> {
        chunks.iter().map(|chunk| chunk.oids.len()).collect()
    }

    #[test]
    fn groups_stay_together_and_each_datagram_begins_with_the_uptime() {
        let chunks = pack(vec![group(1, 2), group(2, 2), group(3, 2)], 6);
        assert_eq!(lengths(&chunks), [5, 3]);
        assert!(chunks.iter().all(|chunk| chunk.oids[0] == mib::SYS_UP_TIME));
    }

    #[test]
    fn a_group_larger_than_a_datagram_is_split() {
        let chunks = pack(vec![group(1, 7)], 4);
        assert_eq!(lengths(&chunks), [4, 4, 2]);
        let asked: usize =
            chunks.iter().flat_map(|chunk| &chunk.asks).map(|ask| ask.variables.len()).sum();
        assert_eq!(asked, 7);
    }

    #[test]
    fn nothing_is_asked_twice() {
        let mut group = Group::default();
        group.add(mib::IF_NUMBER, 0);
        group.add(mib::SYS_UP_TIME, 1);
        group.add(mib::IF_NUMBER, 2);
        let chunks = pack(vec![group], 20);
        assert_eq!(lengths(&chunks), [2]);
        assert_eq!(chunks[0].asks[0].variables, [1]);
        assert_eq!(chunks[0].asks[1].variables, [0, 2]);
    }

    #[test]
    fn a_device_of_which_nothing_is_known_is_asked_for_its_uptime() {
        assert_eq!(lengths(&pack(Vec::new(), 20)), [1]);
    }
}
