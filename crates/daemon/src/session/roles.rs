//! Which role a command needs.

use access::Role;
use remote::Kind;
use rrdcached::server::Command;

/// The least role that may give a command.
pub(super) fn role(command: Command) -> Role {
    match command {
        Command::Pending
        | Command::Queue
        | Command::Stats
        | Command::Help
        | Command::Ping
        | Command::Fetch
        | Command::FetchBin
        | Command::Info
        | Command::First
        | Command::Last
        | Command::List
        | Command::Dump
        | Command::Call // its kind needs a role, too
        | Command::Auth
        | Command::Quit => Role::Read,
        Command::Update
        | Command::Flush
        | Command::FlushAll
        | Command::Wrote
        | Command::Batch
        | Command::EndOfBatch => Role::Write,
        Command::Forget
        | Command::Create
        | Command::Suspend
        | Command::Resume
        | Command::SuspendAll
        | Command::ResumeAll
        | Command::Tune => Role::Admin,
    }
}

/// The least role that may make a call of a kind.
pub(super) fn role_of_call(kind: Kind) -> Role {
    match kind {
        Kind::Update | Kind::Flush => Role::Write,
        kind if kind.changes() => Role::Admin,
        _ => Role::Read,
    }
}
