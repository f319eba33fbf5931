//! Writes the index: a file, or several of many targets.

use std::path::Path;

use mrtg::Target;
use mrtgpages::{Entry, Index, Places};
use rrdtool::Failure;

use super::arguments::{Section, Sort, Wanted};
use super::directory::Directory;
use super::site::Site;

/// The title that indexmaker gives an index.
const TITLE: &str = "MRTG Index Page";

/// Writes the index under a name, and further files of it with a number in theirs. Returns how many
/// files it has.
///
/// # Errors
/// A file cannot be written.
pub(super) fn write(
    site: &Site,
    directory: &Directory,
    name: &str,
    wanted: &Wanted,
) -> Result<usize, Failure> {
    let order = order(site, wanted.sort);
    let parts: Vec<&[u32]> = match order.is_empty() {
        true => vec![&[]],
        false => order.chunks(wanted.per_file).collect(),
    };
    for (nth, part) in parts.iter().enumerate() {
        let previous = nth.checked_sub(1).map(|nth| link(&file_name(name, nth)));
        let next = (nth + 1 < parts.len()).then(|| link(&file_name(name, nth + 1)));
        let index = Index {
            title: wanted.title.as_deref().unwrap_or(TITLE),
            columns: wanted.columns,
            refresh_seconds: site.configuration.globals.refresh.as_secs(),
            version: env!("CARGO_PKG_VERSION"),
            previous: previous.as_deref(),
            next: next.as_deref(),
        };
        let html = html(site, &index, part, wanted);
        directory.write(Path::new(&file_name(name, nth)), html.as_bytes()).map_err(Failure::of)?;
    }
    Ok(parts.len())
}

/// The positions of all targets, in the order of the index.
fn order(site: &Site, sort: Sort) -> Vec<u32> {
    let targets = &site.configuration.targets;
    let mut order: Vec<u32> = (0..targets.len() as u32).collect();
    let at = |position: &u32| &targets[*position as usize];
    match sort {
        Sort::Original => {}
        Sort::Name => order.sort_by(|a, b| at(a).name.cmp(&at(b).name)),
        Sort::Title => order.sort_by_cached_key(|position| at(position).title()),
    }
    order
}

fn html(site: &Site, index: &Index<'_>, part: &[u32], wanted: &Wanted) -> String {
    let mut html = index.before();
    for target in part.iter().map(|position| &site.configuration.targets[*position as usize]) {
        // A target whose names lead out has no page; its own error says so.
        if let Ok(places) = Places::of(target, &site.configuration.globals) {
            html.push_str(&entry(target, &places, wanted).html());
        }
    }
    html + &index.behind()
}

fn entry<'e>(target: &'e Target, places: &'e Places, wanted: &Wanted) -> Entry<'e> {
    let entry = Entry::of(target, places, wanted.show);
    match wanted.section {
        Section::FirstHeading => entry,
        Section::Title => Entry { heading: target.title(), ..entry },
        Section::Name => Entry { heading: target.name.to_string(), ..entry },
    }
}

/// `index.html`, `index-2.html`, `index-3.html`.
fn file_name(name: &str, nth: usize) -> String {
    match (nth, name.rsplit_once('.')) {
        (0, _) => name.to_owned(),
        (nth, Some((stem, extension))) => format!("{stem}-{}.{extension}", nth + 1),
        (nth, None) => format!("{name}-{}", nth + 1),
    }
}

/// A name as a link to the file beside. A colon would end the scheme of a URL.
fn link(name: &str) -> String {
    let escaped = name.replace('%', "%25").replace('?', "%3F").replace('#', "%23");
    format!("./{escaped}")
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn further_files_have_numbers() {
        assert_eq!(file_name("index.html", 0), "index.html");
        assert_eq!(file_name("index.html", 1), "index-2.html");
        assert_eq!(file_name("index", 2), "index-3");
    }
}
