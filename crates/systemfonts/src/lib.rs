//! The fonts of the machine, by family and style: those of the directories that fontconfig's files
//! name. They are listed when the first is asked for, since graphs seldom name fonts that are not
//! embedded.

use std::sync::OnceLock;

use fontdb::{Database, FaceInfo, Family, Query, Stretch, Style as Slant, Weight};
use graph::{FontFile, Style};

/// Names for which fontconfig gives another family where they are not there themselves, in order
/// of its preference.
const ALIASES: [(&[&str], &[&str]); 5] = [
    (
        &["times", "times new roman", "serif", "bitstream vera serif", "georgia", "palatino"],
        &["Liberation Serif", "Nimbus Roman", "DejaVu Serif", "Noto Serif"],
    ),
    (
        &["arial", "helvetica", "verdana", "tahoma"],
        &["Liberation Sans", "Nimbus Sans", "DejaVu Sans"],
    ),
    (&["sans", "sans-serif"], &["DejaVu Sans"]),
    (&["mono", "monospace", "courier"], &["DejaVu Sans Mono"]),
    (&["consolas", "andale mono", "lucida console"], &["Liberation Mono", "DejaVu Sans Mono"]),
];

/// The font of this name and style, or the nearest style that the family has.
#[must_use]
pub fn find(family: &str, style: Style) -> Option<FontFile> {
    static FONTS: OnceLock<Database> = OnceLock::new();
    let fonts = FONTS.get_or_init(|| {
        let mut fonts = Database::new();
        fonts.load_system_fonts();
        fonts
    });
    let name = family.to_lowercase();
    let alias = ALIASES.iter().find(|(names, _)| names.contains(&name.as_str()));
    let others = alias.map_or(&[][..], |(_, others)| others);
    std::iter::once(family).chain(others.iter().copied()).find_map(|name| of(fonts, name, style))
}

fn of(fonts: &Database, family: &str, style: Style) -> Option<FontFile> {
    let name = spelled(fonts, family)?;
    let id = fonts.query(&Query {
        families: &[Family::Name(&name)],
        weight: if style.bold { Weight::BOLD } else { Weight::NORMAL },
        stretch: if style.condensed { Stretch::Condensed } else { Stretch::Normal },
        style: if style.italic { Slant::Italic } else { Slant::Normal },
    })?;
    let info = fonts.face(id)?;
    let (bytes, index) = fonts.with_face_data(id, |bytes, index| (bytes.to_vec(), index))?;
    Some(FontFile { family: name, bytes, index, style: style_of(info) })
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
