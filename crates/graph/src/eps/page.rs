//! The primitives of a scene as operators of a page.

use std::fmt::Write as _;

use super::fonts::{Code, Fonts};
use super::layers::{Fade, Layer, Layers, Paint};
use super::numbers::Number;
use super::shapes::{Bounds, Shape};
use super::writer::Writer;
use crate::color::Color;
use crate::font::Placed;
use crate::placed_line::{PlacedLine, Stand};
use crate::scene::{Anchor, Point, Primitive};
use crate::text::{Line, Piece};

/// What is written on the page.
enum Mark {
    Layer(Layer),
    /// Operators that show text in a colour, within a clip.
    Text {
        operators: String,
        color: Color,
        clip: Option<usize>,
    },
}

/// A page in the making.
#[derive(Default)]
pub(super) struct Page {
    layers: Layers,
    fonts: Fonts,
    marks: Vec<Mark>,
    /// The clip that is open.
    clip: Option<usize>,
}

impl Page {
    pub(super) fn has_fades(&self) -> bool {
        let fades = |mark: &Mark| matches!(mark, Mark::Layer(layer) if layer.paint.fade.is_some());
        self.marks.iter().any(fades)
    }

    pub(super) fn draw(&mut self, primitive: &Primitive) {
        match primitive {
            Primitive::Rect { at, width, height, color } => {
                let shape = Shape::Rect(Bounds::new(*at, *width, *height));
                self.paint(shape, *color, None);
            }
            Primitive::Polygon { points, color, fade } => {
                let fade = fade.map(|fade| Fade {
                    color: fade.color,
                    from_y: fade.from_y,
                    to_y: fade.to_y,
                });
                self.paint(Shape::Polygon(points.clone()), *color, fade);
            }
            Primitive::Polyline { points, stroke } => {
                self.paint(Shape::Line(points.clone(), stroke.clone()), stroke.color, None);
            }
            Primitive::Text { at, line, anchor, degrees } => {
                self.text(*at, line, *anchor, *degrees);
            }
            Primitive::Clip { at, width, height } => {
                let shape = Shape::Rect(Bounds::new(*at, *width, *height));
                self.clip = Some(self.layers.number(shape));
            }
            Primitive::Unclip => self.clip = None,
        }
    }

    fn paint(&mut self, shape: Shape, color: Color, fade: Option<Fade>) {
        if shape.points() == 0 || (color.alpha == 0 && fade.is_none()) {
            return;
        }
        // A gradient of no height has its last colour everywhere, as in SVG.
        let paint = match fade {
            Some(fade) if fade.from_y == fade.to_y => Paint { color: fade.color, fade: None },
            fade => Paint { color, fade },
        };
        let layers = self.layers.paint(shape, paint, self.clip);
        self.marks.extend(layers.into_iter().map(Mark::Layer));
    }

    fn text(&mut self, at: Point, line: &Line, anchor: Anchor, degrees: i32) {
        let placed = line.placed(at, anchor, degrees);
        for piece in &placed.pieces {
            let color = self.layers.mixed_at(at, piece.span.color);
            let mut operators = String::new();
            self.show(&placed, piece, &mut operators);
            for bar in placed.bars(piece) {
                let _ = writeln!(operators, "{} f", Shape::Polygon(bar.to_vec()).path());
            }
            self.marks.push(Mark::Text { operators, color, clip: self.clip });
        }
    }

    /// Shows the glyphs of a piece: those of one font and height together.
    fn show(&mut self, placed: &PlacedLine<'_>, piece: &Piece<'_>, out: &mut String) {
        let glyphs = &piece.run.glyphs;
        let codes: Vec<(Code, &Placed<'_>)> =
            glyphs.iter().map(|glyph| (self.fonts.code(glyph), glyph)).collect();
        let mut rest = codes.as_slice();
        for group in codes.chunk_by(|(a, one), (b, other)| a.font == b.font && one.y == other.y) {
            rest = rest.get(group.len()..).unwrap_or_default();
            let end = rest.first().map_or(piece.run.width, |(_, next)| next.x);
            show_group(placed, piece, group, end, out);
        }
    }

    /// The operators of the page, and the definitions of its fonts.
    pub(super) fn finish(self) -> (String, String) {
        let mut uses = vec![0; self.layers.shapes.len()];
        for mark in &self.marks {
            let shapes = match mark {
                Mark::Layer(layer) => [&layer.clips[..], &[layer.shape]].concat(),
                Mark::Text { clip, .. } => clip.iter().copied().collect(),
            };
            for shape in shapes {
                if let Some(uses) = uses.get_mut(shape) {
                    *uses += 1;
                }
            }
        }
        let mut writer = Writer::new(&self.layers.shapes, uses);
        for mark in &self.marks {
            match mark {
                Mark::Layer(layer) => writer.layer(layer),
                Mark::Text { operators, color, clip } => {
                    writer.clip_to(clip.as_slice());
                    writer.color(*color);
                    writer.out.push_str(operators);
                }
            }
        }
        writer.clip_to(&[]);
        (writer.out, self.fonts.write())
    }
}

/// Shows glyphs of one font on one line, the last of which ends at `end`.
fn show_group(
    placed: &PlacedLine<'_>,
    piece: &Piece<'_>,
    group: &[(Code, &Placed<'_>)],
    end: f64,
    out: &mut String,
) {
    let Some((code, first)) = group.first() else { return };
    let Stand { origin, right, up } = placed.stand(piece, first);
    let pixels = piece.span.font.pixels;
    let matrix = [right.x, right.y, up.x, up.y].map(|share| Number(share * pixels));
    let ends = group.iter().skip(1).map(|(_, next)| next.x).chain([end]);
    let steps: Vec<f64> = group.iter().zip(ends).map(|((_, it), end)| end - it.x).collect();
    let wider = |((_, it), step): (&(Code, &Placed<'_>), &f64)| {
        step - it.face.advance_of(it.glyph) * pixels
    };
    let wider: Vec<f64> = group.iter().zip(&steps).map(wider).collect();
    let bytes = string(group.iter().map(|(code, _)| code.byte));
    // A String takes all.
    let _ = write!(out, "{} {}", Number(origin.x), Number(origin.y));
    let [a, b, c, d] = matrix;
    let _ = write!(out, "/F{}[{a} {b} {c} {d} 0 0]T", code.font);
    let first = wider.first().copied().unwrap_or(0.0);
    let _ = if wider.iter().all(|each| (each - first).abs() < 0.01) {
        // In a font of fixed width all glyphs stand as much wider.
        writeln!(out, " {:.4} {:.4}{bytes}ashow", first * right.x, first * right.y)
    } else if right.y == 0.0 {
        let steps: Vec<String> =
            steps.iter().map(|step| Number(step * right.x).to_string()).collect();
        writeln!(out, "{bytes}[{}]xshow", steps.join(" "))
    } else {
        let steps: Vec<String> = steps
            .iter()
            .map(|step| format!("{} {}", Number(step * right.x), Number(step * right.y)))
            .collect();
        writeln!(out, "{bytes}[{}]xyshow", steps.join(" "))
    };
}

/// Bytes as a string of PostScript.
fn string(bytes: impl Iterator<Item = u8>) -> String {
    let mut out = String::from("(");
    for byte in bytes {
        match byte {
            b'(' | b')' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                // A String takes all.
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push(')');
    out
}
