//! The fonts of the machine, by family and style or by a character that they have: those of the
//! directories that fontconfig's files name. They are listed when the first is asked for, since
//! graphs seldom need fonts that are not embedded.

use std::sync::OnceLock;

use ab_glyph::Font as _;
use fontdb::{Database, FaceInfo, Family, ID, Query, Stretch, Style as Slant, Weight};
use graph::{FontFile, FontFinder, Style};

/// How graphs find fonts of the machine.
pub const FINDER: FontFinder = FontFinder { named: find, having };

/// Names for which fontconfig gives another family where they are not there themselves, in order
/// of its preference.
const ALIASES: [(&[&str], &[&str]); 13] = [
    (&["times"], &["Nimbus Roman", "Liberation Serif", "DejaVu Serif"]),
    (&["times new roman"], &["Liberation Serif", "Nimbus Roman", "DejaVu Serif"]),
    (&["serif", "bitstream vera serif", "georgia", "cambria"], &["DejaVu Serif", "Noto Serif"]),
    (&["palatino", "palatino linotype"], &["P052", "DejaVu Serif"]),
    (&["bookman", "itc bookman"], &["URW Bookman", "DejaVu Serif"]),
    (&["new century schoolbook", "century schoolbook"], &["C059", "DejaVu Serif"]),
    (&["helvetica"], &["Nimbus Sans", "Liberation Sans", "DejaVu Sans"]),
    (&["arial"], &["Liberation Sans", "Nimbus Sans", "DejaVu Sans"]),
    (&["verdana", "tahoma", "sans", "sans-serif"], &["DejaVu Sans"]),
    (&["courier"], &["Nimbus Mono PS", "Liberation Mono"]),
    (&["courier new"], &["Liberation Mono", "Nimbus Mono PS"]),
    (&["consolas", "andale mono"], &["DejaVu Sans Mono"]),
    (&["mono", "monospace"], &["DejaVu Sans Mono"]),
];

/// The families that fontconfig prefers for characters that many have, in its order.
const PREFERRED: [&str; 12] = [
    "DejaVu Sans",
    "Noto Sans",
    "Liberation Sans",
    "FreeSans",
    "Lohit Devanagari",
    "VL Gothic",
    "IPAGothic",
    "Noto Sans CJK JP",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "UnDotum",
    "Unifont",
];

fn fonts() -> &'static Database {
    static FONTS: OnceLock<Database> = OnceLock::new();
    FONTS.get_or_init(|| {
        let mut fonts = Database::new();
        fonts.load_system_fonts();
        fonts
    })
}

/// The font of this name and style, or the nearest style that the family has.
#[must_use]
pub fn find(family: &str, style: Style) -> Option<FontFile> {
    let fonts = fonts();
    let name = family.to_lowercase();
    let alias = ALIASES.iter().find(|(names, _)| names.contains(&name.as_str()));
    let others = alias.map_or(&[][..], |(_, others)| others);
    std::iter::once(family).chain(others.iter().copied()).find_map(|name| of(fonts, name, style))
}

/// A font that has this character: of a family that fontconfig prefers, or else of the first by
/// name, in the style nearest to this one.
#[must_use]
pub fn having(character: char, style: Style) -> Option<FontFile> {
    let fonts = fonts();
    let families = fonts.faces().filter_map(|face| face.families.first());
    let mut others: Vec<&str> = families.map(|(name, _)| name.as_str()).collect();
    others.sort_unstable();
    others.dedup();
    let preferred = PREFERRED.into_iter().filter(|name| others.contains(name));
    let (name, id) = preferred.chain(others.iter().copied()).find_map(|name| {
        let id = nearest(fonts, name, style)?;
        has(fonts, id, character).then_some((name, id))
    })?;
    file(fonts, name.to_owned(), id)
}

fn has(fonts: &Database, id: ID, character: char) -> bool {
    let has = |bytes: &[u8], index| {
        let font = ab_glyph::FontRef::try_from_slice_and_index(bytes, index);
        font.is_ok_and(|font| font.glyph_id(character).0 != 0)
    };
    fonts.with_face_data(id, has).unwrap_or(false)
}

fn of(fonts: &Database, family: &str, style: Style) -> Option<FontFile> {
    let name = spelled(fonts, family)?;
    let id = nearest(fonts, &name, style)?;
    file(fonts, name, id)
}

fn nearest(fonts: &Database, name: &str, style: Style) -> Option<ID> {
    fonts.query(&Query {
        families: &[Family::Name(name)],
        weight: if style.bold { Weight::BOLD } else { Weight::NORMAL },
        stretch: if style.condensed { Stretch::Condensed } else { Stretch::Normal },
        style: if style.italic { Slant::Italic } else { Slant::Normal },
    })
}

fn file(fonts: &Database, family: String, id: ID) -> Option<FontFile> {
    let info = fonts.face(id)?;
    let (bytes, index) = fonts.with_face_data(id, |bytes, index| (bytes.to_vec(), index))?;
    Some(FontFile { family, bytes, index, style: style_of(info) })
}

/// The family as the font itself spells it: fontconfig looks neither at case nor at blanks.
fn spelled(fonts: &Database, family: &str) -> Option<String> {
    let bare = |name: &str| name.to_lowercase().replace(' ', "");
    let wanted = bare(family);
    let names = fonts.faces().flat_map(|face| face.families.iter().map(|(name, _)| name));
    names.into_iter().find(|name| bare(name) == wanted).cloned()
}

fn style_of(info: &FaceInfo) -> Style {
    Style {
        bold: info.weight >= Weight::SEMIBOLD,
        italic: info.style != Slant::Normal,
        condensed: info.stretch < Stretch::Normal,
    }
}
