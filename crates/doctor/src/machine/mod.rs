//! The machine apart from its load: memory, the kernel's settings, other programs.

mod memory;
mod settings;
mod resolver;
mod processes;
mod jobs;
mod programs;
mod clock;

pub use clock::Clock;
pub use jobs::{Job, Jobs, Pruning};
pub use memory::Memory;
pub use processes::{Limit, Process};
pub use programs::Programs;
pub use resolver::Resolver;
pub(crate) use resolver::is_loopback;
pub use settings::Settings;

use crate::unseen::{Root, Seen};

/// The facts about a machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Memory and its limits.
    pub memory: Seen<Memory>,
    /// The kernel's settings.
    pub settings: Settings,
    /// The resolution of host names.
    pub resolver: Resolver,
    /// The processes, the largest first.
    pub processes: Seen<Vec<Process>>,
    /// The limit of open files of this process.
    pub descriptors: Seen<Limit>,
    /// The scheduled jobs.
    pub jobs: Jobs,
    /// Libraries that write `.rrd` files.
    pub programs: Programs,
    /// Whether the clock is synchronised.
    pub clock: Clock,
}

impl Machine {
    /// Reads all facts that can be read.
    #[must_use]
    pub fn read(root: &Root) -> Self {
        let processes = Process::read_all(root);
        Self {
            memory: Memory::read(root),
            settings: Settings::read(root),
            resolver: Resolver::read(root),
            clock: Clock::read(root, processes.as_deref().unwrap_or_default()),
            processes,
            descriptors: Limit::of_descriptors(root),
            jobs: Jobs::read(root),
            programs: Programs::read(root),
        }
    }
}
