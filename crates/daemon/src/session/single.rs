//! Single UPDATEs of many clients, which are taken together.

use std::sync::atomic::Ordering;

use rrdcached::server::{Request, Spoken, split_line};

use super::gathered::Gathered;
use super::words;
use crate::service::Service;

/// UPDATEs, each of a client of its own.
pub(crate) struct SingleUpdates<'s, 'c> {
    service: &'s Service,
    gathered: Gathered<'c>,
    /// Which one is gathered for each line; `None` if the line has to be looked at alone.
    positions: Vec<Option<usize>>,
}

impl<'s, 'c> SingleUpdates<'s, 'c> {
    pub(crate) fn new(service: &'s Service) -> Self {
        Self { service, gathered: Gathered::default(), positions: Vec::new() }
    }

    /// Adds the line of one more client.
    pub(crate) fn add(&mut self, line: &'c mut [u8]) {
        let position = match read(line) {
            Some(Request::Update { path, values }) => {
                self.gathered.add_at_once(&self.service.paths, path, values)
            }
            _ => None,
        };
        self.positions.push(position);
    }

    /// Has the store take them. Gives the reply to each line; `None` where nothing was taken, and
    /// the line may have to wait for more than the log.
    pub(crate) fn perform(&self) -> Vec<Option<Vec<u8>>> {
        let paths = &self.service.paths;
        let mut replies = self.gathered.update_at_once(&self.service.shelf, |failure, written| {
            words::of_update(failure, &paths.spelled(written))
        });
        let taken = replies.iter().flatten().count() as u64;
        self.service.counters.updates_received.fetch_add(taken, Ordering::Relaxed);
        let reply = |position: &Option<usize>| replies.get_mut((*position)?)?.take();
        self.positions.iter().map(reply).collect()
    }
}

fn read(line: &mut [u8]) -> Option<Request<'_>> {
    let (line, _) = split_line(line)?;
    Request::read(Spoken::read(line).ok()?).ok()
}
