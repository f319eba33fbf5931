//! Making all packages that are wanted.

use std::path::Path;

use crate::generated::generate;
use crate::product::{self, Family};
use crate::{
    Binary, Linking, Machine, Output, PackError, Source, Workshop, deb, image, rpm, tarball,
};

/// The kinds of packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Debian's.
    Deb,
    /// Those of rpm.
    Rpm,
    /// A tarball with a static program.
    Tar,
    /// An image for containers.
    Image,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Deb, Self::Rpm, Self::Tar, Self::Image];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deb => "deb",
            Self::Rpm => "rpm",
            Self::Tar => "tar",
            Self::Image => "image",
        }
    }

    /// The one of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Whether the machine's own C library is used.
    const fn is_dynamic(self) -> bool {
        matches!(self, Self::Deb | Self::Rpm)
    }
}

/// What is wanted.
#[derive(Clone, Debug)]
pub struct Order {
    /// Of which kinds.
    pub formats: Vec<Format>,
    /// For which machine.
    pub machine: Machine,
}

/// Makes the programs, and packages of them.
///
/// # Errors
/// Something is missing here, does not compile, or does not fit into a package.
pub fn make(workshop: &Workshop, source: &Source, order: &Order) -> Result<Vec<Output>, PackError> {
    let mut outputs = Vec::new();
    if order.formats.iter().any(|format| format.is_dynamic()) {
        outputs.extend(dynamic(workshop, source, order)?);
    }
    if order.formats.iter().any(|format| !format.is_dynamic()) {
        outputs.extend(with_static_program(workshop, source, order)?);
    }
    Ok(outputs)
}

fn dynamic(workshop: &Workshop, source: &Source, order: &Order) -> Result<Vec<Output>, PackError> {
    let Order { formats, machine } = order;
    let built = workshop.build(*machine, Linking::Dynamic, &["gyre", "librrd"])?;
    if let Some(directory) = source.generated.as_ref().filter(|_| machine.is_here()) {
        generate(&built.join("gyre"), directory)?;
    }
    let program = split(workshop, &built.join("gyre"), *machine)?;
    let library = split(workshop, &built.join("librrd_abi.so"), *machine)?;
    let products = |family| {
        Ok::<_, PackError>([
            product::gyre(source, &program, *machine, family)?,
            product::librrd(source, &library, *machine, family)?,
            product::compat(source, family)?,
        ])
    };
    let mut outputs = Vec::new();
    if formats.contains(&Format::Deb) {
        for product in products(Family::Debian)? {
            outputs.push(deb(&product, source.moment)?);
        }
    }
    if formats.contains(&Format::Rpm) {
        for product in products(Family::Rpm)? {
            outputs.push(rpm(&product, source.moment)?);
        }
    }
    let name = format!("gyre-{}-{}-debug", source.version, machine.kernel());
    outputs.push(crate::tarball::debug(source, &[&program, &library], &name)?);
    Ok(outputs)
}

fn with_static_program(
    workshop: &Workshop,
    source: &Source,
    order: &Order,
) -> Result<Vec<Output>, PackError> {
    let Order { formats, machine } = order;
    let built = workshop.build(*machine, Linking::Static, &["gyre"])?;
    let program = split(workshop, &built.join("gyre"), *machine)?;
    let mut outputs = Vec::new();
    if formats.contains(&Format::Tar) {
        outputs.push(tarball(source, &program, *machine)?);
    }
    if formats.contains(&Format::Image) {
        outputs.push(image(source, &program, *machine)?);
    }
    let name = format!("gyre-{}-{}-linux-debug", source.version, machine.kernel());
    outputs.push(crate::tarball::debug(source, &[&program], &name)?);
    Ok(outputs)
}

fn split(workshop: &Workshop, program: &Path, machine: Machine) -> Result<Binary, PackError> {
    Binary::split(program, machine, &workshop.directory.join("parts"))
}
