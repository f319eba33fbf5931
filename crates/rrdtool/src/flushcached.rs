//! `flushcached`: lets a daemon write what it holds back of a database.

use crate::options::Options;
use crate::session::{Failure, Session};
use crate::verb::{DAEMON, Verb, no_daemon};

pub(crate) const VERB: Verb = Verb {
    name: "flushcached",
    summary: "Let a daemon write what it holds back of a file",
    operands: "FILE",
    options: &[DAEMON],
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let mut address = session.daemon.clone();
    let mut options = Options::new(VERB.options, words);
    while let Some((_, value)) = options.next_option()? {
        address = Some(value.to_owned());
    }
    if options.operands().is_empty() {
        return Err("Usage: rrdtool flushcached [--daemon|-d <addr>] <file> [<file> ...]".into());
    }
    match address {
        Some(address) => Err(no_daemon(&address)),
        None => Err("Daemon address \"(null)\" unknown. Please use the \"--daemon\" option to set \
                     an address on the command line or set the \"RRDCACHED_ADDRESS\" environment \
                     variable."
            .into()),
    }
}
