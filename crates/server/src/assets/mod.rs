//! The style sheet and the script, compiled into the program. Their URLs contain a hash of their
//! content, so that browsers may cache them forever.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// A file that every page uses.
pub(crate) struct Asset {
    name: &'static str,
    pub(crate) media_type: &'static str,
    pub(crate) content: &'static str,
}

pub(crate) const STYLE: Asset = Asset {
    name: "style.css",
    media_type: "text/css; charset=utf-8",
    content: include_str!("style.css"),
};

pub(crate) const LIVE: Asset = Asset {
    name: "live.js",
    media_type: "text/javascript; charset=utf-8",
    content: include_str!("live.js"),
};

impl Asset {
    pub(crate) fn address(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.content.hash(&mut hasher);
        format!("/assets/{:016x}/{}", hasher.finish(), self.name)
    }
}

/// The asset of that name.
pub(crate) fn named(name: &str) -> Option<&'static Asset> {
    [&STYLE, &LIVE].into_iter().find(|asset| asset.name == name)
}
