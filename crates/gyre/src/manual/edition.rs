//! Of which version the pages are.

use ::manual::Edition;

/// The version of this build, and its day as CHANGELOG.md tells it.
pub(super) const EDITION: Edition =
    Edition { program: "gyre", version: env!("CARGO_PKG_VERSION"), date: "2026-11-27" };

#[cfg(test)]
mod tests {
    use super::EDITION;

    #[test]
    fn the_changelog_has_the_day_of_this_version() {
        let changelog = include_str!("../../../../CHANGELOG.md");
        let heading = format!("\n## {} ({})\n", EDITION.version, EDITION.date);
        assert!(changelog.contains(&heading), "CHANGELOG.md lacks {heading:?}");
    }
}
