//! `gyre`: the program, its units, its settings.

use super::relation::RelationKind::{Recommends, Requires, Suggests};
use super::{Family, Metadata, Product, Relation};
use crate::{Binary, Contents, Machine, Needs, PackError, Source, gzip};

const SUMMARY: &str = "network measurement on round robin databases";
const DESCRIPTION: &str = "\
gyre polls network devices by the configuration of MRTG, keeps their answers in round robin databases, \
whose size never grows, draws graphs of them, and serves both as web pages.
It reads and writes the .rrd files of RRDtool, answers for RRDtool and rrdcached, and keeps a \
million databases on one machine in a store of its own.";

const UNITS: [&str; 3] = ["gyre-rrdcached.service", "gyre-rrdcached.socket", "gyre-run.service"];
const SETTINGS: [&str; 2] = ["gyre-run", "gyre-rrdcached"];

/// The package.
///
/// # Errors
/// A file of the project cannot be read.
pub fn gyre(
    source: &Source,
    binary: &Binary,
    machine: Machine,
    family: Family,
) -> Result<Product, PackError> {
    let mut contents = Contents::default();
    contents.program("usr/bin/gyre", binary.program.clone());
    add_units(&mut contents, source)?;
    for name in SETTINGS {
        let path = format!("etc/default/{name}");
        contents.configuration(&path, source.text(&format!("default/{name}"))?);
    }
    add_generated(&mut contents, source, family)?;
    let metadata = Metadata {
        name: "gyre",
        version: source.version.clone(),
        machine: Some(machine),
        summary: SUMMARY,
        description: DESCRIPTION,
        section: "net",
    };
    let relations = relations(family, Needs::of(&binary.program));
    Product { metadata, relations, scripts: Vec::new(), contents }.finish(family, source)
}

fn add_units(contents: &mut Contents, source: &Source) -> Result<(), PackError> {
    for unit in UNITS {
        let text = source.text(&format!("systemd/{unit}"))?;
        contents.file(&format!("usr/lib/systemd/system/{unit}"), text);
    }
    contents.file("usr/lib/sysusers.d/gyre.conf", source.text("systemd/gyre.sysusers")?);
    contents.file("usr/lib/tmpfiles.d/gyre.conf", source.text("systemd/gyre.tmpfiles")?);
    Ok(())
}

/// Man pages, and completions at the places where each shell looks for them.
fn add_generated(
    contents: &mut Contents,
    source: &Source,
    family: Family,
) -> Result<(), PackError> {
    let of_zsh = match family {
        Family::Debian => "usr/share/zsh/vendor-completions",
        Family::Rpm => "usr/share/zsh/site-functions",
    };
    for page in source.generated("man")? {
        let section = page.name.rsplit('.').next().unwrap_or_default();
        contents.file(&format!("usr/share/man/man{section}/{}.gz", page.name), gzip(&page.bytes));
    }
    for completion in source.generated("completions")? {
        let name = &completion.name;
        let place = match name.rsplit('.').next() {
            Some("bash") => "usr/share/bash-completion/completions/gyre".to_owned(),
            Some("fish") => format!("usr/share/fish/vendor_completions.d/{name}"),
            _ => format!("{of_zsh}/{name}"),
        };
        contents.file(&place, completion.bytes);
    }
    Ok(())
}

fn relations(family: Family, needs: Needs) -> Vec<Relation> {
    let mut relations = of_libraries(family, needs);
    let more = match family {
        Family::Debian => vec![
            // The user `gyre` is made by systemd-sysusers.
            Relation::any(Requires, "systemd | systemd-standalone-sysusers | systemd-sysusers"),
            Relation::any(Recommends, "ca-certificates"),
            Relation::any(Recommends, "tzdata"),
            Relation::any(Suggests, "gyre-compat"),
            Relation::any(Suggests, "librrd8-gyre"),
        ],
        Family::Rpm => vec![
            Relation::any(Requires, "systemd"),
            Relation::any(Recommends, "ca-certificates"),
            Relation::any(Recommends, "tzdata"),
        ],
    };
    relations.extend(more);
    relations
}

/// The C library and that of its compiler, in the names of a family.
pub(super) fn of_libraries(family: Family, needs: Needs) -> Vec<Relation> {
    let minor = needs.glibc_minor;
    match family {
        Family::Debian => vec![
            Relation::since(Requires, "libc6", &format!("2.{minor}")),
            Relation::since(Requires, "libgcc-s1", "4.2"),
        ],
        Family::Rpm => vec![
            Relation::any(Requires, &format!("libc.so.6(GLIBC_2.{minor})(64bit)")),
            Relation::any(Requires, "libgcc_s.so.1()(64bit)"),
        ],
    }
}
