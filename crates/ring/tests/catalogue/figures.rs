//! How long a large catalogue takes. Under the tests it is small; for real figures in release:
//!
//! ```text
//!   GYRE_RRDS=1000000 GYRE_DIR=some/directory cargo test --release -p ring@0.1.0 --test catalogue figures -- --nocapture
//! ```
//!
//! The first run fills the directory, later ones open what is there: drop the page cache in
//! between.

use std::path::PathBuf;
use std::time::Instant;

use disk::{Medium as _, PosixMedium};
use journal::{LogPosition, RrdId};
use ring::catalogue::{
    Catalogue, Changes, DefinitionId, Definitions, Fingerprint, GroupId, Loaded, Names,
};

use crate::world::{META, definition, entry, group};

/// RRDs of a full group, and of one commit.
const GROUP_RRDS: u32 = 4032;

#[test]
fn figures() {
    let rrds = std::env::var("GYRE_RRDS").map_or(10_000, |count| count.parse().unwrap());
    let temporary = tempfile::tempdir().unwrap();
    let chosen = std::env::var("GYRE_DIR").map(PathBuf::from);
    let medium = PosixMedium::open(chosen.as_deref().unwrap_or(temporary.path())).unwrap();
    if !medium.list().unwrap().contains(&"catalogue".to_owned()) {
        fill(&medium, rrds);
    }
    load(&medium, rrds);
}

fn address(nth: u32) -> RrdId {
    RrdId(((1 + nth / GROUP_RRDS) << 12) | (nth % GROUP_RRDS))
}

fn name(nth: u32) -> String {
    format!("router/interface-{nth:06}.rrd")
}

fn fill(medium: &PosixMedium, rrds: u32) {
    let start = Instant::now();
    let catalogue = Catalogue::create(medium, &META).unwrap();
    let mut slowest_ms = 0;
    for first in (0..rrds).step_by(GROUP_RRDS as usize) {
        let mut changes = Changes::new();
        if first == 0 {
            changes.put_definition(DefinitionId(0), &definition(0));
        }
        changes.put_group(GroupId::of(address(first)), group(first.into()));
        for nth in first..rrds.min(first + GROUP_RRDS) {
            changes.put_rrd(address(nth), entry(1, &name(nth)));
        }
        let commit = Instant::now();
        catalogue.commit(&changes, LogPosition(first.into())).unwrap();
        slowest_ms = slowest_ms.max(commit.elapsed().as_millis());
    }
    let filled = start.elapsed();
    eprintln!("{rrds} RRDs committed in {filled:.2?}, the slowest batch in {slowest_ms} ms");
    print_size(medium, rrds, "open");
    catalogue.close().unwrap();
    print_size(medium, rrds, "closed");
}

fn print_size(medium: &PosixMedium, rrds: u32, when: &str) {
    let bytes = medium.open("catalogue").unwrap().len_bytes().unwrap();
    eprintln!("{when}: {bytes} bytes, {:.1} an RRD", bytes as f64 / f64::from(rrds));
}

fn load(medium: &PosixMedium, rrds: u32) {
    let start = Instant::now();
    let catalogue = Catalogue::open(medium).unwrap();
    let opened = start.elapsed();

    let mut definitions = Definitions::new();
    let mut names = Names::new();
    let mut fingerprints = vec![Fingerprint(0); (address(rrds).0 + 1) as usize];
    let (mut groups, mut count) = (0, 0);
    let load = Instant::now();
    catalogue
        .load(|loaded| match loaded {
            Loaded::Definition(_, definition) => drop(definitions.intern(&definition)),
            Loaded::Group(..) => groups += 1,
            Loaded::Rrd(rrd, view) => {
                assert_eq!(rrd, address(count));
                fingerprints[rrd.0 as usize] = names.fingerprint(view.name);
                count += 1;
            }
        })
        .unwrap();
    let loaded = load.elapsed();
    assert_eq!((count, groups), (rrds, rrds.div_ceil(GROUP_RRDS)));

    let index = Instant::now();
    let of = |rrd: RrdId| fingerprints[rrd.0 as usize];
    names.reserve(rrds as usize, of);
    for nth in 0..rrds {
        names.insert(of(address(nth)), address(nth), of).unwrap();
    }
    let indexed = index.elapsed();
    let per_name = names.memory_bytes() as f64 / f64::from(rrds);
    eprintln!("opened in {opened:.2?}, loaded in {loaded:.2?}, indexed in {indexed:.2?}");
    eprintln!("{per_name:.1} bytes of table an RRD");

    let look = Instant::now();
    let lookups = 10_000;
    for nth in (0..rrds).step_by((rrds / lookups) as usize) {
        assert_eq!(catalogue.id_of(&name(nth)).unwrap(), Some(address(nth)));
    }
    eprintln!("a name looked up on disk in {:.1?}", look.elapsed() / lookups);
    let start = Instant::now();
    // Left open as a kill leaves it: the next run repairs it.
    if std::env::var("GYRE_KILL").is_ok() {
        catalogue.commit(&Changes::new(), LogPosition(u64::MAX)).unwrap();
        std::mem::forget(catalogue);
    } else {
        catalogue.close().unwrap();
    }
    eprintln!("closed in {:.2?}", start.elapsed());
}
