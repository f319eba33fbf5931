//! Finds the session of a datagram.

use crate::error::DecodeError;
use crate::message::MessageView;
use crate::v3;

/// The request id of a datagram, or the message id of SNMPv3, for an event loop that must find its
/// session. The rest of the datagram is not validated; the session does that.
pub fn peek_request_id(datagram: &[u8]) -> Result<i32, DecodeError> {
    match MessageView::parse(datagram) {
        Ok(message) => Ok(message.request_id()),
        // The first error says what is wrong with the version.
        Err(error) => v3::peek_message_id(datagram).map_err(|_| error),
    }
}
