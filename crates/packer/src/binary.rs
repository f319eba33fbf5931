//! A program without its debug information, and that information.

use std::path::Path;
use std::process::Command;

use crate::building::run;
use crate::{Machine, PackError};

/// A program, or a shared library, in two files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binary {
    /// What runs.
    pub program: Vec<u8>,
    /// What debuggers read beside it.
    pub debug: Vec<u8>,
    /// The name under which they find it: 40 hexadecimal digits.
    pub build_id: String,
}

/// What a program needs of the machine's C library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Needs {
    /// The version of glibc behind `2.`.
    pub glibc_minor: u32,
}

/// Where the linker writes the build ID.
const SECTION: &str = ".note.gnu.build-id";
/// The bytes of a note before its contents: three lengths, and the name `GNU`.
const NOTE_HEAD_BYTES: usize = 16;

impl Binary {
    /// Takes a program that cargo made apart, by files in a directory.
    ///
    /// # Errors
    /// `objcopy` fails, or the program has no build ID.
    pub fn split(program: &Path, machine: Machine, directory: &Path) -> Result<Self, PackError> {
        std::fs::create_dir_all(directory).map_err(|cause| PackError::file(directory, cause))?;
        let copy = |words: &[&str], name: &str| {
            let made = directory.join(name);
            run(Command::new(machine.objcopy()).args(words).arg(program).arg(&made))?;
            std::fs::read(&made).map_err(|cause| PackError::file(&made, cause))
        };
        let debug = copy(&["--only-keep-debug", "--compress-debug-sections=zlib"], "debug")?;
        let stripped = copy(&["--strip-unneeded", "--remove-section=.comment"], "program")?;
        let note_file = directory.join("build-id");
        let dumped = format!("{SECTION}={}", note_file.display());
        copy(&["--dump-section", &dumped], "whole")?;
        let note = std::fs::read(&note_file).map_err(|cause| PackError::file(&note_file, cause))?;
        let id = note.get(NOTE_HEAD_BYTES..).filter(|id| !id.is_empty());
        let id = id.ok_or_else(|| PackError::NoBuildId(program.to_owned()))?;
        let build_id = id.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { program: stripped, debug, build_id })
    }

    /// The place of the debug information on a machine.
    #[must_use]
    pub fn debug_path(&self) -> String {
        let (directory, file) = self.build_id.split_at(2.min(self.build_id.len()));
        format!("usr/lib/debug/.build-id/{directory}/{file}.debug")
    }
}

impl Needs {
    /// The needs of a program, by the names of versions within it.
    #[must_use]
    pub fn of(program: &[u8]) -> Self {
        let name = b"GLIBC_2.";
        let places = memchr::memmem::find_iter(program, name);
        let minor = |place: usize| {
            let rest = program.get(place + name.len()..).unwrap_or_default();
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).take(3);
            digits.fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
        };
        Self { glibc_minor: places.map(minor).max().unwrap_or_default() }
    }
}
