//! A run of a growing site, as the experiment sees it.

use testbed::Cgroup;

use super::{Broken, Growth, Turn, judged};
use crate::Laboratory;
use crate::layouts::PAGE_BYTES;
use crate::task::Work;

/// The observations of a run.
#[derive(Clone, Debug)]
pub(crate) struct Life {
    pub(crate) turns: Vec<Turn>,
    /// Pages of files in the memory of its control group after each cycle, if there is a group.
    pub(crate) cached_pages: Vec<u64>,
    pub(crate) ended: Ended,
}

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// The most databases that it carried.
    pub(crate) carried: u32,
    /// What limited it; `None` if it carried all of its steps.
    pub(crate) broken: Option<Broken>,
}

impl Life {
    /// Runs it, in a control group if there is one. It is no error if the kernel kills the run
    /// because memory is exhausted.
    pub(crate) fn lived(
        laboratory: &Laboratory<'_>,
        group: Option<&Cgroup>,
        growth: &Growth,
    ) -> Result<Self, String> {
        let (mut turns, mut cached_pages) = (Vec::new(), Vec::new());
        let share = growth.share;
        let lived = laboratory.work(group, &Work::Growth(growth.clone()), |turn: Turn| {
            turns.push(turn);
            let cached_bytes = group.map(Cgroup::cached_bytes).transpose()?;
            cached_pages.push(cached_bytes.unwrap_or(0) / PAGE_BYTES);
            Ok(())
        });
        let was_killed = || group.is_some_and(|it| it.killed_for_memory().is_ok_and(|it| it > 0));
        let is_killed = lived.is_err() && was_killed();
        if !is_killed {
            lived?;
        }
        let (carried, broken) = match share {
            Some(share) => judged(share, &turns),
            None => (turns.last().map_or(0, |turn| turn.databases), None),
        };
        let broken = broken.or(is_killed.then_some(Broken::Memory));
        Ok(Self { turns, cached_pages, ended: Ended { carried, broken } })
    }
}
