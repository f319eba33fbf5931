//! Debian's packages.
//!
//! ```text
//! ar: debian-binary   "2.0\n"
//!     control.tar.gz  control, md5sums, conffiles, scripts
//!     data.tar.gz     the files
//! ```

use std::fmt::Write as _;

use crate::ar::{Member, ar};
use crate::archive::{gzip, tar};
use crate::digest::md5;
use crate::folding::lines;
use crate::product::{MAINTAINER, Metadata, Product, Relation, RelationKind};
use crate::{Contents, Item, Moment, Output, PackError};

/// A package as a .deb file.
///
/// # Errors
/// Something does not fit into the archive.
pub fn deb(product: &Product, moment: Moment) -> Result<Output, PackError> {
    let control = gzip(&tar(&control_files(product), "./", moment)?);
    let data = gzip(&tar(&product.contents, "./", moment)?);
    let members = [
        Member { name: "debian-binary", bytes: b"2.0\n" },
        Member { name: "control.tar.gz", bytes: &control },
        Member { name: "data.tar.gz", bytes: &data },
    ];
    let Metadata { name, version, .. } = &product.metadata;
    let name = format!("{name}_{version}_{}.deb", architecture(&product.metadata));
    Ok(Output { name, bytes: ar(&members, moment)? })
}

fn control_files(product: &Product) -> Contents {
    let mut files = Contents::default();
    files.file("control", control(product));
    files.file("md5sums", sums(&product.contents));
    let configuration = configuration(&product.contents);
    if !configuration.is_empty() {
        files.file("conffiles", configuration);
    }
    for script in &product.scripts {
        let put = if script.is_program() { Contents::program } else { Contents::file };
        put(&mut files, script.name, script.text.clone().into_bytes());
    }
    files
}

/// The fields of deb-control(5).
fn control(product: &Product) -> String {
    let Metadata { name, version, summary, description, section, .. } = &product.metadata;
    let mut text = format!(
        "Package: {name}\nVersion: {version}\nArchitecture: {}\nMaintainer: {MAINTAINER}\n\
         Installed-Size: {}\n",
        architecture(&product.metadata),
        product.contents.bytes().div_ceil(1024),
    );
    for (kind, field) in [
        (RelationKind::Provides, "Provides"),
        (RelationKind::Requires, "Depends"),
        (RelationKind::Recommends, "Recommends"),
        (RelationKind::Suggests, "Suggests"),
        (RelationKind::Conflicts, "Conflicts"),
    ] {
        let named = product.relations.iter().filter(|relation| relation.kind == kind);
        let named: Vec<String> = named.map(written).collect();
        if !named.is_empty() {
            let _ = writeln!(text, "{field}: {}", named.join(", ")); // a String takes everything
        }
    }
    let _ = writeln!(text, "Section: {section}\nPriority: optional\nDescription: {summary}");
    let paragraphs: Vec<String> = description.lines().map(folded).collect();
    text + &paragraphs.join(" .\n")
}

fn architecture(metadata: &Metadata) -> &'static str {
    metadata.machine.map_or("all", crate::Machine::debian)
}

fn written(relation: &Relation) -> String {
    match &relation.version {
        None => relation.name.clone(),
        Some(version) => format!("{} (>= {version})", relation.name),
    }
}

/// The longest line of a description without the space before it.
const LINE_BYTES_MAX: usize = 78;

/// A paragraph in lines that begin with a space.
fn folded(paragraph: &str) -> String {
    let line = |line: String| format!(" {line}\n");
    lines(paragraph, LINE_BYTES_MAX).into_iter().map(line).collect()
}

/// The sums of all files but those that the operator may change, which dpkg knows by itself.
fn sums(contents: &Contents) -> String {
    let sum = |(path, item): (&str, &Item)| match item {
        Item::File { bytes, is_configuration: false, .. } => {
            Some(format!("{}  {path}\n", md5(bytes)))
        }
        _ => None,
    };
    contents.items().filter_map(sum).collect()
}

fn configuration(contents: &Contents) -> String {
    let named = |(path, item): (&str, &Item)| match item {
        Item::File { is_configuration: true, .. } => Some(format!("/{path}\n")),
        _ => None,
    };
    contents.items().filter_map(named).collect()
}
