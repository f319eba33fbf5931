//! A line as a request.

use super::create::CreateRequest;
use super::operand::{any_base, number, path};
use super::{Command, Words, Wrong};

/// A line, taken apart as far as its command. Whether this client may give the command, and here,
/// is decided before the rest is looked at.
#[derive(Debug)]
pub struct Spoken<'a> {
    /// The command.
    pub command: Command,
    /// Its name as it was written.
    pub name: &'a [u8],
    /// The words behind it.
    pub words: Words<'a>,
}

impl<'a> Spoken<'a> {
    /// Looks at a line without its end.
    ///
    /// # Errors
    /// The first word, which is no command.
    pub fn read(line: &'a mut [u8]) -> Result<Self, &'a [u8]> {
        let mut words = Words::of(line);
        let name = words.next().unwrap_or_default();
        let command = Command::find(name).ok_or(name)?;
        Ok(Self { command, name, words })
    }
}

/// A request. Paths are as they were written: relative ones lie below the base directory.
#[derive(Debug)]
pub enum Request<'a> {
    /// UPDATE. The values come word by word.
    Update {
        /// The database.
        path: &'a [u8],
        /// The samples; an empty word is one, which is refused.
        values: Words<'a>,
    },
    /// FLUSH.
    Flush(&'a [u8]),
    /// FLUSHALL.
    FlushAll,
    /// PENDING.
    Pending(&'a [u8]),
    /// FORGET.
    Forget(&'a [u8]),
    /// QUEUE.
    Queue,
    /// STATS.
    Stats,
    /// HELP; `None` asks for the list.
    Help(Option<Command>),
    /// PING.
    Ping,
    /// WROTE.
    Wrote,
    /// BATCH.
    Batch,
    /// A dot.
    EndOfBatch,
    /// FETCH and FETCHBIN.
    Fetch(FetchRequest<'a>),
    /// INFO.
    Info(&'a [u8]),
    /// FIRST, with the number of the archive.
    First(&'a [u8], i64),
    /// LAST.
    Last(&'a [u8]),
    /// CREATE.
    Create(CreateRequest<'a>),
    /// LIST.
    List {
        /// Whether directories below are looked into.
        is_recursive: bool,
        /// Where, below the base directory.
        path: &'a [u8],
    },
    /// SUSPEND.
    Suspend(&'a [u8]),
    /// RESUME.
    Resume(&'a [u8]),
    /// SUSPENDALL.
    SuspendAll,
    /// RESUMEALL.
    ResumeAll,
    /// TUNE, with the words that `rrdtool tune` would have behind the file.
    Tune(&'a [u8], Vec<&'a [u8]>),
    /// DUMP, with the words behind the file.
    Dump(&'a [u8], Vec<&'a [u8]>),
    /// CALL.
    Call {
        /// What it asks for.
        kind: &'a [u8],
        /// How many bytes of it follow the line.
        size_bytes: u64,
    },
    /// AUTH, with the token.
    Auth(&'a [u8]),
    /// QUIT.
    Quit,
}

impl<'a> Request<'a> {
    /// Takes the words of a command apart.
    ///
    /// # Errors
    /// [`Wrong`].
    pub fn read(spoken: Spoken<'a>) -> Result<Self, Wrong> {
        let Spoken { command, mut words, .. } = spoken;
        let first = words.next();
        if let Some(word) = first.filter(|_| command.takes_path()) {
            path(word)?;
        }
        match (Self::without_words(command), command, first) {
            (Some(request), ..) => Ok(request),
            (None, Command::Help, topic) => Ok(Self::Help(topic.and_then(Command::find))),
            (None, _, None) => Err(Wrong::Usage(command)),
            (None, _, Some(first)) => Self::with_words(command, first, words),
        }
    }

    /// The request of a command that takes no words.
    fn without_words(command: Command) -> Option<Self> {
        Some(match command {
            Command::FlushAll => Self::FlushAll,
            Command::Queue => Self::Queue,
            Command::Stats => Self::Stats,
            Command::Ping => Self::Ping,
            Command::Wrote => Self::Wrote,
            Command::Batch => Self::Batch,
            Command::EndOfBatch => Self::EndOfBatch,
            Command::SuspendAll => Self::SuspendAll,
            Command::ResumeAll => Self::ResumeAll,
            Command::Quit => Self::Quit,
            _ => return None,
        })
    }

    /// The request of a command that takes a path, or another word, and more words behind it.
    fn with_words(command: Command, first: &'a [u8], mut words: Words<'a>) -> Result<Self, Wrong> {
        let usage = Wrong::Usage(command);
        Ok(match command {
            Command::Update => Self::Update { path: first, values: words },
            Command::Flush => Self::Flush(first),
            Command::Pending => Self::Pending(first),
            Command::Forget => Self::Forget(first),
            Command::Info => Self::Info(first),
            Command::Last => Self::Last(first),
            Command::Suspend => Self::Suspend(first),
            Command::Resume => Self::Resume(first),
            Command::Auth => Self::Auth(first),
            Command::Dump => Self::Dump(first, words.collect()),
            Command::Tune => Self::Tune(first, tuning(words)?),
            Command::First => Self::First(first, number(words.next().ok_or(usage)?).unwrap_or(0)),
            Command::Create => Self::Create(CreateRequest::read(first, words)?),
            Command::List => Self::list(first, words)?,
            Command::Call => {
                let size_bytes = words.next().and_then(size).ok_or(usage)?;
                Self::Call { kind: first, size_bytes }
            }
            Command::Fetch | Command::FetchBin => {
                let is_binary = command == Command::FetchBin;
                Self::Fetch(FetchRequest::read(first, is_binary, words).ok_or(usage)?)
            }
            _ => return Err(usage),
        })
    }

    /// rrdcached wants a slash before a path, but not before one behind RECURSIVE.
    fn list(word: &'a [u8], mut words: Words<'a>) -> Result<Self, Wrong> {
        let usage = Wrong::Usage(Command::List);
        match word {
            b"RECURSIVE" => {
                Ok(Self::List { is_recursive: true, path: path(words.next().ok_or(usage)?)? })
            }
            path if path.starts_with(b"/") => Ok(Self::List { is_recursive: false, path }),
            _ => Err(usage),
        }
    }
}

/// A number of bytes, and nothing else.
fn size(word: &[u8]) -> Option<u64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// The words for `rrdtool tune`. rrdtool's client sends their number first, and as the first of
/// them the name of the verb.
fn tuning(words: Words<'_>) -> Result<Vec<&[u8]>, Wrong> {
    let mut words: Vec<&[u8]> = words.collect();
    let first = words.first().copied().unwrap_or_default();
    if first.is_empty() || !first.iter().all(u8::is_ascii_digit) {
        return Ok(words);
    }
    let count = number(first).and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
    if count == 0 || words.len().checked_sub(1) != Some(count) {
        return Err(Wrong::Count(count));
    }
    words.drain(..2);
    Ok(words)
}

/// FETCH and FETCHBIN.
#[derive(Debug)]
pub struct FetchRequest<'a> {
    /// Whether rows are wanted as doubles.
    pub is_binary: bool,
    /// The database.
    pub path: &'a [u8],
    /// The consolidation function.
    pub cf: &'a [u8],
    /// The start as it was written.
    pub start: Option<&'a [u8]>,
    /// The end as it was written.
    pub end: Option<&'a [u8]>,
    /// The sources wanted; all of them where there are none.
    pub columns: Vec<&'a [u8]>,
}

impl<'a> FetchRequest<'a> {
    fn read(path: &'a [u8], is_binary: bool, mut words: Words<'a>) -> Option<Self> {
        let cf = words.next()?;
        let (start, end) = (words.next(), words.next());
        let columns = words.filter(|column| !column.is_empty()).collect();
        Some(Self { is_binary, path, cf, start, end, columns })
    }

    /// Start and end in seconds since 1970; what is not positive counts from now, what is missing
    /// is the day before now.
    ///
    /// # Errors
    /// One of the two is no number.
    pub fn times(&self, now_seconds: i64) -> Result<(i64, i64), NoTime> {
        let time = |which, text: Option<&[u8]>, default: i64| match text {
            None => Ok(now_seconds + default),
            Some(text) => match any_base(text) {
                Some(seconds) if seconds > 0 => Ok(seconds),
                Some(seconds) => Ok(now_seconds.saturating_add(seconds)),
                None => Err(NoTime { which, text: String::from_utf8_lossy(text).into_owned() }),
            },
        };
        Ok((time("start", self.start, -DAY_SECONDS)?, time("end", self.end, 0)?))
    }
}

/// A time that is no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Cannot parse {which} time `{text}': Only simple integers are allowed.")]
pub struct NoTime {
    /// `start` or `end`.
    which: &'static str,
    /// What was written.
    text: String,
}

const DAY_SECONDS: i64 = 86_400;

#[cfg(test)]
mod tests {
    use super::{Request, Spoken, Wrong};

    fn read<T>(line: &str, look: impl FnOnce(Result<Request<'_>, Wrong>) -> T) -> T {
        let mut line = line.as_bytes().to_vec();
        let spoken = Spoken::read(&mut line).map_err(<[u8]>::to_vec).unwrap();
        look(Request::read(spoken))
    }

    fn words_of(line: &str) -> String {
        read(line, |request| request.map_or_else(|wrong| wrong.to_string(), |_| "taken".into()))
    }

    #[test]
    fn what_is_missing_is_told_by_the_usage() {
        assert_eq!(words_of("flush"), "Usage: FLUSH <filename>");
        assert_eq!(words_of("FIRST a"), "Usage: FIRST <filename> <rra index>");
        assert_eq!(words_of("LIST a"), "Usage: LIST [RECURSIVE] /[<path>]");
        assert_eq!(words_of("LIST recursive /"), "Usage: LIST [RECURSIVE] /[<path>]");
        assert_eq!(words_of("LIST RECURSIVE a"), "taken");
        assert_eq!(words_of("PING a b c"), "taken");
        for line in ["CALL", "CALL INFO", "CALL INFO x", "CALL INFO -1", "CALL INFO 5x"] {
            assert_eq!(words_of(line), "Usage: CALL <kind> <bytes>", "{line}");
        }
        assert_eq!(words_of("CALL any 5"), "taken");
    }

    #[test]
    fn a_path_is_no_longer_than_paths_are() {
        let long = "a/".repeat(2048);
        let words = "The path has 4096 bytes, expected 4095 at most.";
        for before in [
            "UPDATE",
            "FLUSH",
            "PENDING",
            "FORGET",
            "FETCH",
            "FETCHBIN",
            "INFO",
            "FIRST",
            "LAST",
            "CREATE",
            "LIST RECURSIVE",
            "SUSPEND",
            "RESUME",
            "TUNE",
            "DUMP",
            "CREATE a -r",
            "CREATE a -t",
        ] {
            assert_eq!(words_of(&format!("{before} {long} AVERAGE")), words, "{before}");
            let longest = &long[1..];
            assert_eq!(words_of(&format!("{before} {longest} DS:a")), "taken", "{before}");
        }
        assert_eq!(words_of(&format!("LIST /{}", &long[1..])), words);
        assert_eq!(words_of(&format!("HELP {long}")), "taken");
        assert_eq!(words_of(&format!("PING {long}")), "taken");
    }

    #[test]
    fn times_are_integers_of_any_base() {
        let times = |line: &str| {
            read(line, |request| match request {
                Ok(Request::Fetch(fetch)) => fetch.times(1_000_000),
                other => panic!("{other:?}"),
            })
        };
        assert_eq!(times("FETCH a AVERAGE"), Ok((913_600, 1_000_000)));
        assert_eq!(times("FETCH a AVERAGE 0x10 020"), Ok((16, 16)));
        assert_eq!(times("FETCH a AVERAGE -200 0"), Ok((999_800, 1_000_000)));
        assert_eq!(times("FETCH a AVERAGE 5x 6y"), Ok((5, 6)));
        let refused = "Cannot parse end time `now': Only simple integers are allowed.";
        assert_eq!(times("FETCH a AVERAGE 5 now").unwrap_err().to_string(), refused);
        assert!(times("FETCH a AVERAGE 99999999999999999999").is_err());
    }

    #[test]
    fn tuning_goes_with_and_without_its_count() {
        let tuning = |line: &str| {
            read(line, |request| match request {
                Ok(Request::Tune(_, words)) => Ok(words.concat()),
                Err(wrong) => Err(wrong),
                other => panic!("{other:?}"),
            })
        };
        assert_eq!(tuning("TUNE a 3 tune -h x:60"), Ok(b"-hx:60".to_vec()));
        assert_eq!(tuning("TUNE a -h x:60"), Ok(b"-hx:60".to_vec()));
        assert_eq!(tuning("TUNE a 4 tune -h x:60"), Err(Wrong::Count(4)));
        assert_eq!(tuning("TUNE a 0"), Err(Wrong::Count(0)));
        assert_eq!(tuning("TUNE a"), Ok(Vec::new()));
    }
}
