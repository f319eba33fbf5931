//! How a receiver is told who posts: a file with `bearer TOKEN` or `basic NAME:PASSWORD`.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::super::super::secrets::{self, SecretsError};

/// Why a file does not say how to log in. It shows nothing of it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AuthorizationError {
    /// It cannot be read, or others may read it.
    #[error(transparent)]
    File(#[from] SecretsError),
    /// It says something else.
    #[error("{}: expected one line, `bearer TOKEN` or `basic NAME:PASSWORD`", .0.display())]
    Form(PathBuf),
}

/// The value of the header `Authorization`. The file is read each time: tokens change.
pub(super) fn header(path: &Path) -> Result<String, AuthorizationError> {
    let bytes = secrets::read(path)?;
    header_of(&bytes).ok_or_else(|| AuthorizationError::Form(path.to_owned()))
}

fn header_of(bytes: &[u8]) -> Option<String> {
    let line = std::str::from_utf8(bytes).ok()?.trim_end_matches(['\n', '\r']);
    let (scheme, rest) = line.split_once(' ')?;
    if rest.contains(char::is_control) {
        return None;
    }
    match &*scheme.to_ascii_lowercase() {
        "bearer" => {
            let is_token = |letter: char| letter.is_ascii_graphic();
            (!rest.is_empty() && rest.chars().all(is_token)).then(|| format!("Bearer {rest}"))
        }
        "basic" => rest.contains(':').then(|| format!("Basic {}", STANDARD.encode(rest))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::header_of;

    #[test]
    fn a_line_is_a_token_or_a_name_and_a_password() {
        assert_eq!(header_of(b"bearer abc.d=\n").as_deref(), Some("Bearer abc.d="));
        assert_eq!(header_of(b"Basic me:a b\r\n").as_deref(), Some("Basic bWU6YSBi"));
        for wrong in [
            &b""[..],
            b"bearer",
            b"bearer ",
            b"bearer a b",
            b"basic me",
            b"x y:z",
            b"\xff",
            b"bearer a\nb",
        ] {
            assert_eq!(header_of(wrong), None);
        }
    }
}
