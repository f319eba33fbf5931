//! What a command works with.

use std::path::PathBuf;

use access::Scope;
use rrdcached::server::Answer;

use super::replies::Replies;
use super::{Stop, words};
use crate::output::Output;
use crate::service::Service;
use crate::shelf::Failure;

/// What stands before the words of rrdtool's library.
pub(super) const RRD_ERROR: &str = "RRD Error: ";

/// A command's turn: the databases, and the client that is told.
pub(super) struct Turn<'t, 's, 'o> {
    pub(super) service: &'s Service,
    /// The names that the client may see.
    pub(super) scope: &'t Scope,
    pub(super) replies: &'t mut Replies<'s>,
    pub(super) out: &'t mut Output<'o>,
}

impl Turn<'_, '_, '_> {
    /// Where a path leads to; the client is told if it may not go there.
    pub(super) fn place(&mut self, written: &[u8]) -> Option<PathBuf> {
        let place = self.service.paths.resolve(written).ok();
        if place.is_none() {
            self.fail(&words::denied(&self.spelled(written)));
        }
        place
    }

    /// A path as replies have it.
    pub(super) fn spelled(&self, written: &[u8]) -> Vec<u8> {
        self.service.paths.spelled(written)
    }

    /// Tells that the command failed.
    pub(super) fn fail(&mut self, words: &[u8]) {
        self.replies.fail(self.out, words);
    }

    /// Tells that it failed in what rrdtool's library does.
    pub(super) fn fail_in_library(&mut self, failure: &Failure, written: &[u8]) {
        self.fail(&words::of_library(RRD_ERROR, failure, &self.spelled(written)));
    }

    /// Tells that it succeeded; not within a batch.
    pub(super) fn succeed(&mut self, words: &[u8]) {
        self.replies.succeed(self.out, words);
    }

    /// Tells lines. What they take is counted until the client has read them.
    pub(super) fn tell(&mut self, answer: &Answer, words: &[u8]) -> Result<(), Stop> {
        self.replies.tell(answer, words, self.out)
    }
}
