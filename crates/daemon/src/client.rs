//! A client: what is kept of it between two of its requests.

use std::sync::Arc;

use crate::arrivals::Arrival;
use crate::clients::Place;
use crate::service::Service;
use crate::session::Session;
use crate::stream::Stream;

/// A client. One that is dropped is hung up on.
pub(crate) struct Client<'s> {
    pub(crate) session: Session<'s>,
    pub(crate) stream: Arc<Stream>,
    /// Dropped last: the descriptor is free before the place is.
    _place: Place,
}

impl<'s> Client<'s> {
    pub(crate) fn new(service: &'s Service, arrival: Arrival) -> Self {
        let Arrival { stream, entrance, place } = arrival;
        Self { session: Session::new(service, entrance), stream, _place: place }
    }
}
