//! `gyre-compat`: gyre under the names of rrdtool's programs.

use super::relation::RelationKind::{Conflicts, Provides, Requires};
use super::{Family, Metadata, Product, Relation};
use crate::{Contents, PackError, Source};

/// The programs.
pub const NAMES: [&str; 6] =
    ["rrdtool", "rrdcached", "rrdcgi", "rrdupdate", "rrdcreate", "rrdinfo"];

const SUMMARY: &str = "gyre under the names of the programs of RRDtool";
const DEBIAN: &str = "\
With this package, rrdtool, rrdcached, rrdcgi, rrdupdate, rrdcreate and rrdinfo are gyre.
Programs of those names that other packages install are kept under another name, remain a choice of \
update-alternatives, and are back when this package is removed.";
const RPM: &str = "\
With this package, rrdtool, rrdcached, rrdcgi, rrdupdate, rrdcreate and rrdinfo are gyre.
It cannot be installed beside the rrdtool of the distribution: swap one for the other.";

/// The package.
///
/// # Errors
/// A file of the project cannot be read.
pub fn compat(source: &Source, family: Family) -> Result<Product, PackError> {
    let mut contents = Contents::default();
    for name in NAMES {
        match family {
            // The name in /usr/bin is made by update-alternatives.
            Family::Debian => {
                contents.link(&format!("usr/lib/gyre/compat/{name}"), "../../../bin/gyre");
            }
            Family::Rpm => contents.link(&format!("usr/bin/{name}"), "gyre"),
        }
    }
    let metadata = Metadata {
        name: "gyre-compat",
        version: source.version.clone(),
        machine: None,
        summary: SUMMARY,
        description: if family == Family::Debian { DEBIAN } else { RPM },
        section: "net",
    };
    let mut relations = vec![Relation::since(Requires, "gyre", &source.version)];
    if family == Family::Rpm {
        // A database of rpm has no diversions: two packages cannot both own a program's name.
        relations.push(Relation::any(Conflicts, "rrdtool"));
        relations.push(Relation::any(Provides, "rrdtool"));
    }
    Product { metadata, relations, scripts: Vec::new(), contents }.finish(family, source)
}
