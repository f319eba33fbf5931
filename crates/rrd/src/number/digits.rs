//! Unsigned integers and their decimal digits, eight at a time.

/// Digits of the largest unsigned integer.
const DIGITS_MAX: usize = 20;
/// Bytes that [`write()`] may touch.
pub const WRITE_BYTES: usize = 24;

const EIGHT_DIGITS: u64 = 100_000_000;
const POWERS: [u64; 9] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, EIGHT_DIGITS];
/// Eight times the letter `0`.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// The integer that `text` writes out, leading zeros allowed; `None` if anything else than digits
/// stands there, nothing does, or the integer or its text is too long for 64 bits.
#[must_use]
pub fn value(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > DIGITS_MAX {
        return None;
    }
    let (eights, rest) = text.as_chunks::<8>();
    let mut value = 0;
    for eight in eights {
        value = append(value, u64::from_le_bytes(*eight), 8)?;
    }
    if rest.is_empty() {
        return Some(value);
    }
    // Zeros take the place of what stands before the rest, up to eight digits.
    let missing_bits = 64 - 8 * rest.len() as u32;
    let letters = match text.last_chunk() {
        Some(last) => u64::from_le_bytes(*last) >> missing_bits << missing_bits,
        None => {
            let letter = |word, letter: &u8| word << 8 | u64::from(*letter);
            rest.iter().rev().fold(0, letter) << missing_bits
        }
    };
    append(value, letters | ZEROS >> (64 - missing_bits), rest.len())
}

fn append(value: u64, letters: u64, digits: usize) -> Option<u64> {
    value.checked_mul(POWERS[digits])?.checked_add(of_eight_letters(letters)?)
}

/// The value of eight letters, the first one lowest, if all are digits.
fn of_eight_letters(letters: u64) -> Option<u64> {
    let high_nibbles = 0xf0f0_f0f0_f0f0_f0f0;
    let past_nine = letters.wrapping_add(0x0606_0606_0606_0606);
    if letters & high_nibbles != ZEROS || past_nine & high_nibbles != ZEROS {
        return None;
    }
    // Neighbours are joined to numbers of two, four, eight digits; each factor is the
    // power of ten of the left neighbour and the place that the sum is taken from.
    let ones = letters & 0x0f0f_0f0f_0f0f_0f0f;
    let twos = ones.wrapping_mul((10 << 8) + 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = twos.wrapping_mul((100 << 16) + 1) >> 16 & 0x0000_ffff_0000_ffff;
    Some(fours.wrapping_mul((10_000 << 32) + 1) >> 32)
}

/// Writes the digits of `value` to the start of `text` and returns how many; bytes behind them, up
/// to [`WRITE_BYTES`], may be set to zero.
///
/// # Panics
/// If `text` is shorter than [`WRITE_BYTES`].
pub fn write(value: u64, text: &mut [u8]) -> usize {
    assert!(text.len() >= WRITE_BYTES);
    if value < EIGHT_DIGITS {
        return write_first(value, text);
    }
    let (high, low) = (value / EIGHT_DIGITS, value % EIGHT_DIGITS);
    let mut written = if high < EIGHT_DIGITS {
        write_first(high, text)
    } else {
        let written = write_first(high / EIGHT_DIGITS, text);
        write_eight(high % EIGHT_DIGITS, &mut text[written..]);
        written + 8
    };
    write_eight(low, &mut text[written..]);
    written += 8;
    written
}

fn write_eight(value: u64, text: &mut [u8]) {
    text[..8].copy_from_slice(&letters_of(value).to_le_bytes());
}

/// Writes a number of up to eight digits without leading zeros.
fn write_first(value: u64, text: &mut [u8]) -> usize {
    let letters = letters_of(value);
    let leading = ((letters ^ ZEROS).trailing_zeros() / 8).min(7);
    text[..8].copy_from_slice(&(letters >> (8 * leading)).to_le_bytes());
    8 - leading as usize
}

/// The eight letters of a number below 10^8, the first one lowest.
fn letters_of(value: u64) -> u64 {
    // Cut into halves of four, two, one digits; the divisions by 100 and 10 are multiplications
    // that are exact for so few digits.
    let fours = (value / 10_000) | ((value % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = hundreds | (fours - hundreds * 100) << 16;
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    ZEROS + (tens | (twos - tens * 10) << 8)
}

#[cfg(test)]
mod tests {
    use super::{WRITE_BYTES, value, write};

    fn written(integer: u64) -> String {
        let mut text = [b'?'; WRITE_BYTES];
        let digits = write(integer, &mut text);
        String::from_utf8(text[..digits].to_vec()).unwrap()
    }

    #[test]
    fn both_ways_at_every_length() {
        let edges = (0..20).map(|place| 10_u64.pow(place)).flat_map(|it| [it - 1, it, it + 1]);
        let spread = (1..3000_u64).map(|nth| nth.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (nth % 64));
        for integer in edges.chain(spread).chain(0..20_000).chain([u64::MAX]) {
            assert_eq!(written(integer), integer.to_string());
            assert_eq!(value(integer.to_string().as_bytes()), Some(integer));
        }
    }

    #[test]
    fn every_number_of_four_digits_in_either_half() {
        for integer in 0..10_000 {
            assert_eq!(written(integer * 10_000), (integer * 10_000).to_string());
            assert_eq!(value(format!("0000{integer:04}").as_bytes()), Some(integer));
            assert_eq!(value(format!("{integer:04}0000").as_bytes()), Some(integer * 10_000));
        }
    }

    #[test]
    fn what_is_no_integer() {
        for text in ["", "18446744073709551616", "000000000000000000001", "-1", "1.5", "1 "] {
            assert_eq!(value(text.as_bytes()), None, "{text:?}");
        }
        for place in 0..12 {
            for letter in (0..=255).filter(|letter: &u8| !letter.is_ascii_digit()) {
                let mut text = *b"123456789012";
                text[place] = letter;
                assert_eq!(value(&text), None, "{text:?}");
            }
        }
    }
}
