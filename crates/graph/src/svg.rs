//! A scene as SVG: text stays text, equal scenes give equal bytes.

use std::fmt::Write as _;

use crate::color::Color;
use crate::font::Font;
use crate::rounding::whole;
use crate::scene::{Fade, Point, Primitive, Scene, Stroke};
use crate::text::{Span, width_of};

/// Writes a scene, enlarged by `zoom`.
pub(crate) fn render(scene: &Scene, zoom: f64) -> Vec<u8> {
    let mut svg = Writer { out: String::with_capacity(16 * 1024), clips: 0, zoom };
    let (width, height) = (scene.width, scene.height);
    let (wide, high) = (number(f64::from(width) * zoom), number(f64::from(height) * zoom));
    svg.put(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{wide}\" height=\"{high}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{}\">\n",
        Font::plain(1.0).face.family
    ));
    for primitive in &scene.primitives {
        svg.primitive(primitive);
    }
    svg.put("</svg>\n");
    svg.out.into_bytes()
}

struct Writer {
    out: String,
    clips: usize,
    zoom: f64,
}

impl Writer {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn primitive(&mut self, primitive: &Primitive) {
        match primitive {
            Primitive::Rect { at, width, height, color } => {
                self.rect(*at, *width, *height);
                self.put(&fill(*color));
                self.put("/>\n");
            }
            Primitive::Polygon { points, color, fade } => self.polygon(points, *color, *fade),
            Primitive::Polyline { points, stroke } => {
                self.put("<path d=\"");
                self.path(points);
                self.put("\" fill=\"none\"");
                self.stroke_style(stroke);
                self.put("/>\n");
            }
            Primitive::Text { .. } => self.text(primitive),
            Primitive::Clip { at, width, height } => {
                self.clips += 1;
                let id = self.clips;
                self.put(&format!("<clipPath id=\"c{id}\">"));
                self.rect(*at, *width, *height);
                self.put(&format!("/></clipPath>\n<g clip-path=\"url(#c{id})\">\n"));
            }
            Primitive::Unclip => self.put("</g>\n"),
        }
    }

    /// An attribute, with the blank before it.
    fn attribute(&mut self, name: &str, value: f64) {
        for part in [" ", name, "=\""] {
            self.out.push_str(part);
        }
        push_number(value, &mut self.out);
        self.out.push('"');
    }

    /// The start of a rectangle.
    fn rect(&mut self, at: Point, width: f64, height: f64) {
        self.put("<rect");
        self.attribute("x", at.x);
        self.attribute("y", at.y);
        self.attribute("width", width);
        self.attribute("height", height);
    }

    fn stroke_style(&mut self, stroke: &Stroke) {
        // A String takes everything.
        let _ = write!(self.out, " stroke=\"{}\"", stroke.color);
        self.attribute("stroke-width", stroke.width);
        if stroke.color.alpha != 255 {
            self.attribute("stroke-opacity", stroke.color.opacity());
        }
        if stroke.round {
            self.put(" stroke-linecap=\"round\" stroke-linejoin=\"round\"");
        }
        if !stroke.dashes.is_empty() {
            let lengths: Vec<String> = stroke.dashes.iter().map(|each| number(*each)).collect();
            let _ = write!(self.out, " stroke-dasharray=\"{}\"", lengths.join(","));
            if stroke.dash_offset != 0.0 {
                self.attribute("stroke-dashoffset", stroke.dash_offset);
            }
        }
    }

    fn polygon(&mut self, points: &[Point], color: Color, fade: Option<Fade>) {
        let mut paint = fill(color);
        if let Some(fade) = fade {
            self.clips += 1;
            let id = self.clips;
            self.put(&format!(
                "<linearGradient id=\"c{id}\" gradientUnits=\"userSpaceOnUse\" x1=\"0\" y1=\"{}\" \
                 x2=\"0\" y2=\"{}\"><stop offset=\"0\"{}/><stop offset=\"1\"{}/></linearGradient>\n",
                number(fade.from_y),
                number(fade.to_y),
                stop(color),
                stop(fade.color)
            ));
            paint = format!(" fill=\"url(#c{id})\"");
        }
        self.put("<path d=\"");
        self.path(points);
        self.put(&format!("Z\"{paint}/>\n"));
    }

    /// Path data; steps along an axis are written as such, which halves the size.
    fn path(&mut self, points: &[Point]) {
        let mut before: Option<Point> = None;
        for point in points {
            match before {
                Some(old) if old.y == point.y => self.command('H', &[point.x]),
                Some(old) if old.x == point.x => self.command('V', &[point.y]),
                Some(_) => self.command('L', &[point.x, point.y]),
                None => self.command('M', &[point.x, point.y]),
            }
            before = Some(*point);
        }
    }

    fn command(&mut self, letter: char, numbers: &[f64]) {
        self.out.push(letter);
        for (nth, value) in numbers.iter().enumerate() {
            if nth > 0 {
                self.out.push(' ');
            }
            push_number(*value, &mut self.out);
        }
    }

    fn text(&mut self, primitive: &Primitive) {
        let Primitive::Text { at, line, anchor, degrees } = primitive else {
            return;
        };
        let line = line.zoomed(self.zoom);
        let pieces = line.pieces();
        let start = anchor.start(width_of(&pieces));
        let turn = match degrees {
            0 => String::new(),
            degrees => {
                format!(" transform=\"rotate({degrees} {} {})\"", number(at.x), number(at.y))
            }
        };
        for piece in pieces {
            if piece.text.is_empty() {
                continue;
            }
            let left = at.x + start + piece.x;
            // SVG counts from where the reader begins.
            let (x, direction) = match piece.right_to_left {
                true => (left + piece.run.width, " direction=\"rtl\" unicode-bidi=\"embed\""),
                false => (left, ""),
            };
            let (x, y) = (number(x), number(at.y - piece.span.rise));
            // The length makes other fonts fit where this one is missing.
            self.put(&format!(
                "<text x=\"{x}\" y=\"{y}\"{turn}{direction} textLength=\"{}\"{}>",
                number(piece.run.width),
                text_style(piece.span)
            ));
            escape(&kept_blanks(piece.text), &mut self.out);
            self.put("</text>\n");
        }
    }
}

/// What differs from the default that the whole picture has.
fn text_style(span: &Span) -> String {
    let mut style = format!(" font-size=\"{}\"", number(span.font.pixels));
    let face = span.font.face;
    if face.family != Font::plain(1.0).face.family {
        let _ = write!(style, " font-family=\"");
        escape(&face.family, &mut style);
        style.push('"');
    }
    if face.style.bold {
        style.push_str(" font-weight=\"bold\"");
    }
    if face.style.italic {
        style.push_str(" font-style=\"italic\"");
    }
    match (span.decoration.underline, span.decoration.strike) {
        (false, false) => {}
        (true, false) => style.push_str(" text-decoration=\"underline\""),
        (false, true) => style.push_str(" text-decoration=\"line-through\""),
        (true, true) => style.push_str(" text-decoration=\"underline line-through\""),
    }
    style + &fill(span.color)
}

/// A text whose blanks are all shown: browsers leave out those at its ends and behind another, and
/// do not heed `xml:space` any more.
fn kept_blanks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len() + 8);
    let mut letters = text.chars().peekable();
    let mut was_blank = true;
    while let Some(letter) = letters.next() {
        let is_blank = matches!(letter, ' ' | '\t');
        let is_left_out = is_blank && (was_blank || letters.peek().is_none());
        kept.push(if is_left_out { '\u{a0}' } else { letter });
        was_blank = is_blank;
    }
    kept
}

fn escape(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push(' '),
            // Other control characters and the two non-characters are not XML.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

fn number(value: f64) -> String {
    let mut text = String::with_capacity(8);
    push_number(value, &mut text);
    text
}

/// At most two decimals: a hundredth of a pixel is more than anyone sees.
fn push_number(value: f64, out: &mut String) {
    let hundredths = if value.is_finite() { whole(value * 100.0) } else { 0 };
    if hundredths < 0 {
        out.push('-');
    }
    let hundredths = hundredths.unsigned_abs();
    out.push_str(itoa::Buffer::new().format(hundredths / 100));
    let digit = |number: u64| char::from(b'0' + (number % 10) as u8);
    match hundredths % 100 {
        0 => {}
        part if part % 10 == 0 => out.extend(['.', digit(part / 10)]),
        part => out.extend(['.', digit(part / 10), digit(part)]),
    }
}

fn fill(color: Color) -> String {
    match color.alpha {
        255 => format!(" fill=\"{color}\""),
        _ => format!(" fill=\"{color}\" fill-opacity=\"{}\"", number(color.opacity())),
    }
}

fn stop(color: Color) -> String {
    match color.alpha {
        255 => format!(" stop-color=\"{color}\""),
        _ => format!(" stop-color=\"{color}\" stop-opacity=\"{}\"", number(color.opacity())),
    }
}

#[cfg(test)]
mod tests {
    use super::kept_blanks;

    #[test]
    fn blanks_that_browsers_leave_out_are_kept() {
        assert_eq!(kept_blanks("a b"), "a b");
        assert_eq!(kept_blanks("  in"), "\u{a0}\u{a0}in");
        assert_eq!(kept_blanks("a   b "), "a \u{a0}\u{a0}b\u{a0}");
        assert_eq!(kept_blanks("a\tb"), "a\tb");
        assert_eq!(kept_blanks(""), "");
    }
}
