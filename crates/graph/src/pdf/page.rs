//! The primitives of a scene as operators of a page.

use std::collections::BTreeSet;

use pdf_writer::types::{LineCapStyle, LineJoinStyle};
use pdf_writer::{Content, Name, Settings};

use super::fades::Fades;
use super::fonts::Fonts;
use super::numbers::{share, short};
use crate::color::Color;
use crate::font::{Placed, SLANT};
use crate::placed_line::{PlacedLine, Stand};
use crate::scene::{Fade, Point, Primitive, Stroke};
use crate::text::Piece;

/// The limit of corners of the other renderers.
const MITER_LIMIT: f32 = 4.0;

/// What is set on the page, so that it is not set again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct State {
    fill: Option<[u8; 3]>,
    stroke: Option<[u8; 3]>,
    alpha: Option<u8>,
}

/// A page in the making.
pub(super) struct Page {
    pub(super) content: Content,
    pub(super) fonts: Fonts,
    pub(super) fades: Fades,
    /// The opacities that are used.
    pub(super) alphas: BTreeSet<u8>,
    state: State,
    /// What was set before the clip that is open.
    outside: State,
}

impl Page {
    /// A page of this height in points; its content is in pixels of the scene, y downwards.
    pub(super) fn new(height: f64, zoom: f64) -> Self {
        let mut content = Content::with_settings(Settings { pretty: false });
        let scale = zoom as f32;
        content.transform([scale, 0.0, 0.0, -scale, 0.0, height as f32]);
        content.set_miter_limit(MITER_LIMIT);
        Self {
            content,
            fonts: Fonts::default(),
            fades: Fades::default(),
            alphas: BTreeSet::new(),
            state: State::default(),
            outside: State::default(),
        }
    }

    pub(super) fn draw(&mut self, primitive: &Primitive) {
        match primitive {
            Primitive::Rect { at, width, height, color } => {
                self.fill_with(*color);
                self.content.rect(short(at.x), short(at.y), short(*width), short(*height));
                self.content.fill_nonzero();
            }
            Primitive::Polygon { points, color, fade: None } => {
                self.fill_with(*color);
                self.path(points, true);
                self.content.fill_nonzero();
            }
            Primitive::Polygon { points, color, fade: Some(fade) } => {
                self.fade(points, *color, *fade);
            }
            Primitive::Polyline { points, stroke } => self.stroke(points, stroke),
            Primitive::Text { at, line, anchor, degrees } => {
                let placed = line.placed(*at, *anchor, *degrees);
                for piece in &placed.pieces {
                    self.piece(&placed, piece);
                }
            }
            Primitive::Clip { at, width, height } => {
                self.content.save_state();
                self.outside = self.state;
                self.content.rect(short(at.x), short(at.y), short(*width), short(*height));
                self.content.clip_nonzero().end_path();
            }
            Primitive::Unclip => {
                self.content.restore_state();
                self.state = self.outside;
            }
        }
    }

    fn set_alpha(&mut self, alpha: u8) {
        // A page begins opaque.
        if self.state.alpha.unwrap_or(255) != alpha {
            self.alphas.insert(alpha);
            self.content.set_parameters(Name(alpha_name(alpha).as_bytes()));
        }
        self.state.alpha = Some(alpha);
    }

    fn fill_with(&mut self, color: Color) {
        self.set_alpha(color.alpha);
        let channels = [color.red, color.green, color.blue];
        if self.state.fill != Some(channels) {
            let [red, green, blue] = channels.map(share);
            self.content.set_fill_rgb(red, green, blue);
            self.state.fill = Some(channels);
        }
    }

    fn stroke_with(&mut self, color: Color) {
        self.set_alpha(color.alpha);
        let channels = [color.red, color.green, color.blue];
        if self.state.stroke != Some(channels) {
            let [red, green, blue] = channels.map(share);
            self.content.set_stroke_rgb(red, green, blue);
            self.state.stroke = Some(channels);
        }
    }

    fn path(&mut self, points: &[Point], is_closed: bool) {
        let mut points = points.iter();
        if let Some(first) = points.next() {
            self.content.move_to(short(first.x), short(first.y));
        }
        for point in points {
            self.content.line_to(short(point.x), short(point.y));
        }
        if is_closed {
            self.content.close_path();
        }
    }

    fn stroke(&mut self, points: &[Point], stroke: &Stroke) {
        self.stroke_with(stroke.color);
        self.content.save_state();
        self.content.set_line_width(short(stroke.width));
        if stroke.round {
            self.content.set_line_cap(LineCapStyle::RoundCap);
            self.content.set_line_join(LineJoinStyle::RoundJoin);
        }
        if !stroke.dashes.is_empty() {
            let lengths = stroke.dashes.iter().map(|length| short(*length));
            self.content.set_dash_pattern(lengths, short(stroke.dash_offset));
        }
        self.path(points, false);
        self.content.stroke();
        self.content.restore_state();
    }

    /// Fills a polygon with a gradient: one for each pair of colours, stretched to where it is.
    fn fade(&mut self, points: &[Point], color: Color, fade: Fade) {
        if points.is_empty() {
            return;
        }
        let height = fade.to_y - fade.from_y;
        // A gradient of no height has its last colour everywhere, as in SVG.
        if height == 0.0 {
            self.fill_with(fade.color);
            self.path(points, true);
            self.content.fill_nonzero();
            return;
        }
        let ends = [color, fade.color];
        let (name, mask_name) = self.fades.name(ends);
        let has_mask = color.alpha != fade.color.alpha;
        self.set_alpha(if has_mask { 255 } else { color.alpha });
        self.content.save_state();
        self.path(points, true);
        self.content.clip_nonzero().end_path();
        self.content.transform([1.0, 0.0, 0.0, short(height), 0.0, short(fade.from_y)]);
        if has_mask {
            self.content.set_parameters(Name(mask_name.as_bytes()));
        }
        self.content.shading(Name(name.as_bytes()));
        self.content.restore_state();
    }

    /// Writes a piece of text: glyphs of one face and height together.
    fn piece(&mut self, placed: &PlacedLine<'_>, piece: &Piece<'_>) {
        self.fill_with(piece.span.color);
        let glyphs = &piece.run.glyphs;
        let alike = |a: &Placed<'_>, b: &Placed<'_>| a.face == b.face && a.y == b.y;
        let mut rest = glyphs.as_slice();
        for group in glyphs.chunk_by(alike) {
            rest = rest.get(group.len()..).unwrap_or_default();
            let Some(first) = group.first() else { continue };
            let end = rest.first().map_or(piece.run.width, |next| next.x);
            let Stand { origin, right, up } = placed.stand(piece, first);
            self.content.begin_text();
            // The file has the font's own outlines, which are upright.
            let lean = if first.face.slanted { f64::from(SLANT) } else { 0.0 };
            let (up_x, up_y) = (up.x + lean * right.x, up.y + lean * right.y);
            let matrix = [right.x, right.y, up_x, up_y, origin.x, origin.y];
            self.content.set_text_matrix(matrix.map(short));
            self.fonts.show(&mut self.content, group, end, piece.span.font.pixels);
            self.content.end_text();
        }
        for bar in placed.bars(piece) {
            self.path(&bar, true);
            self.content.fill_nonzero();
        }
    }
}

/// What the page calls the state of this opacity.
pub(super) fn alpha_name(alpha: u8) -> String {
    format!("A{alpha}")
}
