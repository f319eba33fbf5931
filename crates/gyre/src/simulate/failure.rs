//! Why a simulation fails.

use std::io;
use std::path::{Path, PathBuf};

use capacity::trace_text::Mistake;
use rrd::spec::SpecError;
use rrdtool::{PipeError, system_words};

use crate::command_line::Unprinted;

/// Why a simulation, a recording or its output fails.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("{action} {}: {}", path.display(), system_words(error))]
    Io { action: &'static str, path: PathBuf, error: io::Error },
    #[error("{0}")]
    Plot(io::Error),
    /// An open file cannot be read, or its resident pages cannot be found out.
    #[error("{}: {}", path.display(), system_words(error))]
    File { path: PathBuf, error: io::Error },
    #[error("{}: {mistake}", path.display())]
    Trace { path: PathBuf, mistake: Mistake },
    #[error("the files have too many pages, or no source, archive or step")]
    Shape,
    #[error("all files together have 2^30 pages or more: simulate fewer, per file it is the same")]
    Fleet,
    #[error("a trace has fewer than 2^30 pages")]
    TracePages,
    #[error("the cache has more than 2^32 pages: simulate fewer files")]
    CachePages,
    /// The layout of one of several groups is wrong; groups count from 1.
    #[error("group {nth}: {failure}")]
    Group { nth: usize, failure: Box<Failure> },
    #[error("the step: MRTG has 1 to 3600 seconds; for more give DS and RRA")]
    MrtgStep,
    #[error(transparent)]
    Layout(#[from] SpecError),
    #[error(transparent)]
    Database(#[from] store::Error),
    #[error("nothing to record")]
    NothingToRecord,
    #[error("--page: the kernel's pages have {kernel} bytes, not {page_bytes}")]
    PageBytes { kernel: usize, page_bytes: u64 },
    #[error("the file is too large")]
    TooLarge,
    #[error("{} is in the way", .0.display())]
    InTheWay(PathBuf),
    /// The error of the program that updates the file, or about it.
    #[error(transparent)]
    Program(#[from] PipeError),
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
}

impl Failure {
    /// Describes an error of an action on a file.
    pub(super) fn io(action: &'static str, path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::Io { action, path: path.into(), error }
    }

    /// Describes an error of reading an open file or its resident pages.
    pub(super) fn file(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::File { path: path.into(), error }
    }
}
