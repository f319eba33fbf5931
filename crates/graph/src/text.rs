//! A line of text, in pieces that look alike.

use std::borrow::Cow;

use crate::bidi;
use crate::color::Color;
use crate::font::{Face, Font, Run};

/// The distance of tabs where nothing else is said.
const TAB_CHARACTERS: f64 = 8.0;

/// A piece of a line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) text: String,
    pub(crate) font: Font,
    pub(crate) color: Color,
    /// How far it stands above the line's own base, pixels.
    pub(crate) rise: f64,
    pub(crate) decoration: Decoration,
}

/// A line along a piece of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decoration {
    pub(crate) underline: bool,
    pub(crate) strike: bool,
}

impl Span {
    /// How far below the baseline its lines begin, and how thick they are, pixels.
    pub(crate) fn bars(&self) -> (impl Iterator<Item = f64>, f64) {
        let size = self.font.pixels;
        let under = self.decoration.underline.then_some(size * 0.1);
        let through = self.decoration.strike.then_some(-size * 0.26);
        ([under, through].into_iter().flatten(), size / 14.0)
    }

    pub(crate) fn plain(text: impl Into<String>, font: Font, color: Color) -> Self {
        Self { text: text.into(), font, color, rise: 0.0, decoration: Decoration::default() }
    }
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) spans: Vec<Span>,
    /// The distance of tabs.
    pub(crate) tab_pixels: f64,
}

/// A part of a line between two tabs that looks alike and runs one way.
pub(crate) struct Piece<'a> {
    /// Where it begins, from the start of the line.
    pub(crate) x: f64,
    pub(crate) run: Run<'a>,
    pub(crate) text: &'a str,
    pub(crate) span: &'a Span,
    pub(crate) right_to_left: bool,
}

/// How far a text reaches above its baseline and below, pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Reach {
    pub(crate) above: f64,
    pub(crate) below: f64,
}

impl Reach {
    fn of(face: &Face, span: &Span) -> Self {
        let pixels = span.font.pixels;
        Self {
            above: (face.ascent * pixels).ceil() + span.rise,
            below: (face.descent * pixels).ceil() - span.rise,
        }
    }

    /// What covers both.
    fn or(self, other: Self) -> Self {
        Self { above: self.above.max(other.above), below: self.below.max(other.below) }
    }
}

impl Line {
    pub(crate) fn plain(text: impl Into<String>, font: Font, color: Color) -> Self {
        let tab_pixels = TAB_CHARACTERS * font.advance(' ').max(1.0);
        Self { spans: vec![Span::plain(text, font, color)], tab_pixels }
    }

    /// The same line in an image that is so many times as large: its characters are fitted to that
    /// image's grid, so that its width may be another one.
    pub(crate) fn zoomed(&self, zoom: f64) -> Cow<'_, Self> {
        if zoom == 1.0 {
            return Cow::Borrowed(self);
        }
        let mut line = self.clone();
        line.spans.iter_mut().for_each(|span| span.font = span.font.zoomed(zoom));
        Cow::Owned(line)
    }

    /// Its width in pixels.
    pub(crate) fn width(&self) -> f64 {
        width_of(&self.pieces())
    }

    /// How far its glyphs' faces reach above the baseline and below: each in whole pixels, as Pango
    /// has them.
    pub(crate) fn reach(&self) -> Reach {
        let pieces = self.pieces();
        let said = pieces.iter().filter(|piece| !piece.run.glyphs.is_empty());
        let reaches = said.flat_map(|piece| {
            let glyphs = piece.run.glyphs.chunk_by(|a, b| a.face == b.face);
            glyphs.filter_map(|group| Some(Reach::of(group.first()?.face, piece.span)))
        });
        let blank = || self.spans.first().map(|span| Reach::of(span.font.face, span));
        reaches.reduce(Reach::or).or_else(blank).unwrap_or_default()
    }

    /// Its parts from left to right; one that a tab ends may be empty.
    pub(crate) fn pieces(&self) -> Vec<Piece<'_>> {
        let parts = match self.spans.iter().any(|span| bidi::matters(&span.text)) {
            false => self.parts(),
            true => self.parts_as_seen(),
        };
        let mut pieces = Vec::with_capacity(parts.len());
        let mut x = 0.0;
        for part in parts {
            if part.text == "\t" {
                x = ((x / self.tab_pixels).floor() + 1.0) * self.tab_pixels;
                continue;
            }
            let Part { text, span, right_to_left } = part;
            let run = span.font.place(text, right_to_left);
            let width = run.width;
            pieces.push(Piece { x, run, text, span, right_to_left });
            x += width;
        }
        pieces
    }

    /// Texts of one look without tabs, and the tabs.
    fn parts(&self) -> Vec<Part<'_>> {
        let mut parts = Vec::with_capacity(self.spans.len());
        for span in &self.spans {
            let part = |text| Part { text, span, right_to_left: false };
            for (nth, text) in span.text.split('\t').enumerate() {
                if nth > 0 {
                    parts.push(part("\t"));
                }
                parts.push(part(text));
            }
        }
        parts
    }

    /// The same in the order in which they are seen, cut where the direction changes.
    fn parts_as_seen(&self) -> Vec<Part<'_>> {
        let all: String = self.spans.iter().map(|span| span.text.as_str()).collect();
        let parts = self.parts();
        let mut seen = Vec::new();
        for bidi::Stretch { range, right_to_left } in bidi::as_seen(&all) {
            let mut start = 0;
            let mut within = Vec::new();
            for part in &parts {
                let (first, last) =
                    (range.start.max(start), range.end.min(start + part.text.len()));
                if let Some(text) = part
                    .text
                    .get(first.saturating_sub(start)..last.saturating_sub(start))
                    .filter(|text| !text.is_empty())
                {
                    within.push(Part { text, right_to_left, ..*part });
                }
                start += part.text.len();
            }
            if right_to_left {
                within.reverse();
            }
            seen.extend(within);
        }
        seen
    }
}

/// The width of a line's parts together.
pub(crate) fn width_of(pieces: &[Piece<'_>]) -> f64 {
    pieces.last().map_or(0.0, |piece| piece.x + piece.run.width)
}

/// A text of one look and one direction, or a tab.
#[derive(Clone, Copy)]
struct Part<'a> {
    text: &'a str,
    span: &'a Span,
    right_to_left: bool,
}
