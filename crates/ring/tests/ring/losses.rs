//! Rows that a flush was to save, on a page that it finds damaged: the page is written over, and
//! the loss stays known as long as the rows are shown.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use disk::{AnyMedium, Fault, FaultPlan, FaultyMedium, Medium as _, MediumFile as _, Restart};
use ring::{Engine, salvage};
use store::Error;

use crate::attics::{Crowd, DATABASES, PAGE_BYTES, SILENT, aged, attic_of, options, silent_at};
use crate::model::{Model, assert_same};

/// From this cycle on rows of silent databases leave the ring.
const CYCLE: i64 = 262;
/// In so many cycles several tiles are written over.
const CYCLES: i64 = 30;
/// In so many, one is.
const FEW_CYCLES: i64 = 3;
const TILES: &str = "000000.tiles";

/// A store of which a process was killed, with everything in it.
struct Base {
    medium: FaultyMedium,
    model: Model,
    names: Vec<String>,
}

/// What was told of a loss.
type Told = Arc<Mutex<Vec<String>>>;

impl Base {
    fn new(cycle: i64) -> Self {
        let (medium, Crowd { engine, model, names }) = aged(cycle);
        engine.checkpoint().unwrap();
        drop(engine);
        Self { medium, model, names }
    }

    fn opened(&self, medium: &FaultyMedium) -> (Crowd, Told) {
        let engine = Engine::open_store(AnyMedium::of(medium.clone()), options()).unwrap();
        let told = Told::default();
        let taken = Arc::clone(&told);
        engine.give_notes_to(move |note| taken.lock().unwrap().push(note.into()));
        (Crowd { engine, model: self.model.clone(), names: self.names.clone() }, told)
    }

    /// A copy of it with another page of its tiles.
    fn with_rotten(&self, page: u64) -> FaultyMedium {
        let medium = self.medium.restart(Restart::Process, FaultPlan::default());
        let noise = [0x5a; PAGE_BYTES as usize];
        let tiles = medium.open(TILES).unwrap();
        tiles.write_at(&noise, page * PAGE_BYTES).unwrap();
        tiles.sync_data().unwrap();
        medium
    }

    fn pages(&self) -> u64 {
        self.medium.open(TILES).unwrap().len_bytes().unwrap() / PAGE_BYTES
    }
}

/// The silent of which a fetch does not give all rows. A copy of one of them is refused, however it
/// is made; all others are whole.
fn incomplete(crowd: &Crowd, names_it: impl Fn(&Error) -> bool) -> Vec<String> {
    let mut lost = Vec::new();
    for name in &crowd.names {
        let whole = crowd.fetches_all(name);
        match crowd.engine.snapshot(name) {
            Ok(found) => {
                assert!(whole, "{name}");
                assert_same(name, &found, &crowd.model.databases[name]);
            }
            Err(error) => {
                assert!(!whole && names_it(&error), "{name}: {error}");
                lost.push(name.clone());
            }
        }
    }
    for party in crowd.engine.departures().all() {
        let take = |name: &str, left: Result<_, Error>| {
            assert_eq!(left.is_err(), lost.iter().any(|each| each == name), "{name}");
            assert!(left.err().is_none_or(|error| names_it(&error)), "{name}");
        };
        crowd.engine.departures().leave(&party, take).unwrap();
    }
    lost
}

fn is_of(error: &Error, expected: &str, page: u64) -> bool {
    matches!(error, Error::Damaged { file, offset_bytes, .. }
        if file == expected && *offset_bytes == page * PAGE_BYTES)
}

fn named(crowd: &Crowd) -> Vec<(String, Option<u64>)> {
    let damage = crowd.engine.verify(|_, _| ()).unwrap().damage;
    damage.into_iter().map(|each| (each.file, each.offset_bytes)).collect()
}

#[test]
fn what_a_flush_cannot_save_is_known_as_long_as_it_is_shown() {
    let base = Base::new(CYCLE);
    let mut losses = 0;
    for page in 0..base.pages() {
        let place = (TILES.to_owned(), Some(page * PAGE_BYTES));
        let medium = base.with_rotten(page);
        let (mut crowd, told) = base.opened(&medium);
        for cycle in CYCLE..CYCLE + CYCLES {
            crowd.cycle(cycle, silent_at(CYCLE)..DATABASES);
        }
        let mut bytes = vec![0; PAGE_BYTES as usize];
        medium.open(TILES).unwrap().read_at(&mut bytes, page * PAGE_BYTES).unwrap();
        if bytes[0] == 0x5a {
            continue; // no flush came here
        }
        let lost = incomplete(&crowd, |error| is_of(error, TILES, page));
        assert_eq!(named(&crowd).contains(&place), !lost.is_empty(), "{page}: {lost:?}");
        let notes = std::mem::take(&mut *told.lock().unwrap());
        assert_eq!(notes.is_empty(), lost.is_empty(), "{page}: {notes:?}");
        if lost.is_empty() {
            continue;
        }
        losses += 1;
        for note in &notes {
            assert!(
                note.starts_with(&format!("{TILES}: at byte {}: ", page * PAGE_BYTES)),
                "{note}"
            );
        }
        assert!(lost.iter().all(|name| notes.concat().contains(name)), "{notes:?}");
        // It is as well known to a report, and to the next process.
        let reported = crowd.engine.report().groups[0].lost_rows.len();
        assert!(reported > 0);
        let model = crowd.model.clone();
        drop(crowd);
        let base = Base { medium: medium.clone(), model, names: base.names.clone() };
        let (mut crowd, _) = base.opened(&medium);
        assert_eq!(incomplete(&crowd, |error| is_of(error, TILES, page)), lost);
        assert_eq!(named(&crowd), std::slice::from_ref(&place));
        crowd.engine.check_attics().unwrap();
        assert_eq!(crowd.engine.report().groups[0].lost_rows.len(), reported);
        // Those that were silent speak again, until nothing of it is shown.
        for cycle in CYCLE + CYCLES..CYCLE + 180 {
            crowd.cycle(cycle, 0..DATABASES);
        }
        crowd.engine.checkpoint().unwrap();
        assert_eq!(incomplete(&crowd, |_| false), Vec::<String>::new());
        assert_eq!(named(&crowd), []);
        assert!(crowd.engine.report().groups[0].lost_rows.is_empty());
    }
    assert!(losses > 3, "{losses}");
}

/// Wherever a process is killed that meets a damaged page: what the next one shows as unknown, it
/// names.
#[test]
fn a_loss_is_known_wherever_the_flush_is_cut_short() {
    let base = Base::new(CYCLE);
    let page = (0..base.pages()).find(|page| {
        let (mut crowd, told) = base.opened(&base.with_rotten(*page));
        for cycle in CYCLE..CYCLE + FEW_CYCLES {
            crowd.cycle(cycle, silent_at(CYCLE)..DATABASES);
        }
        !told.lock().unwrap().is_empty()
    });
    let page = page.expect("rows leave the ring in that cycle");
    let place = (TILES.to_owned(), Some(page * PAGE_BYTES));
    let (mut written_over, mut calls) = (0, 0);
    for (call, how) in (0..).flat_map(|call| [(call, Restart::Process), (call, Restart::PowerCut)])
    {
        let at = BTreeMap::from([(call, Fault::Crash)]);
        let plan = FaultPlan { at, seed: call, ..FaultPlan::default() };
        let medium = base.with_rotten(page).restart(Restart::Process, plan);
        if let Ok(engine) = Engine::open_store(AnyMedium::of(medium.clone()), options()) {
            let crowd = Crowd { engine, model: base.model.clone(), names: base.names.clone() };
            for cycle in CYCLE..CYCLE + FEW_CYCLES {
                crowd.append(cycle, silent_at(CYCLE)..DATABASES);
                let _ = crowd.engine.work();
            }
        }
        if !medium.has_crashed() {
            break;
        }
        calls = call;
        let medium = medium.restart(how, FaultPlan::default());
        for flushed in [false, true] {
            let (crowd, _) = base.opened(&medium);
            if flushed {
                crowd.engine.checkpoint().unwrap();
            }
            let silent = &crowd.names[..silent_at(CYCLE)];
            let lost: Vec<_> = silent.iter().filter(|name| !crowd.fetches_all(name)).collect();
            for name in &lost {
                let copied = crowd.engine.snapshot(name).map(drop);
                let copied = copied.expect_err("rows of it are lost");
                assert!(is_of(&copied, TILES, page), "{call}, {how:?}: {copied}");
            }
            assert!(!lost.is_empty(), "{call}, {how:?}");
            assert!(named(&crowd).contains(&place), "{call}, {how:?}, {flushed}");
        }
        let mut bytes = vec![0; PAGE_BYTES as usize];
        medium.open(TILES).unwrap().read_at(&mut bytes, page * PAGE_BYTES).unwrap();
        written_over += u32::from(bytes[0] != 0x5a);
    }
    assert!(calls > 20 && written_over > 5, "{calls}, {written_over}");
}

/// A page of the attic is damaged, and then the attic is cleared out.
#[test]
fn what_an_attic_that_is_cleared_out_cannot_hand_on_is_known() {
    let (medium, Crowd { engine, model, names }) = aged(330);
    engine.checkpoint().unwrap();
    drop(engine);
    let base = Base { medium, model, names };
    let file = attic_of(&base.medium);
    let mut losses = 0;
    for page in (0..10).step_by(3) {
        let medium = base.medium.restart(Restart::Process, FaultPlan::default());
        medium.open(&file).unwrap().write_at(&[0x5a; 9], page * PAGE_BYTES + 50).unwrap();
        let (mut crowd, told) = base.opened(&medium);
        let before = incomplete(&crowd, |error| is_of(error, &file, page));
        assert!(!before.is_empty());
        // Others come and go, so that the attic grows.
        let mut cycle = 330;
        while attic_of(&medium) == file {
            assert!(cycle < 3000, "it is never cleared out");
            let silent = if cycle % 280 < 140 { SILENT } else { DATABASES - 2 };
            crowd.cycle(cycle, silent..DATABASES);
            cycle += 1;
        }
        crowd.engine.checkpoint().unwrap();
        crowd.engine.checkpoint().unwrap();
        assert!(!medium.list().unwrap().contains(&file));
        assert!(told.lock().unwrap().iter().any(|note| note.starts_with(&file)));
        let model = crowd.model.clone();
        drop(crowd);
        let base = Base { medium: medium.clone(), model, names: base.names.clone() };
        let (mut crowd, _) = base.opened(&medium);
        assert_eq!(incomplete(&crowd, |error| is_of(error, &file, page)), before);
        assert_eq!(named(&crowd), [(file.clone(), Some(page * PAGE_BYTES))]);
        losses += 1;
        for cycle in cycle..cycle + 150 {
            crowd.cycle(cycle, 0..DATABASES);
        }
        crowd.engine.checkpoint().unwrap();
        assert_eq!(incomplete(&crowd, |_| false), Vec::<String>::new());
        assert_eq!(named(&crowd), []);
    }
    assert!(losses > 2, "{losses}");
}

/// Salvage gives up what is lost, and leaves the page alone that was written over since.
#[test]
fn lost_rows_are_given_up_by_a_salvage() {
    let base = Base::new(CYCLE);
    let mut salvaged = 0;
    for page in 0..base.pages() {
        let medium = base.with_rotten(page);
        let (mut crowd, told) = base.opened(&medium);
        for cycle in CYCLE..CYCLE + CYCLES {
            crowd.cycle(cycle, silent_at(CYCLE)..DATABASES);
        }
        if told.lock().unwrap().is_empty() {
            continue;
        }
        let model = crowd.model.clone();
        crowd.engine.end().unwrap();
        drop(crowd);
        let done = salvage(&AnyMedium::of(medium.clone()), options()).unwrap();
        assert_eq!(done.remaining, []);
        let files: Vec<&str> = done.given_up.iter().map(|it| it.damage.file.as_str()).collect();
        assert_eq!(files, [TILES]);
        let base = Base { medium: medium.clone(), model, names: base.names.clone() };
        let (crowd, _) = base.opened(&medium);
        let whole = |name: &&String| crowd.fetches_all(name);
        assert_eq!(crowd.names[SILENT..].iter().filter(whole).count(), DATABASES - SILENT);
        assert!(crowd.names.iter().all(|name| crowd.engine.snapshot(name).is_ok()));
        salvaged += 1;
    }
    assert!(salvaged > 3, "{salvaged}");
}
