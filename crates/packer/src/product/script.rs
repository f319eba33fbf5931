//! What runs while a package is installed and removed.

use super::Family;
use crate::{PackError, Source};

/// A script, or a declaration of Debian's that stands beside scripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// Its name, as Debian's packages or specifications of rpm have it.
    pub name: &'static str,
    /// Its text.
    pub text: String,
}

/// Those of .deb files; the last one is no program.
const OF_DEBIAN: [&str; 5] = ["preinst", "postinst", "prerm", "postrm", "triggers"];
/// Those of .rpm files.
const OF_RPM: [&str; 4] = ["pre", "post", "preun", "postun"];

impl Script {
    /// Whether it is run.
    #[must_use]
    pub fn is_program(&self) -> bool {
        self.name != "triggers"
    }
}

/// The scripts of a package: `packaging/deb/NAME.postinst`, `packaging/rpm/NAME.post` and so on.
pub(super) fn read(
    package: &str,
    family: Family,
    source: &Source,
) -> Result<Vec<Script>, PackError> {
    let (directory, names) = match family {
        Family::Debian => ("deb", &OF_DEBIAN[..]),
        Family::Rpm => ("rpm", &OF_RPM[..]),
    };
    let mut scripts = Vec::new();
    for name in names {
        if let Some(text) = source.text_if_there(&format!("{directory}/{package}.{name}"))? {
            scripts.push(Script { name, text });
        }
    }
    Ok(scripts)
}
