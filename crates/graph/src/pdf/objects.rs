//! The numbered objects of a PDF file in the making.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::{Filter, Pdf, Ref, Settings};

/// The objects so far.
pub(super) struct Objects {
    pub(super) pdf: Pdf,
    last: i32,
}

impl Objects {
    pub(super) fn new() -> Self {
        Self { pdf: Pdf::with_settings(Settings { pretty: false }), last: 0 }
    }

    /// A number for an object that follows.
    pub(super) fn id(&mut self) -> Ref {
        self.last += 1;
        Ref::new(self.last)
    }

    /// Writes bytes as a stream of its own.
    pub(super) fn stream(&mut self, bytes: &[u8]) -> Ref {
        let id = self.id();
        self.pdf.stream(id, &packed(bytes)).filter(Filter::FlateDecode);
        id
    }
}

/// Bytes as `FlateDecode` reads them.
pub(super) fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::with_capacity(bytes.len() / 2), Compression::best());
    // A Vec takes all.
    let _ = packer.write_all(bytes);
    packer.finish().unwrap_or_default()
}
