//! The measured verbs, and their commands.

/// A measured verb.
pub(super) struct Work {
    pub(super) name: &'static str,
    /// Commands of a round.
    pub(super) commands: usize,
    /// Whether it only reads: then both programs' replies are compared.
    pub(super) is_reading: bool,
    /// What it changes.
    pub(super) leaves: Leaves,
    /// The required multiple of rrdtool's rate.
    pub(super) target: f64,
}

/// The changes of a verb in the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    Nothing,
    /// The files, with equal changes.
    Changed,
    /// The files with a new structure; their content is equal, but row pointers may differ.
    Reshaped,
    /// New files; their content is equal, but row pointers may differ.
    New,
}

const fn reading(name: &'static str, commands: usize) -> Work {
    Work { name, commands, is_reading: true, leaves: Leaves::Nothing, target: 3.0 }
}

/// In the order of the report.
pub(super) const WORKS: &[Work] = &[
    Work {
        name: "update",
        commands: 50_000,
        is_reading: false,
        leaves: Leaves::Changed,
        target: 3.0,
    },
    reading("fetch", 4_000),
    reading("info", 5_000),
    reading("last", 20_000),
    Work { name: "create", commands: 500, is_reading: false, leaves: Leaves::New, target: 1.5 },
    reading("dump", 200),
    Work { name: "restore", commands: 60, is_reading: false, leaves: Leaves::New, target: 3.0 },
    // The last one, because it changes the files for later verbs.
    Work { name: "tune", commands: 400, is_reading: false, leaves: Leaves::Reshaped, target: 1.5 },
];
