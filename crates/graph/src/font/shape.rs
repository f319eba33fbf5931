//! Texts that are more than one glyph beside the other: letters that join, marks above others,
//! writing from right to left, and characters that the font lacks.

use std::ops::Range;

use ab_glyph::GlyphId;
use harfrust::{Buffer, Direction, ShapeOptions, ShaperFont};
use unicode_script::{Script, UnicodeScript as _};

use super::face::Face;
use super::library::{FontFinder, substitute};
use super::placed::{Placed, Run};
use super::wanted::Style;

/// Pango counts in parts of a pixel, so that what is nearly a half is one.
pub(crate) const PANGO_UNITS: f64 = 1024.0;

/// What a text is shaped with.
#[derive(Clone, Copy)]
pub(super) struct Shaping {
    pub(super) face: &'static Face,
    pub(super) finder: Option<FontFinder>,
    pub(super) pixels: f64,
    /// How many pixels of the image's grid one pixel is.
    pub(super) zoom: f64,
    pub(super) right_to_left: bool,
}

/// Characters of one face and one script.
struct Stretch {
    range: Range<usize>,
    face: &'static Face,
    script: Script,
}

impl Shaping {
    /// The glyphs of a text that runs one way, from left to right.
    pub(super) fn shape(self, text: &str) -> Run<'_> {
        let mut run = Run::default();
        let mut stretches = self.stretches(text);
        if self.right_to_left {
            stretches.reverse();
        }
        for stretch in stretches {
            let part = text.get(stretch.range).unwrap_or_default();
            self.shape_stretch(stretch.face, part, &mut run);
        }
        run
    }

    /// Cuts a text where its face or its script changes.
    fn stretches(self, text: &str) -> Vec<Stretch> {
        let mut stretches: Vec<Stretch> = Vec::new();
        for (at, character) in text.char_indices() {
            let script = character.script();
            let end = at + character.len_utf8();
            let last = stretches.last_mut();
            let follows = script == Script::Inherited || character.is_whitespace();
            let face = match &last {
                // Marks and blanks have the face of what they follow.
                Some(last) if follows => last.face,
                _ => self.face_of(character),
            };
            let is_any = |script| matches!(script, Script::Common | Script::Inherited);
            match last {
                Some(last)
                    if last.face == face
                        && (last.script == script || is_any(script) || is_any(last.script)) =>
                {
                    last.range.end = end;
                    if is_any(last.script) {
                        last.script = script;
                    }
                }
                _ => stretches.push(Stretch { range: at..end, face, script }),
            }
        }
        stretches
    }

    /// The first face that has a character, or else the font's own, which then draws a box.
    fn face_of(self, character: char) -> &'static Face {
        let own = self.face;
        if own.glyph(character).0 != 0 || character.is_control() {
            return own;
        }
        let style = Style { condensed: false, ..own.style };
        substitute(character, style, self.finder).unwrap_or(own)
    }

    /// Appends the glyphs of a text of one face and script. Advances and shifts are rounded to
    /// pixels one by one, as Pango does.
    fn shape_stretch<'a>(self, face: &'static Face, text: &'a str, run: &mut Run<'a>) {
        let Some(font) = face.shaper() else { return };
        let mut buffer = Buffer::new();
        buffer.push_str(text);
        buffer.guess_segment_properties();
        buffer.set_direction(match self.right_to_left {
            true => Direction::RightToLeft,
            false => Direction::LeftToRight,
        });
        if harfrust::shape(&ShaperFont::new(font), &mut buffer, ShapeOptions::new()).is_err() {
            return;
        }
        let pixels = |units: i32| {
            let exact = f64::from(units) / face.units_per_em * self.pixels * self.zoom;
            ((exact * PANGO_UNITS).round() / PANGO_UNITS + 0.5).floor() / self.zoom
        };
        let infos = buffer.glyph_infos();
        let texts = texts_of(text, infos.iter().map(|info| info.cluster as usize));
        let glyphs = infos.iter().zip(buffer.glyph_positions()).zip(texts);
        for ((info, position), text) in glyphs {
            let x = run.width + pixels(position.x_offset);
            let y = pixels(position.y_offset);
            let glyph = GlyphId(u16::try_from(info.glyph_id).unwrap_or(0));
            run.glyphs.push(Placed { face, glyph, x, y, text });
            run.width += pixels(position.x_advance);
        }
    }
}

/// The characters of each glyph: from where its cluster begins to where the next one does. Of
/// several glyphs the first has them.
fn texts_of(text: &str, clusters: impl Iterator<Item = usize>) -> Vec<&str> {
    let clusters: Vec<usize> = clusters.collect();
    let mut starts = clusters.clone();
    starts.push(text.len());
    starts.sort_unstable();
    starts.dedup();
    let mut before = None;
    let text_of = |start: usize| {
        if before == Some(start) {
            return "";
        }
        before = Some(start);
        let nth = starts.partition_point(|other| *other <= start);
        let end = starts.get(nth).copied().unwrap_or(text.len());
        text.get(start..end).unwrap_or_default()
    };
    clusters.into_iter().map(text_of).collect()
}
