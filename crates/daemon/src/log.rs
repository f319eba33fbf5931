//! What the daemon says of itself: to syslog, a file, or standard error.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// How much something matters; syslog's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Emergency,
    Alert,
    Critical,
    Error,
    Warning,
    Notice,
    Info,
    Debug,
}

/// The names that `-V` takes.
pub(crate) const LEVELS: &[(&str, Level)] = &[
    ("LOG_EMERG", Level::Emergency),
    ("LOG_ALERT", Level::Alert),
    ("LOG_CRIT", Level::Critical),
    ("LOG_ERR", Level::Error),
    ("LOG_WARNING", Level::Warning),
    ("LOG_NOTICE", Level::Notice),
    ("LOG_INFO", Level::Info),
    ("LOG_DEBUG", Level::Debug),
];

/// syslog's number for daemons, shifted to its place.
const FACILITY: u8 = 3 << 3;
const SYSLOG: &str = "/dev/log";

/// A place for lines.
#[derive(Debug)]
pub(crate) struct Log {
    level: Level,
    file: Option<Mutex<File>>,
    syslog: Option<UnixDatagram>,
    /// In the foreground standard error is read by somebody.
    to_stderr: bool,
}

impl Log {
    /// A log of what matters at least as much as `level`: in a file, or with syslog.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub(crate) fn open(file: Option<&Path>, level: Level, to_stderr: bool) -> io::Result<Self> {
        let Some(path) = file else {
            // A machine without syslog has no use for what would be said to it.
            let syslog = UnixDatagram::unbound().and_then(|socket| {
                socket.connect(SYSLOG)?;
                socket.set_nonblocking(true)?;
                Ok(socket)
            });
            return Ok(Self { level, file: None, syslog: syslog.ok(), to_stderr });
        };
        let file = File::options().create(true).append(true).open(path)?;
        Ok(Self { level, file: Some(Mutex::new(file)), syslog: None, to_stderr: false })
    }

    /// Says something.
    pub(crate) fn say(&self, level: Level, words: &str) {
        if level > self.level {
            return;
        }
        let words = rrdtool::without_numbers(words).replace('\n', " ");
        // There is nobody to tell of a log that cannot be written.
        if let Some(file) = &self.file {
            let now = jiff::Zoned::now().strftime("%Y-%m-%d %H:%M:%S");
            let line = format!("{now} [{}] {words}\n", level as u8);
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = file.write_all(line.as_bytes());
        }
        if let Some(syslog) = &self.syslog {
            let priority = FACILITY | level as u8;
            let line = format!("<{priority}>rrdcached[{}]: {words}", std::process::id());
            let _ = syslog.send(line.as_bytes());
        }
        if self.to_stderr {
            rrdtool::complain!("{words}");
        }
    }
}
