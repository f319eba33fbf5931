//! What a file holds before the samples that follow: all that a replay starts from.
//!
//! ```text
//!   varint     bytes of the path, then the path
//!   8          fingerprint of the definition, little-endian
//!   varint     archives, then for each a varint: the slot of its newest row
//!   ...        the live state, up to the end of the record
//! ```

use varint::{Cursor, RecordError, put_varint};

/// What a file holds, owned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// The file. Paths need not be UTF-8.
    pub path: Vec<u8>,
    /// Stands for all that no update changes: step, sources, archives.
    pub fingerprint: u64,
    /// For each archive, the slot of its newest row.
    pub newest_rows: Vec<u64>,
    /// The live state, in its owner's form.
    pub state: Vec<u8>,
}

/// What a file holds, without its path and in the form of the record: for as long as a base is not
/// logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cache) struct BaseBody(Box<[u8]>);

impl BaseBody {
    pub(in crate::cache) fn of(base: &BaseView<'_>) -> Self {
        let mut bytes = Vec::new();
        base.put_body(&mut bytes);
        Self(bytes.into())
    }

    /// The same with the path of its file.
    ///
    /// # Panics
    /// Never: the bytes are its own.
    pub(in crate::cache) fn view<'a>(&'a self, path: &'a [u8]) -> BaseView<'a> {
        let decoded = BaseView::decode_body(path, &mut Cursor::new(&self.0));
        decoded.expect("the bytes are those that were put")
    }

    /// Bytes that it takes.
    pub(in crate::cache) fn bytes(&self) -> usize {
        self.0.len()
    }
}

/// What a file holds, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BaseView<'a> {
    /// The file. Paths need not be UTF-8.
    pub path: &'a [u8],
    /// Stands for all that no update changes: step, sources, archives.
    pub fingerprint: u64,
    /// For each archive, the slot of its newest row.
    pub newest_rows: NewestRows<'a>,
    /// The live state, in its owner's form.
    pub state: &'a [u8],
}

/// For each archive the slot of its newest row.
#[derive(Clone, Copy, Debug)]
pub struct NewestRows<'a>(Form<'a>);

#[derive(Clone, Copy, Debug)]
enum Form<'a> {
    Slots(&'a [u64]),
    /// So many varints, which have been checked.
    Encoded(u64, Cursor<'a>),
}

impl Base {
    /// The same, borrowed.
    #[must_use]
    pub fn view(&self) -> BaseView<'_> {
        let newest_rows = NewestRows::of(&self.newest_rows);
        let Self { path, fingerprint, state, .. } = self;
        BaseView { path, fingerprint: *fingerprint, newest_rows, state }
    }
}

impl<'a> BaseView<'a> {
    /// The same with bytes of its own.
    #[must_use]
    pub fn to_base(&self) -> Base {
        Base {
            path: self.path.to_vec(),
            fingerprint: self.fingerprint,
            newest_rows: self.newest_rows.slots().collect(),
            state: self.state.to_vec(),
        }
    }

    /// Appends the body of the record.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put_varint(self.path.len() as u64, out);
        out.extend_from_slice(self.path);
        self.put_body(out);
    }

    fn put_body(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.fingerprint.to_le_bytes());
        put_varint(self.newest_rows.count(), out);
        self.newest_rows.slots().for_each(|slot| put_varint(slot, out));
        out.extend_from_slice(self.state);
    }

    pub(super) fn decode(cursor: &mut Cursor<'a>) -> Result<Self, RecordError> {
        let start = *cursor;
        let path_bytes = cursor.varint("the length of a path")?;
        let path_bytes = usize::try_from(path_bytes).map_err(|_| start.error("a path"))?;
        let path = cursor.take(path_bytes, "a path")?;
        Self::decode_body(path, cursor)
    }

    fn decode_body(path: &'a [u8], cursor: &mut Cursor<'a>) -> Result<Self, RecordError> {
        let fingerprint = cursor.double("a fingerprint")?.to_bits();
        let count = cursor.varint("the number of archives")?;
        let slots = *cursor;
        for _ in 0..count {
            cursor.varint("the slot of a newest row")?;
        }
        let newest_rows = NewestRows(Form::Encoded(count, slots));
        let state = cursor.take(cursor.rest().len(), "a live state")?;
        Ok(Self { path, fingerprint, newest_rows, state })
    }
}

impl<'a> NewestRows<'a> {
    /// These slots.
    #[must_use]
    pub fn of(slots: &'a [u64]) -> Self {
        Self(Form::Slots(slots))
    }

    /// How many archives there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        match self.0 {
            Form::Slots(slots) => slots.len() as u64,
            Form::Encoded(count, _) => count,
        }
    }

    /// The slots, in the order of the archives.
    pub fn slots(self) -> impl Iterator<Item = u64> + use<'a> {
        let mut nth = 0_usize;
        let mut rest = self.0;
        std::iter::from_fn(move || match &mut rest {
            Form::Slots(slots) => {
                nth += 1;
                slots.get(nth - 1).copied()
            }
            Form::Encoded(left, cursor) => {
                *left = left.checked_sub(1)?;
                cursor.varint("the slot of a newest row").ok()
            }
        })
    }
}

impl PartialEq for NewestRows<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.slots().eq(other.slots())
    }
}

impl Eq for NewestRows<'_> {}
