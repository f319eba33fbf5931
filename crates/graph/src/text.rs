//! A line of text, in pieces that look alike.

use crate::color::Color;
use crate::font::Font;

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

/// A part of a line between two tabs.
pub(crate) struct Piece<'a> {
    /// Where it begins, from the start of the line.
    pub(crate) x: f64,
    pub(crate) width: f64,
    pub(crate) text: &'a str,
    pub(crate) span: &'a Span,
}

impl Line {
    pub(crate) fn plain(text: impl Into<String>, font: Font, color: Color) -> Self {
        let tab_pixels = TAB_CHARACTERS * font.advance(' ').max(1.0);
        Self { spans: vec![Span::plain(text, font, color)], tab_pixels }
    }

    /// The same line in an image that is so many times as large: its characters are fitted to that
    /// image's grid, so that its width may be another one.
    pub(crate) fn zoomed(&self, zoom: f64) -> Self {
        let mut line = self.clone();
        line.spans.iter_mut().for_each(|span| span.font = span.font.zoomed(zoom));
        line
    }

    /// Its width in pixels.
    pub(crate) fn width(&self) -> f64 {
        self.pieces().last().map_or(0.0, |piece| piece.x + piece.width)
    }

    /// Its parts from left to right; one that a tab ends may be empty.
    pub(crate) fn pieces(&self) -> Vec<Piece<'_>> {
        let mut pieces = Vec::with_capacity(self.spans.len());
        let mut x = 0.0;
        for span in &self.spans {
            for (nth, text) in span.text.split('\t').enumerate() {
                if nth > 0 {
                    x = ((x / self.tab_pixels).floor() + 1.0) * self.tab_pixels;
                }
                let width = span.font.width(text);
                pieces.push(Piece { x, width, text, span });
                x += width;
            }
        }
        pieces
    }
}
