//! The files that say who may ask, and what is encrypted. They are read again on demand.
//!
//! They lie outside the daemon's own directories, to which the kernel holds the process with `-B`.
//! So the thread that reads them is started before that.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use access::Current;
use guard::{Tls, TokensFile};

use crate::log::{Level, Log};

/// What these files say.
pub(crate) struct Guarded {
    /// The tokens of those who may ask; `None` for everybody.
    pub(crate) tokens: Option<Current>,
    /// The certificates; `None` where nothing is encrypted.
    pub(crate) tls: Option<Tls>,
    /// Tells the thread to read; `None` where there is no file.
    demands: Option<Sender<()>>,
}

impl Guarded {
    /// What was read of the files. They are read again by a thread that may do what the calling
    /// thread may do now.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub(crate) fn by(
        tokens: Option<TokensFile>,
        tls: Option<Tls>,
        log: &Arc<Log>,
    ) -> io::Result<Self> {
        let current = tokens.as_ref().map(|file| file.current().clone());
        let mut guarded = Self { tokens: current, tls: tls.clone(), demands: None };
        if tokens.is_some() || tls.is_some() {
            let (demands, demanded) = channel();
            let log = Arc::clone(log);
            let read = move || demanded.iter().for_each(|()| read_again(&tokens, &tls, &log));
            std::thread::Builder::new().name("gyre-guard".to_owned()).spawn(read)?;
            guarded.demands = Some(demands);
        }
        Ok(guarded)
    }

    /// Whether there are such files.
    pub(crate) fn has_files(&self) -> bool {
        self.demands.is_some()
    }

    /// Has them read again soon.
    pub(crate) fn read_again(&self) {
        if let Some(demands) = &self.demands {
            let _ = demands.send(()); // the thread lives as long as this does
        }
    }
}

/// Reads the files. Those that cannot be used change nothing.
fn read_again(tokens: &Option<TokensFile>, tls: &Option<Tls>, log: &Log) {
    match tokens.as_ref().map(TokensFile::reload) {
        Some(Ok(count)) => {
            log.say(Level::Notice, &format!("the tokens are read anew: {count}"));
        }
        Some(Err(error)) => {
            log.say(Level::Error, &format!("the tokens stay as they were: {error}"));
        }
        None => {}
    }
    match tls.as_ref().map(Tls::reload) {
        Some(Ok(())) => log.say(Level::Notice, "the certificate is read anew"),
        Some(Err(error)) => {
            log.say(Level::Error, &format!("the certificate stays as it was: {error}"));
        }
        None => {}
    }
}
