//! Packages of rpm.

use rpm::{BuildConfig, CompressionWithLevel, Dependency, FileMode, FileOptions, PackageBuilder};

use crate::folding::lines;
use crate::product::{MAINTAINER, Metadata, Product, Relation, RelationKind};
use crate::{Item, Machine, Moment, Output, PackError};

/// What stands behind the version.
const RELEASE: &str = "1";
const GROUP: &str = "System/Monitoring";
/// The longest line of a description.
const LINE_BYTES_MAX: usize = 79;
const LICENCE: &str = "MIT OR Apache-2.0";
/// The best that gzip does.
const COMPRESSION: CompressionWithLevel = CompressionWithLevel::Gzip(9);

/// A package as an .rpm file.
///
/// # Errors
/// Something does not fit into it.
pub fn rpm(product: &Product, moment: Moment) -> Result<Output, PackError> {
    let Metadata { name, version, machine, summary, description, .. } = &product.metadata;
    let architecture = machine.map_or("noarch", Machine::kernel);
    let mut builder = PackageBuilder::new(name, version, LICENCE, architecture, summary);
    builder.using_config(BuildConfig::v4().compression(COMPRESSION).source_date(moment.seconds));
    let description = lines(description, LINE_BYTES_MAX).join("\n");
    builder.release(RELEASE).description(description).group(GROUP).build_host("localhost");
    builder.packager(MAINTAINER).vendor("The gyre contributors");
    let entry = format!("{} - {version}-{RELEASE}", MAINTAINER);
    let words = format!("- Version {version} of the project.");
    builder.add_changelog_entry(entry, words, moment.seconds);
    for relation in &product.relations {
        relate(&mut builder, relation);
    }
    for script in &product.scripts {
        let add = match script.name {
            "pre" => PackageBuilder::pre_install_script,
            "post" => PackageBuilder::post_install_script,
            "preun" => PackageBuilder::pre_uninstall_script,
            _ => PackageBuilder::post_uninstall_script,
        };
        add(&mut builder, script.text.clone());
    }
    for (path, item) in product.contents.items() {
        add(&mut builder, path, item)?;
    }
    let mut bytes = Vec::new();
    builder.build()?.write(&mut bytes)?;
    Ok(Output { name: format!("{name}-{version}-{RELEASE}.{architecture}.rpm"), bytes })
}

fn relate(builder: &mut PackageBuilder, relation: &Relation) {
    let other = match &relation.version {
        None => Dependency::any(&relation.name),
        Some(version) => Dependency::greater_eq(&relation.name, version),
    };
    match relation.kind {
        RelationKind::Requires => builder.requires(other),
        RelationKind::Recommends => builder.recommends(other),
        RelationKind::Suggests => builder.suggests(other),
        RelationKind::Conflicts => builder.conflicts(other),
        RelationKind::Provides => builder.provides(other),
    };
}

/// Adds a file or a link. Directories are the system's, but for those that no other package has.
fn add(builder: &mut PackageBuilder, path: &str, item: &Item) -> Result<(), PackError> {
    let place = format!("/{path}");
    match item {
        Item::Directory { .. } if is_own(path) => {
            builder.with_dir_entry(FileOptions::dir(place).permissions(0o755))?;
        }
        Item::Directory { .. } => {}
        Item::File { bytes, is_configuration, .. } => {
            let mode = FileMode::regular(if item.mode() == 0o755 { 0o755 } else { 0o644 });
            let options = FileOptions::new(place).mode(mode);
            let options = match (is_configuration, path.starts_with("usr/share/licenses/")) {
                (true, _) => options.config().noreplace(),
                (_, true) => options.license(),
                _ if path.starts_with("usr/share/man/") => options.doc(),
                _ => options,
            };
            builder.with_file_contents(bytes.clone(), options)?;
        }
        Item::Link { target } => {
            builder.with_symlink(FileOptions::symlink(place, target.clone()))?;
        }
    }
    Ok(())
}

fn is_own(directory: &str) -> bool {
    let name = directory.rsplit('/').next().unwrap_or_default();
    name.contains("gyre")
}
