//! Going through an rrdcached: what `--daemon` and `RRDCACHED_ADDRESS` change.
//!
//! A daemon holds samples back that are not in the file yet. A program that reads the file itself
//! misses them, and one that writes it can make the daemon lose them. So verbs that write ask the
//! daemon or fail. Verbs that read do what rrdtool does where the daemon cannot be reached: they
//! answer from the file, and complain once the answer is out ([`Session::complaint`]).

use rrdcached::{Client, shared};

use crate::failure::Failure;
use crate::session::Session;

impl Session {
    /// The daemon that a command goes through: the option's, else the environment's. An empty
    /// option says that none is meant, whatever the environment says.
    pub(crate) fn daemon_of(&self, option: Option<&str>) -> Option<String> {
        match option {
            Some(address) => Some(address.to_owned()).filter(|address| !address.is_empty()),
            None => self.daemon.clone(),
        }
    }

    /// Asks the daemon that a command goes through; `None` where there is none, or where it cannot
    /// be reached: then the answer is to be found in the file.
    pub(crate) fn ask_daemon<T>(
        &mut self,
        option: Option<&str>,
        request: impl FnOnce(&mut Client) -> Result<T, rrdcached::Error>,
    ) -> Result<Option<T>, Failure> {
        let Some(address) = self.daemon_of(option) else { return Ok(None) };
        match shared().through(Some(&address), request) {
            Err(error) if error.is_unconnected() => {
                self.complaint = Some(error.into());
                Ok(None)
            }
            answer => Ok(answer?),
        }
    }

    /// Asks the daemon that a command goes through; `None` where there is none. One that cannot be
    /// reached is a failure.
    pub(crate) fn ask_reachable_daemon<T>(
        &self,
        option: Option<&str>,
        request: impl FnOnce(&mut Client) -> Result<T, rrdcached::Error>,
    ) -> Result<Option<T>, Failure> {
        let Some(address) = self.daemon_of(option) else { return Ok(None) };
        Ok(shared().through(Some(&address), request)?)
    }

    /// Has the daemon write what it holds back of a file, so that the file can be read.
    pub(crate) fn flush_before(&mut self, option: Option<&str>, name: &str) -> Result<(), Failure> {
        self.ask_daemon(option, |client| client.flush(name)).map(drop)
    }
}
