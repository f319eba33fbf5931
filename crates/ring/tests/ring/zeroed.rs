//! A tile that was written and reads as zeros is damage; one that was never written is none.

use std::sync::atomic::{AtomicU32, Ordering};

use disk::{AnyMedium, FaultPlan, FaultyMedium, Medium as _, MediumFile as _, Random, Restart};
use ring::Engine;
use store::Error;

use crate::rot::{aged, check_all, check_fetch};
use crate::seeds::try_seeds;

const PAGE_BYTES: usize = 4096;

/// Some page of some group's tiles that has bytes, and its file.
pub(crate) fn written_tile(medium: &FaultyMedium, random: &mut Random) -> Option<(String, u64)> {
    let mut written = Vec::new();
    for name in medium.list().unwrap().into_iter().filter(|name| name.ends_with(".tiles")) {
        let file = medium.open(&name).unwrap();
        let mut bytes = vec![0; file.len_bytes().unwrap() as usize];
        file.read_at(&mut bytes, 0).unwrap();
        let pages = bytes.chunks(PAGE_BYTES).enumerate();
        let known = pages.filter(|(_, page)| page.iter().any(|byte| *byte != 0));
        written.extend(known.map(|(nth, _)| (name.clone(), (nth * PAGE_BYTES) as u64)));
    }
    let nth = random.below(written.len().max(1) as u64) as usize;
    written.get(nth).cloned()
}

fn zero(medium: &FaultyMedium, (file, offset_bytes): &(String, u64)) {
    let file = medium.open(file).unwrap();
    file.write_at(&[0; PAGE_BYTES], *offset_bytes).unwrap();
    file.sync_data().unwrap();
}

#[test]
fn a_written_tile_that_reads_as_zeros_is_named() {
    let named = AtomicU32::new(0);
    try_seeds(200, &[], |seed| {
        let (mut simulation, mut chance) = aged(seed);
        let how = [Restart::Process, Restart::PowerCut][chance.random.below(2) as usize];
        simulation.restart(how, FaultPlan::default(), false);
        // The first checkpoint after an opening mends what a flush may have torn.
        let mended =
            Engine::open_store(AnyMedium::of(simulation.medium.clone()), simulation.options)
                .unwrap();
        mended.checkpoint().unwrap();
        drop(mended);
        let Some(lost) = written_tile(&simulation.medium, &mut chance.random) else { return };
        zero(&simulation.medium, &lost);
        let engine =
            Engine::open_store(AnyMedium::of(simulation.medium.clone()), simulation.options)
                .unwrap();
        for (name, expected) in &simulation.live.databases {
            check_fetch(&engine, name, expected);
        }
        let names_it = |error: &Error| {
            matches!(error, Error::Damaged { file, offset_bytes, what }
                if (file, offset_bytes) == (&lost.0, &lost.1) && what.contains("found zeros"))
        };
        named.fetch_add(check_all(&engine, &simulation.live, names_it), Ordering::Relaxed);
        // Now that the store has gone on for a checkpoint, it is still known.
        engine.checkpoint().unwrap();
        let verified = engine.verify(|_, _| ()).unwrap();
        let found: Vec<_> = verified.damage.iter().map(|it| (&it.file, it.offset_bytes)).collect();
        assert_eq!(found, [(&lost.0, Some(lost.1))], "{verified:?}");
    });
    assert!(std::env::var("GYRE_SEED").is_ok() || named.into_inner() > 20);
}
