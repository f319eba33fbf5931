//! A live state that needs nothing else: for a base.
//!
//! The form is that of the ring store's odd states (`livestate::aside`), with everything in it: no
//! row of the file is asked for what stands there as well, since a crash may have taken the rows.

use std::cell::RefCell;

use rrd::{Definition, LiveState};
use rrdfile::Header;

use journal::RecordError;

use super::record::Base;
use livestate::{Run, State, StateLayout};

/// How the live states of one definition are kept.
#[derive(Clone, Debug)]
pub struct WholeState {
    layout: StateLayout,
    classes: usize,
}

impl WholeState {
    /// For the states of a definition.
    #[must_use]
    pub fn of(definition: &Definition) -> Self {
        let layout = StateLayout::new(definition);
        let classes = layout.class_count();
        Self { layout, classes }
    }

    /// The state as bytes; the rings of its seasons are part of it.
    ///
    /// # Panics
    /// If the state is of another definition.
    #[must_use]
    pub fn encode(&self, live: &LiveState) -> Vec<u8> {
        let mut bytes = Vec::new();
        let state = State::new(live.clone(), vec![Run::Explicit; self.classes]);
        self.layout.encode(&state, &mut bytes);
        bytes
    }

    /// The state of such bytes.
    ///
    /// # Errors
    /// They are of another definition.
    pub fn decode(&self, bytes: &[u8]) -> Result<LiveState, RecordError> {
        self.layout.decode(bytes).map(|state| state.live)
    }
}

/// Stands for all of a file that no update changes: the bytes of its head before the live part.
#[must_use]
pub fn fingerprint(definition_bytes: &[u8]) -> u64 {
    // FNV-1a: it stays the same from one version to the next, which a hasher of std's may not.
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    definition_bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// What a file holds, as a base: its head, decoded with the rings of its seasons, and as bytes.
///
/// # Panics
/// If a head that forecasts comes without its rings.
#[must_use]
pub fn base_of(path: &[u8], header: &Header, header_bytes: &[u8]) -> Base {
    thread_local! {
        /// One file after the other is of the same definition.
        static BEFORE: RefCell<Option<Alike>> = const { RefCell::new(None) };
    }
    let definition_bytes = &header_bytes[..header.layout.live_offset()];
    BEFORE.with_borrow_mut(|before| {
        let known = before.take().filter(|it| *it.definition_bytes == *definition_bytes);
        let alike = before.insert(known.unwrap_or_else(|| Alike {
            definition_bytes: definition_bytes.into(),
            fingerprint: fingerprint(definition_bytes),
            states: WholeState::of(&header.definition),
        }));
        Base {
            path: path.to_vec(),
            fingerprint: alike.fingerprint,
            newest_rows: header.newest_rows.iter().map(|row| row.0).collect(),
            state: alike.states.encode(&header.live),
        }
    })
}

/// What files of one definition share.
struct Alike {
    definition_bytes: Box<[u8]>,
    fingerprint: u64,
    states: WholeState,
}
