//! Colors of pictures.

use crate::Error;

/// Names of colors.
const NAMED: [(&str, &str); 22] = [
    ("aqua", "009696"),
    ("black", "000000"),
    ("blue", "6464ff"),
    ("brown", "966432"),
    ("cyan", "00ffff"),
    ("darkblue", "0000ff"),
    ("darkgray", "6f6f6f"),
    ("darkgreen", "00ff00"),
    ("darkgrey", "6f6f6f"),
    ("darkred", "ff0000"),
    ("gold", "c8c800"),
    ("gray", "afafaf"),
    ("green", "00c800"),
    ("grey", "afafaf"),
    ("magenta", "ff00ff"),
    ("orange", "ffa500"),
    ("pink", "ff6464"),
    ("purple", "c864ff"),
    ("red", "c80032"),
    ("rose", "c896c8"),
    ("white", "ffffff"),
    ("yellow", "ffff00"),
];

/// What series get that have no color, in turn.
pub(super) const CYCLE: [&str; 12] = [
    "blue", "green", "red", "purple", "brown", "gold", "aqua", "gray", "pink", "orange",
    "darkblue", "rose",
];

/// The digits of a color, with those of its opacity if it is not opaque.
pub(super) fn digits(text: &str, alpha: Option<f64>) -> Result<String, Error> {
    let named = NAMED.iter().find(|(name, _)| *name == text).map(|(_, digits)| *digits);
    let digits = named.unwrap_or_else(|| text.trim_start_matches('#'));
    let is_color = matches!(digits.len(), 6 | 8) && digits.bytes().all(|it| it.is_ascii_hexdigit());
    if !is_color {
        let expected = "a color as red or 00ff80";
        return Err(Error::Parameter { name: "color", expected, found: text.to_owned() });
    }
    Ok(match alpha {
        Some(alpha) => {
            format!("{}{:02x}", &digits[..6], (alpha.clamp(0.0, 1.0) * 255.0).round() as u8)
        }
        None => digits.to_owned(),
    })
}
