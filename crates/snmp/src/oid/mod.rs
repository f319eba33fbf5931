//! Object identifiers, kept in their encoding on the wire: 24 bytes, without an allocation for
//! identifiers that are common in network monitoring. A clone copies bytes or counts a reference.
//!
//! ```text
//! 1.3.6.1.2.1.31.1.1.1.6.300
//! 2b 06 01 02 01 1f 01 01 01 06 82 2c      the first two arcs share an octet: 40 * 1 + 3
//! ```

mod text;
mod view;

pub use view::{Arcs, OidView};

use std::cmp::Ordering;
use std::sync::Arc;

/// Arcs of an identifier, at most: SNMP's own limit (RFC 3416, section 4.1).
pub const ARCS_MAX: usize = 128;
const INLINE_BYTES: usize = 22;

/// An object identifier of 2 to 128 arcs; ordered arc by arc, as GETNEXT walks them.
#[derive(Clone)]
pub struct Oid(Repr);

#[derive(Clone)]
enum Repr {
    Inline { length: u8, bytes: [u8; INLINE_BYTES] },
    Shared(Arc<[u8]>),
}

/// Why numbers or text are not an object identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OidError {
    /// An identifier has at least two arcs; a shorter one cannot be encoded.
    #[error("an object identifier has at least two arcs, this one has {0}")]
    TooShort(usize),
    /// SNMP's limit.
    #[error("an object identifier has at most {ARCS_MAX} arcs, this one has {0}")]
    TooLong(usize),
    /// The first two arcs are encoded in one number, which limits them.
    #[error("no object identifier starts with {first}.{second}")]
    Start {
        /// First arc.
        first: u32,
        /// Second arc.
        second: u32,
    },
    /// Not a number between 0 and 4294967295.
    #[error("`{0}` is not a number of an object identifier")]
    NotANumber(String),
}

impl Oid {
    /// An identifier of these arcs.
    pub fn from_arcs(arcs: &[u32]) -> Result<Oid, OidError> {
        let (first, second, rest) = match arcs {
            [first, second, rest @ ..] => (*first, *second, rest),
            _ => return Err(OidError::TooShort(arcs.len())),
        };
        if arcs.len() > ARCS_MAX {
            return Err(OidError::TooLong(arcs.len()));
        }
        let mut bytes = Vec::with_capacity(arcs.len() + 4);
        push_arc(&mut bytes, first_subidentifier(first, second)?);
        for arc in rest {
            push_arc(&mut bytes, *arc);
        }
        Ok(Oid::from_canonical(&bytes))
    }

    /// A constant, checked when it is compiled: `const SYS: Oid = Oid::constant(&[1, 3, 6, 1]);`.
    ///
    /// # Panics
    /// On arcs that make no identifier or do not fit into 22 bytes. Use it in `const` items only,
    /// where that is a compile error.
    #[allow(clippy::indexing_slicing)] // Evaluated by the compiler; slices have no `get` there.
    pub const fn constant(arcs: &[u32]) -> Oid {
        assert!(arcs.len() >= 2 && arcs[0] < 2 && arcs[1] < 40, "not an object identifier");
        let mut bytes = [0; INLINE_BYTES];
        bytes[0] = (arcs[0] * 40 + arcs[1]) as u8;
        let mut length = 1;
        let mut index = 2;
        while index < arcs.len() {
            let mut septets = septets(arcs[index]);
            while septets > 0 {
                septets -= 1;
                let more = if septets > 0 { 0x80 } else { 0 };
                bytes[length] = (arcs[index] >> (7 * septets)) as u8 & 0x7f | more;
                length += 1;
            }
            index += 1;
        }
        Oid(Repr::Inline { length: length as u8, bytes })
    }

    /// This identifier followed by `arcs`: for example a column and its row.
    pub fn extended(&self, arcs: &[u32]) -> Result<Oid, OidError> {
        let ours = self.as_bytes();
        // One octet less than arcs, as the first two share one, or more of them.
        if ours.len() + arcs.len() >= ARCS_MAX {
            let count = self.arcs().count() + arcs.len();
            if count > ARCS_MAX {
                return Err(OidError::TooLong(count));
            }
        }
        let length = ours.len() + arcs.iter().map(|arc| septets(*arc) as usize).sum::<usize>();
        let mut inline = [0; INLINE_BYTES];
        if let Some(place) = inline.get_mut(..length) {
            let (start, mut rest) = place.split_at_mut(ours.len());
            start.copy_from_slice(ours);
            for arc in arcs {
                let (octets, behind) = rest.split_at_mut(septets(*arc) as usize);
                write_arc(octets, *arc);
                rest = behind;
            }
            return Ok(Oid(Repr::Inline { length: length as u8, bytes: inline }));
        }
        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(ours);
        for arc in arcs {
            push_arc(&mut bytes, *arc);
        }
        Ok(Oid::from_canonical(&bytes))
    }

    /// This identifier without its last arc; `None` if it would be none without.
    pub fn parent(&self) -> Option<Oid> {
        let bytes = self.as_bytes();
        let (_, before) = bytes.split_last()?;
        let kept = before.iter().rposition(|octet| octet & 0x80 == 0)?;
        bytes.get(..=kept).map(Oid::from_canonical)
    }

    /// The arcs in order.
    pub fn arcs(&self) -> Arcs<'_> {
        self.view().arcs()
    }

    /// Whether this identifier is `root` or below it.
    pub fn starts_with(&self, root: &Oid) -> bool {
        // The encoding of an arc marks its end, so a prefix of bytes is a prefix of arcs.
        self.as_bytes().starts_with(root.as_bytes())
    }

    /// The arcs below `root` (the index of a table row), or `None` if this is not below it.
    pub fn below(&self, root: &Oid) -> Option<Arcs<'_>> {
        self.as_bytes().strip_prefix(root.as_bytes()).map(Arcs::rest)
    }

    /// The single arc below `root`: the index of a row in a table with a simple index.
    pub fn index_below(&self, root: &Oid) -> Option<u32> {
        let mut arcs = self.below(root)?;
        let index = arcs.next()?;
        arcs.next().is_none().then_some(index)
    }

    /// The encoded contents, without tag and length.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Repr::Inline { length, bytes } => bytes.get(..usize::from(*length)).unwrap_or(bytes),
            Repr::Shared(bytes) => bytes,
        }
    }

    /// The identifier as a borrowed view.
    pub fn view(&self) -> OidView<'_> {
        OidView(self.as_bytes())
    }

    fn from_canonical(contents: &[u8]) -> Oid {
        let mut bytes = [0; INLINE_BYTES];
        match bytes.get_mut(..contents.len()) {
            Some(place) => {
                place.copy_from_slice(contents);
                Oid(Repr::Inline { length: contents.len() as u8, bytes })
            }
            None => Oid(Repr::Shared(contents.into())),
        }
    }
}

impl PartialEq for Oid {
    fn eq(&self, other: &Oid) -> bool {
        // Each identifier has only one encoding.
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Oid {}

impl std::hash::Hash for Oid {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl PartialOrd for Oid {
    fn partial_cmp(&self, other: &Oid) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Oid {
    fn cmp(&self, other: &Oid) -> Ordering {
        self.view().cmp(&other.view())
    }
}

fn first_subidentifier(first: u32, second: u32) -> Result<u32, OidError> {
    let room = if first < 2 { second < 40 } else { second <= u32::MAX - 80 };
    if first > 2 || !room {
        return Err(OidError::Start { first, second });
    }
    Ok(first * 40 + second)
}

fn push_arc(bytes: &mut Vec<u8>, arc: u32) {
    let before = bytes.len();
    bytes.resize(before + septets(arc) as usize, 0);
    if let Some(octets) = bytes.get_mut(before..) {
        write_arc(octets, arc);
    }
}

/// Writes an arc into its [`septets`].
fn write_arc(octets: &mut [u8], mut arc: u32) {
    let mut more = 0;
    for octet in octets.iter_mut().rev() {
        *octet = arc as u8 & 0x7f | more;
        arc >>= 7;
        more = 0x80;
    }
}

/// The number of 7-bit groups in the encoding of an arc.
const fn septets(arc: u32) -> u32 {
    if arc == 0 { 1 } else { (38 - arc.leading_zeros()) / 7 }
}
