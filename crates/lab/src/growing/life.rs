//! A life from set-up to end, as the laboratory sees it.

use testbed::Cgroup;

use super::{Broken, Growth, Turn, judged};
use crate::Laboratory;
use crate::layouts::PAGE_BYTES;
use crate::task::Work;

/// What was seen of a life.
#[derive(Clone, Debug)]
pub(crate) struct Life {
    pub(crate) turns: Vec<Turn>,
    /// Pages of files that its group had in memory after each cycle, if it had a group.
    pub(crate) cached_pages: Vec<u64>,
    pub(crate) ended: Ended,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// The most databases that it carried.
    pub(crate) carried: u32,
    /// Why it did not carry more; none: nobody asked for more.
    pub(crate) broken: Option<Broken>,
}

impl Life {
    /// Lives it in a group where there is one. That the kernel ends it for want of memory is no
    /// failure.
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
