//! A text of which the beginning is done, and that changes where the rest begins.

/// A text. The rest is kept back to front, so that something can be put before it.
pub(crate) struct Text {
    done: Vec<u8>,
    rest: Vec<u8>,
}

impl Text {
    pub(crate) fn new(text: &[u8]) -> Self {
        let rest = text.iter().rev().copied().collect();
        Self { done: Vec::with_capacity(text.len()), rest }
    }

    /// The bytes of the rest.
    pub(crate) fn rest(&self) -> impl Iterator<Item = u8> {
        self.rest.iter().rev().copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.done.len() + self.rest.len()
    }

    /// Whether the rest begins with this text.
    pub(crate) fn goes_on_with(&self, text: &str) -> bool {
        self.rest.len() >= text.len() && text.bytes().eq(self.rest().take(text.len()))
    }

    /// Has done with bytes up to the next `<`; `false` at the end.
    pub(crate) fn go_to_tag(&mut self) -> bool {
        let plain = self.rest().position(|byte| byte == b'<');
        let count = plain.unwrap_or(self.rest.len());
        self.advance(count);
        plain.is_some()
    }

    /// Has done with so many bytes, or all.
    pub(crate) fn advance(&mut self, count: usize) {
        let kept = self.rest.len().saturating_sub(count);
        self.done.extend(self.rest.drain(kept..).rev());
    }

    /// Puts a text in the place of the first bytes of the rest.
    pub(crate) fn replace(&mut self, count: usize, text: &[u8]) {
        let kept = self.rest.len().saturating_sub(count);
        self.rest.truncate(kept);
        self.rest.extend(text.iter().rev());
    }

    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        self.advance(usize::MAX);
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn the_rest_is_replaced() {
        let mut text = Text::new(b"ab<cd>ef");
        assert!(text.go_to_tag() && text.goes_on_with("<cd>e") && !text.goes_on_with("<cd>efg"));
        text.replace(4, b"<<xyz");
        assert_eq!(text.rest().collect::<Vec<_>>(), b"<<xyzef");
        text.advance(1);
        assert!(text.go_to_tag() && text.len() == 9);
        text.advance(1);
        assert!(!text.go_to_tag() && !text.go_to_tag());
        assert_eq!(text.into_bytes(), b"ab<<xyzef");
    }
}
