//! The environment, with what SETENV has changed for this page.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use rrdtool::Session;

/// Variables of the environment as a page sees them. Those of the process stay as they are.
#[derive(Default)]
pub(crate) struct Environment(HashMap<Vec<u8>, Vec<u8>>);

impl Environment {
    pub(crate) fn get(&self, name: &[u8]) -> Option<Vec<u8>> {
        let own = self.0.get(name).cloned();
        // The system's own call has no name with these.
        let is_name = !name.is_empty() && !name.contains(&b'=') && !name.contains(&0);
        own.or_else(|| {
            std::env::var_os(OsStr::from_bytes(name)).filter(|_| is_name)?.into_vec().into()
        })
    }

    /// Sets a variable. The session follows those that say something of times and daemons.
    pub(crate) fn set(&mut self, name: &[u8], value: &[u8], session: &mut Session) {
        let text = || String::from_utf8_lossy(value).into_owned();
        match name {
            b"TZ" => session.times.use_zone(&text()),
            b"RRDCACHED_ADDRESS" => {
                session.daemon = Some(text()).filter(|address| !address.is_empty());
            }
            _ => {}
        }
        self.0.insert(name.to_vec(), value.to_vec());
    }
}
