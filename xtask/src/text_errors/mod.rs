//! Errors of the product are values, which the program's last door puts into words. This finds where
//! a source still makes text of one, or takes the text apart.

mod tokens;
mod find;
mod allowed;

use std::fs;
use std::path::PathBuf;

use crate::sources;
use allowed::ALLOWED;
use find::{Found, find, names_of_string};
use tokens::{tokens, without_tests};

/// The text of a file.
struct Source {
    path: PathBuf,
    text: String,
}

/// Everything that the sources of the product differ in from the list of files that may still have
/// errors in words, one sentence each; and how many files were read.
pub(crate) fn violations() -> Result<(Vec<String>, usize), String> {
    let mut of_crates = Vec::new();
    for name in sources::product() {
        let paths = sources::of_crate(name)?;
        let read = paths.into_iter().map(|path| {
            let text = fs::read_to_string(&path);
            let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
            Ok::<_, String>(Source { path, text })
        });
        of_crates.push(read.collect::<Result<Vec<_>, _>>()?);
    }
    let files = of_crates.iter().map(Vec::len).sum();
    let found: Vec<_> = of_crates.iter().flat_map(|of_crate| in_crate(of_crate)).collect();
    Ok((judge(&found, ALLOWED), files))
}

/// The files of a crate in which something is found, and what it is.
fn in_crate(sources: &[Source]) -> Vec<(String, Vec<Found>)> {
    let of_files: Vec<_> = sources.iter().map(|it| without_tests(&tokens(&it.text))).collect();
    let names: Vec<&str> = of_files.iter().flat_map(|it| names_of_string(it)).collect();
    let found = sources.iter().zip(&of_files).map(|(source, tokens)| {
        let path = source.path.display().to_string();
        (path, find(tokens, &names))
    });
    found.filter(|(_, found)| !found.is_empty()).collect()
}

/// What is found in files that are not allowed it, and the allowed ones in which nothing is found: the
/// list is to shrink.
fn judge(found: &[(String, Vec<Found>)], allowed: &[&str]) -> Vec<String> {
    let refused = found.iter().filter(|(path, _)| !allowed.contains(&path.as_str()));
    let refused = refused.flat_map(|(path, found)| {
        found.iter().map(move |it| format!("{path}:{}: {}", it.line, it.what))
    });
    let idle = allowed.iter().filter(|path| !found.iter().any(|(found, _)| found == *path));
    let idle = idle.map(|path| {
        format!("{path}: its errors are values, take it off the list of allowed files")
    });
    refused.chain(idle).collect()
}

#[cfg(test)]
mod tests {
    use super::{Source, in_crate, judge};

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.into(), text: text.into() }
    }

    #[test]
    fn a_name_for_string_is_known_in_the_whole_crate() {
        let sources = [
            source("a.rs", "pub type Failure = String;"),
            source("b.rs", "use crate::Failure;\nfn f() -> Result<(), Failure>;"),
        ];
        let found = in_crate(&sources);
        assert_eq!(judge(&found, &[]), ["b.rs:2: a Result whose error is a String"]);
        assert!(in_crate(&sources[1..]).is_empty());
    }

    #[test]
    fn the_list_holds_what_is_needed_and_nothing_else() {
        let found = in_crate(&[source("a.rs", "fn f() -> Result<(), String>;")]);
        assert!(judge(&found, &["a.rs"]).is_empty());
        assert_eq!(
            judge(&found, &["a.rs", "b.rs"]),
            ["b.rs: its errors are values, take it off the list of allowed files"]
        );
        assert_eq!(judge(&found, &["b.rs"]).len(), 2);
    }
}
