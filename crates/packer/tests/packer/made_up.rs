//! Sources and programs for tests.

use std::path::Path;

use packer::{Binary, Contents, Moment, Source};

/// The packages' time in tests: 2026-11-27, a quarter to six in the evening.
pub(crate) const MOMENT: Moment = Moment { seconds: 1_795_801_500 };

/// The project, with a version of its own.
pub(crate) fn source() -> Source {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let third_parties = "one v1.0.0: MIT\n".to_owned();
    Source { root, version: "1.2.3".to_owned(), moment: MOMENT, third_parties, generated: None }
}

/// A program that needs glibc 2.34.
pub(crate) fn binary() -> Binary {
    Binary {
        program: b"\x7fELF GLIBC_2.2.5\0GLIBC_2.34\0".to_vec(),
        debug: b"where each line is".to_vec(),
        build_id: "0123456789abcdef0123456789abcdef01234567".to_owned(),
    }
}

/// One item of each kind.
pub(crate) fn contents() -> Contents {
    let mut contents = Contents::default();
    contents.program("usr/bin/one", &b"#!/bin/sh\n"[..]);
    contents.file("usr/share/one/text", &b"text\n"[..]);
    contents.configuration("etc/one", &b"value\n"[..]);
    contents.link("usr/bin/other", "one");
    contents.directory_of("var/lib/one", 7);
    contents
}
