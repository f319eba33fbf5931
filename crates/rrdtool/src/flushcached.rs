//! `flushcached`: lets a daemon write what it holds back of a database.

use crate::failure::{Call, Failure};
use crate::session::Session;
use crate::verb::{Verb, only_daemon};
use options::getopt;
use options::namings;

pub(crate) const VERB: Verb = Verb {
    name: "flushcached",
    summary: "Let a daemon write what it holds back of a file",
    operands: "FILE",
    options: &namings(&only_daemon()),
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let mut daemon = None;
    let files = getopt::read(&only_daemon(), &mut daemon, words)?;
    if files.is_empty() {
        return Err(Call::new("flushcached", "[--daemon|-d <addr>] <file> [<file> ...]").into());
    }
    let flush =
        |client: &mut rrdcached::Client| files.iter().try_for_each(|file| client.flush(file));
    match session.ask_reachable_daemon(daemon, flush)? {
        Some(()) => Ok(()),
        // rrdtool's words, which programs that use the library may look for.
        None => {
            Err("Daemon address \"(null)\" unknown. Please use the \"--daemon\" option to set \
                     an address on the command line or set the \"RRDCACHED_ADDRESS\" environment \
                     variable."
                .into())
        }
    }
}
