//! The command line of `gyre pages`.

use std::ffi::OsString;
use std::path::PathBuf;

use mrtg::Period;
use options::{CommandLine, Misuse, checked, option, switch};

/// Columns of the index, as indexmaker has them.
const COLUMNS: u32 = 2;
/// How many targets a file of the index has.
const TARGETS_PER_FILE: usize = 1000;

pub(super) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre pages [OPTION...] mrtg.cfg DIRECTORY",
    summary: "Write the HTML pages and pictures that MRTG writes for an mrtg.cfg, with the same \
              names, below a directory, and the index that indexmaker makes of them. The values \
              are those of the databases that `gyre run` keeps, also while it runs.",
    options: &[
        option(
            "--store",
            "DIRECTORY",
            "where the databases are, a ring store or .rrd files (where `gyre run mrtg.cfg` keeps \
             them)",
            |it, value| it.store = Some(value.path()),
        ),
        checked("--at", "TIME", "write them as of this time (now)", |it, value| {
            it.at = Some(value.text()?.to_owned());
            Ok(())
        }),
        switch(
            "--only-changed",
            "leave alone a page whose database has not been updated since it was written",
            |it| it.only_changed = true,
        ),
        checked("--every", "SECONDS", "write them again and again, so often", |it, value| {
            it.every_seconds = Some(value.number(1..=86_400)?);
            Ok(())
        }),
        checked("--jobs", "N", "how many pages are made side by side (one a core)", |it, value| {
            it.jobs = Some(value.number(1..=1024)? as usize);
            Ok(())
        }),
        switch("--json", "print the summary as JSON", |it| it.as_json = true),
        checked("--index", "NAME", "write an index of this name, too", |it, value| {
            let name = value.text()?;
            if name.is_empty() || name.starts_with('.') || name.contains('/') {
                return Err(value.wrong("the name of a file in DIRECTORY"));
            }
            it.index = Some(name.to_owned());
            Ok(())
        }),
        checked("--title", "TEXT", "the title of the index", |it, value| {
            it.title = Some(value.text()?.to_owned());
            Ok(())
        }),
        checked("--columns", "N", "columns of the index (2)", |it, value| {
            it.columns = value.number_u32(1..=100)?;
            Ok(())
        }),
        checked(
            "--sort",
            "ORDER",
            "name, title or original: the order of the index",
            |it, value| {
                it.sort = match value.text()? {
                    "original" => Sort::Original,
                    "name" => Sort::Name,
                    "title" => Sort::Title,
                    _ => return Err(value.wrong("name, title or original")),
                };
                Ok(())
            },
        ),
        checked(
            "--show",
            "PICTURE",
            "day, week, month, year or none, in the index",
            |it, value| {
                it.show = match value.text()? {
                    "day" => Some(Period::Day),
                    "week" => Some(Period::Week),
                    "month" => Some(Period::Month),
                    "year" => Some(Period::Year),
                    "none" => None,
                    _ => return Err(value.wrong("day, week, month, year or none")),
                };
                Ok(())
            },
        ),
        checked(
            "--section",
            "HEADING",
            "h1 of PageTop, title or name, in the index",
            |it, value| {
                it.section = match value.text()? {
                    "h1" => Section::FirstHeading,
                    "title" => Section::Title,
                    "name" => Section::Name,
                    _ => return Err(value.wrong("h1, title or name")),
                };
                Ok(())
            },
        ),
        checked("--per-file", "N", "targets in each file of the index (1000)", |it, value| {
            it.per_file = value.number(1..=100_000)? as usize;
            Ok(())
        }),
    ],
    notes: "exit codes: 0 all is written; 1 something is not, and is named; 2 misuse\n",
};

/// The order of targets in the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sort {
    /// That of the configuration.
    #[default]
    Original,
    Name,
    Title,
}

/// What stands above the picture of a target in the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Section {
    /// The first `h1` of `PageTop`, or else the title.
    #[default]
    FirstHeading,
    Title,
    Name,
}

pub(super) struct Wanted {
    pub(super) configuration: PathBuf,
    pub(super) directory: PathBuf,
    pub(super) store: Option<PathBuf>,
    pub(super) at: Option<String>,
    pub(super) only_changed: bool,
    pub(super) every_seconds: Option<u64>,
    pub(super) jobs: Option<usize>,
    pub(super) as_json: bool,
    /// The name of the index; `None` for none.
    pub(super) index: Option<String>,
    pub(super) title: Option<String>,
    pub(super) columns: u32,
    pub(super) sort: Sort,
    pub(super) show: Option<Period>,
    pub(super) section: Section,
    pub(super) per_file: usize,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            configuration: PathBuf::new(),
            directory: PathBuf::new(),
            store: None,
            at: None,
            only_changed: false,
            every_seconds: None,
            jobs: None,
            as_json: false,
            index: None,
            title: None,
            columns: COLUMNS,
            sort: Sort::default(),
            show: Some(Period::Day),
            section: Section::default(),
            per_file: TARGETS_PER_FILE,
        }
    }
}

pub(super) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Wanted>, Misuse> {
    let Some((wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    let [configuration, directory] = &operands[..] else {
        return Err(Misuse::operands("mrtg.cfg and DIRECTORY"));
    };
    if wanted.at.is_some() && wanted.every_seconds.is_some() {
        return Err(Misuse::operands("--at without --every"));
    }
    Ok(Some(Wanted { configuration: configuration.into(), directory: directory.into(), ..wanted }))
}
