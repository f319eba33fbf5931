//! The installed librrd, if any: its version tells how it reads files.

use crate::unseen::Root;

/// Directories of libraries.
const PLACES: [&str; 8] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/lib64",
    "/lib",
    "/usr/local/lib",
    "/usr/local/lib64",
];

/// Libraries that write `.rrd` files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Programs {
    /// Versions `N` of `librrd.so.N`, with their paths.
    pub libraries: Vec<(u32, String)>,
}

impl Programs {
    pub(super) fn read(root: &Root) -> Self {
        let found = PLACES.iter().flat_map(|place| {
            let names = root.names(place).unwrap_or_default();
            names.into_iter().filter_map(move |name| {
                let number =
                    name.strip_prefix("librrd.so.").or(name.strip_prefix("librrd_th.so."))?;
                Some((number.parse().ok()?, format!("{place}/{name}")))
            })
        });
        Self { libraries: found.collect() }
    }
}
