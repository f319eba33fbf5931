//! Pages of an attic that no checkpoint counts yet are needed from the moment at which the tiles
//! are written over whose rows they saved. A process that is killed then leaves them so, and where
//! they are lost before the store is opened again, they are named.

use std::collections::BTreeMap;
use std::ops::Range;

use disk::{AnyMedium, Fault, FaultPlan, FaultyMedium, Medium as _, MediumFile as _, Restart};
use ring::{Engine, salvage};
use store::Error;

use crate::attics::{Crowd, DATABASES, PAGE_BYTES, aged, attic_of, options, silent_at};
use crate::model::Model;

/// From this cycle on rows of silent databases leave the ring.
const CYCLE: i64 = 262;
/// In so many cycles tiles are written over.
const CYCLES: i64 = 3;

/// What is done to the pages that the checkpoint does not count.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Loss {
    Cut,
    Zeroed,
    Rotten,
}

/// A store of [`CYCLE`] cycles that was closed.
struct Base {
    medium: FaultyMedium,
    model: Model,
    names: Vec<String>,
    /// Its attic, and how many bytes of it the checkpoint counts.
    file: String,
    counted_bytes: u64,
}

impl Base {
    fn new() -> Self {
        let (medium, Crowd { engine, model, names }) = aged(CYCLE);
        engine.checkpoint().unwrap();
        let counted_bytes = u64::from(engine.report().groups[0].attic_pages) * PAGE_BYTES;
        let file = attic_of(&medium);
        Self { medium, model, names, file, counted_bytes }
    }

    fn opened(&self, medium: &FaultyMedium) -> Crowd {
        let engine = Engine::open_store(AnyMedium::of(medium.clone()), options()).unwrap();
        Crowd { engine, model: self.model.clone(), names: self.names.clone() }
    }

    fn killed_at(&self, call: u64) -> Option<FaultyMedium> {
        self.killed_in(call, CYCLE..CYCLE + CYCLES, silent_at(CYCLE))
    }

    /// What a process leaves that is killed at some call of these cycles; `None` if it comes to an
    /// end before.
    fn killed_in(&self, call: u64, cycles: Range<i64>, silent: usize) -> Option<FaultyMedium> {
        let at = BTreeMap::from([(call, Fault::Crash)]);
        let plan = FaultPlan { at, ..FaultPlan::default() };
        let medium = self.medium.restart(Restart::Process, plan);
        if let Ok(engine) = Engine::open_store(AnyMedium::of(medium.clone()), options()) {
            let crowd = Crowd { engine, model: self.model.clone(), names: self.names.clone() };
            for cycle in cycles {
                crowd.append(cycle, silent..DATABASES);
                let _ = crowd.engine.work();
            }
        }
        medium.has_crashed().then(|| medium.restart(Restart::Process, FaultPlan::default()))
    }

    /// Damages the pages that are not counted. Returns whether there is a whole one.
    fn lose_pages(&self, medium: &FaultyMedium, loss: Loss) -> bool {
        let file = medium.open(&self.file).unwrap();
        let bytes = file.len_bytes().unwrap();
        if bytes < self.counted_bytes + PAGE_BYTES {
            return false;
        }
        let more_bytes = (bytes - self.counted_bytes) as usize;
        match loss {
            Loss::Cut => file.truncate(self.counted_bytes).unwrap(),
            Loss::Zeroed => file.write_at(&vec![0; more_bytes], self.counted_bytes).unwrap(),
            Loss::Rotten => file.write_at(&[0xa5; 3], self.counted_bytes + 70).unwrap(),
        }
        true
    }

    /// The silent of which a fetch does not give all rows. A copy of one of them is refused.
    fn incomplete(&self, crowd: &Crowd) -> usize {
        let silent = self.names[..silent_at(CYCLE)].iter();
        let lost: Vec<&String> = silent.filter(|name| !crowd.fetches_all(name)).collect();
        for name in &lost {
            let copied = crowd.engine.snapshot(name).map(drop);
            let names_it =
                matches!(&copied, Err(Error::Damaged { file, .. }) if *file == self.file);
            assert!(names_it, "{name}: {copied:?}");
        }
        lost.len()
    }

    /// Pages of the attic that a check of everything names.
    fn named_pages(&self, crowd: &Crowd) -> usize {
        let damage = crowd.engine.verify(|_, _| ()).unwrap().damage;
        assert!(damage.iter().all(|each| each.file == self.file), "{damage:?}");
        assert_eq!(damage.len(), crowd.engine.report().groups[0].damaged_attic.len());
        damage.len()
    }
}

#[test]
fn pages_that_no_checkpoint_counts_are_missed() {
    let base = Base::new();
    let (mut missed, mut needless) = (0, 0);
    for call in 0.. {
        let Some(left) = base.killed_at(call) else { break };
        for loss in [Loss::Cut, Loss::Zeroed, Loss::Rotten] {
            for flushed in [false, true] {
                let told = (call, loss, flushed);
                let medium = left.restart(Restart::Process, FaultPlan::default());
                if !base.lose_pages(&medium, loss) {
                    continue;
                }
                let crowd = base.opened(&medium);
                if flushed {
                    crowd.engine.checkpoint().unwrap();
                }
                let lost = base.incomplete(&crowd);
                let pages = base.named_pages(&crowd);
                assert_eq!(pages > 0, lost > 0, "{told:?}");
                missed += u32::from(lost > 0);
                needless += u32::from(lost == 0);
                // It goes on, and the loss is still known.
                crowd.engine.checkpoint().unwrap();
                drop(crowd);
                let crowd = base.opened(&medium);
                assert_eq!(base.incomplete(&crowd), lost, "{told:?}");
                assert_eq!(base.named_pages(&crowd), pages, "{told:?}");
            }
        }
    }
    assert!(missed > 4 && needless > 4, "{missed}, {needless}");
}

/// Each of its pages is named as well as the file, so that a look at the attics alone tells.
#[test]
fn a_file_that_is_gone_is_named() {
    let base = Base::new();
    let mut uncounted = 0;
    for call in 0.. {
        let Some(medium) = base.killed_at(call) else { break };
        let pages = medium.open(&base.file).unwrap().len_bytes().unwrap() / PAGE_BYTES;
        medium.remove(&base.file).unwrap();
        let crowd = base.opened(&medium);
        let counted = u64::from(crowd.engine.report().groups[0].attic_pages);
        assert!((base.counted_bytes / PAGE_BYTES..=pages).contains(&counted), "{call}: {counted}");
        crowd.engine.check_attics().unwrap();
        let report = crowd.engine.report();
        assert_eq!(report.groups[0].damaged_attic.len() as u64, counted, "{call}");
        assert!(base.incomplete(&crowd) > 0);
        let damage = crowd.engine.verify(|_, _| ()).unwrap().damage;
        let files: Vec<&str> = damage.iter().map(|each| each.file.as_str()).collect();
        assert_eq!(files, [base.file.as_str()], "{call}");
        uncounted += u32::from(counted > base.counted_bytes / PAGE_BYTES);
    }
    assert!(uncounted > 0, "{uncounted}");
}

/// Salvage gives up what was lost, be it counted or not.
#[test]
fn a_store_without_its_attic_is_salvaged() {
    let base = Base::new();
    for (call, removed) in (0..).step_by(3).flat_map(|call| [(call, false), (call, true)]) {
        let Some(medium) = base.killed_at(call) else { break };
        match removed {
            true => medium.remove(&base.file).unwrap(),
            false if !base.lose_pages(&medium, Loss::Cut) => continue,
            false => {}
        }
        let crowd = base.opened(&medium);
        let lost = base.incomplete(&crowd);
        drop(crowd);
        let medium = medium.restart(Restart::Process, FaultPlan::default());
        let done = salvage(&AnyMedium::of(medium.clone()), options()).unwrap();
        assert_eq!(done.remaining, [], "{call}, {removed}");
        let given_up = done.given_up.iter().any(|each| each.damage.file == base.file);
        assert_eq!(lost > 0, given_up, "{call}, {removed}: {done:?}");
    }
}
