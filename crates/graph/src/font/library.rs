//! The faces inside the binary, and those that the system has.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::face::Face;
use super::wanted::{Style, Wanted};

/// A font file of the system.
#[derive(Clone, Debug)]
pub struct FontFile {
    /// The name of the family.
    pub family: String,
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// Which face of the file it is.
    pub index: u32,
    /// The style that the face has.
    pub style: Style,
}

/// Finds fonts of the system: this crate reads no files.
#[derive(Clone, Copy, Debug)]
pub struct FontFinder {
    /// The font of a family and style, or of the nearest style that the family has.
    pub named: fn(&str, Style) -> Option<FontFile>,
    /// A font that has a character, if possible of this style.
    pub having: fn(char, Style) -> Option<FontFile>,
}

const MONO: &str = "DejaVu Sans Mono,Bitstream Vera Sans Mono,monospace,Courier";
const SANS: &str = "DejaVu Sans,Bitstream Vera Sans,sans-serif,Helvetica";

/// The embedded face that stands for a font, whether or not the system has it. Names that say
/// nothing get the face that fontconfig gives them on Debian.
pub(crate) fn embedded(wanted: &Wanted) -> &'static Face {
    let style = wanted.style;
    let mono = wanted.families.iter().find_map(|family| is_mono(family));
    let set = if mono.unwrap_or(wanted.families.is_empty()) { &MONO_FACES } else { &SANS_FACES };
    let nth = usize::from(style.bold) + 2 * usize::from(style.italic);
    set[nth].get_or_init(|| {
        let (family, bytes) = match (std::ptr::eq(set, &MONO_FACES), style.bold) {
            (true, false) => (MONO, dejavu::sans_mono::regular()),
            (true, true) => (MONO, dejavu::sans_mono::bold()),
            (false, false) => (SANS, dejavu::sans::regular()),
            (false, true) => (SANS, dejavu::sans::bold()),
        };
        // DejaVu's oblique faces are its upright ones, slanted; only kerning differs.
        let face_style = Style { condensed: false, ..style };
        let face = Face::read(bytes, 0, family.into(), face_style, style.italic);
        face.expect("the font is whole").within_binary()
    })
}

static MONO_FACES: [OnceLock<Face>; 4] = [const { OnceLock::new() }; 4];
static SANS_FACES: [OnceLock<Face>; 4] = [const { OnceLock::new() }; 4];

/// Whether an embedded family is meant, and then whether it is the one of fixed width.
fn is_mono(family: &str) -> Option<bool> {
    match family.to_lowercase().as_str() {
        "dejavu sans mono"
        | "bitstream vera sans mono"
        | "monospace"
        | "mono"
        | "courier"
        | "courier new"
        | "fixed"
        | "terminal" => Some(true),
        "dejavu sans" | "bitstream vera sans" | "sans" | "sans-serif" => Some(false),
        _ => None,
    }
}

/// The face of the system that stands for a font, or else the embedded one.
pub(crate) fn found(wanted: &Wanted, finder: FontFinder) -> &'static Face {
    for family in &wanted.families {
        // The embedded faces are upright and of usual width. For Courier there are nearer ones.
        let is_plain = !wanted.style.condensed && !wanted.style.italic;
        let is_courier = family.to_lowercase().starts_with("courier");
        if is_mono(family).is_some() && is_plain && !is_courier {
            break;
        }
        if let Some(face) = of_system(family, wanted.style, finder) {
            return face;
        }
    }
    embedded(wanted)
}

type Known = HashMap<(String, Style), Option<&'static Face>>;

/// The most names that are remembered; a page's graphs need three.
const NAMES_MAX: usize = 1000;

/// A face that was read stays for good: there are as many as the system has files.
fn of_system(family: &str, style: Style, finder: FontFinder) -> Option<&'static Face> {
    static KNOWN: OnceLock<Mutex<Known>> = OnceLock::new();
    let known = KNOWN.get_or_init(Mutex::default);
    let key = (family.to_lowercase(), style);
    // A cache is whole after every step: another thread's panic does not spoil it.
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(face) = known.get(&key) {
        return *face;
    }
    if known.len() >= NAMES_MAX {
        known.clear();
    }
    let face = (finder.named)(family, style).and_then(|file| read(file, style));
    known.insert(key, face);
    face
}

/// A face of the system's, read once.
fn read(file: FontFile, style: Style) -> Option<&'static Face> {
    static FACES: OnceLock<Mutex<Known>> = OnceLock::new();
    let faces = FACES.get_or_init(Mutex::default);
    let mut faces = faces.lock().unwrap_or_else(PoisonError::into_inner);
    *faces.entry((format!("{}#{}", file.family, file.index), style)).or_insert_with(|| {
        let slanted = style.italic && !file.style.italic;
        let bytes = Box::leak(file.bytes.into_boxed_slice());
        let face = Face::read(bytes, file.index, file.family, style, slanted)?;
        Some(Box::leak(Box::new(face)))
    })
}

/// Faces that stood in for others, by style, and the characters that none has.
#[derive(Default)]
struct Substitutes {
    faces: Vec<(Style, &'static Face)>,
    none: HashSet<(char, Style)>,
}

/// A face that has a character: the embedded one whose characters are many, or one of the system.
pub(super) fn substitute(
    character: char,
    style: Style,
    finder: Option<FontFinder>,
) -> Option<&'static Face> {
    static SUBSTITUTES: OnceLock<Mutex<Substitutes>> = OnceLock::new();
    let has = |face: &&'static Face| face.glyph(character).0 != 0;
    let sans = embedded(&Wanted { families: vec!["DejaVu Sans".to_owned()], style });
    if has(&sans) {
        return Some(sans);
    }
    let finder = finder?;
    let known = SUBSTITUTES.get_or_init(Mutex::default);
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let faces = known.faces.iter().filter(|(other, _)| *other == style).map(|(_, face)| *face);
    if let Some(face) = faces.into_iter().find(has) {
        return Some(face);
    }
    if known.none.contains(&(character, style)) {
        return None;
    }
    let face = (finder.having)(character, style).and_then(|file| read(file, style)).filter(has);
    match face {
        Some(face) => known.faces.push((style, face)),
        None => {
            if known.none.len() >= NAMES_MAX {
                known.none.clear();
            }
            known.none.insert((character, style));
        }
    }
    face
}
