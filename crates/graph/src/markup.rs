//! `--pango-markup`: text with tags such as `<b>` and `<span color="red">`.

use crate::Error;
use crate::color::Color;
use crate::font::{Font, Wanted};
use crate::text::{Decoration, Line, Span};

impl Line {
    /// A text that may have tags.
    ///
    /// # Errors
    /// [`Error::Markup`].
    pub(crate) fn read(
        text: &str,
        font: Font,
        color: Color,
        has_markup: bool,
    ) -> Result<Self, Error> {
        match has_markup {
            true => read(text, font, color),
            false => Ok(Self::plain(text, font, color)),
        }
    }
}

/// By how much `<big>` enlarges.
const STEP: f64 = 1.2;

/// Pixels a point.
const PIXELS_PER_POINT: f64 = 100.0 / 72.0;

/// How far a superscript is raised and a subscript lowered, of the size of the text around it.
const SHIFT: f64 = 0.4;

/// How large a super- or subscript is behind other text; where a line begins with it, pango makes
/// it as large as `<small>`.
const SCRIPT: f64 = 0.7;

/// The deepest that tags may be within each other.
const DEPTH_MAX: usize = 100;

/// So many characters of a text that is refused are told.
const TOLD_MAX: usize = 200;

/// Reads a text with tags.
///
/// # Errors
/// [`Error::Markup`] for tags and attributes that are not known or not closed.
pub(crate) fn read(text: &str, font: Font, color: Color) -> Result<Line, Error> {
    let refuse = || Error::Markup(text.chars().take(TOLD_MAX).collect());
    let plain = Line::plain("", font, color);
    let mut reader =
        Reader { looks: vec![plain.spans[0].clone()], tags: Vec::new(), spans: Vec::new() };
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        reader.say(&rest[..at]).ok_or_else(refuse)?;
        let (tag, after) = rest[at + 1..].split_once('>').ok_or_else(refuse)?;
        reader.tag(tag).ok_or_else(refuse)?;
        rest = after;
    }
    reader.say(rest).ok_or_else(refuse)?;
    if !reader.tags.is_empty() {
        return Err(refuse());
    }
    Ok(Line { spans: reader.spans, tab_pixels: plain.tab_pixels })
}

struct Reader<'a> {
    /// How text looks within each open tag; the first is outside of all.
    looks: Vec<Span>,
    tags: Vec<&'a str>,
    spans: Vec<Span>,
}

impl<'a> Reader<'a> {
    fn say(&mut self, text: &str) -> Option<()> {
        if !text.is_empty() {
            let look = self.looks.last()?.clone();
            self.spans.push(Span { text: unescape(text)?, ..look });
        }
        Some(())
    }

    fn tag(&mut self, tag: &'a str) -> Option<()> {
        if let Some(name) = tag.strip_prefix('/') {
            self.looks.pop();
            return (self.tags.pop()? == name.trim_end()).then_some(());
        }
        let (name, attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        let mut look = self.looks.last()?.clone();
        let points = look.font.pixels / PIXELS_PER_POINT;
        match name {
            "b" => look.restyle(|wanted| wanted.style.bold = true),
            "i" => look.restyle(|wanted| wanted.style.italic = true),
            "u" => look.decoration.underline = true,
            "s" => look.decoration.strike = true,
            "tt" => look.restyle(|wanted| wanted.families = vec!["monospace".into()]),
            "big" => look.resize(points * STEP),
            "small" => look.resize(points / STEP),
            "sup" | "sub" => {
                let shift = look.font.pixels * SHIFT;
                look.rise += if name == "sup" { shift } else { -shift };
                let first = self.spans.is_empty();
                look.resize(if first { points / STEP } else { points * SCRIPT });
            }
            "span" => look.take_attributes(attributes)?,
            _ => return None,
        }
        let is_known = name == "span" || attributes.trim().is_empty();
        if !is_known || self.tags.len() >= DEPTH_MAX {
            return None;
        }
        self.tags.push(name);
        self.looks.push(look);
        Some(())
    }
}

impl Span {
    fn resize(&mut self, points: f64) {
        self.font.pixels = points.clamp(1.0, 200.0) * PIXELS_PER_POINT;
    }

    fn restyle(&mut self, change: impl FnOnce(&mut Wanted)) {
        let mut wanted = self.font.face.wanted();
        change(&mut wanted);
        self.font.choose(&wanted);
    }

    fn take_attributes(&mut self, attributes: &str) -> Option<()> {
        let mut rest = attributes.trim();
        while !rest.is_empty() {
            let (name, after) = rest.split_once('=')?;
            let after = after.trim_start();
            let quote = after.chars().next().filter(|it| matches!(it, '"' | '\''))?;
            let (value, after) = after[1..].split_once(quote)?;
            self.take(name.trim(), value)?;
            rest = after.trim_start();
        }
        Some(())
    }

    fn take(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "foreground" | "fgcolor" | "color" => {
                self.color = Color { alpha: self.color.alpha, ..named_color(value)? };
            }
            "size" | "font_size" => {
                let points = size(value, self.font.pixels / PIXELS_PER_POINT)?;
                self.resize(points);
            }
            "font" | "font_desc" => {
                let words = value.rsplit(' ').next();
                let points = words.and_then(|word| word.parse::<f64>().ok());
                let wanted = Wanted::parse(value);
                self.font.choose(&wanted);
                if let Some(points) = points.filter(|points| points.is_finite()) {
                    self.resize(points);
                }
            }
            "font_family" | "face" => {
                let families = Wanted::parse(value).families;
                self.restyle(|wanted| wanted.families = families);
            }
            "weight" | "font_weight" => {
                let is_bold = match value.parse::<u32>() {
                    Ok(weight) => weight >= 600,
                    Err(_) => Wanted::parse(&format!("{value} 1")).style.bold,
                };
                self.restyle(|wanted| wanted.style.bold = is_bold);
            }
            "style" | "font_style" => {
                let is_italic = match value {
                    "normal" => false,
                    "oblique" | "italic" => true,
                    _ => return None,
                };
                self.restyle(|wanted| wanted.style.italic = is_italic);
            }
            "underline" => self.decoration.underline = value != "none",
            "strikethrough" => self.decoration.strike = matches!(value, "true" | "yes" | "1"),
            "rise" => {
                let points = value.parse::<i32>().ok()? as f64 / 1024.0;
                self.rise += points.clamp(-200.0, 200.0) * PIXELS_PER_POINT;
            }
            _ => return None,
        }
        Some(())
    }
}

/// In points: a number of 1024ths, `12pt`, a name, or a step from the present size.
fn size(text: &str, present: f64) -> Option<f64> {
    let step = |count: i32| Some(present * STEP.powi(count));
    match text {
        "xx-small" => step(-3),
        "x-small" => step(-2),
        "small" | "smaller" => step(-1),
        "medium" => step(0),
        "large" | "larger" => step(1),
        "x-large" => step(2),
        "xx-large" => step(3),
        _ => match text.strip_suffix("pt") {
            Some(points) => points.parse::<f64>().ok().filter(|points| points.is_finite()),
            None => text.parse::<u32>().ok().map(|parts| f64::from(parts) / 1024.0),
        },
    }
}

fn named_color(text: &str) -> Option<Color> {
    if let Some(digits) = text.strip_prefix('#') {
        return Color::from_digits(digits);
    }
    let digits = match text.to_lowercase().as_str() {
        "black" => "000",
        "white" => "fff",
        "red" => "f00",
        "green" => "008000",
        "lime" => "0f0",
        "blue" => "00f",
        "yellow" => "ff0",
        "cyan" | "aqua" => "0ff",
        "magenta" | "fuchsia" => "f0f",
        "gray" | "grey" => "808080",
        "darkgray" | "darkgrey" => "a9a9a9",
        "lightgray" | "lightgrey" => "d3d3d3",
        "silver" => "c0c0c0",
        "maroon" => "800000",
        "darkred" => "8b0000",
        "darkgreen" => "006400",
        "darkblue" => "00008b",
        "navy" => "000080",
        "olive" => "808000",
        "teal" => "008080",
        "purple" => "800080",
        "orange" => "ffa500",
        "brown" => "a52a2a",
        "pink" => "ffc0cb",
        "gold" => "ffd700",
        _ => return None,
    };
    Color::from_digits(digits)
}

/// Characters that are written as entities.
fn unescape(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let (entity, after) = after.split_once(';')?;
        plain.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            _ => {
                let number = entity.strip_prefix('#')?;
                let code = match number.strip_prefix('x') {
                    Some(digits) => u32::from_str_radix(digits, 16),
                    None => number.parse(),
                };
                char::from_u32(code.ok()?).filter(|it| !it.is_control())?
            }
        });
        rest = after;
    }
    plain.push_str(rest);
    Some(plain)
}

impl Decoration {
    /// Whether there is none.
    #[cfg(test)]
    fn is_none(self) -> bool {
        self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Option<Line> {
        read(text, Font::plain(8.0), Color::rgba(0, 0, 0, 255)).ok()
    }

    #[test]
    fn tags_change_what_is_within() {
        let line = line("a<b>b<i>c</i></b><span color='red' size=\"12pt\">d</span>&lt;").unwrap();
        let texts: Vec<&str> = line.spans.iter().map(|span| span.text.as_str()).collect();
        assert_eq!(texts, ["a", "b", "c", "d", "<"]);
        assert!(line.spans[1].font.face.style.bold && !line.spans[1].font.face.style.italic);
        assert!(line.spans[2].font.face.style.bold && line.spans[2].font.face.style.italic);
        assert_eq!(line.spans[3].color, Color::rgba(255, 0, 0, 255));
        assert!(line.spans[3].font.pixels > line.spans[4].font.pixels);
        assert!(line.spans.iter().all(|span| span.decoration.is_none()));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for text in ["<b>a", "a</b>", "<b>a</i>", "<foo>a</foo>", "<span foo='1'>a</span>", "a & b"]
        {
            assert!(line(text).is_none(), "{text}");
        }
        for text in ["<span color='no'>a</span>", "<b x='1'>a</b>", "<", "&#1;", "&foo;"] {
            assert!(line(text).is_none(), "{text}");
        }
        assert!(line(&"<b>".repeat(5000)).is_none());
    }
}
