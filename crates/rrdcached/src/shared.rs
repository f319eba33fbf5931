//! The one connection of a process.
//!
//! librrd's functions that begin with `rrdc_` name no connection, and its other functions use the
//! one they made: so the process has one. Verbs that run one after another use it too, so that a
//! pipe of a thousand updates connects once.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Client, Error};

/// A place for one connection, safe to share between threads: requests take turns.
#[derive(Debug, Default)]
pub struct Shared {
    client: Mutex<Option<Client>>,
}

static SHARED: Shared = Shared { client: Mutex::new(None) };

/// The connection that librrd's functions and the verbs of this process have in common.
#[must_use]
pub fn shared() -> &'static Shared {
    &SHARED
}

/// `RRDCACHED_ADDRESS`, unless it is empty.
fn address_of_environment() -> Option<String> {
    std::env::var("RRDCACHED_ADDRESS").ok().filter(|address| !address.is_empty())
}

impl Shared {
    /// The address to go through: the given one, else that of the environment. An empty one is
    /// none, and keeps the environment's from being looked at.
    #[must_use]
    pub fn address(given: Option<&str>) -> Option<String> {
        match given {
            Some(address) => Some(address.to_owned()).filter(|address| !address.is_empty()),
            None => address_of_environment(),
        }
    }

    /// Connects to a daemon, unless that is what we are connected to; any other connection ends.
    /// `None` means the environment's; false if there is none either.
    ///
    /// # Errors
    /// Those that [`Error::is_unconnected`] tells apart.
    pub fn connect(&self, given: Option<&str>) -> Result<bool, Error> {
        let Some(address) = Self::address(given) else { return Ok(false) };
        connected(&mut self.lock(), &address).map(|_| true)
    }

    /// Whether we are connected to this daemon; `None` means any that the environment asks for.
    #[must_use]
    pub fn is_connected(&self, given: Option<&str>) -> bool {
        match (&*self.lock(), given) {
            (None, _) => false,
            (Some(client), Some(address)) => client.address() == address,
            (Some(_), None) => address_of_environment().is_some(),
        }
    }

    /// Whether there is a connection to a daemon.
    #[must_use]
    pub fn is_any_connected(&self) -> bool {
        self.lock().is_some()
    }

    /// Ends the connection.
    pub fn disconnect(&self) {
        *self.lock() = None;
    }

    /// Asks the daemon that we are connected to.
    ///
    /// # Errors
    /// Those of the request, and [`Error::NotConnected`].
    pub fn ask<T>(
        &self,
        request: impl FnOnce(&mut Client) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.lock().as_mut().map_or(Err(Error::NotConnected), request)
    }

    /// Connects and asks, if there is a daemon to go through; `None` if there is none. No other
    /// thread leads the connection elsewhere in between.
    ///
    /// # Errors
    /// Those of [`connect`](Self::connect) and of the request.
    pub fn through<T>(
        &self,
        given: Option<&str>,
        request: impl FnOnce(&mut Client) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let Some(address) = Self::address(given) else { return Ok(None) };
        request(connected(&mut self.lock(), &address)?).map(Some)
    }

    /// Has a file flushed, if there is a daemon to go through.
    ///
    /// # Errors
    /// Those of [`connect`](Self::connect) and of [`Client::flush`].
    pub fn flush_if_daemon(&self, given: Option<&str>, path: &str) -> Result<(), Error> {
        self.through(given, |client| client.flush(path)).map(drop)
    }

    /// A thread that panicked left the connection out of its place, or whole in it.
    fn lock(&self) -> MutexGuard<'_, Option<Client>> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The client of an address, in place of any other.
fn connected<'a>(place: &'a mut Option<Client>, address: &str) -> Result<&'a mut Client, Error> {
    let kept = place.take().filter(|client| client.address() == address);
    let client = kept.map_or_else(|| Client::connect(address), Ok)?;
    Ok(place.insert(client))
}
