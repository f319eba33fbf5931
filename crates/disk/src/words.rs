//! The system's words for errors. Rust puts the number of an error after them, which tells a user
//! nothing that the words do not.

use std::io;

const BEFORE_NUMBER: &str = " (os error ";

/// The system's words for an error, without its number.
#[must_use]
pub fn system_words(error: &io::Error) -> String {
    without_numbers(&error.to_string())
}

/// A text without the numbers of the errors that it tells of.
#[must_use]
pub fn without_numbers(text: &str) -> String {
    let mut parts = text.split(BEFORE_NUMBER);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if is_number(number) => plain += rest,
            _ => plain = plain + BEFORE_NUMBER + part,
        }
    }
    plain
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{system_words, without_numbers};

    #[test]
    fn only_numbers_of_errors_go() {
        let error = std::io::Error::from_raw_os_error(2);
        assert_eq!(system_words(&error), "No such file or directory");
        let told = format!("a: {error} (--listen says where else); b: {error}");
        let plain =
            "a: No such file or directory (--listen says where else); b: No such file or directory";
        assert_eq!(without_numbers(&told), plain);
        for kept in ["", "a (os error )", "a (os error x)", "a (os error 2", " (os error 2x)"] {
            assert_eq!(without_numbers(kept), kept);
        }
    }
}
