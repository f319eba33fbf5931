//! A compact encoding of the text of a last reading.

use rrd::live::{LAST_READING_BYTES, LastReading};
use rrd::number::digits;

/// Texts that are not numbers, by their code. Only the first few have a kind of their own among
/// integers.
const WORDS: [&str; 13] = [
    "U", "UNKN", "", "-", "UNKNOWN", "unknown", // also among integers
    "nan", "NaN", "-nan", "NAN", "inf", "-inf", "u",
];

/// Bits of an integer's kind: 0 unsigned, 1 negative, then words.
pub(super) const KIND_BITS: u32 = 3;
const NEGATIVE: u64 = 1;
const FIRST_WORD: u64 = 2;

/// Bytes of a decimal text: a nibble for each character and for the end.
pub(super) const DECIMAL_BYTES: usize = LAST_READING_BYTES / 2;
/// The characters of a decimal text by their nibbles; the last nibble means the end.
const LETTERS: &[u8; 15] = b"0123456789.-+eE";
const END: u8 = 15;
const NO_LETTER: u8 = 0xff;

/// An integer or word as kind and magnitude; `None` for other texts.
pub(super) fn pack_integer(reading: &LastReading) -> Option<(u64, u64)> {
    if let Some(value) = reading.as_integer() {
        return Some((0, value));
    }
    let field = reading.to_bytes();
    let text = whole_text(&field);
    let (kind, digits) = match text {
        [b'-', digits @ ..] if !digits.is_empty() => (NEGATIVE, digits),
        _ => {
            let words = 1_u64 << KIND_BITS;
            return word_of(text).map(|word| (FIRST_WORD + word, 0)).filter(|it| it.0 < words);
        }
    };
    if digits.len() > 1 && digits[0] == b'0' {
        return None;
    }
    Some((kind, digits::value(digits)?))
}

/// The text that [`pack_integer`] encoded.
pub(super) fn unpack_integer(kind: u64, magnitude: u64) -> LastReading {
    match kind {
        0 => LastReading::integer(magnitude),
        NEGATIVE => {
            let mut text = [0; LAST_READING_BYTES];
            text[0] = b'-';
            digits::write(magnitude, &mut text[1..]);
            LastReading::from_bytes(text)
        }
        _ => word(kind - FIRST_WORD),
    }
}

/// A text of decimal digits, point, signs and exponent, or a word, as nibbles.
pub(super) fn pack_decimal(reading: &LastReading) -> Option<[u8; DECIMAL_BYTES]> {
    let field = reading.to_bytes();
    let text = whole_text(&field);
    let mut nibbles = [0; LAST_READING_BYTES];
    let end = nibbles.get_mut(text.len())?;
    *end = END;
    let mut odd = 0;
    for (nibble, letter) in nibbles.iter_mut().zip(text) {
        *nibble = NIBBLES[usize::from(*letter)];
        odd |= *nibble;
    }
    if odd == NO_LETTER || text.is_empty() {
        // An end mark at the start means that a word follows.
        nibbles = [0; LAST_READING_BYTES];
        nibbles[0] = END;
        nibbles[1] = word_of(text)? as u8;
    }
    let (pairs, _) = nibbles.as_chunks::<2>();
    Some(std::array::from_fn(|nth| pairs[nth][0] | pairs[nth][1] << 4))
}

/// The text that [`pack_decimal`] encoded.
pub(super) fn unpack_decimal(packed: [u8; DECIMAL_BYTES]) -> LastReading {
    let nibble = |nth: usize| packed[nth / 2] >> (nth % 2 * 4) & 0xf;
    if nibble(0) == END {
        return word(u64::from(nibble(1)));
    }
    let mut text = [0; LAST_READING_BYTES];
    for (nth, letter) in text[..LAST_READING_BYTES - 1].iter_mut().enumerate() {
        match LETTERS.get(usize::from(nibble(nth))) {
            Some(found) => *letter = *found,
            None => break,
        }
    }
    LastReading::from_bytes(text)
}

/// All bytes of the field up to the last one that is not zero. Unlike [`LastReading::text`], it
/// loses nothing.
pub(super) fn whole_text(bytes: &[u8; LAST_READING_BYTES]) -> &[u8] {
    let (low, high) = bytes.split_first_chunk::<16>().expect("the field is longer");
    let mut padded = [0; 16];
    padded[..high.len()].copy_from_slice(high);
    let (low, high) = (u128::from_le_bytes(*low), u128::from_le_bytes(padded));
    let zeros = if high == 0 { 128 + low.leading_zeros() } else { high.leading_zeros() };
    &bytes[..32 - zeros as usize / 8]
}

fn word_of(text: &[u8]) -> Option<u64> {
    WORDS.iter().position(|word| word.as_bytes() == text).map(|word| word as u64)
}

/// The word of a code; unused codes mean unknown.
fn word(code: u64) -> LastReading {
    WORDS.get(code as usize).map_or(LastReading::UNKNOWN, |word| LastReading::new(word))
}

/// The nibble of each letter.
const NIBBLES: [u8; 256] = {
    let mut nibbles = [NO_LETTER; 256];
    let mut nth = 0;
    while nth < LETTERS.len() {
        nibbles[LETTERS[nth] as usize] = nth as u8;
        nth += 1;
    }
    nibbles
};
