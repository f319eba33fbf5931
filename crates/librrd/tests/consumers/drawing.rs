//! Programs in Perl that draw, with a clock that stands still: their pictures' sizes, and all that
//! `graphv` tells of each graph.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::databases::files_below;
use crate::library::{Library, program};
use crate::perl::PERL;

/// Where programs draw, each library's in a place of its own.
pub(crate) struct Studio<'a> {
    pub(crate) library: Library,
    pub(crate) place: &'a Path,
}

/// What a program drew.
pub(crate) struct Drawn {
    /// Width and height of each picture, by its path below the place.
    pub(crate) sizes: BTreeMap<String, (u32, u32)>,
    /// A line for each graph, and one for each of its facts: sizes, times, limits, and all texts of
    /// legends with their values.
    pub(crate) facts: String,
}

impl Studio<'_> {
    /// A Perl program whose clock says `now_seconds` and whose graphs are noted.
    pub(crate) fn watched(&self, now_seconds: u64, script: &str) -> Command {
        let mut command = self.perl();
        let modules = program("Watched.pm").parent().expect("a directory").to_path_buf();
        command.arg("-I").arg(modules).args(["-MWatched", script]);
        command.env("WATCHED_NOW", now_seconds.to_string()).env("WATCHED_LOG", self.log());
        // Else each run goes through a hash in another order.
        command.env("PERL_HASH_SEED", "0").env("PERL_PERTURB_KEYS", "0");
        command
    }

    /// Debian's own interpreter over this library, in this place.
    pub(crate) fn perl(&self) -> Command {
        let mut command = self.library.command(Path::new(PERL));
        command.current_dir(self.place);
        command
    }

    /// Runs one of our scripts to its end.
    pub(crate) fn script(&self, name: &str, arguments: &[&str]) {
        self.library.said(self.perl().arg(program(name)).args(arguments));
    }

    pub(crate) fn drawn(&self) -> Drawn {
        let pictures = files_below(self.place).into_iter();
        let pictures = pictures.filter(|file| file.extension().is_some_and(|it| it == "png"));
        let sizes = pictures.map(|file| (self.inside(&file), size(&file))).collect();
        let facts = fs::read_to_string(self.log()).expect("the program drew");
        Drawn { sizes, facts: self.without_place(&facts) }
    }

    /// A text without the name of this place, which is another one in each run.
    pub(crate) fn without_place(&self, text: &str) -> String {
        text.replace(&self.place.display().to_string(), "PLACE")
    }

    fn log(&self) -> PathBuf {
        self.place.join("watched")
    }

    fn inside(&self, file: &Path) -> String {
        file.strip_prefix(self.place).expect("a file of this place").display().to_string()
    }
}

/// Width and height, as the head of a PNG has them.
fn size(file: &Path) -> (u32, u32) {
    let bytes = fs::read(file).expect("a picture");
    assert_eq!(bytes[1..4], *b"PNG", "{}", file.display());
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    (number(16), number(20))
}
