//! Glyphs as fonts of type 3, whose outlines are procedures: the file needs no font but its own.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::font::{Face, GlyphId, OutlineCurve, OutlinePoint, Placed};

/// A glyph in the file.
struct Used {
    glyph: GlyphId,
    name: String,
}

/// A face, or a part of one: up to 255 glyphs, by their codes.
struct Part {
    face: &'static Face,
    glyphs: BTreeMap<u8, Used>,
}

/// The fonts of a file, in the order of their first use.
#[derive(Default)]
pub(super) struct Fonts(Vec<Part>);

/// Where a glyph is: in which font, and under which code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Code {
    pub(super) font: usize,
    pub(super) byte: u8,
}

impl Fonts {
    pub(super) fn code(&mut self, placed: &Placed<'_>) -> Code {
        let parts = || self.0.iter().enumerate().filter(|(_, part)| part.face == placed.face);
        let known = parts().find_map(|(font, part)| {
            let mut glyphs = part.glyphs.iter();
            let (byte, _) = glyphs.find(|(_, used)| used.glyph == placed.glyph)?;
            Some(Code { font, byte: *byte })
        });
        let fresh = || parts().find_map(|(font, part)| part.free(placed).map(|it| (font, it)));
        if let Some(code) = known {
            return code;
        }
        let (font, byte) = fresh().unwrap_or_else(|| {
            let part = Part { face: placed.face, glyphs: BTreeMap::new() };
            let byte = part.free(placed).unwrap_or(1);
            (self.0.len(), byte)
        });
        if font == self.0.len() {
            self.0.push(Part { face: placed.face, glyphs: BTreeMap::new() });
        }
        if let Some(part) = self.0.get_mut(font) {
            let name = part.name(placed);
            part.glyphs.insert(byte, Used { glyph: placed.glyph, name });
        }
        Code { font, byte }
    }

    /// The fonts' definitions.
    pub(super) fn write(&self) -> String {
        let mut out = String::new();
        for (nth, part) in self.0.iter().enumerate() {
            part.write(nth, &mut out);
        }
        out
    }
}

/// The only character that a glyph stands for.
fn only(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

impl Part {
    /// A code for a glyph: its own of ASCII, so that the file's strings can be read.
    fn free(&self, placed: &Placed<'_>) -> Option<u8> {
        let own = only(placed.text).filter(|it| matches!(it, ' '..='~')).map(|it| it as u8);
        let codes = own.into_iter().chain(128..=255).chain(1..=31).chain(32..=126);
        codes.into_iter().find(|code| !self.glyphs.contains_key(code))
    }

    /// What readers know the glyph's character by.
    fn name(&self, placed: &Placed<'_>) -> String {
        let code = only(placed.text).map(u32::from).filter(|code| *code <= 0xffff);
        let name = code.map(|code| format!("uni{code:04X}"));
        let is_free = |name: &String| self.glyphs.values().all(|used| used.name != *name);
        name.filter(is_free).unwrap_or_else(|| format!("g{}", placed.glyph.0))
    }

    fn write(&self, nth: usize, out: &mut String) {
        let units = self.face.units_per_em;
        // A String takes all.
        let _ = write!(
            out,
            "8 dict begin/FontType 3 def/FontMatrix[1 {units} div 0 0 1 {units} div 0 0]def\n\
             /FontBBox[0 0 0 0]def/Encoding 256 array def 0 1 255{{Encoding exch/.notdef put}}for\n"
        );
        for (code, used) in &self.glyphs {
            let _ = writeln!(out, "Encoding {code}/{} put", used.name);
        }
        let _ = writeln!(out, "/P {} dict def P begin/.notdef{{}}def", self.glyphs.len() + 1);
        for used in self.glyphs.values() {
            self.write_glyph(used, out);
        }
        let _ = write!(
            out,
            "end/BuildGlyph{{exch/P get exch 2 copy known not{{pop/.notdef}}if get exec}}bind def\n\
             /BuildChar{{1 index/Encoding get exch get 1 index/BuildGlyph get exec}}bind def\n\
             currentdict end/F{nth} exch definefont pop\n"
        );
    }

    fn write_glyph(&self, used: &Used, out: &mut String) {
        let advance = (self.face.advance_of(used.glyph) * self.face.units_per_em).round();
        let Some(outline) = self.face.outline(used.glyph) else {
            let _ = writeln!(out, "/{}{{{advance} 0 setcharwidth}}def", used.name);
            return;
        };
        let bounds = outline.bounds;
        let (left, right) = (bounds.min.x.floor(), bounds.max.x.ceil());
        let (low, high) = (bounds.min.y.min(bounds.max.y), bounds.min.y.max(bounds.max.y));
        let (low, high) = (low.floor(), high.ceil());
        let name = &used.name;
        let _ = writeln!(out, "/{name}{{{advance} 0 {left} {low} {right} {high} setcachedevice");
        let mut pen = None;
        for (nth, curve) in outline.curves.iter().enumerate() {
            write_curve(curve, &mut pen, out);
            out.push(if nth % 10 == 9 { '\n' } else { ' ' });
        }
        out.push_str("fill}def\n");
    }
}

type Pen = Option<[i64; 2]>;

/// Writes a curve, after a move where it does not begin where the last one ended.
fn write_curve(curve: &OutlineCurve, pen: &mut Pen, out: &mut String) {
    let round = |at: &OutlinePoint| [at.x.round() as i64, at.y.round() as i64];
    let (first, control, last) = match curve {
        OutlineCurve::Line(from, to) => (from, None, to),
        OutlineCurve::Quad(from, through, to) => {
            let two_thirds = |end: &OutlinePoint| OutlinePoint {
                x: (end.x + 2.0 * through.x) / 3.0,
                y: (end.y + 2.0 * through.y) / 3.0,
            };
            (from, Some([two_thirds(from), two_thirds(to)]), to)
        }
        OutlineCurve::Cubic(from, a, b, to) => (from, Some([*a, *b]), to),
    };
    let (first, last) = (round(first), round(last));
    if control.is_none() && first == last {
        return;
    }
    if *pen != Some(first) {
        let _ = write!(out, "{} {} m ", first[0], first[1]);
    }
    *pen = Some(last);
    let _ = match control.map(|points| points.map(|at| round(&at))) {
        None => write!(out, "{} {} l", last[0], last[1]),
        Some([[ax, ay], [bx, by]]) => {
            write!(out, "{ax} {ay} {bx} {by} {} {} c", last[0], last[1])
        }
    };
}
