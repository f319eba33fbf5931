//! Colours: `#RRGGBB`, with an opacity `#RRGGBBAA`, in short `#RGB` and `#RGBA`.

use std::fmt;

/// A colour with its opacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Color {
    pub(crate) red: u8,
    pub(crate) green: u8,
    pub(crate) blue: u8,
    /// 0 is invisible, 255 opaque.
    pub(crate) alpha: u8,
}

impl Color {
    pub(crate) const fn rgba(red: u8, green: u8, blue: u8, alpha: u8) -> Self {
        Self { red, green, blue, alpha }
    }

    /// Reads the digits behind `#`: `RGB`, `RGBA`, `RRGGBB` or `RRGGBBAA`.
    pub(crate) fn from_digits(digits: &str) -> Option<Self> {
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let number = u32::from_str_radix(digits, 16).ok()?;
        let [a, b, c, d] = number.to_be_bytes();
        let double = |four_bits: u8| (four_bits & 15) * 17;
        match digits.len() {
            3 => Some(Self::rgba(double(c), double(d >> 4), double(d), 255)),
            4 => Some(Self::rgba(double(c >> 4), double(c), double(d >> 4), double(d))),
            6 => Some(Self::rgba(b, c, d, 255)),
            8 => Some(Self::rgba(a, b, c, d)),
            _ => None,
        }
    }

    /// The opacity from 0 to 1.
    pub(crate) fn opacity(self) -> f64 {
        f64::from(self.alpha) / 255.0
    }
}

impl fmt::Display for Color {
    /// `#rrggbb`, without the opacity.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }
}

/// The colours of everything but the data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Palette {
    pub(crate) back: Color,
    pub(crate) canvas: Color,
    pub(crate) shade_a: Color,
    pub(crate) shade_b: Color,
    pub(crate) grid: Color,
    pub(crate) major_grid: Color,
    pub(crate) font: Color,
    pub(crate) axis: Color,
    pub(crate) frame: Color,
    pub(crate) arrow: Color,
}

impl Default for Palette {
    /// The colours that rrdtool's graphs are known by.
    fn default() -> Self {
        Self {
            back: Color::rgba(0xf3, 0xf3, 0xf3, 0xff),
            canvas: Color::rgba(0xff, 0xff, 0xff, 0xff),
            shade_a: Color::rgba(0xcf, 0xcf, 0xcf, 0xff),
            shade_b: Color::rgba(0x9e, 0x9e, 0x9e, 0xff),
            grid: Color::rgba(0x8f, 0x8f, 0x8f, 0xbf),
            major_grid: Color::rgba(0xde, 0x4f, 0x4f, 0x99),
            font: Color::rgba(0, 0, 0, 0xff),
            axis: Color::rgba(0x1f, 0x1f, 0x1f, 0xff),
            frame: Color::rgba(0, 0, 0, 0xff),
            arrow: Color::rgba(0x7f, 0x1f, 0x1f, 0xff),
        }
    }
}

impl Palette {
    /// The colour that `-c TAG#…` names.
    pub(crate) fn named(&mut self, tag: &str) -> Option<&mut Color> {
        Some(match tag {
            "BACK" => &mut self.back,
            "CANVAS" => &mut self.canvas,
            "SHADEA" => &mut self.shade_a,
            "SHADEB" => &mut self.shade_b,
            "GRID" => &mut self.grid,
            "MGRID" => &mut self.major_grid,
            "FONT" => &mut self.font,
            "AXIS" => &mut self.axis,
            "FRAME" => &mut self.frame,
            "ARROW" => &mut self.arrow,
            _ => return None,
        })
    }
}
