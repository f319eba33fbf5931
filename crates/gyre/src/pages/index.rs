//! Writes the index: a file, or several of many targets.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use mrtg::{Period, Target};
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
    let files = files(site, wanted);
    let mut parts = order.chunks(wanted.per_file);
    for nth in 0..files {
        let part = parts.next().unwrap_or_default();
        let previous = nth.checked_sub(1).map(|nth| link(&file_name(name, nth)));
        let next = (nth + 1 < files).then(|| link(&file_name(name, nth + 1)));
        let index = Index {
            title: wanted.title.as_deref().unwrap_or(TITLE),
            columns: wanted.columns,
            refresh_seconds: site.configuration.globals.refresh.as_secs(),
            version: env!("CARGO_PKG_VERSION"),
            previous: previous.as_deref(),
            next: next.as_deref(),
        };
        let html = html(site, directory, &index, part, wanted);
        directory.write(Path::new(&file_name(name, nth)), html.as_bytes()).map_err(Failure::of)?;
    }
    Ok(files)
}

/// How many files the index has.
fn files(site: &Site, wanted: &Wanted) -> usize {
    site.configuration.targets.len().div_ceil(wanted.per_file).max(1)
}

/// The names of the files of the index; none if none is wanted.
pub(super) fn names(site: &Site, wanted: &Wanted) -> HashSet<PathBuf> {
    let name = wanted.index.as_deref();
    let names = name.map(|name| (0..files(site, wanted)).map(|nth| file_name(name, nth).into()));
    names.into_iter().flatten().collect()
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

fn html(
    site: &Site,
    directory: &Directory,
    index: &Index<'_>,
    part: &[u32],
    wanted: &Wanted,
) -> String {
    let mut html = index.before();
    for target in part.iter().map(|position| &site.configuration.targets[*position as usize]) {
        // A target whose names lead out has no page; its own error says so.
        if let Ok(places) = Places::of(target, &site.configuration.globals) {
            let entry = entry(target, &places, wanted);
            let has_page = directory.is_there(&places.page());
            let is_drawn = |period: &Period| directory.is_there(&places.picture(*period));
            let picture = entry.picture.filter(is_drawn);
            html.push_str(&Entry { has_page, picture, ..entry }.html());
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
