//! Changes to the facts of a well-configured machine.

use doctor::machine::Clock;
use doctor::place::Room;
use doctor::work::Work;
use doctor::{Facts, Measured, Unseen};
use inventory::Layouts;
use ring::Pace;

pub(crate) fn unseen<T>() -> Result<T, Unseen> {
    Err(Unseen("/proc/x: Permission denied".into()))
}

pub(crate) fn ring(databases: u64) -> Option<Work> {
    let words = ["DS:a:COUNTER:600:0:U", "DS:b:COUNTER:600:0:U", "RRA:AVERAGE:0.5:1:800"];
    let layouts = Layouts::of(rrd::spec::definition(300, words).unwrap(), databases);
    Work::of_ring(&layouts, Pace::default())
}

pub(crate) fn mounted(facts: &mut Facts, kind: &str, options: &str) {
    let mount = facts.place.as_mut().unwrap().mount.as_mut().unwrap();
    mount.kind = kind.into();
    mount.options = options.split(',').map(str::to_owned).collect();
}

pub(crate) fn options(facts: &mut Facts, options: &str) {
    let ext = facts.place.as_mut().unwrap().ext.as_mut().unwrap();
    ext.options = Ok(options.split(',').map(str::to_owned).collect());
}

pub(crate) fn device(facts: &mut Facts) -> &mut doctor::place::Device {
    facts.place.as_mut().unwrap().device.as_mut().unwrap()
}

pub(crate) fn scheduler(facts: &mut Facts, name: &str, rotational: bool, chosen: &str) {
    let all = ["none", "mq-deadline", "bfq"].map(str::to_owned).to_vec();
    *device(facts) = doctor::place::Device {
        name: name.into(),
        is_rotational: rotational,
        read_ahead_kibibytes: 128,
        scheduler: Some((chosen.into(), all)),
        has_write_cache: Some(true),
    };
}

pub(crate) fn features(facts: &mut Facts, has_directory_index: bool) {
    let ext = facts.place.as_mut().unwrap().ext.as_mut().unwrap();
    ext.features = Ok(doctor::place::Features { has_journal: true, has_directory_index });
}

pub(crate) fn room(facts: &mut Facts) -> &mut Room {
    facts.place.as_mut().unwrap().room.as_mut().unwrap()
}

pub(crate) fn measured(sync_seconds: f64) -> Option<Result<Measured, Unseen>> {
    Some(Ok(Measured {
        sync_seconds,
        cold_read_seconds: 0.008,
        write_bytes_per_second: 150e6,
        read_bytes_per_second: 180e6,
        random_writes_per_second: 400.0,
    }))
}

pub(crate) fn job(facts: &mut Facts, files: u64) {
    facts.machine.jobs.readers.push(doctor::machine::Job {
        file: "/etc/crontab".into(),
        program: "rsync",
        line: "0 3 * * * root rsync -a /data host:".into(),
    });
    facts.work = Some(Work::of_files(files, 105_312, 300, true));
}

pub(crate) fn index(facts: &mut Facts, is_indexed: bool) {
    facts.place.as_mut().unwrap().directory.as_mut().unwrap().is_indexed = Ok(is_indexed);
}

pub(crate) fn ratios(facts: &mut Facts, ratio: u64) {
    let settings = &mut facts.machine.settings;
    (settings.dirty_bytes, settings.dirty_background_bytes) = (Ok(0), Ok(0));
    settings.dirty_ratio = Ok(ratio);
}

pub(crate) fn swappy(facts: &mut Facts) {
    facts.machine.memory.as_mut().unwrap().swap_bytes = 1 << 30;
    facts.machine.settings.swappiness = Ok(60);
}

pub(crate) fn clock(facts: &mut Facts, is_synchronised: Option<bool>, daemon: Option<&str>) {
    facts.machine.clock = Clock { is_synchronised, daemon: daemon.map(str::to_owned) };
}
