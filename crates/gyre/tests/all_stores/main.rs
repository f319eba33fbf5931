//! Random histories of databases in every way that gyre keeps them, compared with Debian's rrdtool:
//! files, files behind the daemon's journal, a ring store, and a ring store behind the daemon.
//! Databases are silent, jump ahead, are updated late, are created late, leave gaps, are renamed,
//! deleted and created again.
//!
//! Each store must show the same as rrdtool, before its process was killed and after: by `fetch`,
//! by `dump`, by `export`, and after `backup` and `restore`. The test runs `GYRE_SEEDS` histories,
//! from `GYRE_SEED` on.
#![allow(clippy::disallowed_methods)] // the test starts programs and reads the files they make

mod keepers;
mod life;
mod copies;

use keepers::{Keeper, Way};
use life::Life;
use oracle::Rrdtool;

/// How often in a history processes are killed and databases renamed.
const CHAPTERS: u64 = 3;
/// Steps of time in a chapter.
const ROUNDS: u64 = 12;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect(name))
}

#[test]
fn every_store_shows_what_rrdtool_shows() {
    let Some(program) = oracle::program("rrdtool", "all stores beside rrdtool") else { return };
    let first = number("GYRE_SEED").unwrap_or(1);
    for seed in first..first + number("GYRE_SEEDS").unwrap_or(1) {
        if let Err(panic) = std::panic::catch_unwind(|| live(&program, seed)) {
            eprintln!(
                "GYRE_SEED={seed} GYRE_SEEDS=1 cargo test -p gyre --test verbs all_stores replays it"
            );
            std::panic::resume_unwind(panic);
        }
    }
}

fn live(program: &std::path::Path, seed: u64) {
    let room = tempfile::tempdir().unwrap();
    let mut life = Life::new(seed);
    let theirs = room.path().join("theirs");
    std::fs::create_dir(&theirs).unwrap();
    let mut rrdtool = Rrdtool::start(program, &theirs);
    let mut keepers: Vec<Keeper> =
        Way::ALL.into_iter().map(|way| Keeper::make(way, room.path(), &mut life)).collect();
    for chapter in 0..CHAPTERS {
        for _ in 0..ROUNDS {
            for command in life.round() {
                let expected = rrdtool.send(&command.words(""));
                for keeper in &mut keepers {
                    keeper.check(&command, &expected, &life);
                }
            }
        }
        copies::compare_all(&mut rrdtool, &mut keepers, &life, chapter);
        // rrdtool's files are renamed at once; each store has its own verbs for it.
        for change in life.changes() {
            change.to_files(&theirs);
            keepers.iter_mut().for_each(|keeper| keeper.change(&change));
        }
    }
}
