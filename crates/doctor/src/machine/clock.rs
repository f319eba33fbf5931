//! Whether the clock is synchronised: from the kernel, or else from the running programs.

use super::Process;
use crate::unseen::Root;

/// Programs that set the clock.
const DAEMONS: [&str; 6] = ["chronyd", "ntpd", "ntpsec", "systemd-timesyn", "openntpd", "ptp4l"];

/// How the clock is synchronised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The kernel's state (`adjtimex(2)`); `None` if the kernel was not asked or does not tell.
    pub is_synchronised: Option<bool>,
    /// A running program that sets the clock.
    pub daemon: Option<String>,
}

impl Clock {
    pub(super) fn read(root: &Root, processes: &[Process]) -> Self {
        let daemon = processes.iter().find(|it| DAEMONS.contains(&it.name.as_str()));
        let daemon = daemon.map(|process| process.name.clone());
        Self { is_synchronised: if root.is_here() { kernel_says() } else { None }, daemon }
    }
}

/// Asks the kernel, without changing anything.
#[expect(unsafe_code)] // no library wraps this call
fn kernel_says() -> Option<bool> {
    // SAFETY: all zeros are a valid `timex`, whose modes then ask for no change.
    let mut timex: nix::libc::timex = unsafe { std::mem::zeroed() };
    // SAFETY: the structure is the call's own, and outlives it.
    let state = unsafe { nix::libc::adjtimex(&raw mut timex) };
    (state >= 0).then_some(timex.status & nix::libc::STA_UNSYNC == 0)
}
