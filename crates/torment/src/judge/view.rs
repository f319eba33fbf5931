//! What gyre shows of a database: through the daemon, or by its verbs.

use std::path::Path;

use oracle::{Reply, Rrdtool};

use crate::Checked;
use crate::daemon::Daemon;
use crate::site::Site;

/// What is shown of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Its content as XML.
    Content(String),
    /// There is no database with this name.
    Absent,
    /// It cannot be read; the reason.
    Refused(String),
}

/// A way to look at databases by name.
pub(crate) trait View {
    fn dump(&mut self, name: &str) -> Checked<Shown>;

    /// The lines of a fetch with these words, or the error; `None` if this view does not support
    /// the words.
    fn fetch(&mut self, _name: &str, _words: &str) -> Checked<Option<Result<Vec<String>, String>>> {
        Ok(None)
    }
}

impl View for Daemon<'_> {
    fn dump(&mut self, name: &str) -> Checked<Shown> {
        let text = self.client().and_then(|client| client.dump(name));
        let text = text.ok_or_else(|| format!("no answer to DUMP {name}: {}", self.fate()))?;
        match text.strip_prefix("-1 ") {
            Some(error) => Ok(refused(error)),
            None => Ok(Shown::Content(text)),
        }
    }
}

/// gyre's pipe mode.
pub(crate) struct Pipe<'a> {
    site: &'a Site,
    gyre: Rrdtool,
}

impl<'a> Pipe<'a> {
    pub(crate) fn start(site: &'a Site) -> Checked<Self> {
        let mut command = site.gyre();
        command.arg("-").stderr(site.open_log()?);
        Ok(Self { site, gyre: Rrdtool::run(command) })
    }

    /// Sends a verb with a path and further words.
    pub(crate) fn send(&mut self, verb: &str, path: &Path, words: &str) -> Option<Reply> {
        self.gyre.try_send(&format!("{verb} {} {words}", path.display()))
    }

    /// The same with the name of a database.
    pub(crate) fn ask(&mut self, verb: &str, name: &str, words: &str) -> Checked<Reply> {
        let reply = self.send(verb, &self.site.path(name), words);
        reply.ok_or_else(|| format!("gyre ended at {verb} {name} {words}"))
    }

    /// The process id, for a kill.
    pub(crate) fn process(&self) -> u32 {
        self.gyre.process()
    }
}

impl View for Pipe<'_> {
    fn dump(&mut self, name: &str) -> Checked<Shown> {
        Ok(match self.ask("dump", name, "")? {
            Reply::Ok(lines) => Shown::Content(lines.join("\n").trim_end_matches('\n').to_owned()),
            Reply::Error(error) => refused(&error),
        })
    }

    fn fetch(&mut self, name: &str, words: &str) -> Checked<Option<Result<Vec<String>, String>>> {
        Ok(Some(match self.ask("fetch", name, words)? {
            Reply::Ok(lines) => Ok(lines),
            Reply::Error(error) => Err(error),
        }))
    }
}

fn refused(error: &str) -> Shown {
    match error.contains("No such file or directory") {
        true => Shown::Absent,
        false => Shown::Refused(error.to_owned()),
    }
}
