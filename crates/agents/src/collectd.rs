//! Whose packets of collectd are taken, and what their values are called.

use std::path::{Path, PathBuf};

use senders::collectd::{Level, Security, Types, WrongTypes, WrongUsers};

/// Whose packets of collectd are taken, and what their values are called.
#[derive(Clone, Debug, Default)]
pub struct Collectd {
    /// The users, and what their packets must be.
    pub security: Security,
    /// The names of values.
    pub types: Types,
}

/// Why a file of collectd's cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CollectdError {
    /// The system refuses it.
    #[error("{}: {}", path.display(), disk::system_words(cause))]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// A line of a file of users.
    #[error("{}: {why}", path.display())]
    Users {
        /// The file.
        path: PathBuf,
        /// Which line, and what was expected there.
        why: WrongUsers,
    },
    /// A line of a `types.db`.
    #[error("{}: {why}", path.display())]
    Types {
        /// The file.
        path: PathBuf,
        /// Which line, and what was expected there.
        why: WrongTypes,
    },
    /// Packets must be signed, and nobody can sign.
    #[error("{}: expected at least one line USER: PASSWORD", .0.display())]
    NoUsers(PathBuf),
    /// Packets must be signed, and no file names users.
    #[error("packets must be signed or encrypted: expected a file of users and passwords")]
    NoFile,
}

impl Collectd {
    /// Where collectd's packages have the names of values.
    pub const TYPES_FILE: &str = "/usr/share/collectd/types.db";

    /// What files say: that of the users, as collectd's `AuthFile`, and any number of `types.db`.
    ///
    /// # Errors
    ///
    /// Which file, which line, and what was expected there.
    pub fn of_files(
        level: Level,
        users: Option<&Path>,
        types: &[PathBuf],
    ) -> Result<Self, CollectdError> {
        Ok(Self { security: security(level, users)?, types: of_types(types)? })
    }
}

fn security(level: Level, users: Option<&Path>) -> Result<Security, CollectdError> {
    let Some(path) = users else {
        return match level {
            Level::None => Ok(Security::default()),
            _ => Err(CollectdError::NoFile),
        };
    };
    let security = Security::of_text(level, &text(path)?)
        .map_err(|why| CollectdError::Users { path: path.into(), why })?;
    match security.has_users() || level == Level::None {
        true => Ok(security),
        false => Err(CollectdError::NoUsers(path.into())),
    }
}

fn of_types(files: &[PathBuf]) -> Result<Types, CollectdError> {
    let mut types = Types::default();
    for path in files {
        let why = types.add_text(&text(path)?).err();
        if let Some(why) = why {
            return Err(CollectdError::Types { path: path.clone(), why });
        }
    }
    Ok(types)
}

fn text(path: &Path) -> Result<String, CollectdError> {
    std::fs::read_to_string(path).map_err(|cause| CollectdError::File { path: path.into(), cause })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_file_is_named_with_its_line() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let (good, bad) = (write("good", "alice: rosebud\n"), write("bad", "\nalice\n"));
        let empty = write("empty", "# nobody\n");
        let types = write("types", "load s:GAUGE:0:U\nload\n");
        let told = |users: Option<&Path>, types: &[PathBuf]| {
            let found = Collectd::of_files(Level::Sign, users, types);
            found.unwrap_err().to_string().replace(&directory.path().display().to_string(), "")
        };
        assert_eq!(told(Some(&bad), &[]), "/bad: line 2: expected a line USER: PASSWORD");
        assert_eq!(told(Some(&empty), &[]), "/empty: expected at least one line USER: PASSWORD");
        assert_eq!(
            told(Some(&good), &[types]),
            "/types: line 2: expected a type's name and its sources"
        );
        assert!(told(Some(Path::new("/none/such")), &[]).contains("No such file"));
        assert!(told(None, &[]).contains("expected a file of users"));
        assert!(Collectd::of_files(Level::Encrypt, Some(&good), &[]).is_ok());
        assert!(Collectd::of_files(Level::None, None, &[]).is_ok());
    }
}
