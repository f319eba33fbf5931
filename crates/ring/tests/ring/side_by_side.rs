//! A store that several threads open is the one that a single thread opens, whatever has rotted in
//! its catalogue.

use disk::{AnyMedium, FaultPlan, FaultyMedium, Medium as _, MediumFile as _, Random, Restart};
use ring::{Engine, RingOptions};
use rrd::Timestamp;

use crate::outlines::{killed, last_updates, options};

/// What an opening by so many threads shows, or why there is none.
fn opened(medium: FaultyMedium, replay_threads: usize) -> Result<Vec<(String, Timestamp)>, String> {
    let options = RingOptions { replay_threads, ..options() };
    let engine = Engine::open_store(AnyMedium::of(medium), options);
    engine.map(|engine| last_updates(&engine)).map_err(|error| error.to_string())
}

/// Places of a catalogue: its first page, where its roots are told of, and two of each other page.
fn places(medium: &FaultyMedium, random: &mut Random) -> Vec<u64> {
    let file = medium.open("catalogue").unwrap();
    let pages = file.len_bytes().unwrap() / 4096;
    let mut at_chance = |page: u64| page * 4096 + random.below(4096);
    let others: Vec<u64> = (1..pages).flat_map(|page| [at_chance(page), at_chance(page)]).collect();
    (0..320).step_by(3).chain(others).collect()
}

#[test]
fn what_has_rotted_is_told_as_by_a_single_thread() {
    let before = killed();
    before.open("catalogue").unwrap().sync_data().unwrap(); // what is to rot must be on the platter
    let mut random = Random::new(7);
    let places = places(&before, &mut random);
    let healthy = opened(before.restart(Restart::Process, FaultPlan::default()), 0).unwrap();
    let mut refused = 0;
    for place in places {
        let bit = random.below(8) as u32;
        let [alone, together] = [0, 2].map(|threads| {
            let medium = before.restart(Restart::Process, FaultPlan::default());
            medium.rot("catalogue", place, bit);
            opened(medium, threads)
        });
        assert_eq!(alone, together, "byte {place}, bit {bit}");
        match alone {
            Ok(found) => assert_eq!(found, healthy, "byte {place}, bit {bit}"),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 10, "{refused}");
}
