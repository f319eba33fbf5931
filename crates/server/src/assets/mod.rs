//! The style sheet and the scripts, compiled into the program. Their URLs contain a hash of all
//! content, so that browsers may cache them forever, and so that a script finds another one beside
//! itself (`import "./live.js"`).

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::LazyLock;

/// A file that pages use.
pub(crate) struct Asset {
    name: &'static str,
    pub(crate) media_type: &'static str,
    pub(crate) content: &'static str,
}

const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// What every page looks like.
pub(crate) const STYLE: Asset =
    Asset { name: "style.css", media_type: CSS, content: include_str!("style.css") };

/// Keeps every page current.
pub(crate) const LIVE: Asset =
    Asset { name: "live.js", media_type: SCRIPT, content: include_str!("live.js") };

const ALL: &[&Asset] = &[&STYLE, &LIVE];

/// The hash of all content.
static HASH: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    ALL.iter().for_each(|asset| asset.content.hash(&mut hasher));
    format!("{:016x}", hasher.finish())
});

impl Asset {
    pub(crate) fn address(&self) -> String {
        format!("/assets/{}/{}", *HASH, self.name)
    }
}

/// The asset of that name.
pub(crate) fn named(name: &str) -> Option<&'static Asset> {
    ALL.iter().copied().find(|asset| asset.name == name)
}
