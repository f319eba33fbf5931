//! A session's answers with SNMPv3: what is authentic, what a report asks for.

use super::Session;
use super::event::RequestError;
use super::peer::Dismissal;
use crate::error::DecodeError;
use crate::pdu::Operation;
use crate::usm::SecurityLevel;
use crate::v3::{Header, Report, ScopedView, View};
use std::time::Duration;

impl Session {
    /// Handles a datagram of a device with SNMPv3. It must have the message id of a flight; whatever
    /// else is wrong with it is counted, and the flight goes on.
    pub(super) fn handle_secured(&mut self, now: Duration, datagram: &[u8]) {
        let Ok(view) = View::parse(datagram) else {
            self.tally.malformed += 1;
            return;
        };
        let header = view.header();
        let Some(position) = self.position_of(header.message_id) else {
            self.tally.stale += 1;
            return;
        };
        if let Err(dismissal) = self.take_secured(now, position, &view) {
            match dismissal {
                Dismissal::Foreign => self.tally.foreign += 1,
                Dismissal::Forged => self.tally.forged += 1,
                Dismissal::Malformed(error) => self.note_malformed(position, error),
            }
        }
    }

    fn take_secured(
        &mut self,
        now: Duration,
        position: usize,
        view: &View<'_>,
    ) -> Result<(), Dismissal> {
        let peer = self.peer.as_mut().ok_or(Dismissal::Foreign)?;
        let header = view.header();
        let opened = peer.open(view)?;
        let scoped = opened.text.scoped().map_err(Dismissal::Malformed)?;
        match scoped.operation() {
            Operation::Report => {
                self.take_report(now, position, &header, &scoped, opened.is_authentic)
            }
            Operation::Response { .. } if scoped.request_id() == header.message_id => {
                peer.admit(now, &header, &scoped.scope())?;
                self.take_pdu(now, position, scoped.pdu());
                Ok(())
            }
            _ => Err(Dismissal::Foreign),
        }
    }

    /// A report that anyone can have sent does not end a request at once: it ends the retries, and
    /// for a while an authentic answer may still come.
    fn take_report(
        &mut self,
        now: Duration,
        position: usize,
        header: &Header<'_>,
        scoped: &ScopedView<'_>,
        is_authentic: bool,
    ) -> Result<(), Dismissal> {
        let report = Report::of(&scoped.to_pdu().map_err(Dismissal::Malformed)?);
        let peer = self.peer.as_mut().ok_or(Dismissal::Foreign)?;
        let has_time = is_authentic || peer.user().level() == SecurityLevel::Plain;
        match report {
            _ if !peer.knows_engine() || report == Report::UnknownEngine => {
                if !peer.learn(now, header) {
                    return Err(Dismissal::Foreign);
                }
                self.repeat(now, position, Report::UnknownEngine, is_authentic);
            }
            Report::NotInTimeWindow if has_time => {
                peer.set_clock(now, header);
                self.repeat(now, position, report, is_authentic);
            }
            Report::NotInTimeWindow => return Err(Dismissal::Forged),
            _ if is_authentic && !peer.is_in_time(now, header) => return Err(Dismissal::Forged),
            _ if is_authentic => self.deny(now, position, report),
            _ => self.doubt(now, position, report),
        }
        Ok(())
    }

    /// Asks again what a report kept from being answered. Twice the same report, or report after
    /// report, is the answer.
    fn repeat(&mut self, now: Duration, position: usize, report: Report, is_authentic: bool) {
        let request_id = self.ids.next_id();
        let Some(flight) = self.flights.get_mut(position) else { return };
        match flight.repeat(request_id, report) {
            true => {}
            false if is_authentic => self.deny(now, position, report),
            false => self.doubt(now, position, report),
        }
    }

    fn doubt(&mut self, now: Duration, position: usize, report: Report) {
        if let Some(flight) = self.flights.get_mut(position) {
            flight.doubt(now, report);
        }
    }

    fn deny(&mut self, now: Duration, position: usize, report: Report) {
        self.doubt(now, position, report);
        let flight = self.flights.swap_remove(position);
        self.fail(flight, now);
    }

    /// Why a flight with SNMPv3 ends without an answer; `None` if the device was silent.
    pub(super) fn denial(
        &self,
        denial: Option<Report>,
        malformed: &Option<DecodeError>,
        transmissions: u32,
    ) -> Option<RequestError> {
        let peer = self.peer.as_ref()?;
        let user = peer.user().display_name().into();
        match denial {
            Some(report) => Some(RequestError::Denied { user, report }),
            None if malformed.is_none() && peer.ignores_user() => {
                Some(RequestError::Ignored { user, transmissions })
            }
            None => None,
        }
    }
}
