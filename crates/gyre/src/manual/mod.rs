//! `gyre manual`: the man pages, shown or written. They are made from the tables that options are
//! read by, and from the documents below docs/.

mod documents;
mod edition;
mod pages;
mod show;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ::manual::Page;
use options::{CommandLine, Misuse, checked, option, switch, texts};
use rrdtool::system_words;

use crate::command_line::{Unprinted, answer, ended, understood};
use crate::verb::Verb;
use edition::EDITION;
use pages::Manual;

const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre manual [OPTIONS] [PAGE]",
    summary: "Shows a page of the manual: that of a verb, such as `run`, or of another subject, \
              such as `boards`; without a name, the page of gyre, which names all verbs. On a \
              terminal man(1) shows it, elsewhere its source is printed.",
    options: &[
        switch("-l --list", "list all pages, with a line about each", |it| it.list = true),
        checked(
            "--format",
            "man|markdown",
            "what is printed or written: pages for man(1), and so without this option, or Markdown",
            |it, value| {
                let names = [("man", Format::Man), ("markdown", Format::Markdown)];
                it.format = Some(value.one_of(&names)?.1);
                Ok(())
            },
        ),
        option(
            "-o --out",
            "DIRECTORY",
            "write all pages below this directory, where man(1) looks for them: man1/gyre-run.1 and \
             so on; Markdown lies side by side",
            |it, value| it.out = Some(value.path()),
        ),
    ],
    notes: "\
examples:
  gyre manual run
  gyre manual --list
  gyre manual --out /usr/local/share/man
",
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Man,
    Markdown,
}

#[derive(Default)]
struct Wanted {
    list: bool,
    format: Option<Format>,
    out: Option<PathBuf>,
    page: Option<String>,
}

/// Why a page is not shown or written.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("there is no page {0}; `gyre manual --list` names all")]
    NoPage(String),
    #[error("{}: {}", path.display(), system_words(source))]
    Unwritten { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
}

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described()]
}

/// `gyre manual …`: the manual of these verbs.
pub(crate) fn main(words: Vec<OsString>, verbs: impl Iterator<Item = &'static Verb>) -> ExitCode {
    match understood(&LINE, parse(words)) {
        Ok(wanted) => ended(&LINE, perform(&wanted, &Manual::of(verbs))),
        Err(code) => code,
    }
}

fn parse(words: Vec<OsString>) -> Result<Option<Wanted>, Misuse> {
    let Some((mut wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    let mut operands = texts(operands)?.into_iter();
    wanted.page = operands.next();
    if operands.next().is_some() {
        return Err(Misuse::operands("one PAGE"));
    }
    if wanted.page.is_some() && (wanted.out.is_some() || wanted.list) {
        return Err(Misuse::unfit("--out and --list are about all pages: they take no PAGE"));
    }
    Ok(Some(wanted))
}

fn perform(wanted: &Wanted, manual: &Manual) -> Result<(), Error> {
    if let Some(directory) = &wanted.out {
        let format = wanted.format.unwrap_or(Format::Man);
        return manual.pages.iter().try_for_each(|page| write(directory, manual, page, format));
    }
    if wanted.list {
        let line = |page: &Page| {
            let name = format!("{}({})", page.target.name, page.target.section);
            format!("{name:<24} {}\n", page.brief)
        };
        return Ok(answer(&manual.pages.iter().map(line).collect::<String>())?);
    }
    let name = wanted.page.as_deref().unwrap_or("gyre");
    let page = manual.find(name).ok_or_else(|| Error::NoPage(name.to_owned()))?;
    match wanted.format {
        None => show::show(page, &text(manual, page, Format::Man))?,
        Some(format) => answer(&text(manual, page, format))?,
    }
    Ok(())
}

fn text(manual: &Manual, page: &Page, format: Format) -> String {
    match format {
        Format::Man => page.roff(&EDITION, &manual.links),
        Format::Markdown => page.markdown(),
    }
}

fn write(directory: &Path, manual: &Manual, page: &Page, format: Format) -> Result<(), Error> {
    let path = match format {
        Format::Man => {
            let section = directory.join(format!("man{}", page.target.section));
            section.join(page.file_name())
        }
        Format::Markdown => directory.join(page.file_name() + ".md"),
    };
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = made.and_then(|()| fs::write(&path, text(manual, page, format)));
    written.map_err(|source| Error::Unwritten { path, source })
}
