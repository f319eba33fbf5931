//! Numbers as C's `printf` writes them: `%0.10e`, `%8.2lf`, `%g`.
//!
//! All of rrdtool's output is made of these, and graphs take such formats as arguments. Digits are
//! those of the exact value, rounded to nearest, ties to even; the unknown value prints as `nan`
//! or, with its sign bit set, as `-nan`, in the words of the GNU C library.

mod eleven_digits;

/// Appends a number as `%.10e` writes it: what [`FloatFormat`] does too, faster.
pub fn append_eleven_digits(out: &mut Vec<u8>, number: f64) {
    let sign = number.is_sign_negative();
    if number.is_nan() {
        return out.extend_from_slice(if sign { b"-nan" } else { b"nan" });
    }
    if number.is_infinite() {
        return out.extend_from_slice(if sign { b"-inf" } else { b"inf" });
    }
    match eleven_digits::of(number.abs()) {
        Some((digits, exponent)) => eleven_digits::append(out, sign, digits, exponent),
        None => out.extend_from_slice(FloatFormat::exponent(10).text(number).as_bytes()),
    }
}

/// Appends eleven digits, given as a whole number, as `%.10e` writes those of a number whose first
/// digit stands for `10^exponent`.
///
/// # Panics
/// There are more or fewer digits.
pub fn append_digits(out: &mut Vec<u8>, is_negative: bool, digits: u64, exponent: i32) {
    eleven_digits::append(out, is_negative, digits, exponent);
}

/// How a number is written: one conversion specification of `printf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatFormat {
    /// `e`, `f` or `g`.
    pub style: Style,
    /// Whether letters are capital (`E`, `F`, `G`).
    pub upper: bool,
    /// Digits after the point or, for `g`, in all; 6 where `None`.
    pub precision: Option<usize>,
    /// The least number of characters; blanks or zeros fill up.
    pub width: usize,
    /// What the flags ask for.
    pub flags: Flags,
}

/// The notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `%e`: one digit, a point, digits, an exponent.
    Exponent,
    /// `%f`: no exponent.
    Fixed,
    /// `%g`: the shorter of the two, without trailing zeros.
    General,
}

/// The flags between `%` and the width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// `-`: fill up on the right.
    pub left: bool,
    /// `+`: a sign always.
    pub plus: bool,
    /// A blank where a sign could be.
    pub blank: bool,
    /// `0`: fill up with zeros.
    pub zero: bool,
    /// `#`: a point always, and no zero is dropped.
    pub alternate: bool,
}

/// No width or precision beyond this is taken from a format: outside text must not ask for
/// gigabytes.
const LIMIT: usize = 4096;

impl FloatFormat {
    /// `%.{precision}e`.
    #[must_use]
    pub const fn exponent(precision: usize) -> Self {
        Self::plain(Style::Exponent, precision)
    }

    /// `%.{precision}f`.
    #[must_use]
    pub const fn fixed(precision: usize) -> Self {
        Self::plain(Style::Fixed, precision)
    }

    const fn plain(style: Style, precision: usize) -> Self {
        let flags = Flags { left: false, plus: false, blank: false, zero: false, alternate: false };
        Self { style, upper: false, precision: Some(precision), width: 0, flags }
    }

    /// Reads a specification (`%-8.2lf`) from the start of a text; gives it with what follows.
    /// `None` if the text does not begin with one for a `double`.
    #[must_use]
    pub fn parse(text: &str) -> Option<(Self, &str)> {
        let mut rest = text.strip_prefix('%')?;
        let mut format = Self::fixed(6);
        format.precision = None;
        while let Some(flag) = rest.chars().next().filter(|flag| "-+ 0#".contains(*flag)) {
            format.flags.set(flag);
            rest = rest.get(1..)?;
        }
        (format.width, rest) = number(rest)?;
        if let Some(after) = rest.strip_prefix('.') {
            let (precision, after) = number(after)?;
            format.precision = Some(precision);
            rest = after;
        }
        rest = rest.strip_prefix('l').unwrap_or(rest);
        let letter = rest.chars().next()?;
        format.upper = letter.is_ascii_uppercase();
        format.style = match letter.to_ascii_lowercase() {
            'e' => Style::Exponent,
            'f' => Style::Fixed,
            'g' => Style::General,
            _ => return None,
        };
        Some((format, rest.get(1..)?))
    }

    /// The text of a number.
    #[must_use]
    pub fn text(&self, number: f64) -> String {
        let mut text = String::new();
        self.append(&mut text, number);
        text
    }

    /// Appends the text of a number.
    pub fn append(&self, out: &mut String, number: f64) {
        let start = out.len();
        if number.is_sign_negative() {
            out.push('-');
        } else if self.flags.plus {
            out.push('+');
        } else if self.flags.blank {
            out.push(' ');
        }
        let digits_start = out.len();
        self.append_magnitude(out, number.abs());
        if self.upper {
            out[digits_start..].make_ascii_uppercase();
        }
        let missing = self.width.saturating_sub(out.len() - start);
        if missing == 0 {
        } else if self.flags.left {
            out.extend(std::iter::repeat_n(' ', missing));
        } else if self.flags.zero && number.is_finite() {
            out.insert_str(digits_start, &"0".repeat(missing));
        } else {
            out.insert_str(start, &" ".repeat(missing));
        }
    }

    fn append_magnitude(&self, out: &mut String, magnitude: f64) {
        let precision = self.precision.unwrap_or(6);
        if magnitude.is_nan() {
            out.push_str("nan");
        } else if magnitude.is_infinite() {
            out.push_str("inf");
        } else {
            match self.style {
                Style::Exponent => self.append_exponent(out, magnitude, precision),
                Style::Fixed => self.append_fixed(out, magnitude, precision),
                Style::General => self.append_general(out, magnitude, precision.max(1)),
            }
        }
    }

    fn append_exponent(&self, out: &mut String, magnitude: f64, precision: usize) {
        use std::fmt::Write as _;
        let start = out.len();
        let _ = write!(out, "{magnitude:.precision$e}"); // a String takes everything
        // Rust writes `1.5e7` where C writes `1.5e+07`.
        let at = out[start..].find('e').map_or(out.len(), |at| start + at);
        let exponent: i32 = out.get(at + 1..).and_then(|text| text.parse().ok()).unwrap_or(0);
        out.truncate(at);
        if precision == 0 && self.flags.alternate {
            out.push('.');
        }
        out.push_str(if exponent < 0 { "e-" } else { "e+" });
        let _ = write!(out, "{:02}", exponent.unsigned_abs());
    }

    fn append_fixed(&self, out: &mut String, magnitude: f64, precision: usize) {
        use std::fmt::Write as _;
        let _ = write!(out, "{magnitude:.precision$}"); // a String takes everything
        if precision == 0 && self.flags.alternate {
            out.push('.');
        }
    }

    /// `significant` digits, at least one.
    fn append_general(&self, out: &mut String, magnitude: f64, significant: usize) {
        let start = out.len();
        self.append_exponent(out, magnitude, significant - 1);
        let at = out[start..].find('e').map_or(out.len(), |at| start + at);
        let exponent: i32 = out.get(at + 1..).and_then(|text| text.parse().ok()).unwrap_or(0);
        let decimals = significant as i64 - 1 - i64::from(exponent);
        let tail = if exponent >= -4 && decimals >= 0 {
            out.truncate(start);
            self.append_fixed(out, magnitude, decimals as usize);
            String::new()
        } else {
            let tail = out.split_off(at);
            if carries_out_of_fixed(magnitude, exponent, significant) {
                out.truncate(start);
                out.push_str("1.");
            }
            tail
        };
        if !self.flags.alternate && out[start..].contains('.') {
            let kept = out.trim_end_matches('0').trim_end_matches('.').len();
            out.truncate(kept);
        }
        out.push_str(&tail);
    }
}

impl Flags {
    fn set(&mut self, flag: char) {
        match flag {
            '-' => self.left = true,
            '+' => self.plus = true,
            ' ' => self.blank = true,
            '0' => self.zero = true,
            _ => self.alternate = true,
        }
    }
}

/// Whether a number has as many digits before its point as it may have in all, and one more when
/// it is rounded: 99.5 with two digits. The GNU library has chosen the fixed style by then, leaves
/// it for the exponent's, and writes `1.E+02` for `%#.2G` where C asks for `1.0E+02`.
///
/// `exponent` is that of the rounded number. Only below 2^53 does a number have anything to round.
fn carries_out_of_fixed(magnitude: f64, exponent: i32, significant: usize) -> bool {
    usize::try_from(exponent) == Ok(significant)
        && exponent <= 16
        && magnitude < 10_f64.powi(exponent)
}

/// A number at the start of a text, 0 where there is none; `None` beyond [`LIMIT`].
fn number(text: &str) -> Option<(usize, &str)> {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let digits = text.strip_suffix(rest)?;
    let number = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    (number <= LIMIT).then_some((number, rest))
}
