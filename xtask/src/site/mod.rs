//! The documentation as a site: pages in HTML with a list of all, a search, pictures. It is made of
//! the documents in the repository and of the manual's pages, and needs no server.

mod contents;
mod documents;
mod render;
mod links;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Outcome;
use documents::Document;

const STYLE: &str = include_str!("style.css");
const SEARCH: &str = include_str!("search.js");

/// Makes the site in a directory; `gyre` is the program, which has the manual.
pub(crate) fn make(root: &Path, out: &Path, gyre: &Path) -> Outcome {
    let mut documents = documents::of_repository(root)?;
    let broken = links::broken(root, &documents);
    if !broken.is_empty() {
        return Err(broken.join("\n"));
    }
    documents.extend(manual(gyre)?);
    let mut index = Vec::new();
    for document in &documents {
        let page = render::page(document, &documents);
        index.extend(page.entries);
        write(&out.join(&document.place), page.html.as_bytes())?;
    }
    let entries = serde_json::to_string(&index).map_err(|error| error.to_string())?;
    write(&out.join("search-index.js"), format!("const searchIndex = {entries};\n").as_bytes())?;
    write(&out.join("search.js"), SEARCH.as_bytes())?;
    write(&out.join("style.css"), STYLE.as_bytes())?;
    for picture in links::pictures(&documents) {
        let from = root.join(&picture);
        let bytes = fs::read(&from).map_err(|error| format!("{}: {error}", from.display()))?;
        write(&out.join(documents::place_of(&picture)), &bytes)?;
    }
    println!("{} pages in {}", documents.len(), out.display());
    Ok(())
}

/// The pages of the manual.
fn manual(gyre: &Path) -> Result<Vec<Document>, String> {
    let directory = std::env::temp_dir().join(format!("gyre-manual-{}", std::process::id()));
    let mut command = Command::new(gyre);
    command.args(["manual", "--format", "markdown", "--out"]).arg(&directory);
    crate::cargo::run(&mut command)?;
    let read = documents::of_manual(&directory);
    let _ = fs::remove_dir_all(&directory); // what is left of it does no harm
    read
}

fn write(path: &PathBuf, bytes: &[u8]) -> Outcome {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::write(path, bytes))
        .map_err(|error| format!("{}: {error}", path.display()))
}
