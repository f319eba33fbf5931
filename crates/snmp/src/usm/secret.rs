//! Bytes that must not be shown, and are wiped when they go.

use std::fmt;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// A password or a key. `Debug` does not show it; its memory is wiped when it is dropped.
#[derive(Clone)]
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// A secret of these bytes. Give the only copy of them.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Secret {
        Secret(Zeroizing::new(bytes.into()))
    }

    /// What a function makes of the bytes.
    pub fn with<T>(&self, make: impl FnOnce(&[u8]) -> T) -> T {
        make(&self.0)
    }

    /// The bytes, for the arithmetic alone.
    pub(crate) fn reveal(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn append(&mut self, more: &Secret) {
        // A vector that grows leaves its old memory as it was: the bytes move to a new one by hand.
        let mut longer = Zeroizing::new(Vec::with_capacity(self.0.len() + more.0.len()));
        longer.extend_from_slice(&self.0);
        longer.extend_from_slice(&more.0);
        self.0 = longer;
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Secret) -> bool {
        self.0.as_slice().ct_eq(other.0.as_slice()).into()
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secret(..)")
    }
}
