//! The verbs that are measured, and the lines that call them.

/// One verb to be measured.
pub(super) struct Work {
    pub(super) name: &'static str,
    /// Commands of a round.
    pub(super) commands: usize,
    /// Whether it only reads: both programs' answers are then compared.
    pub(super) is_reading: bool,
    /// What it leaves behind.
    pub(super) leaves: Leaves,
    /// How much faster than rrdtool it is to be.
    pub(super) target: f64,
}

/// What a verb leaves behind in the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaves {
    Nothing,
    /// The files, changed alike.
    Changed,
    /// The files with another structure, which say the same but may differ in their row pointers.
    Reshaped,
    /// New files, which say the same but may differ in their row pointers.
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
    // Last: what comes later would find other bytes.
    Work { name: "tune", commands: 400, is_reading: false, leaves: Leaves::Reshaped, target: 3.0 },
];
