//! Updates the recorded file: gyre itself, or a program with rrdtool's pipe mode.

use std::path::{Path, PathBuf};

use files::{Access, Io, RrdFile};
use rrd::{Definition, Reading, Sample, Timestamp};
use rrdtool::PipeClient;
use store::Locking;

use super::super::failure::Failure;
use super::Updater;

/// The reading of every source: a counter that stands still, or a gauge of one.
const READING: &str = "1";

/// Opens the file, updates it and closes it.
pub(super) enum Engine {
    Gyre { path: PathBuf, io: Io, readings: Vec<&'static str> },
    Program { pipe: PipeClient, file_name: String, readings: Vec<&'static str> },
}

impl Engine {
    pub(super) fn new(
        updater: &Updater,
        path: &Path,
        definition: &Definition,
    ) -> Result<Self, Failure> {
        let readings = readings(definition);
        match updater {
            Updater::Gyre(io) => Ok(Self::Gyre { path: path.into(), io: *io, readings }),
            Updater::Program(program) => {
                let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
                let pipe = PipeClient::start(program, directory.unwrap_or(Path::new(".")))?;
                let file_name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                Ok(Self::Program { pipe, file_name, readings })
            }
        }
    }

    pub(super) fn update(&mut self, now_seconds: u64) -> Result<(), Failure> {
        match self {
            Self::Program { pipe, file_name, readings } => {
                let update = format!("{now_seconds}:{}", readings.join(":"));
                Ok(pipe.update(file_name, &update)?)
            }
            Self::Gyre { path, io, readings } => {
                let time = Timestamp::from_seconds(now_seconds.cast_signed());
                let file = RrdFile::open_by(path, Access::Update, Locking::Try, *io);
                let updated = file.and_then(|mut file| {
                    file.append(&Sample { time, readings: &Reading::of_all(readings) })?;
                    file.commit()
                });
                Ok(updated?)
            }
        }
    }
}

/// A reading for each source that takes readings.
fn readings(definition: &Definition) -> Vec<&'static str> {
    let sources = definition.sources.iter();
    sources.filter(|source| source.kind.takes_readings()).map(|_| READING).collect()
}
