//! The store's catalogue, the clock, and the settings of mrtg.cfg.

use super::Verdict;
use crate::facts::Facts;
use crate::finding::Finding;
use crate::unseen::Unseen;
use figures::some;

/// The targets of one MRTG process in the paper.
const SPLIT: u64 = 10_000;

pub(super) fn splitting(facts: &Facts) -> Verdict {
    let Some(targets) = &facts.targets else { return Ok(None) };
    let all = some(targets.targets, "target", "targets");
    let found = format!("{all} in one process, which polls all devices at once on every core");
    Ok(Some(match targets.targets {
        0 => Finding::warning("there is no target").change("make some: cfgmaker"),
        SPLIT.. => Finding::ok(format!(
            "{found}: the {} daemons of 10,000 targets that MRTG would need are not",
            targets.targets.div_ceil(SPLIT)
        )),
        _ => Finding::ok(found),
    }))
}

pub(super) fn forks(facts: &Facts) -> Verdict {
    let Some(targets) = &facts.targets else { return Ok(None) };
    Ok(targets.forks.as_ref().map(|forks| {
        Finding::ok(format!(
            "Forks: {forks} is MRTG's; gyre run waits for all devices at once and needs none"
        ))
    }))
}

pub(super) fn catalogue(facts: &Facts) -> Verdict {
    let Some(databases) = &facts.catalogue else { return Ok(None) };
    let databases = *databases.as_ref().map_err(Clone::clone)?;
    Ok(Some(Finding::ok(format!("it has {}", some(databases, "database", "databases")))))
}

pub(super) fn clock(facts: &Facts) -> Verdict {
    let clock = &facts.machine.clock;
    let daemon = clock.daemon.as_deref();
    let gain = "samples that are older than the last are refused: a clock that is set back by a minute loses the minute";
    match (clock.is_synchronised, daemon) {
        (Some(true), Some(daemon)) => Ok(Some(Finding::ok(format!("synchronised; {daemon} runs")))),
        (Some(true), None) => Ok(Some(Finding::ok("synchronised"))),
        (None, Some(daemon)) => Ok(Some(Finding::ok(format!("{daemon} runs")))),
        (Some(false), Some(daemon)) => Ok(Some(
            Finding::warning(format!("{daemon} runs, but the clock is not synchronised"))
                .change("chronyc sources, timedatectl timesync-status or ntpq -p tell why")
                .gain(gain),
        )),
        (Some(false), None) => Ok(Some(
            Finding::warning("nothing keeps the clock right")
                .change("install chrony, or timedatectl set-ntp true")
                .gain(gain),
        )),
        (None, None) => {
            Err(Unseen("the kernel does not tell, and no program that sets it is seen".into()))
        }
    }
}

pub(super) fn configuration(facts: &Facts) -> Verdict {
    let Some(targets) = &facts.targets else { return Ok(None) };
    let daemon = if targets.runs_as_daemon { "RunAsDaemon: Yes" } else { "RunAsDaemon: No" };
    if targets.has_rrd_format {
        let found = format!(
            "{daemon}, LogFormat: rrdtool; gyre run stays until it is told to stop in either case"
        );
        return Ok(Some(Finding::ok(found)));
    }
    Ok(Some(
        Finding::advice(format!("{daemon}, LogFormat: rateup: gyre keeps round robin databases all the same, MRTG would keep text"))
            .change("LogFormat: rrdtool in the mrtg.cfg, so that both mean the same files")
            .gain("MRTG and gyre can take turns; a rateup log is rewritten whole at each update, an .rrd file in 3 pages"),
    ))
}
