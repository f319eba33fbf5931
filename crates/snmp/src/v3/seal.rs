//! Writes a message: its PDU is encrypted, then the whole is authenticated.

use super::header::Header;
use super::scoped::Scope;
use crate::pdu::Pdu;
use crate::reader::tag;
use crate::usm::{LocalKeys, MAC_BYTES_MAX, Nonce, SecurityLevel};
use crate::writer::Writer;

const VERSION: i32 = 3;
/// What a message has beside its bindings, roughly.
const HEAD_BYTES: usize = 192;

/// The datagram of a message. `keys` must have what its level needs. `salt` must not come twice
/// with the same keys and boots.
///
/// # Panics
/// If the level needs a key that `keys` lacks: that is a fault of the caller, not of the network.
pub fn seal(
    header: &Header<'_>,
    scope: &Scope<'_>,
    pdu: &Pdu,
    keys: &LocalKeys,
    salt: u64,
) -> Vec<u8> {
    let capacity = HEAD_BYTES + 24 * pdu.bindings.len();
    let mut writer = Writer::with_capacity(capacity);
    let mut behind_mac = 0;
    let mac_bytes = mac_bytes(header.level, keys);
    let zeros = [0; MAC_BYTES_MAX];
    let zeros = zeros.get(..mac_bytes).unwrap_or(&zeros);
    writer.nested(tag::SEQUENCE, |writer| {
        let salt = match header.level {
            SecurityLevel::Encrypted => encrypt(header, scope, pdu, keys, salt, writer).to_vec(),
            SecurityLevel::Authenticated | SecurityLevel::Plain => {
                scope.write(pdu, writer);
                Vec::new()
            }
        };
        behind_mac = header.write_parameters(writer, zeros, &salt);
        header.write_global(writer);
        writer.signed(tag::INTEGER, VERSION);
    });
    let mut datagram = writer.finish();
    if let Some(authenticator) = keys.authenticator.as_ref().filter(|_| mac_bytes > 0) {
        let mac = authenticator.mac(&[&datagram]);
        let end = datagram.len() - behind_mac;
        if let Some(place) = datagram.get_mut(end - mac_bytes..end) {
            place.copy_from_slice(mac.as_bytes());
        }
    }
    datagram
}

fn mac_bytes(level: SecurityLevel, keys: &LocalKeys) -> usize {
    if level == SecurityLevel::Plain {
        return 0;
    }
    assert!(keys.authenticator.is_some(), "an authenticated message needs a key");
    keys.authenticator.as_ref().map_or(0, |authenticator| authenticator.mac_bytes())
}

/// Writes the encrypted PDU; returns the salt.
fn encrypt(
    header: &Header<'_>,
    scope: &Scope<'_>,
    pdu: &Pdu,
    keys: &LocalKeys,
    salt: u64,
    writer: &mut Writer,
) -> [u8; 8] {
    assert!(keys.cipher.is_some(), "an encrypted message needs a key");
    let Some(cipher) = &keys.cipher else {
        return [0; 8];
    };
    let mut inner = Writer::with_capacity(64 + 24 * pdu.bindings.len());
    scope.write(pdu, &mut inner);
    let mut text = inner.finish();
    // What fills the last block does not matter (RFC 3414, 8.1.1.2); net-snmp does it like this.
    let filled = text.len().next_multiple_of(cipher.block_bytes());
    text.resize(filled, (filled - text.len()) as u8);
    let (boots, time) = (header.boots, header.time);
    let salt = cipher.salt(boots, salt);
    cipher.encrypt(Nonce { boots, time, salt }, &mut text);
    writer.contents(tag::OCTET_STRING, &text);
    salt
}
