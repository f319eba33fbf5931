//! Rot in a tile that a flush may have been writing when it was cut short: it is told from a tear.

use std::sync::atomic::{AtomicU32, Ordering};

use disk::{AnyMedium, FaultPlan, Restart};
use ring::Engine;
use rrd::Snapshot;
use store::Error;

use crate::rot::{aged, check_fetch};
use crate::seeds::try_seeds;
use crate::zeroed::written_tile;

/// Whether rows that are known are missing in a database.
fn lacks_rows(found: &Snapshot, expected: &Snapshot) -> bool {
    let pairs = || found.rows.iter().flatten().zip(expected.rows.iter().flatten());
    let same = |(found, expected): (&f64, &f64)| found.to_bits() == expected.to_bits();
    assert!(pairs().all(|pair| pair.0.is_nan() || same(pair)), "no row is another one");
    !pairs().all(same)
}

/// A clock that is far ahead of all others makes it possible that a flush has reached as far, so
/// that any tile may have been written by one that was cut short. What has rotted is named all the
/// same, where somebody still shows rows of it.
#[test]
fn rot_does_not_pass_for_a_tear() {
    let (named, unnamed) = (AtomicU32::new(0), AtomicU32::new(0));
    try_seeds(200, &[], |seed| {
        let (mut simulation, mut chance) = aged(seed);
        for _ in 0..chance.random.below(10) {
            chance.step(&mut simulation);
        }
        for _ in 0..1 + chance.random.below(3) {
            chance.far_ahead(&mut simulation);
        }
        let how = [Restart::Process, Restart::PowerCut][chance.random.below(2) as usize];
        simulation.restart(how, FaultPlan::default(), true);
        let Some((file, page_bytes)) = written_tile(&simulation.medium, &mut chance.random) else {
            return;
        };
        let (offset_bytes, bit) = (chance.random.below(4096), chance.random.below(8) as u32);
        simulation.medium.rot(&file, page_bytes + offset_bytes, bit);
        let engine =
            Engine::open_store(AnyMedium::of(simulation.medium.clone()), simulation.options)
                .unwrap();
        let mut lost = 0;
        for (name, expected) in &simulation.live.databases {
            check_fetch(&engine, name, expected);
            match engine.snapshot(name) {
                Ok(found) => {
                    let unnamed_here = u32::from(lacks_rows(&found, expected));
                    unnamed.fetch_add(unnamed_here, Ordering::Relaxed);
                }
                Err(Error::Damaged { file: found, offset_bytes, .. }) => {
                    assert_eq!((found, offset_bytes), (file.clone(), page_bytes));
                    lost += 1;
                }
                Err(error) => panic!("{name}: {error}"),
            }
        }
        let verified = engine.verify(|_, _| ()).unwrap();
        let found = verified.damage.iter().map(|each| (each.file.clone(), each.offset_bytes));
        let found: Vec<_> = found.collect();
        assert!(found.is_empty() || found == [(file, Some(page_bytes))], "{verified:?}");
        assert!(lost == 0 || !found.is_empty(), "what is lost is named");
        named.fetch_add(lost, Ordering::Relaxed);
    });
    let (named, unnamed) = (named.into_inner(), unnamed.into_inner());
    let is_enough = named > 40 && unnamed == 0;
    assert!(std::env::var("GYRE_SEED").is_ok() || is_enough, "{named} named, {unnamed} not");
}
