//! Checks that every crate that we use is free to use, change and distribute, without conditions
//! for others.

mod expression;

use crate::metadata::Package;

/// Licences that demand only their own notice.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0", // of data: the list of authorities that a driver brings along
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

/// Why a crate's licence is not allowed, or `None` if it is.
pub(crate) fn refusal(package: &Package) -> Option<String> {
    let name = format!("{} {}", package.name, package.version);
    let Some(licence) = &package.license else {
        return Some(format!("{name} states no licence"));
    };
    match expression::allows(licence, ALLOWED) {
        Ok(true) => None,
        Ok(false) => Some(format!("{name} is under {licence}, which is not allowed")),
        Err(error) => Some(format!("{name}: licence {licence:?}: {error}")),
    }
}
