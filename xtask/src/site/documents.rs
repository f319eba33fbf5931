//! The documents: where they are in the repository, and where on the site.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::contents::{GROUPS, MANUAL};

/// A document.
#[derive(Debug)]
pub(super) struct Document {
    /// In which group of the list it is.
    pub(super) group: &'static str,
    /// Its path in the repository.
    pub(super) path: String,
    /// Its path on the site.
    pub(super) place: String,
    pub(super) title: String,
    pub(super) text: String,
}

/// The documents of all groups.
pub(super) fn of_repository(root: &Path) -> Result<Vec<Document>, String> {
    let all = GROUPS.iter().flat_map(|group| group.paths.iter().map(|path| (group.title, *path)));
    all.map(|(group, path)| document(group, path, &root.join(path))).collect()
}

/// The pages that `gyre manual --format markdown` wrote to a directory.
pub(super) fn of_manual(directory: &Path) -> Result<Vec<Document>, String> {
    let entries = fs::read_dir(directory).map_err(|error| error.to_string())?;
    let names: BTreeSet<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".md"))
        .collect();
    // Their links are those of the documents that they are made of, which lie in docs/.
    let read = |name: &String| document(MANUAL, &format!("docs/man/{name}"), &directory.join(name));
    names.iter().map(read).collect()
}

fn document(group: &'static str, path: &str, file: &Path) -> Result<Document, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let first = text.lines().next().unwrap_or_default();
    let title = first.strip_prefix("# ").ok_or_else(|| format!("{path}: expected a title"))?;
    let title = title.to_owned();
    Ok(Document { group, path: path.to_owned(), place: place_of(path), title, text })
}

/// Where a file of the repository is on the site.
pub(super) fn place_of(path: &str) -> String {
    let below = path.strip_prefix("docs/").unwrap_or(path);
    match below {
        "README.md" => "index.html".to_owned(),
        _ => match below.strip_suffix(".md") {
            Some(name) => format!("{}.html", name.to_lowercase()),
            None => below.to_owned(),
        },
    }
}

/// The path in the repository to which a link in a document leads.
pub(super) fn resolved(document: &str, link: &str) -> String {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => _ = parts.pop(),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// What a heading is called in links, as GitHub calls it.
pub(super) fn slug(heading: &str) -> String {
    let letters = heading.trim().chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        letter if letter.is_alphanumeric() => Some(letter),
        _ => None,
    });
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::{place_of, resolved, slug};

    #[test]
    fn places_are_below_the_site() {
        assert_eq!(place_of("README.md"), "index.html");
        assert_eq!(place_of("docs/bench/README.md"), "bench/readme.html");
        assert_eq!(place_of("docs/images/a.png"), "images/a.png");
        assert_eq!(resolved("docs/inside/a.md", "../../crates/x"), "crates/x");
        assert_eq!(resolved("docs/a.md", "b.md"), "docs/b.md");
        assert_eq!(slug("Alertmanager, and `webhooks`"), "alertmanager-and-webhooks");
    }
}
