//! Errors of the product are values; only the program's outermost layer turns them into text. This
//! check finds where a source makes text of an error earlier, or parses the text.

mod find;

use std::fs;
use std::path::PathBuf;

use crate::sources;
use crate::tokens::{tokens, without_tests};
use find::{find, names_of_string};

/// The text of a file.
struct Source {
    path: PathBuf,
    text: String,
}

/// Every place in the product where an error is text, a line each; and the number of files.
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
    let found = of_crates.iter().flat_map(|of_crate| in_crate(of_crate)).collect();
    Ok((found, files))
}

/// The places of a crate.
fn in_crate(sources: &[Source]) -> Vec<String> {
    let of_files: Vec<_> = sources.iter().map(|it| without_tests(&tokens(&it.text))).collect();
    let names: Vec<&str> = of_files.iter().flat_map(|it| names_of_string(it)).collect();
    let found = sources.iter().zip(&of_files).flat_map(|(source, tokens)| {
        let path = source.path.display();
        find(tokens, &names).into_iter().map(move |it| format!("{path}:{}: {}", it.line, it.what))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::{Source, in_crate};

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.into(), text: text.into() }
    }

    #[test]
    fn a_name_for_string_is_known_in_the_whole_crate() {
        let sources = [
            source("a.rs", "pub type Failure = String;"),
            source("b.rs", "use crate::Failure;\nfn f() -> Result<(), Failure>;"),
        ];
        assert_eq!(in_crate(&sources), ["b.rs:2: a Result whose error is a String"]);
        assert!(in_crate(&sources[1..]).is_empty());
    }
}
