//! What the log holds of each file, as it was found at opening: no file is opened for it.
//!
//! ```text
//!   bytes    base 7 | 7: 300:1 | base 8 | 7: 600:2 | ...     the log from its start on, one copy
//!   links    at, next            for each line of a file
//!   chains   first, last         for each file: its links
//! ```
//!
//! The copy lasts until the last of its files has been recovered.

use journal::{JournalError, LogPosition, RawRecord, RrdId, split_record};
use varint::put_varint;

use super::chains::{Chain, Chains};
use super::kept_records::KeptRecords;
use super::lines::COPY;
use super::log_pins::LogPin;
use super::record::{Event, Kind};
use super::step::Step;

/// What the log holds of each file.
#[derive(Debug)]
pub struct Replay {
    /// The records with their lengths, as they stand in the log.
    bytes: Vec<u8>,
    /// Where they stand there: one piece, but where damaged records were given up.
    pieces: Vec<Piece>,
    links: Vec<Link>,
    chains: Chains,
    /// Copies whose last line is not there yet.
    copies: Chains,
    /// Numbers from here on were never given.
    next_number: u32,
    failed: Option<JournalError>,
}

/// Records that follow one another in the log.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// The position of the first.
    at: LogPosition,
    /// Where it stands in the copy.
    offset: usize,
}

/// One line of a file.
#[derive(Clone, Copy, Debug)]
struct Link {
    at: LogPosition,
    next: u32,
}

/// No further link.
const NONE: u32 = u32::MAX;

/// A file of which the log has something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundFile<'a> {
    /// Its number, which it keeps.
    pub number: RrdId,
    /// Its path.
    pub path: &'a [u8],
    /// Holds the log until the file is recovered and written.
    pub log_pin: LogPin,
}

impl Replay {
    pub(super) fn new(from: LogPosition) -> Self {
        let (bytes, links) = (Vec::new(), Vec::new());
        let (chains, copies) = (Chains::default(), Chains::default());
        let pieces = vec![Piece { at: from, offset: 0 }];
        Self { bytes, pieces, links, chains, copies, next_number: 0, failed: None }
    }

    /// Takes the next record.
    pub(super) fn take(&mut self, at: LogPosition, record: &RawRecord<'_>) {
        let number = record.rrd().0;
        self.next_number = self.next_number.max(number.saturating_add(1));
        self.keep(at, record);
        match Kind::of(record) {
            Some(kind @ (Kind::Base | Kind::Sample | Kind::End | Kind::Delete)) => {
                self.link(at, record, kind == Kind::Base);
            }
            Some(Kind::Written) => self.cut(at, record),
            None => {
                let error = record.foreign("a record of a file cache");
                self.failed.get_or_insert(JournalError::undecodable(at, error));
            }
        }
    }

    /// Says what went wrong, if something did.
    pub(super) fn end(&mut self) -> Result<(), JournalError> {
        self.failed.take().map_or(Ok(()), Err)
    }

    /// The lowest number that no file ever had.
    #[must_use]
    pub fn next_number(&self) -> RrdId {
        RrdId(self.next_number)
    }

    /// Every file of which the log has something, by number.
    pub fn files(&self) -> impl Iterator<Item = FoundFile<'_>> {
        self.chains.iter().filter_map(|(number, chain)| {
            let first = self.links[chain.first as usize].at;
            let base = self.links[chain.last_base as usize].at;
            // A record that does not decode is an error of the steps.
            let Ok(Step::Base(base)) = self.step(base) else { return None };
            Some(FoundFile { number: RrdId(number), path: base.path, log_pin: LogPin(first) })
        })
    }

    /// Whether a file's samples stand behind one base. Of several bases, those before the last have
    /// samples that were written to the file, and are not known to be durable.
    pub(super) fn has_one_base(&self, number: RrdId) -> bool {
        self.chains.get(number.0).is_some_and(|chain| chain.first == chain.last_base)
    }

    /// What the log has of a file, oldest first; nothing for a number that it does not know.
    ///
    /// # Errors
    /// A line is whole, but none that this version writes.
    pub fn steps(&self, number: RrdId) -> impl Iterator<Item = Result<Step<'_>, JournalError>> {
        let mut link = self.chains.get(number.0).map_or(NONE, |chain| chain.first);
        std::iter::from_fn(move || {
            let Link { at, next } = *self.links.get(link as usize)?;
            link = next;
            Some(self.step(at))
        })
    }

    /// Copies all records that [`Replay::steps`] tells of.
    pub(super) fn copy_records(&self, number: RrdId, to: &mut KeptRecords) {
        let mut link = self.chains.get(number.0).map_or(NONE, |chain| chain.first);
        while let Some(Link { at, next }) = self.links.get(link as usize).copied() {
            let kept = &self.bytes[self.offset_of(at)..];
            let (_, behind) = split_record(kept).expect("it was kept whole");
            to.extend(&kept[..kept.len() - behind.len()]);
            link = next;
        }
    }

    /// The line at a position that was linked.
    fn step(&self, at: LogPosition) -> Result<Step<'_>, JournalError> {
        Step::of(&self.record(at)).map_err(|error| JournalError::undecodable(at, error))
    }

    /// The record at a position that was linked.
    fn record(&self, at: LogPosition) -> RawRecord<'_> {
        let kept = &self.bytes[self.offset_of(at)..];
        let (record, _) = split_record(kept).expect("it was kept whole");
        RawRecord::parse(record).expect("its head was read before")
    }

    fn link(&mut self, at: LogPosition, record: &RawRecord<'_>, is_base: bool) {
        let number = record.rrd().0;
        let chains = if record.generation() == COPY { &mut self.copies } else { &mut self.chains };
        let chain = chains.get(number);
        if !is_base && chain.is_none() {
            // Its base was freed: it is in its file, as a later record says.
            return;
        }
        let link = self.links.len() as u32;
        assert!(link < NONE, "fewer lines than that fit the memory");
        self.links.push(Link { at, next: NONE });
        let mut chain = chain.unwrap_or(Chain { first: link, last: link, last_base: link });
        if chain.last != link {
            self.links[chain.last as usize].next = link;
        }
        chain.last = link;
        if is_base {
            chain.last_base = link;
        }
        chains.put(number, chain);
    }

    /// Drops what a file holds durably: its lines before a position, and what has lost its base.
    fn cut(&mut self, at: LogPosition, record: &RawRecord<'_>) {
        let number = record.rrd().0;
        let through = match Event::decode(record) {
            Ok(Event::Written { through }) => through,
            Ok(_) => return,
            Err(error) => {
                self.failed.get_or_insert(JournalError::undecodable(at, error));
                return;
            }
        };
        if record.generation() == COPY
            && let Some(copy) = self.copies.remove(number)
        {
            // All of it is there. What an earlier try left of one lies before it.
            self.chains.put(number, copy);
        }
        let Some(chain) = self.chains.remove(number) else { return };
        if let Some(chain) = self.chain_from(chain, through) {
            self.chains.put(number, chain);
        }
    }

    /// A chain without its lines before a position, and without what has lost its base.
    fn chain_from(&self, mut chain: Chain, position: LogPosition) -> Option<Chain> {
        while let Some(link) = self.links.get(chain.first as usize) {
            if link.at >= position && self.is_base(link.at) {
                return Some(chain);
            }
            chain.first = link.next;
        }
        None
    }

    fn is_base(&self, at: LogPosition) -> bool {
        Kind::of(&self.record(at)) == Some(Kind::Base)
    }

    /// Where a record that was kept stands in the copy.
    fn offset_of(&self, at: LogPosition) -> usize {
        let nth = self.pieces.partition_point(|piece| piece.at <= at) - 1;
        let piece = self.pieces[nth];
        piece.offset + (at.0 - piece.at.0) as usize
    }

    /// The position behind all that was kept.
    pub(super) fn end_position(&self) -> LogPosition {
        let last = self.pieces.last().expect("there is one");
        last.at.advance(self.bytes.len() - last.offset)
    }

    /// Whether it holds the base of a file.
    pub(super) fn knows(&self, number: RrdId) -> bool {
        self.chains.get(number.0).is_some()
    }

    /// Copies a record behind the others.
    fn keep(&mut self, at: LogPosition, record: &RawRecord<'_>) {
        if at != self.end_position() {
            self.pieces.push(Piece { at, offset: self.bytes.len() });
        }
        put_varint(record.bytes().len() as u64, &mut self.bytes);
        self.bytes.extend_from_slice(record.bytes());
    }
}
