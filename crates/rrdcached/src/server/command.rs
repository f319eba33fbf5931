//! The commands: what each is called, takes and does.

/// A command of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Take samples.
    Update,
    /// Write what is pending of a file, and wait for it.
    Flush,
    /// Write what is pending of every file, without waiting.
    FlushAll,
    /// Show the samples of a file that are not written.
    Pending,
    /// Drop them.
    Forget,
    /// Show the files that wait to be written.
    Queue,
    /// Show counters.
    Stats,
    /// Tell of commands.
    Help,
    /// Answer.
    Ping,
    /// Stands in rrdcached's journal only.
    Wrote,
    /// Begin a batch.
    Batch,
    /// `.`: end a batch.
    EndOfBatch,
    /// Rows as text.
    Fetch,
    /// Rows as doubles.
    FetchBin,
    /// Definition and live state.
    Info,
    /// When the oldest row of an archive ends.
    First,
    /// When the last update was.
    Last,
    /// Make a database.
    Create,
    /// The databases in a directory.
    List,
    /// Keep a file from being written.
    Suspend,
    /// Let it be written again.
    Resume,
    /// Keep all from being written.
    SuspendAll,
    /// Let all be written again.
    ResumeAll,
    /// Change a database.
    Tune,
    /// A database as XML.
    Dump,
    /// A call of a store, as bytes behind the line.
    Call,
    /// Show a token.
    Auth,
    /// Hang up.
    Quit,
}

/// One line of the table.
#[derive(Debug)]
pub struct Entry {
    /// The command.
    pub command: Command,
    /// Its name.
    pub name: &'static str,
    /// What stands behind the name, with a blank before it.
    pub operands: &'static str,
    /// What it does, as HELP tells it; empty for those that HELP leaves out.
    pub help: &'static [&'static str],
}

const fn entry(
    command: Command,
    name: &'static str,
    operands: &'static str,
    help: &'static [&'static str],
) -> Entry {
    Entry { command, name, operands, help }
}

const FETCH_OPERANDS: &str = " <file> <CF> [<start> [<end>] [<column>...]]";

/// Every command, in the order in which HELP names them.
pub const TABLE: &[Entry] = &[
    entry(
        Command::Update,
        "UPDATE",
        " <filename> <values> [<values> ...]",
        &[
            "Takes samples of a database: each a time in seconds and a reading for each source,",
            "TIME:READING[:READING...]. The first that is refused ends the command.",
        ],
    ),
    entry(
        Command::Flush,
        "FLUSH",
        " <filename>",
        &["Brings the file up to date, and answers once that is done."],
    ),
    entry(
        Command::FlushAll,
        "FLUSHALL",
        "",
        &["Begins to bring every file up to date, and does not wait for it."],
    ),
    entry(
        Command::Pending,
        "PENDING",
        " <filename>",
        &["Tells the samples that have not reached the file, oldest first."],
    ),
    entry(
        Command::Forget,
        "FORGET",
        " <filename>",
        &["Drops the samples that have not reached the file: they are lost."],
    ),
    entry(
        Command::Queue,
        "QUEUE",
        "",
        &["Tells the files that wait to be written, each behind its number of samples."],
    ),
    entry(
        Command::Stats,
        "STATS",
        "",
        &["Tells counters: first those that rrdcached has, then those of this daemon."],
    ),
    entry(
        Command::Help,
        "HELP",
        " [<command>]",
        &["Tells what a command takes and does; without one, names all of them."],
    ),
    entry(Command::Ping, "PING", "", &["Answers PONG."]),
    entry(
        Command::Batch,
        "BATCH",
        "",
        &[
            "Takes commands, one a line, and answers none of them until a line with a dot. Then it",
            "tells how many failed, and of each that did its number (the first is 1) and why.",
            "In a batch may stand UPDATE, FLUSH, FORGET, CREATE, SUSPEND, RESUME, SUSPENDALL,",
            "RESUMEALL and QUIT.",
        ],
    ),
    entry(
        Command::Fetch,
        "FETCH",
        FETCH_OPERANDS,
        &[
            "Tells rows of an archive as text. Times are seconds since 1970 or, where they are not",
            "positive, back from now; without them the rows are those of the last day.",
        ],
    ),
    entry(
        Command::FetchBin,
        "FETCHBIN",
        FETCH_OPERANDS,
        &["The same as FETCH with the rows as doubles, source by source."],
    ),
    entry(
        Command::Info,
        "INFO",
        " <filename>",
        &["Tells definition and live state: in each line a name, a type and a value."],
    ),
    entry(
        Command::First,
        "FIRST",
        " <filename> <rra index>",
        &["Tells when the oldest row of an archive ends, in seconds since 1970."],
    ),
    entry(
        Command::Last,
        "LAST",
        " <filename>",
        &["Tells the step in which the last update was, by its start in seconds since 1970."],
    ),
    entry(
        Command::Create,
        "CREATE",
        " <filename> [-b start] [-s step] [-O] <DS definitions> <RRA definitions>",
        &[
            "Makes a database, as rrdtool create does. Start and step are seconds. With -O, or where",
            "the daemon was started with -O, one that is there already is left alone. -r FILE takes",
            "over the rows of another, -t FILE its definition.",
        ],
    ),
    entry(
        Command::List,
        "LIST",
        " [RECURSIVE] /[<path>]",
        &[
            "Names the databases and directories in a directory, whose root is the base directory;",
            "with RECURSIVE, the databases in it and below.",
        ],
    ),
    entry(
        Command::Suspend,
        "SUSPEND",
        " <filename>",
        &["Keeps samples of a file in memory until RESUME or RESUMEALL."],
    ),
    entry(Command::Resume, "RESUME", " <filename>", &["Lets a suspended file be written again."]),
    entry(Command::SuspendAll, "SUSPENDALL", "", &["SUSPEND of every file that is known."]),
    entry(Command::ResumeAll, "RESUMEALL", "", &["RESUME of every file that is suspended."]),
    entry(
        Command::Tune,
        "TUNE",
        " <filename> [options]",
        &[
            "Changes a database as rrdtool tune does. Before the options may stand, as rrdtool's",
            "client sends it, how many words follow, of which it passes over the first.",
        ],
    ),
    entry(
        Command::Dump,
        "DUMP",
        " <filename> [-h none|xsd|dtd]",
        &["Writes the whole database as XML, without a line before it, and hangs up."],
    ),
    entry(
        Command::Call,
        "CALL",
        " <kind> <bytes>",
        &[
            "Asks a ring store what no other command can, and in fewer bytes: so many bytes follow the",
            "line, and answer it behind a line `0 <bytes> answer`. Before that may come such of",
            "progress. The kind is UPDATE, FETCH, INFO, DUMP, LIST, CREATE, TUNE, RENAME, DELETE,",
            "RESIZE, RESTORE, VERIFY, STATS or FLUSH, and needs the permission of that name. It is for",
            "gyre itself: the bytes may have another form in another version.",
        ],
    ),
    entry(
        Command::Auth,
        "AUTH",
        " <token>",
        &[
            "Shows a token, where the daemon asks for one: what follows may be what the token permits.",
            "It is gyre's own, and not taken from another machine unless the connection is encrypted.",
        ],
    ),
    entry(Command::Quit, "QUIT", "", &["Hangs up."]),
    entry(Command::Wrote, "WROTE", "", &[]),
    entry(Command::EndOfBatch, ".", "", &[]),
];

impl Command {
    /// The command of a name, in letters of either case.
    #[must_use]
    pub fn find(name: &[u8]) -> Option<Self> {
        // Nearly every line of a busy daemon: the table need not be gone through.
        if name.eq_ignore_ascii_case(b"UPDATE") {
            return Some(Self::Update);
        }
        let mut entries = TABLE.iter();
        let found = entries.find(|entry| name.eq_ignore_ascii_case(entry.name.as_bytes()));
        found.map(|entry| entry.command)
    }

    /// What the table says of it.
    ///
    /// # Panics
    /// Never: the table has a line for each.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the table has a line for each command")]
    pub fn entry(self) -> &'static Entry {
        let found = TABLE.iter().find(|entry| entry.command == self);
        found.expect("the table has a line for each command")
    }

    /// Whether the first of its words is a path.
    #[must_use]
    pub fn takes_path(self) -> bool {
        matches!(
            self,
            Self::Update
                | Self::Flush
                | Self::Pending
                | Self::Forget
                | Self::Fetch
                | Self::FetchBin
                | Self::Info
                | Self::First
                | Self::Last
                | Self::Create
                | Self::List
                | Self::Suspend
                | Self::Resume
                | Self::Tune
                | Self::Dump
        )
    }

    /// Whether it may stand in a batch.
    #[must_use]
    pub fn is_for_batches(self) -> bool {
        matches!(
            self,
            Self::Update
                | Self::Flush
                | Self::Forget
                | Self::Create
                | Self::Suspend
                | Self::Resume
                | Self::SuspendAll
                | Self::ResumeAll
                | Self::EndOfBatch
                | Self::Quit
        )
    }

    /// Whether it may stand outside a batch.
    #[must_use]
    pub fn is_for_clients(self) -> bool {
        !matches!(self, Self::Wrote | Self::EndOfBatch)
    }
}

#[cfg(test)]
mod tests {
    use super::{Command, TABLE};

    #[test]
    fn names_are_found_in_either_case() {
        for entry in TABLE {
            assert_eq!(Command::find(entry.name.as_bytes()), Some(entry.command));
            let lower = entry.name.to_ascii_lowercase();
            assert_eq!(Command::find(lower.as_bytes()), Some(entry.command));
            assert_eq!(entry.command.entry().name, entry.name);
        }
        for name in ["", "UPDATES", "FLUS", "\u{fb02}ush"] {
            assert_eq!(Command::find(name.as_bytes()), None);
        }
    }
}
