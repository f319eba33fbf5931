//! The text of one reading: integers by value, everything else verbatim.

use std::fmt;

use crate::number::digits;

/// Bytes of the longest text of a reading that is no [`Reading::Text`].
const INTEGER_BYTES: usize = digits::WRITE_BYTES + 1;

/// The text of one reading. Each text has one form only, so that nothing is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(from = "AnyForm<'a>")]
pub enum Reading<'a> {
    /// An integer without sign or leading zeros.
    Unsigned(u64),
    /// `-` and this magnitude, which is not zero.
    Negative(u64),
    /// `U`.
    Unknown,
    /// Any other text, verbatim.
    Text(&'a str),
}

/// A reading from elsewhere, whose text may have another form than its own.
#[derive(serde::Deserialize)]
enum AnyForm<'a> {
    Unsigned(u64),
    Negative(u64),
    Unknown,
    Text(&'a str),
}

impl<'a> From<AnyForm<'a>> for Reading<'a> {
    fn from(form: AnyForm<'a>) -> Self {
        match form {
            AnyForm::Unsigned(value) => Self::Unsigned(value),
            AnyForm::Negative(0) => Self::Text("-0"),
            AnyForm::Negative(magnitude) => Self::Negative(magnitude),
            AnyForm::Unknown => Self::Unknown,
            AnyForm::Text(text) => Self::of(text),
        }
    }
}

/// Room for the text of a reading.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadingRoom([u8; INTEGER_BYTES]);

impl<'a> Reading<'a> {
    /// What a text is.
    #[must_use]
    pub fn of(text: &'a str) -> Self {
        match text.as_bytes() {
            b"U" => Self::Unknown,
            [b'0'..=b'9', ..] => {
                canonical(text.as_bytes()).map_or(Self::Text(text), Self::Unsigned)
            }
            [b'-', digits @ ..] => {
                let magnitude = canonical(digits).filter(|magnitude| *magnitude > 0);
                magnitude.map_or(Self::Text(text), Self::Negative)
            }
            _ => Self::Text(text),
        }
    }

    /// What each of some texts is.
    #[must_use]
    pub fn of_all(texts: &'a [impl AsRef<str>]) -> Vec<Self> {
        texts.iter().map(|text| Self::of(text.as_ref())).collect()
    }

    /// The text, written into `room` if it does not stand anywhere.
    #[must_use]
    pub fn text<'r>(self, room: &'r mut ReadingRoom) -> &'r str
    where
        'a: 'r,
    {
        let length = match self {
            Self::Unknown => return "U",
            Self::Text(verbatim) => return verbatim,
            Self::Unsigned(value) => digits::write(value, &mut room.0),
            Self::Negative(magnitude) => {
                room.0[0] = b'-';
                1 + digits::write(magnitude, &mut room.0[1..])
            }
        };
        std::str::from_utf8(&room.0[..length]).expect("digits are text")
    }

    /// Whether it stands for "unknown": rrdtool looks at the first letter only.
    #[must_use]
    pub fn is_unknown(self) -> bool {
        match self {
            Self::Unknown => true,
            Self::Text(text) => text.starts_with('U'),
            Self::Unsigned(_) | Self::Negative(_) => false,
        }
    }
}

impl fmt::Display for Reading<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text(&mut ReadingRoom::default()))
    }
}

/// An integer whose text would be written exactly so.
fn canonical(text: &[u8]) -> Option<u64> {
    let has_leading_zero = text.len() > 1 && text[0] == b'0';
    digits::value(text).filter(|_| !has_leading_zero)
}
