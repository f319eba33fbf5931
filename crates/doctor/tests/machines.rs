//! Whole machines: the facts read from them, and the findings.
#![allow(clippy::disallowed_methods)] // a test: it makes files

mod given;

use doctor::checks::CHECKS;
use doctor::{Facts, State};
use given::facts;

fn states(facts: &Facts) -> Vec<(&'static str, State)> {
    let decided = CHECKS.iter().filter_map(|check| Some((check.name, check.decide(facts)?.state)));
    decided.collect()
}

fn of(state: State, facts: &Facts) -> Vec<&'static str> {
    let states = states(facts).into_iter();
    states.filter(|(_, found)| *found == state).map(|(name, _)| name).collect()
}

#[test]
fn nothing_is_to_be_changed_on_a_good_machine() {
    let mut facts = facts("good");
    // The superblock is not among the machine's files.
    let features = facts.place.as_mut().unwrap().ext.as_mut().unwrap();
    assert!(features.features.is_err());
    assert_eq!(of(State::Warning, &facts), Vec::<&str>::new());
    assert_eq!(of(State::Advice, &facts), Vec::<&str>::new());
    assert_eq!(of(State::Unknown, &facts), Vec::<&str>::new());
    assert!(of(State::Ok, &facts).len() > 20);
}

#[test]
fn everything_is_to_be_changed_on_the_references() {
    let facts = facts("reference");
    let warned = of(State::Warning, &facts);
    for name in [
        "random-advice",
        "backups",
        "access-times",
        "journal",
        "descriptors",
        "socket-buffers",
        "conntrack",
    ] {
        assert!(warned.contains(&name), "{name}: {:?}", states(&facts));
    }
    let advised = of(State::Advice, &facts);
    for name in [
        "dedicated",
        "resolver",
        "own-file-system",
        "readahead",
        "scheduler",
        "write-back",
        "swap",
        "cache-pressure",
        "updatedb",
    ] {
        assert!(advised.contains(&name), "{name}: {:?}", states(&facts));
    }
    assert_eq!(of(State::Unknown, &facts), ["clock"]);
}

#[test]
fn a_container_is_bound_and_says_little() {
    let facts = facts("container");
    let memory = facts.machine.memory.as_ref().unwrap();
    assert_eq!(memory.to_have_bytes(), 512 << 20);
    let warned = of(State::Warning, &facts);
    assert!(warned.contains(&"memory") && warned.contains(&"file-system"), "{:?}", states(&facts));
    let unknown = of(State::Unknown, &facts);
    for name in ["readahead", "scheduler", "descriptors", "kernel", "clock", "write-back"] {
        assert!(unknown.contains(&name), "{name}: {:?}", states(&facts));
    }
}

#[test]
fn what_is_read() {
    let facts = facts("reference");
    let memory = facts.machine.memory.as_ref().unwrap();
    assert_eq!(
        memory.available_bytes,
        10_200_000 * 1024,
        "estimated, as there was no MemAvailable"
    );
    assert_eq!(memory.swap_used_bytes, 194_304 * 1024);
    assert_eq!(facts.machine.settings.kernel, Ok((2, 6)));
    let readers = &facts.machine.jobs.readers;
    let found: Vec<_> = readers.iter().map(|job| (job.program, job.file.as_str())).collect();
    let service = "/usr/lib/systemd/system/night.service";
    assert_eq!(found, [("rsync", "/etc/cron.d/backup"), ("borg", service)]);
    let device = facts.place.as_ref().unwrap().device.as_ref().unwrap();
    assert_eq!((device.name.as_str(), device.read_ahead_kibibytes), ("sda", 4096));
    assert_eq!(device.scheduler.as_ref().unwrap().0, "cfq");
    assert_eq!(facts.machine.programs.libraries[0].0, 2);
    assert_eq!(facts.machine.processes.as_ref().unwrap()[0].name, "mysqld");
}

#[test]
fn an_empty_machine_is_unknown_and_nothing_panics() {
    let directory = tempfile::tempdir().unwrap();
    let root = doctor::Root::at(directory.path());
    let mut facts = facts("good");
    facts.machine = doctor::machine::Machine::read(&root);
    facts.place = Some(doctor::place::Place::read(&root, std::path::Path::new("/data")));
    let unknown = of(State::Unknown, &facts).len();
    assert!(unknown > 12, "{:?}", states(&facts));
    for check in CHECKS {
        if let Some(finding) = check.decide(&facts).filter(|it| it.state == State::Unknown) {
            assert!(!finding.found.is_empty(), "{}: what is missing is named", check.name);
        }
    }
}
