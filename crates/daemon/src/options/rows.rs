//! Every option: what it is called, takes and sets. The help reads the same rows.

use ::options::getopt::Row;
use ::options::{checked, joined, option, switch};

use super::{Refused, Settings, value};

/// rrdcached's options first, then gyre's.
pub(super) const fn rows<'a>() -> [Row<'a, Settings, Refused>; 45] {
    joined(&[
        &sockets(),
        &paths(),
        &writing(),
        &journal(),
        &process(),
        &ring_store(),
        &safety(),
        &limits(),
        &tables(),
        &pages(),
        &clients(),
    ])
}

/// Where clients come in, and what they may ask for.
const fn sockets<'a>() -> [Row<'a, Settings, Refused>; 5] {
    [
        checked(
            "-l --listen",
            "ADDRESS",
            "Listen here: unix:PATH, /PATH, HOST, HOST:PORT, [HOST]:PORT, :PORT, or any of the last four \
         behind tls: (encrypted). May be given several \
         times; unix:/tmp/rrdcached.sock if it is not, nor -L, and systemd hands no socket over. The \
         port is 42217. A port that other machines reach needs --tokens, or --insecure.",
            |it, text| {
                it.sockets.listen(text)?;
                Ok(())
            },
        ),
        switch("-L --listen-all", "Listen on port 42217 of every interface.", |it| {
            it.sockets.listen_everywhere()
        }),
        option(
            "-s --socket-group",
            "GROUP",
            "The group, by name or number, of the Unix sockets of the -l that follow; they get mode 0760 \
         unless -m says otherwise.",
            |it, text| it.sockets.set_group(text),
        ),
        checked(
            "-m --socket-mode",
            "MODE",
            "The mode, in octal, of the Unix sockets of the -l that follow.",
            |it, text| {
                it.sockets.set_mode(text)?;
                Ok(())
            },
        ),
        checked(
            "-P --permit",
            "COMMAND,...",
            "The commands that the sockets of the -l that follow take, besides HELP and QUIT. Without -l, \
         those of the socket that there is; also of sockets that systemd hands over.",
            |it, text| {
                it.sockets.permit(text)?;
                Ok(())
            },
        ),
    ]
}

/// Where databases lie, and what CREATE may do there.
const fn paths<'a>() -> [Row<'a, Settings, Refused>; 4] {
    [
        option(
            "-b --base",
            "DIRECTORY",
            "Relative paths lie below this directory (/tmp), which must not be reached over a symbolic \
         link. It is made if it is missing.",
            |it, text| it.base = text.into(),
        ),
        switch(
            "-B --only-base",
            "Refuse every path that leads out of the base directory: by itself, by .. or over a link.",
            |it| it.only_base = true,
        ),
        switch(
            "-R --make-directories",
            "CREATE makes directories below the base directory; only with -B.",
            |it| it.makes_directories = true,
        ),
        switch(
            "-O --no-overwrite",
            "CREATE leaves databases alone that are there already.",
            |it| it.keeps_existing = true,
        ),
    ]
}

/// When files are written.
const fn writing<'a>() -> [Row<'a, Settings, Refused>; 4] {
    [
        checked(
            "-w --write-after",
            "TIME",
            "Write a file so long after the first update that it lacks (300); seconds, or with a unit as \
         in 5m.",
            |it, text| {
                it.write_after = value::time(text, "write interval", 2)?;
                Ok(())
            },
        ),
        checked(
            "-z --spread",
            "TIME",
            "Spread this writing over so much more time (0).",
            |it, text| {
                it.spread = value::time_or_none(text, "delay", 2)?;
                Ok(())
            },
        ),
        checked(
            "-f --flush-every",
            "TIME",
            "How often rrdcached looks for files that are no longer updated (3600). Files here are \
         written in time whether or not further updates come.",
            |_, text| value::time(text, "flush interval", 3).map(drop),
        ),
        checked("-t --write-threads", "COUNT", "Threads that write files (4).", |it, text| {
            it.write_threads = value::count(text, "thread count", 1)?;
            Ok(())
        }),
    ]
}

/// What is kept until they are.
const fn journal<'a>() -> [Row<'a, Settings, Refused>; 3] {
    [
        option(
            "-j --journal",
            "DIRECTORY",
            "Keep what is not yet in files in a journal here, and start from it.",
            |it, text| it.journal = Some(text.into()),
        ),
        switch(
            "-F --flush-at-end",
            "Write every file before ending, though there is a journal.",
            |it| it.flushes_at_end = true,
        ),
        checked(
            "-a --allocate",
            "COUNT",
            "Taken, and of no effect: how rrdcached allocates memory.",
            |_, text| value::count(text, "allocation size", 10).map(drop),
        ),
    ]
}

/// The daemon as a process of the system.
const fn process<'a>() -> [Row<'a, Settings, Refused>; 7] {
    [
        switch("-g --foreground", "Stay in the foreground.", |it| it.stays_in_foreground = true),
        option(
            "-p --pid-file",
            "FILE",
            "Where the process's number is told (/var/run/rrdcached.pid).",
            |it, text| it.pid_file = text.into(),
        ),
        option(
            "-U --user",
            "USER",
            "Become this user, by name or number, once the sockets are there.",
            |it, text| it.user = Some(text.into()),
        ),
        option(
            "-G --group",
            "GROUP",
            "The same for the group; without it, that of the user.",
            |it, text| it.group = Some(text.into()),
        ),
        option("-o --log", "FILE", "Write messages to this file instead of syslog.", |it, text| {
            it.log = Some(text.into())
        }),
        option(
            "-V --verbosity",
            "LEVEL",
            "The least that is logged, of LOG_EMERG, LOG_ALERT, LOG_CRIT, LOG_ERR, LOG_WARNING, \
         LOG_NOTICE, LOG_INFO, LOG_DEBUG (LOG_ERR).",
            |it, text| it.set_level(text),
        ),
        switch("-h --help", "Print this.", |it| it.asks_for_help = true),
    ]
}

/// The ring store in place of files.
const fn ring_store<'a>() -> [Row<'a, Settings, Refused>; 3] {
    [
        option(
            "--store",
            "DIRECTORY",
            "Serve the ring store of this directory, which is made if it is missing, instead of .rrd files. \
         A database's name is its path below the base directory.",
            |it, text| it.store = Some(text.into()),
        ),
        switch(
            "--sparse",
            "Of a ring store: take disk space as rows are written, and not when databases are made, which \
         the store remembers. A full disk can then meet samples that were acknowledged.",
            |it| it.sparse = true,
        ),
        option(
            "--store-group",
            "GROUP",
            "Of a ring store: the group, by name or number, of the socket in its directory, at which other \
         commands reach the store. It gets mode 0760.",
            |it, text| it.store_group = Some(text.into()),
        ),
    ]
}

/// What an acknowledgement means.
const fn safety<'a>() -> [Row<'a, Settings, Refused>; 2] {
    [
        checked(
            "--sync",
            "always|TIME|off",
            "When an update is acknowledged: once it is on disk (always, and so without this option), or \
         at once, and is on disk so much later, which a power cut may take; off leaves that to the \
         kernel. No end of the process loses anything.",
            |it, text| {
                it.sync = value::sync(text)?;
                Ok(())
            },
        ),
        checked(
            "--journal-size",
            "SIZE",
            "What the journal of -j takes on disk at most, as in 512M (4G). Where it is full, since files \
         cannot be written, updates are refused and say so.",
            |it, text| {
                it.journal_bytes_max = value::journal_bytes(text)?;
                Ok(())
            },
        ),
    ]
}

/// What clients and files may take.
const fn limits<'a>() -> [Row<'a, Settings, Refused>; 3] {
    [
        checked(
            "--open-files",
            "COUNT",
            "Files that stay open between updates (4096).",
            |it, text| {
                it.open_files = value::count(text, "number of open files", 1)?;
                Ok(())
            },
        ),
        checked(
            "--clients",
            "COUNT",
            "Connections at the same time; more are told so, and closed (4096).",
            |it, text| {
                it.clients = value::count(text, "number of clients", 1)?;
                Ok(())
            },
        ),
        checked(
            "--patience",
            "TIME",
            "How long a client may leave a line unfinished, or replies unread (60).",
            |it, text| {
                it.patience = value::time(text, "patience", 2)?;
                Ok(())
            },
        ),
    ]
}

/// Where final rows go as well.
const fn tables<'a>() -> [Row<'a, Settings, Refused>; 1] {
    [option(
        "--sql",
        "FILE",
        "Feed the tables that `gyre sql create` made in this SQLite database, or in the server that \
         this .toml file names; names in tables are what stands behind the base directory.",
        |it, text| it.sql = Some(text.into()),
    )]
}

/// Who may ask.
const fn clients<'a>() -> [Row<'a, Settings, Refused>; 7] {
    [
        option(
            "--tokens",
            "FILE",
            "Serve those alone who show a token of this file, which `gyre token new` fills: over TCP by \
         AUTH TOKEN, at the web pages as a password. Sockets of the file system ask for none. SIGHUP \
         then reads the file again.",
            |it, text| it.tokens = Some(text.into()),
        ),
        option(
            "--tls-cert",
            "FILE",
            "The certificate, in PEM, of the sockets `-l tls:HOST:PORT` and of the web pages, which are \
         https:// then. SIGHUP reads it and its key again.",
            |it, text| it.tls_certificate = Some(text.into()),
        ),
        option("--tls-key", "FILE", "The key of the certificate, in PEM.", |it, text| {
            it.tls_key = Some(text.into());
        }),
        option(
            "--tls-client-ca",
            "FILE",
            "Encrypt for those alone who have a certificate of one of these authorities. With --tokens, \
         a line NAME ROLE cert says what the one for host NAME may.",
            |it, text| it.tls_client_authorities = Some(text.into()),
        ),
        option(
            "--proxy-users",
            "HEADER",
            "Believe a proxy that says in this header who asks for web pages. With --tokens, a line NAME \
         ROLE proxy says what that user may.",
            |it, text| it.proxy_header = Some(text.into()),
        ),
        checked(
            "--proxy-from",
            "ADDRESS,...",
            "Where these proxies are; the header of others is passed over.",
            |it, text| {
                it.proxy_addresses = value::proxy_addresses(text)?;
                Ok(())
            },
        ),
        switch(
            "--insecure",
            "Listen where other machines reach the daemon though nobody is asked for a token, or take \
         tokens there in the clear.",
            |it| it.is_insecure = true,
        ),
    ]
}

/// Web pages.
const fn pages<'a>() -> [Row<'a, Settings, Refused>; 6] {
    [
        checked(
            "--web",
            "ADDRESS:PORT",
            "Show web pages over the databases here: a directory a page, and a database with a graph of each \
         of its data sources. They are read only; -P does not hold for them.",
            |it, text| {
                it.web = Some(value::web_address(text)?);
                Ok(())
            },
        ),
        checked(
            "--allow-host",
            "NAME",
            "Answer requests for web pages under this name too; may be given several times. Without it they \
         are answered under addresses in numbers, localhost and the name of this machine. * is every \
         name.",
            |it, text| {
                it.allowed_hosts.push(value::host_name(text)?);
                Ok(())
            },
        ),
        option(
            "--series",
            "FILE",
            "Rules that name the series of databases for query languages: their labels and paths \
             (docs/query.md).",
            |it, text| it.series = Some(text.into()),
        ),
        option(
            "--boards",
            "DIRECTORY",
            "Show the boards of this directory on web pages: each NAME.toml is one; boards composed \
             on a page are kept there (docs/boards.md).",
            |it, text| it.boards = Some(text.into()),
        ),
        option(
            "--intake",
            "FILE",
            "Take samples of agents as this file says: Graphite, Influx, Prometheus' remote write, \
             collectd, StatsD (docs/intake.md).",
            |it, text| it.intake = Some(text.into()),
        ),
        option(
            "--request-log",
            "FILE",
            "Append a line of JSON for each request for web pages and data: who asked for what, and how it \
         was answered; - is standard output. SIGHUP then opens the file anew.",
            |it, text| it.request_log = Some(text.into()),
        ),
    ]
}
