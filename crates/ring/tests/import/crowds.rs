//! Many at once: full groups, several layouts, names that are there already.

use std::sync::atomic::{AtomicUsize, Ordering};

use ring::file::{Gathering, adoptee};
use rrd::Snapshot;
use rrdfile::layout::RowIndex;
use store::Error;
use store::{ADOPTEES_MAX, Adoptee};

use crate::odd_files::{file, snapshot};
use crate::world::{World, assert_same_bytes};

fn file_of(nth: usize) -> Vec<u8> {
    let mut snapshot: Snapshot = snapshot();
    // Some far from the others, so that rows of them are private.
    snapshot.live.last_update.seconds += 300 * [0, 1, 2, 9, 5000][nth % 5];
    if nth.is_multiple_of(3) {
        snapshot.definition.archives[2].rows += 1;
        snapshot.rows[2].extend([nth as f64; 2]);
    }
    for rows in &mut snapshot.rows {
        rows.iter_mut().for_each(|value| *value += nth as f64);
    }
    let newest = [nth % 10, nth % 7, nth % 5].map(|slot| RowIndex(slot as u64)).to_vec();
    rrdfile::encode(&snapshot, newest).unwrap()
}

#[test]
fn thousands_come_by_threads_and_leave_as_they_came() {
    let count = ADOPTEES_MAX + 900;
    let mut world = World::new(18, 6);
    let gathering = std::sync::Mutex::new(Gathering::new(256 << 10));
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let nth = next.fetch_add(1, Ordering::Relaxed);
            let adoptee =
                (nth < count).then(|| adoptee(&format!("{nth:05}.rrd"), &file_of(nth), 1).unwrap());
            let batch = match adoptee {
                Some(adoptee) => gathering.lock().unwrap().push(adoptee),
                None => match gathering.lock().unwrap().take_any() {
                    Some(batch) => Some(batch),
                    None => break,
                },
            };
            if let Some(batch) = batch {
                world.engine().adopt(&batch).unwrap();
            }
        }
    };
    std::thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(work))));
    for _ in 0..2 {
        let found = world.export_all();
        assert_eq!(found.len(), count);
        for (nth, (name, bytes)) in found.iter().enumerate() {
            assert_eq!(*name, format!("{nth:05}.rrd"));
            assert_same_bytes(bytes, &file_of(nth), name);
        }
        world.reopen();
    }
}

#[test]
fn those_who_wait_are_handed_over_by_groups() {
    let mut gathering = Gathering::new(usize::MAX);
    let adoptee = adoptee("", &file(), 0).unwrap();
    for nth in 1..ADOPTEES_MAX {
        let adoptee = Adoptee { name: nth.to_string(), ..adoptee.clone() };
        assert!(gathering.push(adoptee).is_none());
    }
    assert_eq!(gathering.push(adoptee.clone()).unwrap().len(), ADOPTEES_MAX);
    assert!(gathering.take_any().is_none());
    let mut gathering = Gathering::new(0);
    assert_eq!(gathering.push(adoptee).unwrap().len(), 1);
}

#[test]
fn a_name_given_twice_changes_nothing() {
    let world = World::new(6, 6);
    world.import(&[("a".into(), file())]);
    let twice = adoptee("b", &file(), 0).unwrap();
    let told = world.engine().adopt(&[twice.clone(), twice]);
    assert!(matches!(told, Err(Error::Exists(_))), "{told:?}");
    let outside = adoptee("../b", &file(), 0).unwrap();
    assert!(matches!(world.engine().adopt(&[outside]), Err(Error::Name(_))));
    assert_eq!(world.engine().names().unwrap(), ["a"]);
    world.import(&[("a".into(), file_of(4)), ("c".into(), file_of(7))]);
    assert_same_bytes(&world.export("a"), &file_of(4), "it was replaced");
    assert_eq!(world.engine().names().unwrap(), ["a", "c"]);
}
