//! Texts that are many and seldom read, such as the heads of a million pages.
//!
//! Neighbours say nearly the same, so blocks of some dozens are compressed together: a target's
//! 300 bytes take about 40.
//!
//! ```text
//! Writer ── put(fields) ─▶ Text ─┐
//!    │                           ├─▶ Block: as they were put, or compressed once it is full
//! Reader ◀── the last block ─────┘
//! ```

use std::sync::{Arc, PoisonError, RwLock};

use varint::{Cursor, put_text, put_varint};

/// A block is full from this size on: small enough to be unpacked for a single text in ten
/// microseconds, large enough for many that are alike.
const BLOCK_BYTES: usize = 16 << 10;

/// What a record of this module is expected to hold.
const FIELD: &str = "a field with its length";

/// Some texts that belong together: the fields.
#[derive(Clone, Debug)]
pub struct Text {
    block: Arc<Block>,
    begin_bytes: u32,
}

/// Texts that were put one after the other.
#[derive(Debug)]
struct Block(RwLock<Contents>);

#[derive(Debug)]
enum Contents {
    /// As they were put: the block is not full yet.
    Open(Vec<u8>),
    Packed {
        bytes: Box<[u8]>,
        unpacked_bytes: usize,
    },
}

/// Takes texts.
#[derive(Debug, Default)]
pub struct Writer {
    block: Option<Arc<Block>>,
}

impl Writer {
    /// Keeps these fields. Texts that follow each other should be alike.
    pub fn put(&mut self, fields: &[&str]) -> Text {
        let block = self.block.get_or_insert_with(|| Block::open(Vec::new())).clone();
        let (begin_bytes, is_full) = block.append(fields);
        if is_full {
            self.block = None;
            block.pack();
        }
        Text { block, begin_bytes }
    }
}

/// The last texts are packed, too.
impl Drop for Writer {
    fn drop(&mut self) {
        if let Some(block) = &self.block {
            block.pack();
        }
    }
}

impl Block {
    fn open(bytes: Vec<u8>) -> Arc<Self> {
        Arc::new(Self(RwLock::new(Contents::Open(bytes))))
    }

    /// Returns where the fields begin, and whether the block is now full.
    fn append(&self, fields: &[&str]) -> (u32, bool) {
        let mut contents = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let Contents::Open(bytes) = &mut *contents else { return (u32::MAX, true) };
        let begin_bytes = u32::try_from(bytes.len()).unwrap_or(u32::MAX); // it is less than a block
        put_varint(fields.len() as u64, bytes);
        fields.iter().for_each(|field| put_text(field, bytes));
        (begin_bytes, bytes.len() >= BLOCK_BYTES)
    }

    fn pack(&self) {
        let mut contents = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Contents::Open(bytes) = &*contents {
            let (packed, unpacked_bytes) = (lz4_flex::block::compress(bytes), bytes.len());
            *contents = Contents::Packed { bytes: packed.into(), unpacked_bytes };
        }
    }

    fn unpacked(&self) -> Vec<u8> {
        match &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            Contents::Open(bytes) => bytes.clone(),
            // What was packed here is unpacked here; its memory alone could have damaged it.
            Contents::Packed { bytes, unpacked_bytes } => {
                lz4_flex::block::decompress(bytes, *unpacked_bytes).unwrap_or_default()
            }
        }
    }
}

impl Text {
    /// A text on its own, which is not packed.
    #[must_use]
    pub fn alone(fields: &[&str]) -> Self {
        let block = Block::open(Vec::new());
        let (begin_bytes, _) = block.append(fields);
        Self { block, begin_bytes }
    }

    /// The fields as they were put.
    #[must_use]
    pub fn fields(&self) -> Vec<String> {
        Reader::default().fields(self).map(str::to_owned).collect()
    }

    /// The field with this number; empty if there is none.
    #[must_use]
    pub fn field(&self, nth: usize) -> String {
        Reader::default().field(self, nth).to_owned()
    }
}

/// Two texts are equal if they say the same, wherever they lie.
impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.fields() == other.fields()
    }
}

/// Reads many texts in the order in which they were put, so that each block is unpacked once.
#[derive(Debug, Default)]
pub struct Reader {
    last: Option<(Arc<Block>, Vec<u8>)>,
}

impl Reader {
    /// The fields of a text as they were put.
    pub fn fields(&mut self, text: &Text) -> impl Iterator<Item = &str> {
        let is_last = self.last.as_ref().is_some_and(|(block, bytes)| {
            // An open block may have grown meanwhile.
            Arc::ptr_eq(block, &text.block) && bytes.len() > text.begin_bytes as usize
        });
        if !is_last {
            self.last = Some((text.block.clone(), text.block.unpacked()));
        }
        let bytes = self.last.as_ref().map_or(&[][..], |(_, bytes)| bytes);
        let mut cursor = Cursor::new(bytes.get(text.begin_bytes as usize..).unwrap_or_default());
        let count = cursor.varint(FIELD).unwrap_or_default();
        (0..count).map_while(move |_| cursor.counted_text(FIELD).ok())
    }

    /// The field with this number; empty if there is none.
    pub fn field(&mut self, text: &Text, nth: usize) -> &str {
        self.fields(text).nth(nth).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fields_come_back_as_they_were_put(
            all in prop::collection::vec(prop::collection::vec(".{0,200}", 0..4), 0..99),
        ) {
            let mut writer = Writer::default();
            let mut texts = Vec::new();
            for fields in &all {
                let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
                texts.push(writer.put(&fields));
                prop_assert_eq!(texts[texts.len() - 1].fields(), fields);
            }
            drop(writer);
            let mut reader = Reader::default();
            for (text, fields) in texts.iter().zip(&all) {
                prop_assert!(reader.fields(text).eq(fields));
                prop_assert_eq!(&text.field(0), fields.first().map_or("", String::as_str));
            }
        }
    }

    #[test]
    fn neighbours_take_little() {
        let mut writer = Writer::default();
        let texts: Vec<Text> = (0..2000)
            .map(|nth| {
                let page = format!("<h1>Port {nth}</h1><table><tr><td>System:</td></tr></table>");
                writer.put(&["A port of a switch in a room somewhere", &page])
            })
            .collect();
        drop(writer);
        let mut blocks: Vec<&Arc<Block>> = texts.iter().map(|text| &text.block).collect();
        blocks.dedup_by(|one, other| Arc::ptr_eq(one, other));
        let packed = |block: &&Arc<Block>| match &*block.0.read().unwrap() {
            Contents::Packed { bytes, .. } => bytes.len(),
            Contents::Open(_) => panic!("the writer is gone"),
        };
        let bytes: usize = blocks.iter().map(packed).sum();
        assert!(bytes < 2000 * 20, "{bytes}");
        assert_eq!(texts[777].field(1).get(..13), Some("<h1>Port 777<"));
    }

    #[test]
    fn there_may_be_no_such_field() {
        let text = Text::alone(&["only"]);
        assert_eq!((text.field(0), text.field(1)), ("only".into(), String::new()));
        assert_eq!(text, Text::alone(&["only"]));
        assert_ne!(text, Text::alone(&["other"]));
    }
}
