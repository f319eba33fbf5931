//! The names of objects: those that MRTG knows, and those of MIB files.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::mib;
use super::mib_file::Assignment;

/// The most names of all files together; the MIBs of a large vendor have some 100,000.
const NAMES_MAX: usize = 1_000_000;

/// The most numbers of an object identifier.
const NUMBERS_MAX: usize = 128;

/// The names that a configuration may use. A name that MRTG knows keeps its meaning.
#[derive(Debug, Default)]
pub(crate) struct Names {
    assigned: HashMap<Vec<u8>, Place>,
}

#[derive(Debug)]
struct Place {
    parent: Option<Vec<u8>>,
    numbers: Vec<u32>,
}

impl Names {
    /// Adds the names of a file. The first meaning of a name stays. Returns whether there was room
    /// for all.
    pub(crate) fn add(&mut self, assignments: Vec<Assignment>) -> bool {
        for Assignment { name, parent, numbers } in assignments {
            if self.assigned.len() >= NAMES_MAX {
                return false;
            }
            if let Entry::Vacant(free) = self.assigned.entry(name) {
                free.insert(Place { parent, numbers });
            }
        }
        true
    }

    /// The object identifier of a name, whose case must match. `None` if no file has it, or not all
    /// names above it.
    pub(crate) fn lookup(&self, name: &[u8]) -> Option<Vec<u32>> {
        let mut below: Vec<&[u32]> = Vec::new();
        let mut name = name;
        let top: &[u32] = loop {
            if let Some(known) = mib::lookup(name) {
                break known;
            }
            let place = self.assigned.get(name)?;
            below.push(&place.numbers);
            // Names that are below each other would have no end.
            if below.len() > NUMBERS_MAX {
                return None;
            }
            match &place.parent {
                Some(parent) => name = parent,
                None => break &[],
            }
        };
        let numbers: Vec<u32> =
            top.iter().chain(below.into_iter().rev().flatten()).copied().collect();
        (numbers.len() <= NUMBERS_MAX).then_some(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::super::mib_file;
    use super::*;

    #[test]
    fn names_are_found_over_several_files_in_any_order() {
        let mut names = Names::default();
        for text in [
            "load OBJECT-TYPE ::= { acme 2 1 }\nifInOctets OBJECT-TYPE ::= { acme 9 }",
            "acme OBJECT IDENTIFIER ::= { enterprises 9999 }\nload OBJECT-TYPE ::= { acme 3 }",
            "a OBJECT-TYPE ::= { b 1 }\nb OBJECT-TYPE ::= { a 1 }\nc OBJECT-TYPE ::= { d 1 }",
            "e OBJECT IDENTIFIER ::= { 1 3 6 }",
        ] {
            assert!(names.add(mib_file::read(text.as_bytes()).0));
        }
        assert_eq!(names.lookup(b"load"), Some(vec![1, 3, 6, 1, 4, 1, 9999, 2, 1]));
        assert_eq!(names.lookup(b"ifInOctets").unwrap().len(), 10);
        assert_eq!(names.lookup(b"e"), Some(vec![1, 3, 6]));
        for none in [&b"a"[..], b"c", b"nobody"] {
            assert_eq!(names.lookup(none), None);
        }
    }
}
