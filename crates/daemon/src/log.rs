//! What the daemon says of itself: to syslog, a file, standard error, or the program that started
//! it.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// How much something matters; syslog's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Level {
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

/// Where lines go.
pub struct Log {
    level: Level,
    places: Vec<Place>,
}

enum Place {
    File(Mutex<File>),
    Syslog(UnixDatagram),
    StandardError,
    Caller(Box<dyn Fn(&str) + Send + Sync>),
}

impl Log {
    /// A log of what matters at least as much as `level`, told to the caller.
    pub fn to(level: Level, caller: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { level, places: vec![Place::Caller(Box::new(caller))] }
    }

    /// A log of what matters at least as much as `level`: in a file, or with syslog and, where
    /// a terminal shows it, on standard error.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub(crate) fn open(file: Option<&Path>, level: Level, to_stderr: bool) -> io::Result<Self> {
        if let Some(path) = file {
            let file = File::options().create(true).append(true).open(path)?;
            return Ok(Self { level, places: vec![Place::File(Mutex::new(file))] });
        }
        // A machine without syslog has no use for what would be said to it.
        let syslog = UnixDatagram::unbound().and_then(|socket| {
            socket.connect(SYSLOG)?;
            socket.set_nonblocking(true)?;
            Ok(socket)
        });
        let mut places: Vec<Place> = syslog.ok().map(Place::Syslog).into_iter().collect();
        places.extend(to_stderr.then_some(Place::StandardError));
        Ok(Self { level, places })
    }

    /// Says something.
    pub(crate) fn say(&self, level: Level, words: &str) {
        if level > self.level {
            return;
        }
        let words = words.replace('\n', " ");
        self.places.iter().for_each(|place| place.say(level, &words));
    }
}

impl Place {
    fn say(&self, level: Level, words: &str) {
        // That a log cannot be written can be told nowhere.
        match self {
            Self::File(file) => {
                let now = jiff::Zoned::now().strftime("%Y-%m-%d %H:%M:%S");
                let line = format!("{now} [{}] {words}\n", level as u8);
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                let _ = file.write_all(line.as_bytes());
            }
            Self::Syslog(syslog) => {
                let priority = FACILITY | level as u8;
                let line = format!("<{priority}>rrdcached[{}]: {words}", std::process::id());
                let _ = syslog.send(line.as_bytes());
            }
            Self::StandardError => rrdtool::complain!("{words}"),
            Self::Caller(tell) => tell(words),
        }
    }
}
