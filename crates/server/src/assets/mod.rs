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

/// What every page looks like, in one file: a page waits for its style sheets, each of which would
/// be a request of its own.
pub(crate) const STYLE: Asset = Asset {
    name: "style.css",
    media_type: CSS,
    content: concat!(
        include_str!("style.css"),
        // The switches in the foot of every page.
        include_str!("foot.css"),
        // Search, sites, devices and small multiples.
        include_str!("find.css"),
        include_str!("chart.css"),
        include_str!("board.css"),
        // Lists of the first.
        include_str!("top.css"),
        include_str!("store.css"),
    ),
};

/// Keeps every page current.
pub(crate) const LIVE: Asset =
    Asset { name: "live.js", media_type: SCRIPT, content: include_str!("live.js") };

/// Light or dark, as the visitor chose.
pub(crate) const THEME: Asset =
    Asset { name: "theme.js", media_type: SCRIPT, content: include_str!("theme.js") };

/// Times in the viewer's zone or the server's.
pub(crate) const ZONE: Asset =
    Asset { name: "zone.js", media_type: SCRIPT, content: include_str!("zone.js") };

/// Results of a search as one types.
pub(crate) const SEARCH: Asset =
    Asset { name: "search.js", media_type: SCRIPT, content: include_str!("search.js") };

/// Values under the pointer in a device's small charts.
pub(crate) const DEVICE: Asset =
    Asset { name: "device.js", media_type: SCRIPT, content: include_str!("device.js") };

/// The list of targets follows what is typed.
pub(crate) const INDEX: Asset =
    Asset { name: "index.js", media_type: SCRIPT, content: include_str!("index.js") };

/// Favourites, and what was looked at last.
pub(crate) const KEPT: Asset =
    Asset { name: "kept.js", media_type: SCRIPT, content: include_str!("kept.js") };

/// Makes charts interactive; it brings the others of its name.
pub(crate) const CHART: Asset =
    Asset { name: "chart.js", media_type: SCRIPT, content: include_str!("chart.js") };

/// The modules that `chart.js` is made of.
static CHART_PARTS: [Asset; 9] = [
    Asset {
        name: "chart-numbers.js",
        media_type: SCRIPT,
        content: include_str!("chart-numbers.js"),
    },
    Asset { name: "chart-time.js", media_type: SCRIPT, content: include_str!("chart-time.js") },
    Asset { name: "chart-paint.js", media_type: SCRIPT, content: include_str!("chart-paint.js") },
    Asset { name: "chart-sums.js", media_type: SCRIPT, content: include_str!("chart-sums.js") },
    Asset { name: "chart-layers.js", media_type: SCRIPT, content: include_str!("chart-layers.js") },
    Asset {
        name: "chart-gestures.js",
        media_type: SCRIPT,
        content: include_str!("chart-gestures.js"),
    },
    Asset { name: "chart-data.js", media_type: SCRIPT, content: include_str!("chart-data.js") },
    Asset { name: "chart-span.js", media_type: SCRIPT, content: include_str!("chart-span.js") },
    Asset { name: "chart-plot.js", media_type: SCRIPT, content: include_str!("chart-plot.js") },
];

/// Keeps a board current, also on a wall, and tells what is under the pointer.
pub(crate) const BOARD: Asset =
    Asset { name: "board.js", media_type: SCRIPT, content: include_str!("board.js") };

/// Tells what is under the pointer of a chart.
pub(crate) const READOUT: Asset =
    Asset { name: "readout.js", media_type: SCRIPT, content: include_str!("readout.js") };

/// Composes a board.
pub(crate) const COMPOSE: Asset =
    Asset { name: "compose.js", media_type: SCRIPT, content: include_str!("compose.js") };

/// Writes a board as text.
pub(crate) const BOARD_TEXT: Asset =
    Asset { name: "board-text.js", media_type: SCRIPT, content: include_str!("board-text.js") };

const ALL: &[&Asset] = &[
    &STYLE,
    &LIVE,
    &THEME,
    &ZONE,
    &SEARCH,
    &INDEX,
    &DEVICE,
    &KEPT,
    &BOARD,
    &READOUT,
    &BOARD_TEXT,
    &COMPOSE,
    &CHART,
];

/// All assets.
fn all() -> impl Iterator<Item = &'static Asset> {
    ALL.iter().copied().chain(&CHART_PARTS)
}

/// The hash of all content.
static HASH: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    all().for_each(|asset| asset.content.hash(&mut hasher));
    format!("{:016x}", hasher.finish())
});

impl Asset {
    pub(crate) fn address(&self) -> String {
        format!("/assets/{}/{}", *HASH, self.name)
    }
}

/// The asset of that name.
pub(crate) fn named(name: &str) -> Option<&'static Asset> {
    all().find(|asset| asset.name == name)
}
