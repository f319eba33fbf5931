//! The names of the faults.

/// The names of all faults.
pub(super) const NAMES: [&str; 15] = [
    "dead", "loss", "latency", "too-big", "bulk", "reboot", "renumber", "wrap", "narrow", "source",
    "clock", "walk", "cut", "wrong-id", "repeat",
];

pub(super) fn all() -> String {
    NAMES.join(", ")
}

pub(super) fn is_name(text: &str) -> bool {
    NAMES.contains(&text)
}
