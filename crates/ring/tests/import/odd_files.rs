//! Files that are not as rrdtool leaves them: kept byte for byte, or refused; never a panic.

use ring::file::{Departure, Foreign, adoptee};
use rrd::{LiveState, Reading, Sample, Snapshot, Timestamp, UNKNOWN};
use rrdfile::layout::RowIndex;
use store::{Error, Update};

use crate::world::{MODIFIED_NANOS, World, assert_same_bytes};

pub(crate) const START_SECONDS: i64 = 1_600_000_000;

pub(crate) fn snapshot() -> Snapshot {
    let specs = ["DS:in:COUNTER:600:U:U", "DS:out:GAUGE:600:U:U"];
    let archives = ["RRA:AVERAGE:0.5:1:10", "RRA:MAX:0.5:1:10", "RRA:AVERAGE:0.5:6:5"];
    let definition = rrd::spec::definition(300, specs.into_iter().chain(archives)).unwrap();
    let live = LiveState::fresh(&definition, Timestamp::from_seconds(START_SECONDS));
    let rows = definition.archives.iter().map(|archive| {
        (0..archive.rows * 2).map(|nth| if nth % 5 == 0 { UNKNOWN } else { nth as f64 }).collect()
    });
    Snapshot { rows: rows.collect(), live, definition }
}

pub(crate) fn file() -> Vec<u8> {
    rrdfile::encode(&snapshot(), vec![RowIndex(3), RowIndex(9), RowIndex(0)]).unwrap()
}

#[test]
fn bytes_that_gyre_does_not_know_come_back() {
    let header_bytes = 128 + 120 * 5 + 16 + 112 * 2 + 80 * 6 + 8 * 3;
    let mut odd = file();
    odd[4..8].copy_from_slice(b"0004");
    odd[10] = 7; // padding
    odd[100] = 9; // a parameter of nobody's
    odd[128 + 3] = b'x'; // behind the NUL of a name
    odd.extend_from_slice(b"and more");
    let world = World::new(6, 6);
    let names = ["plain", "odd"].map(str::to_owned);
    let files = [(names[0].clone(), file()), (names[1].clone(), odd.clone())];
    world.import(&files);
    assert_eq!(world.export_all(), [files[1].clone(), files[0].clone()]);
    // Updates change what they change in a plain file, and nothing else.
    for name in &names {
        let time = Timestamp::from_seconds(START_SECONDS + 700);
        let samples = [Sample { time, readings: &["12", "3.5"].map(Reading::of) }];
        assert!(world.engine().update(&[Update::of(name, &samples)]).is_empty());
    }
    let (plain, found) = (world.export("plain"), world.export("odd"));
    assert_eq!(found.len(), plain.len() + 8);
    for at in 0..plain.len() {
        let expected = match at {
            4..8 | 10 | 100 | 131 => odd[at],
            _ => plain[at],
        };
        assert_eq!(found[at], expected, "byte {at} of a header of {header_bytes}");
    }
    assert_ne!(plain, file());
}

#[test]
fn a_file_is_known_by_its_time_until_it_is_replaced() {
    let world = World::new(6, 6);
    world.import(&[("a".into(), file())]);
    let engine = world.engine();
    assert_eq!(engine.came_from("a", MODIFIED_NANOS).unwrap(), Some(true));
    assert_eq!(engine.came_from("a", MODIFIED_NANOS + 1).unwrap(), Some(false));
    assert_eq!(engine.came_from("b", MODIFIED_NANOS).unwrap(), None);
    engine.rename("a", "b").unwrap();
    assert_eq!(engine.came_from("b", MODIFIED_NANOS).unwrap(), Some(true));
    assert_same_bytes(&world.export("b"), &file(), "renamed");
    engine.restore("b", &snapshot()).unwrap();
    assert_eq!(engine.came_from("b", MODIFIED_NANOS).unwrap(), Some(false));
}

#[test]
fn a_database_made_here_leaves_as_a_valid_file() {
    let world = World::new(6, 6);
    let made = snapshot();
    world.engine().create("new", &made.definition, made.live.last_update).unwrap();
    for nth in 1..40 {
        let time = Timestamp::from_seconds(START_SECONDS + nth * 400);
        let text = (nth * 1000).to_string();
        let samples = [Sample { time, readings: &[Reading::of(&text); 2] }];
        assert!(world.engine().update(&[Update::of("new", &samples)]).is_empty());
    }
    let (_, found) = rrdfile::decode(&world.export("new")).unwrap();
    crate::world::assert_same(&found, &world.engine().snapshot("new").unwrap(), "made here");
}

#[test]
fn what_cannot_be_is_refused() {
    let world = World::new(6, 6);
    let refused = |spoil: &dyn Fn(&mut Snapshot)| {
        let mut spoilt = snapshot();
        spoil(&mut spoilt);
        let told = world.engine().restore("spoilt", &spoilt);
        assert!(matches!(told, Err(Error::Unfit { .. })), "{told:?}");
    };
    refused(&|spoilt| spoilt.live.last_update.seconds = -1);
    refused(&|spoilt| spoilt.live.last_update.seconds = i64::MAX);
    refused(&|spoilt| spoilt.live.last_update.micros = 1_000_000);
    refused(&|spoilt| spoilt.definition.step_seconds = 0);
    refused(&|spoilt| spoilt.definition.archives[0].pdp_per_row = u64::MAX);
    refused(&|spoilt| drop(spoilt.rows.pop()));
    refused(&|spoilt| spoilt.rows[0].truncate(1));
    refused(&|spoilt| spoilt.live.cells.truncate(1));
    refused(&|spoilt| spoilt.definition.sources.clear());
    assert!(world.engine().names().unwrap().is_empty());
    let mut backwards = file();
    let live_offset = 128 + 120 * 5;
    backwards[live_offset..live_offset + 8].copy_from_slice(&(-1_i64).to_le_bytes());
    assert!(matches!(adoptee("a", &backwards, 0), Err(Error::Format { .. })));
    let mut long = file();
    long.resize(long.len() + (1 << 20) + 1, 0);
    assert!(matches!(adoptee("a", &long, 0), Err(Error::Unfit { .. })));
}

/// Every byte of a header turned into others: refused, or taken in and given back as it was.
#[test]
fn hostile_headers_never_panic() {
    let good = file();
    let header_bytes = good.len() - 8 * 2 * 25;
    let world = World::new(4, 2);
    for at in 0..header_bytes {
        for value in [0x00, 0x01, 0x7f, 0x80, 0xff] {
            let mut bad = good.clone();
            bad[at] = value;
            let Ok(taken) = adoptee("bad", &bad, 1) else { continue };
            // In short what the store does, which would take its time for each.
            let departure = Departure {
                name: taken.name.clone(),
                snapshot: taken.snapshot.clone(),
                shifts: None,
                foreign: taken.foreign.clone(),
            };
            assert_same_bytes(&departure.file_bytes().unwrap(), &bad, "it went through");
            if at % 37 == 0 && world.engine().adopt(&[taken]).is_ok() {
                assert_same_bytes(&world.export("bad"), &bad, "it came out of the store");
                let time = Timestamp::from_seconds(START_SECONDS + 5000);
                let samples = [Sample { time, readings: &["1", "1"].map(Reading::of) }];
                world.engine().update(&[Update::of("bad", &samples)]);
                let _ = world.engine().snapshot("bad").unwrap();
            }
        }
    }
    for cut in 0..good.len() {
        adoptee("cut", &good[..cut], 1).unwrap_err();
    }
}

#[test]
fn what_is_foreign_to_another_database_is_an_error() {
    let departure = |foreign: Vec<u8>| Departure {
        name: "a".into(),
        snapshot: snapshot(),
        shifts: None,
        foreign: Some(foreign),
    };
    let other = Foreign { turns: vec![1, 2], ..Foreign::default() };
    assert!(matches!(departure(other.encode()).file_bytes(), Err(Error::Damaged { .. })));
    assert!(matches!(departure(vec![9, 9]).file_bytes(), Err(Error::Damaged { .. })));
    let far = Foreign { turns: vec![u64::MAX; 3], ..Foreign::default() };
    departure(far.encode()).file_bytes().unwrap();
}
