//! Bits change in the file: it is said, or what is read is as it was.

use std::panic::{AssertUnwindSafe, catch_unwind};

use disk::{FaultPlan, FaultyMedium, Medium as _, MediumFile as _, Random};
use journal::LogPosition;
use ring::catalogue::{Catalogue, CatalogueError, Changes};

use crate::world::{Contents, entry, filled};

const RRDS: u32 = 2000;
/// A catalogue's file, closed well or left open.
fn file(closed: bool) -> Vec<u8> {
    let medium = FaultyMedium::new(FaultPlan::default());
    let catalogue = filled(&medium, RRDS);
    let file = medium.open("catalogue").unwrap();
    let read = || {
        let mut bytes = vec![0; file.len_bytes().unwrap() as usize];
        file.read_at(&mut bytes, 0).unwrap();
        bytes
    };
    if closed {
        catalogue.close().unwrap();
        read()
    } else {
        read()
    }
}

fn medium_of(bytes: &[u8]) -> FaultyMedium {
    let medium = FaultyMedium::new(FaultPlan::default());
    let file = medium.create("catalogue").unwrap();
    file.write_at(bytes, 0).unwrap();
    file.sync_data().unwrap(); // what is to rot must be on the platter
    medium
}

/// Bits of the file: all of the first bytes, one of each third byte of redb's header, others; with
/// `GYRE_TIMES` set one of each byte of the header, and many others.
fn places(bytes: usize, random: &mut Random) -> Vec<(u64, u32)> {
    let mut places: Vec<(u64, u32)> =
        (0..16).flat_map(|byte| (0..8).map(move |bit| (byte, bit))).collect();
    let (every, count) = if std::env::var_os("GYRE_TIMES").is_some() { (1, 600) } else { (3, 150) };
    let others = (16..320).step_by(every).chain((0..count).map(|_| random.below(bytes as u64)));
    let others: Vec<u64> = others.collect();
    places.extend(others.into_iter().map(|byte| (byte, random.below(8) as u32)));
    places
}

/// Whether it names the catalogue.
fn is_named(error: &CatalogueError) -> bool {
    assert!(error.to_string().starts_with("catalogue: "), "{error}");
    matches!(
        error,
        CatalogueError::Damaged { .. }
            | CatalogueError::NotAStore { .. }
            | CatalogueError::Io { .. }
    )
}

#[test]
fn a_bit_that_rots_before_opening() {
    for closed in [true, false] {
        let bytes = file(closed);
        let wanted = Contents::of(&Catalogue::open(&medium_of(&bytes)).unwrap()).unwrap();
        let mut random = Random::new(7);
        let (mut named, mut harmless) = (0, 0);
        for (byte, bit) in places(bytes.len(), &mut random) {
            let medium = medium_of(&bytes);
            medium.rot("catalogue", byte, bit);
            let found = Catalogue::open(&medium).and_then(|catalogue| Contents::of(&catalogue));
            match found {
                Ok(contents) => {
                    assert_eq!(contents, wanted, "byte {byte}, bit {bit}");
                    harmless += 1;
                }
                Err(error) => {
                    assert!(is_named(&error), "byte {byte}, bit {bit}: {error}");
                    named += 1;
                }
            }
        }
        assert!(named > 80 && harmless > 40, "{named} named, {harmless} harmless");
    }
}

/// Whoever looks up a few keys reads a few pages, and checks these.
#[test]
fn a_bit_that_rots_before_a_few_keys_are_looked_up() {
    for closed in [true, false] {
        let bytes = file(closed);
        let wanted = Contents::of(&Catalogue::open(&medium_of(&bytes)).unwrap()).unwrap();
        let mut random = Random::new(8);
        let (mut named, mut harmless) = (0, 0);
        for (byte, bit) in places(bytes.len(), &mut random) {
            let medium = medium_of(&bytes);
            medium.rot("catalogue", byte, bit);
            let found = Catalogue::open_in_part(&medium)
                .and_then(|catalogue| Contents::of_part(&catalogue, &wanted));
            match found {
                Ok(contents) => {
                    assert_eq!(contents, wanted, "byte {byte}, bit {bit}");
                    harmless += 1;
                }
                Err(error) => {
                    assert!(is_named(&error), "byte {byte}, bit {bit}: {error}");
                    named += 1;
                }
            }
        }
        assert!(named > 80 && harmless > 40, "{named} named, {harmless} harmless");
    }
}

/// redb looks at its checksums when the catalogue is opened; what rots later is the backend's to
/// notice.
#[test]
fn bits_that_rot_while_it_is_open() {
    let bytes = file(true);
    let wanted = Contents::of(&Catalogue::open(&medium_of(&bytes)).unwrap()).unwrap();
    let (mut named, mut unnoticed) = (0, 0);
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let medium = medium_of(&bytes);
        let catalogue = Catalogue::open(&medium).unwrap();
        for _ in 0..1 + random.below(2000) {
            medium.rot("catalogue", random.below(bytes.len() as u64), random.below(8) as u32);
        }
        match catch_unwind(AssertUnwindSafe(|| use_all(&catalogue, &wanted, &mut random))) {
            Ok(Ok(())) => unnoticed += 1,
            Ok(Err(error)) => {
                let again = matches!(error, CatalogueError::Unusable { .. });
                assert!(again || is_named(&error), "{error}");
                named += 1;
            }
            Err(_) => panic!("seed {seed}: redb's panic came through"),
        }
        drop(catalogue);
    }
    assert!(named > 30, "{named} named, {unnoticed} unnoticed");
}

/// Everything that can be done; what is read is as it was written, or is not read.
fn use_all(
    catalogue: &Catalogue,
    wanted: &Contents,
    random: &mut Random,
) -> Result<(), CatalogueError> {
    let read = Contents::of(catalogue).map(|contents| assert_eq!(contents, *wanted));
    for _ in 0..50 {
        let member = random.below(RRDS.into());
        catalogue.id_of(&format!("router/interface-{member:06}.rrd"))?;
    }
    let mut changes = Changes::new();
    for member in 0..20 {
        let rrd = journal::RrdId(9 << 12 | member);
        changes.put_rrd(rrd, entry(1, &format!("router/interface-{member:06}.new")));
    }
    catalogue.commit(&changes, LogPosition(500))?;
    read
}
