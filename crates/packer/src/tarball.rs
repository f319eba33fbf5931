//! A directory with the static program and everything that belongs to it.

use crate::{Binary, Contents, Machine, Output, PackError, Source, gzip, tar};

/// The units and files of systemd's in it.
const UNITS: [&str; 5] = [
    "gyre-rrdcached.service",
    "gyre-rrdcached.socket",
    "gyre-run.service",
    "gyre.sysusers",
    "gyre.tmpfiles",
];

/// The tarball of a program without needs.
///
/// # Errors
/// A file of the project cannot be read.
pub fn tarball(source: &Source, binary: &Binary, machine: Machine) -> Result<Output, PackError> {
    let mut contents = Contents::default();
    contents.program("gyre", binary.program.clone());
    for name in UNITS {
        contents.file(&format!("systemd/{name}"), source.text(&format!("systemd/{name}"))?);
    }
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "README.md"] {
        contents.file(file, source.file(file)?);
    }
    contents.file("third-parties", source.third_parties.clone());
    for directory in ["man", "completions"] {
        for made in source.generated(directory)? {
            contents.file(&format!("{directory}/{}", made.name), made.bytes);
        }
    }
    packed(&contents, &format!("gyre-{}-{}-linux", source.version, machine.kernel()), source)
}

/// The debug information of programs, for the root of a machine that has packages of them.
///
/// # Errors
/// A name has no room in the archive.
pub(crate) fn debug(
    source: &Source,
    binaries: &[&Binary],
    name: &str,
) -> Result<Output, PackError> {
    let mut contents = Contents::default();
    for binary in binaries {
        contents.file(&binary.debug_path(), binary.debug.clone());
    }
    // The sections of the files are compressed already.
    Ok(Output { name: format!("{name}.tar"), bytes: tar(&contents, "", source.moment)? })
}

fn packed(contents: &Contents, name: &str, source: &Source) -> Result<Output, PackError> {
    let bytes = gzip(&tar(contents, &format!("{name}/"), source.moment)?);
    Ok(Output { name: format!("{name}.tar.gz"), bytes })
}
