//! Which names of databases a table can have.

/// The most characters of a name: MariaDB's keys have 3,072 bytes, four for a character.
pub const NAME_CHARACTERS_MAX: usize = 700;

/// Whether all three kinds of databases can have the name as it is.
#[must_use]
pub fn is_fit(name: &str) -> bool {
    !name.contains('\0') && name.chars().count() <= NAME_CHARACTERS_MAX
}
