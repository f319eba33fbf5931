//! Files that rrdtool made go in, take updates, and come out as rrdtool's own.
#![allow(clippy::disallowed_methods)] // the test reads the files that rrdtool writes

use std::cell::RefCell;
use std::fs;
use std::path::Path;

use disk::Random;
use oracle::{Reply, Rrdtool};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::cases::{self, Case, Update, case, create_command};
use crate::world::{World, assert_same_bytes};

/// Files of each case, each of another age.
const FILES: usize = 3;

#[test]
fn a_file_leaves_as_rrdtool_would_have_kept_it() {
    let Some(program) = oracle::program("rrdtool", "files through the ring store and back") else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let rrdtool = RefCell::new(Rrdtool::start(&program, directory.path()));
    let config =
        Config { cases: cases::wanted(150), failure_persistence: None, ..Config::default() };
    let outcome = TestRunner::new(config).run(&(case(), any::<u64>()), |(case, seed)| {
        live_through(&mut rrdtool.borrow_mut(), directory.path(), &case, seed);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

fn live_through(rrdtool: &mut Rrdtool, directory: &Path, case: &Case, seed: u64) {
    let mut random = Random::new(seed);
    let flush_cycles = 1 + random.below(20) as u32;
    let mut world = World::new(flush_cycles, 1 + random.below(u64::from(flush_cycles)) as u32);
    let names: Vec<String> = (0..FILES).map(|nth| format!("file{nth}.rrd")).collect();
    let mut came_at = Vec::new();
    for name in &names {
        assert_eq!(rrdtool.send(&create_command(name, case)), Reply::Ok(vec![]));
        let before = random.below(case.updates.len() as u64 + 1) as usize;
        for command in &case.updates[..before] {
            let _ = theirs(rrdtool, name, command);
        }
        came_at.push(before);
    }
    let read = |name: &String| fs::read(directory.join(name)).unwrap();
    let files: Vec<_> = names.iter().map(|name| (name.clone(), read(name))).collect();
    world.import(&files);
    for (name, bytes) in &files {
        assert_same_bytes(&world.export(name), bytes, "nothing happened to it");
    }
    for round in 0..case.updates.len() {
        for (name, before) in names.iter().zip(&came_at) {
            let Some(command) = case.updates.get(before + round) else { continue };
            let expected = theirs(rrdtool, name, command);
            let found = world.update(name, &case.definition, command);
            assert_eq!(found.is_ok(), expected.is_ok(), "{found:?} {expected:?}");
        }
        match random.below(6) {
            0 => world.engine().checkpoint().unwrap(),
            1 => world.reopen(),
            2 => drop(world.engine().work().unwrap()),
            _ => {}
        }
        if random.below(3) == 0 {
            let name = &names[random.below(FILES as u64) as usize];
            assert_same_bytes(&world.export(name), &read(name), &create_command(name, case));
        }
    }
    for (name, found) in world.export_all() {
        assert_same_bytes(&found, &read(&name), &create_command(&name, case));
    }
}

fn theirs(rrdtool: &mut Rrdtool, name: &str, command: &Update) -> Result<(), String> {
    let template =
        command.template.as_ref().map(|names| format!("-t {names} ")).unwrap_or_default();
    match rrdtool.send(&format!("update {name} {template}{}", command.arguments.join(" "))) {
        Reply::Ok(_) => Ok(()),
        Reply::Error(words) => Err(words),
    }
}

/// A gap longer than a ring moves a row pointer once round and no further; one that ends with a
/// value fills it.
#[test]
fn gaps_longer_than_a_ring_turn_it_as_rrdtool_does() {
    let Some(program) = oracle::program("rrdtool", "row pointers after gaps") else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut rrdtool = Rrdtool::start(&program, directory.path());
    for heartbeat_seconds in [20, 1_000_000] {
        let name = format!("gap{heartbeat_seconds}.rrd");
        let create = format!(
            "create {name} -b 1000000000 -s 10 DS:a:GAUGE:{heartbeat_seconds}:U:U \
             RRA:AVERAGE:0.5:1:7 RRA:MAX:0.5:1:7 RRA:LAST:0.5:3:5 RRA:MIN:0.5:4:11"
        );
        assert_eq!(rrdtool.send(&create), Reply::Ok(vec![]));
        let path = directory.path().join(&name);
        let mut world = World::new(6, 3);
        world.import(&[(name.clone(), fs::read(&path).unwrap())]);
        let bytes = fs::read(&path).unwrap();
        let (header, _) = rrdfile::decode(&bytes).unwrap();
        let mut seconds = 1_000_000_000;
        for (nth, gap) in [3, 10, 71, 75, 68, 400, 9, 10_000, 160, 1, 444].into_iter().enumerate() {
            seconds += gap;
            let command = Update { template: None, arguments: vec![format!("{seconds}:{nth}")] };
            theirs(&mut rrdtool, &name, &command).unwrap();
            world.update(&name, &header.definition, &command).unwrap();
            if nth % 3 == 1 {
                world.reopen();
            }
            let expected = fs::read(&path).unwrap();
            assert_same_bytes(&world.export(&name), &expected, &format!("after {gap} s"));
        }
    }
}
