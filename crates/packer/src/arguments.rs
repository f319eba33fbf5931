//! The words of `cargo xtask package`.

use std::path::PathBuf;

use packer::{Care, Format, Machine, Misuse, PackError};

/// What is wanted.
pub(crate) struct Arguments {
    /// `--only`: the kinds of packages.
    pub(crate) formats: Vec<Format>,
    /// `--machine`: for which machines.
    pub(crate) machines: Vec<Machine>,
    /// `--out`: where they go.
    pub(crate) directory: Option<PathBuf>,
    /// `--as`: a version instead of the project's own.
    pub(crate) version: Option<String>,
    /// `--dev`: packages of the tests' build.
    pub(crate) care: Care,
    /// `--twice`: everything is made a second time and compared.
    pub(crate) twice: bool,
}

impl Arguments {
    pub(crate) fn read(words: impl Iterator<Item = String>) -> Result<Self, PackError> {
        read(words).map_err(PackError::Misuse)
    }
}

fn read(mut words: impl Iterator<Item = String>) -> Result<Arguments, Misuse> {
    let mut wanted = Arguments {
        formats: Format::ALL.to_vec(),
        machines: Machine::ALL.to_vec(),
        directory: None,
        version: None,
        care: Care::Distribution,
        twice: false,
    };
    while let Some(option) = words.next() {
        let mut value = || words.next().ok_or_else(|| Misuse::NoValue(option.clone()));
        match option.as_str() {
            "--only" => wanted.formats = formats(&value()?)?,
            "--machine" => wanted.machines = machines(&value()?)?,
            "--out" => wanted.directory = Some(value()?.into()),
            "--as" => wanted.version = Some(value()?),
            "--dev" => wanted.care = Care::Development,
            "--twice" => wanted.twice = true,
            _ => return Err(Misuse::Unknown(option)),
        }
    }
    Ok(wanted)
}

fn formats(list: &str) -> Result<Vec<Format>, Misuse> {
    let wrong = |found: &str| Misuse::Value {
        option: "--only",
        expected: "deb, rpm, tar, image, or several with commas",
        found: found.to_owned(),
    };
    list.split(',').map(|name| Format::named(name).ok_or_else(|| wrong(name))).collect()
}

fn machines(list: &str) -> Result<Vec<Machine>, Misuse> {
    let wrong = |found: &str| Misuse::Value {
        option: "--machine",
        expected: "amd64, arm64, or both with a comma",
        found: found.to_owned(),
    };
    list.split(',').map(|name| Machine::named(name).ok_or_else(|| wrong(name))).collect()
}
