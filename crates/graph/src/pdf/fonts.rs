//! The fonts of a page: each face once, with no more glyphs than the page has.

use std::collections::BTreeMap;

use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Filter, Finish as _, Name, Rect, Ref, Str};
use subsetter::GlyphRemapper;

use super::numbers::short;
use super::objects::{Objects, packed};
use super::sfnt;
use crate::font::{Face, Placed};

/// What characters and glyphs are called by: our own numbers of glyphs.
const SYSTEM: SystemInfo<'static> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// Widths are in thousandths of the size.
const UNITS: f64 = 1000.0;

/// A face and its glyphs on the page.
struct Used {
    face: &'static Face,
    glyphs: GlyphRemapper,
    /// What the glyphs stand for, by their numbers on the page.
    texts: BTreeMap<u16, String>,
    /// How wide they are.
    widths: BTreeMap<u16, f64>,
}

/// The faces of a page, in the order of their first use.
#[derive(Default)]
pub(super) struct Fonts(Vec<Used>);

impl Used {
    fn new(face: &'static Face) -> Self {
        let mut widths = BTreeMap::new();
        widths.insert(0, width(face, 0));
        Self { face, glyphs: GlyphRemapper::new(), texts: BTreeMap::new(), widths }
    }

    /// The number of a glyph on the page.
    fn take(&mut self, placed: &Placed<'_>) -> u16 {
        let number = self.glyphs.remap(placed.glyph.0);
        self.widths.entry(number).or_insert_with(|| width(self.face, placed.glyph.0));
        if !placed.text.is_empty() {
            self.texts.entry(number).or_insert_with(|| placed.text.to_owned());
        }
        number
    }
}

/// A width as the file tells it.
fn width(face: &Face, glyph: u16) -> f64 {
    f64::from(short(face.advance_of(crate::font::GlyphId(glyph)) * UNITS))
}

impl Fonts {
    fn position(&mut self, face: &'static Face) -> usize {
        let known = self.0.iter().position(|used| used.face == face);
        known.unwrap_or_else(|| {
            self.0.push(Used::new(face));
            self.0.len() - 1
        })
    }

    /// Shows glyphs of one face on one line, the last of which ends at `end`.
    pub(super) fn show(
        &mut self,
        content: &mut Content,
        glyphs: &[Placed<'_>],
        end: f64,
        pixels: f64,
    ) {
        let Some(first) = glyphs.first() else { return };
        let nth = self.position(first.face);
        let Some(used) = self.0.get_mut(nth) else { return };
        content.set_font(Name(name(nth).as_bytes()), short(pixels));
        let ends = glyphs.iter().skip(1).map(|next| next.x).chain([end]);
        let mut shown = Vec::with_capacity(glyphs.len());
        for (placed, end) in glyphs.iter().zip(ends) {
            let number = used.take(placed);
            let natural = used.widths.get(&number).copied().unwrap_or(0.0);
            shown.push((number, (end - placed.x) / pixels * UNITS - natural));
        }
        // In a font of fixed width all glyphs stand as much wider: that is told once.
        let spacing = shown.first().map_or(0.0, |(_, wider)| *wider);
        content.set_char_spacing(short(spacing * pixels / UNITS));
        let told = f64::from(short(spacing * pixels / UNITS)) / pixels * UNITS;
        let mut positioned = content.show_positioned();
        let mut items = positioned.items();
        let (mut bytes, mut behind) = (Vec::new(), 0.0);
        for (number, wider) in shown {
            bytes.extend(number.to_be_bytes());
            behind += wider - told;
            if (behind * pixels / UNITS).abs() >= 0.02 {
                items.show(Str(&bytes)).adjust(-short(behind));
                behind = 0.0;
                bytes.clear();
            }
        }
        if !bytes.is_empty() {
            items.show(Str(&bytes));
        }
    }

    /// Writes all faces; gives what the page calls them.
    pub(super) fn write(self, objects: &mut Objects) -> Vec<(String, Ref)> {
        let faces = self.0.into_iter().enumerate();
        faces.map(|(nth, used)| (name(nth), used.write(nth, objects))).collect()
    }
}

fn name(nth: usize) -> String {
    format!("F{nth}")
}

impl Used {
    fn write(&self, nth: usize, objects: &mut Objects) -> Ref {
        let (font, cid_font, descriptor) = (objects.id(), objects.id(), objects.id());
        let base = self.base_name(nth);
        let base = Name(base.as_bytes());
        // Without the font's file a reader takes the font of this name, or another.
        let subset = subsetter::subset(self.face.bytes, self.face.index, &self.glyphs).ok();
        let compact = subset.as_deref().and_then(sfnt::compact);
        let is_compact = compact.is_some();
        let lean = subset.as_deref().filter(|_| !is_compact).map(sfnt::lean);
        let file = compact.or(lean.as_deref());
        let file = file.map(|bytes| write_file(objects, bytes, is_compact));
        self.write_descriptor(objects, descriptor, base, file, is_compact);
        self.write_widths(objects, cid_font, descriptor, base, is_compact);
        let mut texts = UnicodeCmap::new(Name(b"T"), SYSTEM);
        for (number, text) in &self.texts {
            texts.pair_with_multiple(*number, text.chars());
        }
        let texts = objects.stream(texts.finish().as_slice());
        let mut written = objects.pdf.type0_font(font);
        written.base_font(base).encoding_predefined(Name(b"Identity-H"));
        written.descendant_font(cid_font).to_unicode(texts);
        font
    }

    /// The name of a part of a font begins with six letters.
    fn base_name(&self, nth: usize) -> String {
        let face = self.face;
        let family = face.family.split(',').next().unwrap_or("");
        let family: String = family.chars().filter(char::is_ascii_alphanumeric).collect();
        let style = match (face.style.bold, face.style.italic) {
            (false, false) => "",
            (true, false) => "-Bold",
            (false, true) => "-Italic",
            (true, true) => "-BoldItalic",
        };
        let letter = |place: u32| char::from(b'A' + (nth / 26_usize.pow(place) % 26) as u8);
        let tag: String = (0..6).rev().map(letter).collect();
        format!("{tag}+{family}{style}")
    }

    fn write_descriptor(
        &self,
        objects: &mut Objects,
        id: Ref,
        base: Name<'_>,
        file: Option<Ref>,
        is_compact: bool,
    ) {
        let face = self.face;
        let (ascent, descent) = (short(face.ascent * UNITS), short(-face.descent * UNITS));
        let mut written = objects.pdf.font_descriptor(id);
        written.name(base).flags(FontFlags::SYMBOLIC).italic_angle(0.0);
        written.bbox(Rect::new(-UNITS as f32, descent, 2.0 * UNITS as f32, ascent));
        written.ascent(ascent).descent(descent).cap_height(ascent).stem_v(80.0);
        if let Some(file) = file {
            match is_compact {
                true => written.font_file3(file),
                false => written.font_file2(file),
            };
        }
    }

    fn write_widths(
        &self,
        objects: &mut Objects,
        id: Ref,
        descriptor: Ref,
        base: Name<'_>,
        is_compact: bool,
    ) {
        let mut written = objects.pdf.cid_font(id);
        let kind = if is_compact { CidFontType::Type0 } else { CidFontType::Type2 };
        written.subtype(kind).base_font(base).system_info(SYSTEM).font_descriptor(descriptor);
        if !is_compact {
            written.cid_to_gid_map_predefined(Name(b"Identity"));
        }
        let first = self.widths.values().next().copied().unwrap_or(0.0);
        let last = self.widths.keys().next_back().copied().unwrap_or(0);
        // A default width is read as a whole number by some, so each is told.
        let mut widths = written.widths();
        if self.widths.values().all(|width| *width == first) {
            widths.same(0, last, first as f32);
        } else {
            widths.consecutive(0, self.widths.values().map(|width| *width as f32));
        }
    }
}

fn write_file(objects: &mut Objects, bytes: &[u8], is_compact: bool) -> Ref {
    let id = objects.id();
    let short = packed(bytes);
    let mut stream = objects.pdf.stream(id, &short);
    stream.filter(Filter::FlateDecode);
    match is_compact {
        true => stream.pair(Name(b"Subtype"), Name(b"CIDFontType0C")),
        false => stream.pair(Name(b"Length1"), bytes.len() as i32),
    };
    stream.finish();
    id
}
