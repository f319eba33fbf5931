//! The commands that a socket takes (`-P`).

use access::Role;
use remote::Kind;
use rrdcached::server::{Command, TABLE};

use super::roles::{role, role_of_call};

/// A set of commands, and of kinds of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permissions {
    commands: u64,
    kinds: u64,
}

const fn bit(command: Command) -> u64 {
    1 << command as u64
}

/// A name that is neither a command nor a kind of calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoCommand(pub String);

const fn kind_bit(kind: Kind) -> u64 {
    1 << kind as u64
}

impl Permissions {
    /// Every command.
    pub const ALL: Self = Self { commands: u64::MAX, kinds: u64::MAX };

    /// Those of a list with commas between; HELP and QUIT besides, and with BATCH its end. A name
    /// permits the command and the kind of calls that bear it. CALL itself permits nothing, and is
    /// in no list.
    ///
    /// # Errors
    /// [`NoCommand`].
    pub fn parse(list: &str) -> Result<Self, NoCommand> {
        let mut names = list.split(',').filter(|name| !name.is_empty()).peekable();
        if names.peek().is_none() {
            return Ok(Self::ALL); // as rrdcached
        }
        let mut permissions = Self::OF_STRANGERS;
        permissions.commands |= bit(Command::Call);
        for name in names {
            let command = Command::find(name.as_bytes()).filter(|it| *it != Command::Call);
            let kind = Kind::find(name.as_bytes());
            if command.is_none() && kind.is_none() {
                return Err(NoCommand(name.into()));
            }
            permissions.commands |= command.map_or(0, bit);
            permissions.kinds |= kind.map_or(0, kind_bit);
            if command == Some(Command::Batch) {
                permissions.commands |= bit(Command::EndOfBatch);
            }
        }
        Ok(permissions)
    }

    /// Those of a client that could show a token and did not.
    pub(crate) const OF_STRANGERS: Self =
        Self { commands: bit(Command::Help) | bit(Command::Auth) | bit(Command::Quit), kinds: 0 };

    /// Those that a role may give.
    pub(crate) fn of(granted: Role) -> Self {
        let commands = TABLE.iter().map(|entry| entry.command);
        let commands = commands.filter(|command| granted.includes(role(*command)));
        let kinds = Kind::ALL.into_iter().filter(|kind| granted.includes(role_of_call(*kind)));
        Self { commands: commands.map(bit).sum(), kinds: kinds.map(kind_bit).sum() }
    }

    /// Those that are among both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { commands: self.commands & other.commands, kinds: self.kinds & other.kinds }
    }

    /// Those but one.
    pub(crate) fn without(self, command: Command) -> Self {
        Self { commands: self.commands & !bit(command), ..self }
    }

    /// Whether a command is among them.
    pub(crate) fn allow(self, command: Command) -> bool {
        self.commands & bit(command) != 0
    }

    /// Whether calls of a kind are among them.
    pub(crate) fn allow_call(self, kind: Kind) -> bool {
        self.kinds & kind_bit(kind) != 0
    }
}

#[cfg(test)]
mod tests {
    use remote::Kind;
    use rrdcached::server::Command;

    use super::{NoCommand, Permissions};

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
        assert_eq!(Permissions::parse("FLUSH,NONE"), Err(NoCommand("NONE".into())));
        assert_eq!(Permissions::parse("CALL"), Err(NoCommand("CALL".into())));
        for (kind, is_allowed) in
            [(Kind::Update, true), (Kind::Flush, true), (Kind::Rename, false), (Kind::Dump, false)]
        {
            assert_eq!(some.allow_call(kind), is_allowed, "{kind:?}");
            assert!(Permissions::ALL.allow_call(kind));
            assert!(Permissions::parse(kind.name()).unwrap().allow_call(kind));
        }
        assert!(!Permissions::parse("rename").unwrap().allow(Command::Update));
    }
}
