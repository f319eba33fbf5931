//! Runs that differ in one thing: faults of devices, SNMPv3.

use serde_json::json;

use super::Bench;
use super::run::AtWork;
use crate::report::{Report, Row};

/// One device in ten is dead, one in twenty answers late.
pub(super) fn measure_faults(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let devices = bench.options.few_devices;
    let healthy = bench.wanted("healthy", devices)?;
    let healthy = AtWork::start(&bench.gyre, &healthy)?.measure(bench.options.cycles)?;
    let mut faulty = bench.wanted("faulty", devices)?;
    faulty.dead_devices = devices / 10;
    faulty.slow_devices = devices / 20;
    faulty.slow_by_ms = 800;
    let targets_a_device = healthy.targets as f64 / f64::from(devices);
    let expected = (targets_a_device * f64::from(faulty.dead_devices)).round();
    let faulty = AtWork::start(&bench.gyre, &faulty)?.measure(bench.options.cycles)?;
    let ratio = faulty.a_cycle_seconds() / healthy.a_cycle_seconds();
    report.row(
        Row::new("10 % dead, 5 % at 800 ms: processor time", "x", ratio)
            .at_most(1.2)
            .note(format!("{:.2} us a target without faults", healthy.a_target_us())),
    );
    let missed = faulty.missed() as f64 / faulty.cycles.len() as f64;
    report.row(
        Row::new("targets missed a cycle", "", missed)
            .note(format!("about {expected:.0} are on devices that are dead")),
    );
    report.raw("faults", json!([healthy, faulty]));
    Ok(())
}

/// SNMPv3 with authentication and privacy beside v2c.
pub(super) fn measure_user(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let devices = bench.options.few_devices;
    let community = bench.wanted("v2c", devices)?;
    let community = AtWork::start(&bench.gyre, &community)?.measure(bench.options.cycles)?;
    let mut user = bench.wanted("v3", devices)?;
    user.with_user = true;
    let user = AtWork::start(&bench.gyre, &user)?.measure(bench.options.cycles)?;
    let ratio = user.a_target_us() / community.a_target_us();
    report.row(
        Row::new("SNMPv3, SHA-256 and AES-128: processor time of v2c", "x", ratio)
            .at_most(1.5)
            .note(format!("{} targets missed", user.missed())),
    );
    let memory = user.resident_bytes.saturating_sub(community.resident_bytes);
    let memory = memory as f64 / f64::from(devices);
    report.row(Row::new("more memory for a device with SNMPv3", "bytes", memory));
    report.raw("v3", json!([community, user]));
    Ok(())
}
