//! What is put in comes out again, in order; what contradicts is refused.

use std::ops::ControlFlow;

use disk::MemoryMedium;
use journal::{Generation, LogPosition, RrdId};
use ring::catalogue::{Catalogue, CatalogueError, Changes, DefinitionId, GroupId};

use crate::world::{Contents, META, definition, entry, filled, first_changes, group};

const FIRST: RrdId = RrdId(1 << 12);
const SECOND: RrdId = RrdId(1 << 12 | 1);

fn changed(change: impl FnOnce(&mut Changes)) -> Changes {
    let mut changes = Changes::new();
    change(&mut changes);
    changes
}

#[test]
fn everything_is_there_after_reopening() {
    let medium = MemoryMedium::default();
    let catalogue = filled(&medium, 300);
    let extra = changed(|changes| {
        changes.put_foreign(FIRST, vec![1, 2, 3]);
        changes.put_named("inventory", b"17".to_vec());
        changes.put_definition(DefinitionId(1), &definition(1));
        changes.redefine(SECOND, Generation(1), DefinitionId(1));
    });
    catalogue.commit(&extra, LogPosition(200)).unwrap();
    let before = Contents::of(&catalogue).unwrap();
    catalogue.close().unwrap();

    let catalogue = Catalogue::open(&medium).unwrap();
    assert_eq!(Contents::of(&catalogue).unwrap(), before);
    assert_eq!(*catalogue.meta(), META);
    assert_eq!(before.applied, LogPosition(200));
    assert_eq!(before.rrds.len(), 300);
    assert_eq!(before.rrds[&SECOND].definition, DefinitionId(1));
    assert_eq!(before.groups[&GroupId(1)], group(0));
    assert_eq!(before.definitions[1], format!("{:?}", definition(1)));
    assert_eq!(catalogue.foreign(FIRST).unwrap().as_deref(), Some([1, 2, 3].as_slice()));
    assert_eq!(catalogue.named("inventory").unwrap().as_deref(), Some(b"17".as_slice()));
    assert_eq!(catalogue.named("nothing").unwrap(), None);
}

#[test]
fn lookups_by_name_and_id() {
    let catalogue = filled(&MemoryMedium::default(), 20);
    let name = "router/interface-000007.rrd";
    let rrd = RrdId(1 << 12 | 7);
    assert_eq!(catalogue.id_of(name).unwrap(), Some(rrd));
    assert_eq!(catalogue.name_of(rrd).unwrap().as_deref(), Some(name));
    assert_eq!(catalogue.entry(rrd).unwrap(), Some(entry(1, name)));
    assert_eq!(GroupId::of(rrd), GroupId(1));
    assert_eq!(catalogue.id_of("router/interface-00000").unwrap(), None);
    assert_eq!(catalogue.entry(RrdId(7)).unwrap(), None);
}

#[test]
fn names_come_sorted_and_by_prefix() {
    let catalogue = filled(&MemoryMedium::default(), 120);
    let more = changed(|changes| {
        for (member, name) in [(900, "router/interface-1"), (901, "a"), (902, "routes"), (903, "ü")]
        {
            changes.put_rrd(RrdId(1 << 12 | member), entry(1, name));
        }
    });
    catalogue.commit(&more, LogPosition(101)).unwrap();
    let all: Vec<String> = catalogue.names("").unwrap().into_iter().map(|(name, _)| name).collect();
    assert!(all.is_sorted() && all.len() == 124 && all[0] == "a" && all[123] == "ü");
    let some = catalogue.names("router/interface-00011").unwrap();
    assert_eq!(some.len(), 10);
    assert_eq!(some[0], ("router/interface-000110.rrd".into(), RrdId(1 << 12 | 110)));
    assert_eq!(catalogue.names("routes").unwrap().len(), 1);
    assert_eq!(catalogue.names("zzz").unwrap(), []);

    let mut seen = 0;
    let three = |_: &str, _| {
        seen += 1;
        if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    catalogue.visit_names("router/", "", three).unwrap();
    assert_eq!(seen, 3);
}

#[test]
fn names_move_with_renames_and_go_with_their_rrd() {
    let catalogue = filled(&MemoryMedium::default(), 2);
    let moves = changed(|changes| {
        changes.rename(FIRST, Generation(1), "one");
        changes.rename(SECOND, Generation(1), "router/interface-000000.rrd"); // free by now
        changes.put_foreign(FIRST, vec![9]);
    });
    catalogue.commit(&moves, LogPosition(101)).unwrap();
    assert_eq!(catalogue.id_of("router/interface-000000.rrd").unwrap(), Some(SECOND));
    assert_eq!(catalogue.id_of("router/interface-000001.rrd").unwrap(), None);
    assert_eq!(catalogue.names("one").unwrap(), [("one".into(), FIRST)]);

    let gone = changed(|changes| {
        changes.remove_rrd(FIRST, Generation(1));
        changes.put_rrd(FIRST, entry(2, "one"));
        changes.remove_group(GroupId(9)); // there is none
    });
    catalogue.commit(&gone, LogPosition(102)).unwrap();
    let contents = Contents::of(&catalogue).unwrap();
    assert_eq!(contents.rrds[&FIRST], entry(2, "one"));
    assert_eq!(contents.foreign.len(), 0, "what was foreign was of the earlier holder");
}

#[test]
fn a_stretch_of_the_log_can_be_applied_twice() {
    let catalogue = filled(&MemoryMedium::default(), 3);
    let stretch = changed(|changes| {
        changes.put_definition(DefinitionId(1), &definition(1));
        changes.rename(FIRST, Generation(1), "moved");
        changes.put_rrd(RrdId(1 << 12 | 5), entry(1, "router/interface-000000.rrd"));
        changes.remove_rrd(SECOND, Generation(1));
        changes.put_rrd(SECOND, entry(2, "second"));
        changes.rename(SECOND, Generation(2), "second again");
        changes.put_rrd(RrdId(1 << 12 | 6), entry(1, "short-lived"));
        changes.remove_rrd(RrdId(1 << 12 | 6), Generation(1));
        changes.put_group(GroupId(2), group(7));
        changes.remove_group(GroupId(2));
    });
    catalogue.commit(&stretch, LogPosition(150)).unwrap();
    let once = Contents::of(&catalogue).unwrap();
    catalogue.commit(&stretch, LogPosition(150)).unwrap();
    assert_eq!(Contents::of(&catalogue).unwrap(), once);
    catalogue.commit(&first_changes(3), LogPosition(100)).unwrap();
    let contents = Contents::of(&catalogue).unwrap();
    assert_eq!(contents, once, "creates of what has moved on since, and the position stays");
    assert_eq!(contents.rrds[&FIRST].name, "moved");
}

#[test]
fn what_concerns_another_generation_changes_nothing() {
    let catalogue = filled(&MemoryMedium::default(), 1);
    let before = Contents::of(&catalogue).unwrap();
    let stale = changed(|changes| {
        changes.put_rrd(FIRST, entry(0, "of the past"));
        for generation in [Generation(0), Generation(2)] {
            changes.rename(FIRST, generation, "x");
            changes.redefine(FIRST, generation, DefinitionId(3));
            changes.remove_rrd(FIRST, generation);
        }
    });
    catalogue.commit(&stale, LogPosition(100)).unwrap();
    assert_eq!(Contents::of(&catalogue).unwrap(), before);
}

#[test]
fn what_contradicts_is_refused_and_nothing_of_it_stays() {
    let catalogue = filled(&MemoryMedium::default(), 2);
    let before = Contents::of(&catalogue).unwrap();
    let refused = |what: &str, change: &dyn Fn(&mut Changes)| {
        let changes = changed(|changes| {
            changes.put_rrd(RrdId(1 << 12 | 50), entry(1, "innocent"));
            change(changes);
        });
        let error = catalogue.commit(&changes, LogPosition(300)).unwrap_err();
        assert_eq!(error.to_string(), what);
        assert_eq!(Contents::of(&catalogue).unwrap(), before);
    };
    let name = "router/interface-000000.rrd";
    let taken = format!("catalogue: the name {name:?} is that of RRD 4096 already");
    refused(&taken, &|changes| changes.put_rrd(RrdId(1 << 12 | 51), entry(1, name)));
    refused(&taken, &|changes| changes.rename(SECOND, Generation(1), name));
    refused("catalogue: RRD 4097 is of generation 1, expected none before 2", &|changes| {
        changes.put_rrd(SECOND, entry(2, "too early"));
    });
    refused("catalogue: definition 0: there is another one of that number", &|changes| {
        changes.put_definition(DefinitionId(0), &definition(1));
    });
    refused("catalogue: definition 2: numbers before it are free", &|changes| {
        changes.put_definition(DefinitionId(2), &definition(1));
    });
}

#[test]
fn an_rrd_of_a_definition_that_is_missing_is_damage() {
    let catalogue = filled(&MemoryMedium::default(), 1);
    let changes = changed(|changes| changes.redefine(FIRST, Generation(1), DefinitionId(7)));
    catalogue.commit(&changes, LogPosition(101)).unwrap();
    let error = catalogue.load(|_| {}).unwrap_err();
    assert!(matches!(error, CatalogueError::Damaged { .. }));
    assert_eq!(error.to_string(), "catalogue: loading: damaged: rrd 4096: definition 7 of 1");
}

#[test]
#[should_panic(expected = "the caller's own")]
fn a_panic_of_the_visitor_is_no_damage() {
    let catalogue = filled(&MemoryMedium::default(), 1);
    let _ = catalogue.load(|_| panic!("the caller's own"));
}
