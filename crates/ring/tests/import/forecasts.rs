//! Databases that forecast, and computed sources: rrdtool's files go in, take updates with kills
//! and checkpoints between them, and come out as rrdtool's own.
#![allow(clippy::disallowed_methods)] // the test reads the files that rrdtool writes

use std::fs;
use std::path::Path;

use disk::Random;
use oracle::{Reply, Rrdtool};
use rrd::Definition;

use crate::cases::{self, Update};
use crate::world::{World, assert_same_bytes};

#[test]
fn forecasts_leave_as_rrdtool_would_have_kept_them() {
    let Some(program) = oracle::program("rrdtool", "forecasts in the ring store") else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut rrdtool = Rrdtool::start(&program, directory.path());
    let first: u64 = std::env::var("GYRE_SEED").map_or(0, |seed| seed.parse().unwrap());
    for seed in first..first + u64::from(cases::wanted(60)) {
        live_through(&mut rrdtool, directory.path(), seed);
    }
}

fn live_through(rrdtool: &mut Rrdtool, directory: &Path, seed: u64) {
    let mut random = Random::new(seed);
    let step_seconds = [1, 10, 300][random.below(3) as usize];
    let start_seconds = 1_000_000_000 + random.below(100_000);
    let specs = specs(&mut random, step_seconds);
    let name = "forecast.rrd";
    let create = format!("create {name} -b {start_seconds} -s {step_seconds} {specs}");
    assert_eq!(rrdtool.send(&create), Reply::Ok(vec![]), "seed {seed}: {create}");
    let path = directory.join(name);
    let flush_cycles = 1 + random.below(20) as u32;
    let mut world = World::new(flush_cycles, 1 + random.below(u64::from(flush_cycles)) as u32);
    let mut seconds = start_seconds;
    let came_at = random.below(60);
    let mut definition = None;
    for round in 0..40 + random.below(100) {
        if round >= came_at && definition.is_none() {
            definition = Some(import(&mut world, name, &fs::read(&path).unwrap()));
        }
        seconds += pause_seconds(&mut random, step_seconds);
        let command =
            Update { template: None, arguments: vec![argument(&mut random, seconds, &specs)] };
        let reply = rrdtool.send(&format!("update {name} {}", command.arguments[0]));
        let Some(definition) = &definition else { continue };
        let found = world.update(name, definition, &command);
        assert_eq!(
            found.is_ok(),
            matches!(reply, Reply::Ok(_)),
            "seed {seed}: {found:?} {reply:?}"
        );
        match random.below(8) {
            0 => world.engine().checkpoint().unwrap(),
            1 => world.reopen(),
            2 => drop(world.engine().work().unwrap()),
            _ => {}
        }
        if random.below(4) == 0 {
            let what = format!("seed {seed}, round {round}: {create}");
            assert_same_bytes(&world.export(name), &fs::read(&path).unwrap(), &what);
        }
    }
}

fn import(world: &mut World, name: &str, bytes: &[u8]) -> Definition {
    world.import(&[(name.into(), bytes.to_vec())]);
    assert_same_bytes(&world.export(name), bytes, "nothing happened to it");
    rrdfile::decode(bytes).unwrap().0.definition
}

/// Sources and archives: one of each kind of forecast, plain archives around it.
fn specs(random: &mut Random, step_seconds: u64) -> String {
    let mut specs = Vec::new();
    for source in 0..1 + random.below(3) {
        let kind = ["COUNTER", "GAUGE", "DERIVE"][random.below(3) as usize];
        let heartbeat = step_seconds * [1, 2, 50][random.below(3) as usize];
        specs.push(format!("DS:ds{source}:{kind}:{heartbeat}:U:U"));
    }
    if random.below(2) == 0 {
        specs.push("DS:sum:COMPUTE:ds0,2,*,100,+".into());
    }
    let plain = |random: &mut Random| {
        let cf = ["AVERAGE", "MAX", "LAST"][random.below(3) as usize];
        format!("RRA:{cf}:0.5:{}:{}", 1 + random.below(4), 1 + random.below(20))
    };
    if random.below(2) == 0 {
        specs.push(plain(random));
    }
    let period = 3 + random.below(15);
    let rows = period + 1 + random.below(30);
    let cf = ["HWPREDICT", "MHWPREDICT"][random.below(2) as usize];
    if random.below(4) > 0 {
        specs.push(format!("RRA:{cf}:{rows}:0.1:0.0035:{period}"));
    }
    specs.push(plain(random));
    specs.join(" ")
}

fn pause_seconds(random: &mut Random, step_seconds: u64) -> u64 {
    match random.below(12) {
        0 => 1 + random.below(step_seconds),
        1 => step_seconds * (2 + random.below(5)),
        2 => step_seconds * (1 + random.below(60)),
        _ => step_seconds,
    }
}

fn argument(random: &mut Random, seconds: u64, specs: &str) -> String {
    let sources = specs.matches("DS:").count() - specs.matches("COMPUTE").count();
    let mut argument = seconds.to_string();
    for _ in 0..sources {
        argument += ":";
        argument += &match random.below(10) {
            0 => "U".into(),
            _ => (seconds % 10_000 * 7 + random.below(500)).to_string(),
        };
    }
    argument
}
