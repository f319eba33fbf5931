//! Licences, changes, and what checkers of packages are told.

use super::{Family, Metadata};
use crate::{Contents, PackError, Source, gzip};

/// Who answers for packages.
pub(crate) const MAINTAINER: &str = "The gyre contributors <gyre@packages.invalid>";

pub(super) fn add(
    contents: &mut Contents,
    metadata: &Metadata,
    family: Family,
    source: &Source,
) -> Result<(), PackError> {
    let name = metadata.name;
    match family {
        Family::Debian => {
            let papers = format!("usr/share/doc/{name}");
            contents.file(&format!("{papers}/copyright"), source.text("deb/copyright")?);
            contents.file(&format!("{papers}/changelog.gz"), gzip(&changelog(metadata, source)));
            add_third_parties(contents, metadata, &papers, source);
            if let Some(text) = source.text_if_there(&format!("deb/{name}.lintian-overrides"))? {
                contents.file(&format!("usr/share/lintian/overrides/{name}"), text);
            }
        }
        Family::Rpm => {
            for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
                let path = format!("usr/share/licenses/{name}/{licence}");
                contents.file(&path, source.file(licence)?);
            }
            add_third_parties(contents, metadata, &format!("usr/share/licenses/{name}"), source);
        }
    }
    Ok(())
}

/// Which crates of other projects a program contains.
fn add_third_parties(
    contents: &mut Contents,
    metadata: &Metadata,
    directory: &str,
    source: &Source,
) {
    if metadata.machine.is_some() {
        contents.file(&format!("{directory}/third-parties"), source.third_parties.clone());
    }
}

/// In the form of deb-changelog(5): the version at hand alone, whose changes the project's history
/// tells.
fn changelog(metadata: &Metadata, source: &Source) -> Vec<u8> {
    let Metadata { name, version, .. } = metadata;
    let date = source.moment.as_mail();
    format!(
        "{name} ({version}) unstable; urgency=medium\n\n  * Version {version} of the project.\n\n \
         -- {MAINTAINER}  {date}\n"
    )
    .into_bytes()
}
