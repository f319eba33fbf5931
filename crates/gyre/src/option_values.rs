//! Values of options, as words; each mistake is one line that names the option and what it expects.

use std::ffi::OsStr;

use options::bytes;

use crate::misuse::Misuse;

pub(crate) fn text<'a>(name: &'static str, value: &'a OsStr) -> Result<&'a str, Misuse> {
    value.to_str().ok_or_else(|| Misuse::value(name, "text", value))
}

/// A whole number within bounds.
pub(crate) fn number(
    name: &'static str,
    value: &OsStr,
    least: u64,
    most: u64,
) -> Result<u64, Misuse> {
    let found = value.to_str().and_then(|text| text.parse::<u64>().ok());
    let expected = || Misuse::value(name, format!("{least} to {most}"), value);
    found.filter(|number| (least..=most).contains(number)).ok_or_else(expected)
}

/// A number above zero, with a fraction or without.
pub(crate) fn amount(name: &'static str, value: &OsStr) -> Result<f64, Misuse> {
    let found = value.to_str().and_then(|text| text.parse::<f64>().ok());
    let expected = || Misuse::value(name, "a number above zero", value);
    found.filter(|number| number.is_finite() && *number > 0.0).ok_or_else(expected)
}

/// Bytes above zero, as people write them.
pub(crate) fn size(name: &'static str, value: &OsStr) -> Result<u64, Misuse> {
    let found = value.to_str().and_then(bytes).filter(|bytes| *bytes > 0);
    let expected = || Misuse::value(name, "bytes, or K, M, G or T of them", value);
    found.ok_or_else(expected)
}

/// One of some names.
pub(crate) fn one<T: Copy>(
    name: &'static str,
    value: &OsStr,
    names: &[(&'static str, T)],
) -> Result<T, Misuse> {
    match list(name, value, names)?[..] {
        [(_, only)] => Ok(only),
        _ => Err(Misuse::value(name, "one", value)),
    }
}

/// Some of some names, with commas between them.
pub(crate) fn list<T: Copy>(
    name: &'static str,
    value: &OsStr,
    names: &[(&'static str, T)],
) -> Result<Vec<(&'static str, T)>, Misuse> {
    let find = |word: &str| {
        let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        let found = names.iter().find(|(name, _)| *name == word).copied();
        found.ok_or_else(|| Misuse::value(name, known.join(", "), OsStr::new(word)))
    };
    text(name, value)?.split(',').map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_above_zero() {
        assert_eq!(size("memory", OsStr::new("4K")), Ok(4096));
        assert!(size("memory", OsStr::new("0")).is_err());
    }

    #[test]
    fn amounts_are_above_zero() {
        assert_eq!(amount("sync", OsStr::new("0.25")), Ok(0.25));
        for wrong in ["0", "-1", "nan", "inf", "", "1,5"] {
            let error = amount("sync", OsStr::new(wrong)).unwrap_err().to_string();
            assert!(error.starts_with("--sync: expected a number above zero, found"), "{error}");
        }
    }
}
