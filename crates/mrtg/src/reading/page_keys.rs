//! Reads the keys of a target's HTML page.

use std::sync::Arc;

use super::keys::TargetKey as Key;
use super::target_keys::Keys;
use crate::page_keys::{PageKeys, colours};
use crate::text::{decode, trim};

/// The keys that a target has of its page; `None` if it has none of them, as most.
pub(super) fn of(keys: &Keys<'_>) -> Option<Arc<PageKeys>> {
    let bytes = |key| keys.get(key).map(|value| value.bytes());
    let word = |key| -> Option<Arc<str>> {
        let word = trim(bytes(key)?);
        (!word.is_empty()).then(|| decode(word).into())
    };
    let html = |key| -> Option<Arc<str>> { Some(with_line_breaks(bytes(key)?).into()) };
    let found = PageKeys {
        foot: html(Key::PageFoot),
        add_head: html(Key::AddHead),
        body_tag: word(Key::BodyTag),
        background: word(Key::Background),
        text_colour: word(Key::TextColor),
        colours: word(Key::Colours).and_then(|text| colours(&text)).map(Arc::new),
        timezone: word(Key::Timezone),
        extension: word(Key::Extension),
    };
    (found != PageKeys::default()).then(|| found.into())
}

/// `\n` in the value means a line break.
pub(super) fn with_line_breaks(value: &[u8]) -> String {
    let text = decode(value);
    if text.contains("\\n") { text.replace("\\n", "\n") } else { text }
}
