//! Every option: what it is called, takes and does. The parser and the help read this table.

use ::options::OptionRule;

const fn rule(
    short: char,
    long: &'static str,
    value: Option<&'static str>,
    help: &'static str,
) -> OptionRule {
    OptionRule { long, short: Some(short), value, help }
}

const fn own(long: &'static str, value: Option<&'static str>, help: &'static str) -> OptionRule {
    OptionRule { long, short: None, value, help }
}

/// rrdcached's options first, then gyre's.
pub(crate) const TABLE: &[OptionRule] = &[
    rule(
        'l',
        "listen",
        Some("ADDRESS"),
        "Listen here: unix:PATH, /PATH, HOST, HOST:PORT, [HOST]:PORT or :PORT. May be given several \
         times; unix:/tmp/rrdcached.sock if it is not, nor -L, and systemd hands no socket over. The \
         port is 42217. There is no authentication: a network socket needs a firewall, and -P.",
    ),
    rule('L', "listen-all", None, "Listen on port 42217 of every interface."),
    rule(
        's',
        "socket-group",
        Some("GROUP"),
        "The group, by name or number, of the Unix sockets of the -l that follow; they get mode 0760 \
         unless -m says otherwise.",
    ),
    rule(
        'm',
        "socket-mode",
        Some("MODE"),
        "The mode, in octal, of the Unix sockets of the -l that follow.",
    ),
    rule(
        'P',
        "permit",
        Some("COMMAND,..."),
        "The commands that the sockets of the -l that follow take, besides HELP and QUIT. Without -l, \
         those of the socket that there is; also of sockets that systemd hands over.",
    ),
    rule(
        'b',
        "base",
        Some("DIRECTORY"),
        "Relative paths lie below this directory (/tmp), which must not be reached over a symbolic \
         link. It is made if it is missing.",
    ),
    rule(
        'B',
        "only-base",
        None,
        "Refuse every path that leads out of the base directory: by itself, by .. or over a link.",
    ),
    rule(
        'R',
        "make-directories",
        None,
        "CREATE makes directories below the base directory; only with -B.",
    ),
    rule('O', "no-overwrite", None, "CREATE leaves databases alone that are there already."),
    rule(
        'w',
        "write-after",
        Some("TIME"),
        "Write a file so long after the first update that it lacks (300); seconds, or with a unit as \
         in 5m.",
    ),
    rule('z', "spread", Some("TIME"), "Spread this writing over so much more time (0)."),
    rule(
        'f',
        "flush-every",
        Some("TIME"),
        "How often rrdcached looks for files that are no longer updated (3600). Files here are \
         written in time whether or not further updates come.",
    ),
    rule('t', "write-threads", Some("COUNT"), "Threads that write files (4)."),
    rule(
        'j',
        "journal",
        Some("DIRECTORY"),
        "Keep what is not yet in files in a journal here, and start from it.",
    ),
    rule('F', "flush-at-end", None, "Write every file before ending, though there is a journal."),
    rule(
        'a',
        "allocate",
        Some("COUNT"),
        "Taken, and of no effect: how rrdcached allocates memory.",
    ),
    rule('g', "foreground", None, "Stay in the foreground."),
    rule(
        'p',
        "pid-file",
        Some("FILE"),
        "Where the process's number is told (/var/run/rrdcached.pid).",
    ),
    rule(
        'U',
        "user",
        Some("USER"),
        "Become this user, by name or number, once the sockets are there.",
    ),
    rule('G', "group", Some("GROUP"), "The same for the group; without it, that of the user."),
    rule('o', "log", Some("FILE"), "Write messages to this file instead of syslog."),
    rule(
        'V',
        "verbosity",
        Some("LEVEL"),
        "The least that is logged, of LOG_EMERG, LOG_ALERT, LOG_CRIT, LOG_ERR, LOG_WARNING, \
         LOG_NOTICE, LOG_INFO, LOG_DEBUG (LOG_ERR).",
    ),
    rule('h', "help", None, "Print this."),
    own(
        "store",
        Some("DIRECTORY"),
        "Serve the ring store of this directory, which is made if it is missing, instead of .rrd files. \
         A database's name is its path below the base directory.",
    ),
    own(
        "sparse",
        None,
        "Of a ring store: take disk space as rows are written, and not when databases are made, which \
         the store remembers. A full disk can then meet samples that were acknowledged.",
    ),
    own(
        "store-group",
        Some("GROUP"),
        "Of a ring store: the group, by name or number, of the socket in its directory, at which other \
         commands reach the store. It gets mode 0760.",
    ),
    own(
        "sync",
        Some("always|TIME|off"),
        "When an update is acknowledged: once it is on disk (always, and so without this option), or \
         at once, and is on disk so much later, which a power cut may take; off leaves that to the \
         kernel. No end of the process loses anything.",
    ),
    own(
        "journal-size",
        Some("SIZE"),
        "What the journal of -j takes on disk at most, as in 512M (4G). Where it is full, since files \
         cannot be written, updates are refused and say so.",
    ),
    own("open-files", Some("COUNT"), "Files that stay open between updates (4096)."),
    own(
        "clients",
        Some("COUNT"),
        "Connections at the same time; more are told so, and closed (4096).",
    ),
    own(
        "patience",
        Some("TIME"),
        "How long a client may leave a line unfinished, or replies unread (60).",
    ),
    own(
        "web",
        Some("ADDRESS:PORT"),
        "Show web pages over the databases here: a directory a page, and a database with a graph of each \
         of its data sources. They are read only; -P does not hold for them.",
    ),
    own(
        "allow-host",
        Some("NAME"),
        "Answer requests for web pages under this name too; may be given several times. Without it they \
         are answered under addresses in numbers, localhost and the name of this machine. * is every \
         name.",
    ),
];
