//! Which names a client may see.

/// The names that a client may see: all, or those that begin with one of some prefixes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// None means every name.
    prefixes: Vec<String>,
}

impl Scope {
    /// The names that begin with one of these; without any prefix, all names.
    #[must_use]
    pub fn of(prefixes: Vec<String>) -> Self {
        Self { prefixes }
    }

    /// The prefixes; none if every name is seen.
    #[must_use]
    pub fn prefixes(&self) -> &[String] {
        &self.prefixes
    }

    /// Whether every name is seen.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.prefixes.is_empty()
    }

    /// Whether a name is seen. A name that could lead elsewhere than it says (`..`, an absolute
    /// path) is seen by none whose names are limited.
    #[must_use]
    pub fn sees(&self, name: &str) -> bool {
        let begins = |prefix: &String| name.starts_with(prefix.as_str());
        self.is_everything() || (is_plain(name) && self.prefixes.iter().any(begins))
    }

    /// Whether a directory is seen: names that are seen are in it, or may be. The empty name is the
    /// top directory.
    #[must_use]
    pub fn sees_directory(&self, name: &str) -> bool {
        if self.is_everything() || name.is_empty() {
            return true;
        }
        let whole = format!("{name}/");
        let meets = |prefix: &String| prefix.starts_with(&whole) || whole.starts_with(&**prefix);
        is_plain(name) && self.prefixes.iter().any(meets)
    }
}

/// Whether each part of a name is an ordinary one, so that the name says where it leads.
fn is_plain(name: &str) -> bool {
    !name.split('/').any(|part| matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::Scope;

    fn scope(prefixes: &[&str]) -> Scope {
        Scope::of(prefixes.iter().map(|&prefix| prefix.to_owned()).collect())
    }

    #[test]
    fn without_prefixes_all_is_seen() {
        for name in ["a", "", "../a", "/etc", "a//b"] {
            assert!(Scope::default().sees(name) && Scope::default().sees_directory(name), "{name}");
        }
    }

    #[test]
    fn prefixes_limit_names() {
        let scope = scope(&["router/", "core-"]);
        for name in ["router/a.rrd", "router/b/c.rrd", "core-1", "core-1/x.rrd"] {
            assert!(scope.sees(name), "{name}");
        }
        for name in [
            "router",
            "router2/a",
            "Router/a",
            "core",
            "/router/a",
            "router/../secret.rrd",
            "router/./a",
            "router//a",
            "router/",
            "router/..",
            "./router/a",
            "core-/../../etc/passwd",
            "",
        ] {
            assert!(!scope.sees(name), "{name}");
        }
    }

    #[test]
    fn directories_on_the_way_are_seen() {
        let scope = scope(&["site/router/", "a/co"]);
        for name in ["", "site", "site/router", "site/router/deep", "a", "a/co", "a/core"] {
            assert!(scope.sees_directory(name), "{name}");
        }
        for name in ["sit", "site/switch", "site/router2", "a/b", "site/..", "/site", "site/"] {
            assert!(!scope.sees_directory(name), "{name}");
        }
    }
}
