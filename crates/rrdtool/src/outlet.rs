//! Output that leaves before its verb ends, so that a long answer takes no memory.

use std::io::{self, Write as _};

use crate::databases::Databases;
use crate::failure::Failure;

/// So much output gathers before it is written.
const GATHERED_BYTES: usize = 256 * 1024;

/// Where output goes that gathers while a verb runs.
#[derive(Debug, Default)]
pub enum Outlet {
    /// Nowhere: the caller takes it when the verb has ended.
    #[default]
    Caller,
    /// Standard output.
    Standard,
    /// Standard output, by the way of the program that has loaded us.
    Program(fn(&[u8]) -> io::Result<()>),
    /// Standard output, which takes no more. The error is told at the end of the verb.
    Broken(io::Error),
}

impl Outlet {
    /// Writes what has gathered, if it is much. A verb calls it once nothing but the output itself
    /// can fail any more.
    ///
    /// # Errors
    /// Standard output, or the disk that updates before this answer go to, does not take it.
    pub(crate) fn relieve(
        &mut self,
        out: &mut Vec<u8>,
        databases: &Databases,
    ) -> Result<(), Failure> {
        if out.len() < GATHERED_BYTES || matches!(self, Self::Caller | Self::Broken(_)) {
            return Ok(());
        }
        // Replies to earlier lines may be among it, and say that updates are on disk.
        databases.sync()?;
        let written = match self {
            Self::Program(write) => write(out),
            _ => io::stdout().lock().write_all(out),
        };
        out.clear();
        written.map_err(|error| {
            let same = copy_of(&error);
            *self = Self::Broken(error);
            Failure::System("error flushing output: ".into(), same)
        })
    }
}

fn copy_of(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(number) => io::Error::from_raw_os_error(number),
        None => error.kind().into(),
    }
}
