//! The machine, whatever it is to do: memory, the kernel's settings, who else works on it.

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

/// What is known of a machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Memory and its limits.
    pub memory: Seen<Memory>,
    /// The kernel's settings.
    pub settings: Settings,
    /// How names become addresses.
    pub resolver: Resolver,
    /// What runs, the largest first.
    pub processes: Seen<Vec<Process>>,
    /// How many files this process may open.
    pub descriptors: Seen<Limit>,
    /// What starts by the clock.
    pub jobs: Jobs,
    /// Libraries that write `.rrd` files.
    pub programs: Programs,
    /// Whether the clock follows others.
    pub clock: Clock,
}

impl Machine {
    /// Reads what can be read.
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
