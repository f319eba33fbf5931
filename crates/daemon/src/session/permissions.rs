//! The commands that a socket takes (`-P`).

use rrdcached::server::Command;

/// A set of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permissions(u64);

const fn bit(command: Command) -> u64 {
    1 << command as u64
}

impl Permissions {
    /// Every command.
    pub const ALL: Self = Self(u64::MAX);

    /// Those of a list with commas between; HELP and QUIT besides, and with BATCH its end.
    ///
    /// # Errors
    /// The name that is none.
    pub fn parse(list: &str) -> Result<Self, String> {
        let mut names = list.split(',').filter(|name| !name.is_empty()).peekable();
        if names.peek().is_none() {
            return Ok(Self::ALL); // as rrdcached
        }
        let mut permissions = Self(bit(Command::Help) | bit(Command::Quit));
        for name in names {
            let command = Command::find(name.as_bytes()).ok_or(name)?;
            permissions.0 |= bit(command);
            if command == Command::Batch {
                permissions.0 |= bit(Command::EndOfBatch);
            }
        }
        Ok(permissions)
    }

    /// Whether a command is among them.
    pub(crate) fn allow(self, command: Command) -> bool {
        self.0 & bit(command) != 0
    }
}

#[cfg(test)]
mod tests {
    use rrdcached::server::Command;

    use super::Permissions;

    #[test]
    fn lists_name_commands() {
        let some = Permissions::parse("FLUSH,update,").unwrap();
        for (command, is_allowed) in [
            (Command::Flush, true),
            (Command::Update, true),
            (Command::Help, true),
            (Command::Quit, true),
            (Command::FlushAll, false),
            (Command::Batch, false),
            (Command::EndOfBatch, false),
        ] {
            assert_eq!(some.allow(command), is_allowed, "{command:?}");
            assert!(Permissions::ALL.allow(command));
        }
        assert!(Permissions::parse("BATCH").unwrap().allow(Command::EndOfBatch));
        assert_eq!(Permissions::parse("FLUSH,NONE"), Err("NONE".into()));
    }
}
