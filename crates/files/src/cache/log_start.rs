//! The position where the log begins: bytes before it are not needed, and may be written over.
//!
//! ```text
//!   0    8   magic "gyre-sta"
//!   8    8   log position
//!   16   4   CRC-32
//! ```
//!
//! Little-endian. The segments alone do not tell: one that was freed looks as one in use does.

use std::io;

use disk::{Medium, MediumFile as _};

use journal::{JournalError, LogPosition};

const NAME: &str = "journal-start";
const NEW_NAME: &str = "journal-start.new";
const MAGIC: &[u8; 8] = b"gyre-sta";
const BYTES: usize = 20;

/// Reads it; a log that has none begins at its beginning.
pub(super) fn read(medium: &impl Medium) -> Result<LogPosition, JournalError> {
    let file = match medium.open(NAME) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(LogPosition(0)),
        opened => opened.map_err(JournalError::io("opening", NAME))?,
    };
    let mut bytes = [0; BYTES];
    file.read_at(&mut bytes, 0).map_err(JournalError::io("reading", NAME))?;
    decode(&bytes).ok_or_else(|| JournalError::Damaged {
        segment: NAME.into(),
        offset_bytes: 0,
        expected: "where the log begins".into(),
        found: "something else".into(),
    })
}

/// Writes it, durably. Cut short, the old one stands.
///
/// Where the disk has no room for a new file, the old one is written over: its few bytes lie in one
/// sector, which a disk writes whole or not at all. What is freed then makes room.
pub(super) fn write(medium: &impl Medium, position: LogPosition) -> Result<(), JournalError> {
    match write_beside(medium, position) {
        Err(error) if error.is_lack_of_room() => {
            let _ = medium.remove(NEW_NAME); // it is made again
            let file = medium.open(NAME).map_err(|_| error)?;
            file.write_at(&encode(position), 0).map_err(JournalError::io("writing", NAME))?;
            file.sync_data().map_err(JournalError::io("syncing", NAME))
        }
        written => written,
    }
}

/// Makes the file that [`write()`] needs on a full disk, where there is none yet.
pub(super) fn ensure(medium: &impl Medium, position: LogPosition) -> Result<(), JournalError> {
    match medium.open(NAME) {
        Ok(_) => Ok(()),
        Err(_) => write_beside(medium, position),
    }
}

fn write_beside(medium: &impl Medium, position: LogPosition) -> Result<(), JournalError> {
    let created = match medium.create(NEW_NAME) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => medium.open(NEW_NAME),
        created => created,
    };
    let file = created.map_err(JournalError::io("creating", NEW_NAME))?;
    file.write_at(&encode(position), 0).map_err(JournalError::io("writing", NEW_NAME))?;
    file.sync_data().map_err(JournalError::io("syncing", NEW_NAME))?;
    medium.rename(NEW_NAME, NAME).map_err(JournalError::io("renaming", NEW_NAME))?;
    medium.sync_directory().map_err(JournalError::io("syncing", "the journal's directory"))
}

fn encode(position: LogPosition) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&position.0.to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

fn decode(bytes: &[u8; BYTES]) -> Option<LogPosition> {
    let position = u64::from_le_bytes(*bytes.get(8..)?.first_chunk()?);
    (bytes[..] == encode(LogPosition(position))).then_some(LogPosition(position))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_as_it_stands() {
        let bytes = encode(LogPosition(0x0102));
        assert_eq!(bytes[..16], *b"gyre-sta\x02\x01\0\0\0\0\0\0");
        assert_eq!(decode(bytes.first_chunk().unwrap()), Some(LogPosition(0x0102)));
        for bit in 0..BYTES * 8 {
            let mut damaged: [u8; BYTES] = *bytes.first_chunk().unwrap();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(decode(&damaged), None, "{bit}");
        }
    }
}
