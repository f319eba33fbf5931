//! What became of a batch.

use std::io::ErrorKind;

use rustix::io::Errno;
use store::Error;

use crate::counts::Outcomes;

/// What became of a batch.
#[derive(Debug, Default)]
pub struct Taking {
    /// By number.
    pub outcomes: Outcomes,
    /// The first error for which no sample is to blame, nor any one database: what failed should
    /// come again.
    pub failure: Option<Error>,
    /// The first error of a single database: what failed would fail again.
    pub fault: Option<Error>,
}

impl Taking {
    /// Notes an error of the store.
    pub(crate) fn note(&mut self, error: Error) {
        match passes(&error) {
            true => self.failure.get_or_insert(error),
            false => self.fault.get_or_insert(error),
        };
    }
}

/// Whether an error says nothing of the database at which it was met, so that it may pass.
fn passes(error: &Error) -> bool {
    match error {
        Error::Io { source, .. } => {
            let full = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded, ErrorKind::OutOfMemory];
            let of_system = [Errno::MFILE, Errno::NFILE, Errno::ROFS];
            let numbers = of_system.map(Errno::raw_os_error);
            full.contains(&source.kind())
                || source.raw_os_error().is_some_and(|number| numbers.contains(&number))
        }
        Error::Journal(_)
        | Error::Catalogue { .. }
        | Error::NotTaken(_)
        | Error::Unacknowledged(_)
        | Error::InDoubt { .. }
        | Error::Stopped(_)
        | Error::Gone { .. }
        // It was deleted in the meantime, and is made when the sample comes again.
        | Error::NoSuchDatabase { .. } => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_one_database_does_not_pass() {
        let io = |number: Errno| {
            let source = std::io::Error::from_raw_os_error(number.raw_os_error());
            Error::Io { action: "writing", path: "a".into(), source }
        };
        assert!(passes(&io(Errno::NOSPC)) && passes(&io(Errno::MFILE)));
        assert!(!passes(&io(Errno::ACCESS)) && !passes(&Error::Locked("a".into())));
        assert!(passes(&Error::Stopped("no log".into())));
    }
}
