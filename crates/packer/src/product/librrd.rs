//! `librrd8-gyre`: gyre as the library of RRDtool.

use super::gyre::of_libraries;
use super::{Family, Metadata, Product};
use crate::{Binary, Contents, Machine, Needs, PackError, Source};

const SUMMARY: &str = "gyre as the library of RRDtool";
const DESCRIPTION: &str = "\
Programs that use librrd.so.8 (collectd, SmokePing, the modules for Perl, Python, Ruby and Lua) work \
with gyre while this package is installed.
It has a directory of its own beside the library of the distribution; update-alternatives says which \
of both the linker finds, and removing the package brings the other one back.";

/// The library's file, named like the version that it stands for.
const FILE: &str = "librrd.so.8.2.1";

/// The package.
///
/// # Errors
/// A file of the project cannot be read.
pub fn librrd(
    source: &Source,
    binary: &Binary,
    machine: Machine,
    family: Family,
) -> Result<Product, PackError> {
    let library = match family {
        Family::Debian => format!("usr/lib/{}/gyre", machine.triplet()),
        Family::Rpm => "usr/lib64/gyre".to_owned(),
    };
    let mut contents = Contents::default();
    contents.file(&format!("{library}/{FILE}"), binary.program.clone());
    contents.link(&format!("{library}/librrd.so.8"), FILE);
    // The choices of update-alternatives: files that the linker's configuration takes in.
    contents.file("usr/share/librrd8-gyre/gyre.conf", format!("/{library}\n"));
    contents
        .file("usr/share/librrd8-gyre/distribution.conf", "# librrd.so.8 is the distribution's.\n");
    let metadata = Metadata {
        name: "librrd8-gyre",
        version: source.version.clone(),
        machine: Some(machine),
        summary: SUMMARY,
        description: DESCRIPTION,
        section: "libs",
    };
    let relations = of_libraries(family, Needs::of(&binary.program));
    Product { metadata, relations, scripts: Vec::new(), contents }.finish(family, source)
}
