//! The system's messages for errors, without the numbers that Rust appends to them.

use std::io;

/// The system's message for an error, without its number.
#[must_use]
pub fn system_words(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(number) => errno::Errno(number).to_string(),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::system_words;
    use std::io;

    #[test]
    fn the_number_of_an_error_is_not_told() {
        let error = io::Error::from_raw_os_error(2);
        assert_eq!(system_words(&error), "No such file or directory");
        assert_eq!(system_words(&io::ErrorKind::NotFound.into()), "entity not found");
        assert_eq!(system_words(&io::Error::other("a (os error 2)")), "a (os error 2)");
    }
}
