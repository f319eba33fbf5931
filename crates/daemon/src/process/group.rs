//! Groups of users, by name or number.

use nix::unistd::Group;

/// A group that there is not, in rrdcached's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("couldn't map \"{0}\" to a group, Sorry")]
pub struct UnknownGroup(pub String);

/// The number of a group that is named or numbered.
///
/// # Errors
/// There is none.
pub(crate) fn group(text: &str) -> Result<u32, UnknownGroup> {
    if let Ok(number) = text.parse() {
        return Ok(number);
    }
    let found = Group::from_name(text).ok().flatten();
    found.map(|group| group.gid.as_raw()).ok_or_else(|| UnknownGroup(text.into()))
}
