//! What the opening of a store found.

use store::DamagedGroup;

use super::replay::{Elsewhere, Gap};

/// What the opening of a store found.
pub(super) struct Found {
    /// Groups that could not be opened.
    pub(super) damaged: Vec<DamagedGroup>,
    /// Where what is damaged was given up: stretches of the log that are missing.
    pub(super) gaps: Vec<Gap>,
    /// There: names that went to another database.
    pub(super) replaced: Vec<String>,
    /// Where only some groups were opened: names that the log gives to databases of others.
    pub(super) elsewhere: Elsewhere,
}
