//! What is kept in memory: definitions once, names as fingerprints.

use std::collections::HashMap;

use disk::MemoryMedium;
use journal::RrdId;
use ring::catalogue::{DefinitionId, Definitions, Fingerprint, Loaded, Names};

use crate::world::{definition, filled};

#[test]
fn equal_definitions_get_one_number() {
    let mut definitions = Definitions::new();
    assert_eq!(definitions.intern(&definition(0)), (DefinitionId(0), true));
    assert_eq!(definitions.intern(&definition(1)), (DefinitionId(1), true));
    assert_eq!(definitions.intern(&definition(0)), (DefinitionId(0), false), "NaN limits and all");
    let mut other = definition(0);
    other.sources[0].maximum = f64::from_bits(f64::NAN.to_bits() ^ 1);
    assert_eq!(definitions.intern(&other), (DefinitionId(2), true), "another NaN");
    other.sources[0].minimum = -0.0;
    assert_eq!(definitions.intern(&other), (DefinitionId(3), true), "another zero");
    assert_eq!(
        definitions.get(DefinitionId(1)).map(|held| held.sources[0].heartbeat_seconds),
        Some(601)
    );
    assert_eq!((definitions.get(DefinitionId(4)), definitions.len()), (None, 4));
}

#[test]
fn definitions_of_a_catalogue_keep_their_numbers() {
    let catalogue = filled(&MemoryMedium::default(), 1);
    let mut definitions = Definitions::new();
    catalogue
        .load(|loaded| {
            if let Loaded::Definition(id, definition) = loaded {
                assert_eq!(definitions.intern(&definition), (id, true));
            }
        })
        .unwrap();
    assert_eq!(definitions.len(), 1);
}

#[test]
fn names_are_found_by_fingerprint_as_the_table_grows_and_shrinks() {
    let mut names = Names::new();
    let mut fingerprints = HashMap::new();
    for id in 0..10_000 {
        let fingerprint = names.fingerprint(&id.to_string());
        fingerprints.insert(RrdId(id), fingerprint);
        names.insert(fingerprint, RrdId(id), |rrd| fingerprints[&rrd]).unwrap();
    }
    for id in (0..10_000).step_by(2) {
        assert!(names.remove(fingerprints[&RrdId(id)], RrdId(id)));
        assert!(!names.remove(fingerprints[&RrdId(id)], RrdId(id)), "it is gone");
    }
    for id in 0..10_000 {
        let wanted = (id % 2 == 1).then_some(RrdId(id));
        let fingerprint = names.fingerprint(&id.to_string());
        assert_eq!(names.find(fingerprint, |rrd| fingerprints[&rrd]), wanted);
    }
    assert_eq!(names.len(), 5000);
}

#[test]
fn a_clash_is_told() {
    let mut names = Names::new();
    let fingerprint_of = |_| Fingerprint(42);
    names.insert(Fingerprint(42), RrdId(1), fingerprint_of).unwrap();
    let clash = names.insert(Fingerprint(42), RrdId(2), fingerprint_of).unwrap_err();
    assert_eq!(clash.holder, RrdId(1));
    assert_eq!(names.len(), 1);
}

#[test]
fn a_name_costs_the_bytes_that_are_promised() {
    let mut names = Names::new();
    let mut fingerprints = Vec::new();
    for id in 0..60_000_u32 {
        let fingerprint = names.fingerprint(&id.to_string());
        fingerprints.push(fingerprint);
        names.insert(fingerprint, RrdId(id), |rrd| fingerprints[rrd.0 as usize]).unwrap();
        if id > 10_000 {
            let bytes = names.memory_bytes() as f64 / f64::from(id + 1);
            assert!((5.7..11.5).contains(&bytes), "{bytes} at {id}");
        }
    }
}
