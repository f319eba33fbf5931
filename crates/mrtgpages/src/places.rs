//! The names of a target's page and pictures, and the links among them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use mrtg::{Globals, Period, Target};

use crate::period::word;

/// Why a target can have no page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacesError {
    /// A file would not lie below the directory.
    #[error("{}: its {key} leads out of the directory of pages", position)]
    LeadsOut {
        /// The target's line in the configuration.
        position: String,
        /// What leads out: `Directory`, `Extension` or `name`.
        key: &'static str,
    },
}

/// Where the files of a target's page are, below the directory of pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// `Directory`, without a slash at its end; it may be empty.
    directory: PathBuf,
    /// `ImageDir`, below `HtmlDir`; empty if pictures lie beside pages.
    images: PathBuf,
    stem: Vec<u8>,
    extension: String,
}

impl Places {
    /// Those of a target. Pictures lie in `ImageDir` where that is below `HtmlDir`, else beside the
    /// page.
    ///
    /// # Errors
    /// The configuration gives a name that leads out of the directory of pages.
    pub fn of(target: &Target, globals: &Globals) -> Result<Self, PlacesError> {
        let leads_out = |key| PlacesError::LeadsOut { position: target.position.to_string(), key };
        let directory = below(Path::new(&*target.settings.directory));
        let directory = directory.ok_or_else(|| leads_out("Directory"))?;
        let page = target.settings.page.as_ref();
        let extension = page.and_then(|page| page.extension.as_deref()).unwrap_or("html");
        if extension.contains('/') {
            return Err(leads_out("Extension"));
        }
        let stem = target.file_stem();
        let is_name = !stem.is_empty() && !stem.contains(&b'/');
        match is_name {
            true => {
                let images = images_below_pages(globals);
                Ok(Self { directory, images, stem, extension: extension.to_owned() })
            }
            false => Err(leads_out("name")),
        }
    }

    /// The page.
    #[must_use]
    pub fn page(&self) -> PathBuf {
        self.directory.join(self.named(&format!(".{}", self.extension)))
    }

    /// A picture.
    #[must_use]
    pub fn picture(&self, period: Period) -> PathBuf {
        self.images.join(&self.directory).join(self.picture_name(period))
    }

    /// The link to a picture from the page.
    #[must_use]
    pub fn picture_from_page(&self, period: Period) -> String {
        let name = self.picture_name(period);
        if self.images.as_os_str().is_empty() {
            return link(Path::new(&name));
        }
        let up = "../".repeat(self.directory.components().count());
        format!("{up}{}", link(&self.picture(period)))
    }

    /// The link to the page from the directory of pages.
    #[must_use]
    pub fn page_link(&self) -> String {
        link(&self.page())
    }

    /// The link to a picture from the directory of pages.
    #[must_use]
    pub fn picture_link(&self, period: Period) -> String {
        link(&self.picture(period))
    }

    fn picture_name(&self, period: Period) -> PathBuf {
        self.named(&format!("-{}.png", word(period)))
    }

    fn named(&self, ending: &str) -> PathBuf {
        let name = [&self.stem[..], ending.as_bytes()].concat();
        OsStr::from_bytes(&name).into()
    }
}

/// A directory that stays below another one, without `.` and doubled slashes. MRTG puts an absolute
/// one below the other, too.
fn below(path: &Path) -> Option<PathBuf> {
    let mut kept = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(part) => kept.push(part),
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir | Component::Prefix(_) => return None,
        }
    }
    Some(kept)
}

fn images_below_pages(globals: &Globals) -> PathBuf {
    let images = globals.image_dir.strip_prefix(&globals.html_dir).ok();
    images.and_then(below).unwrap_or_default()
}

/// A relative path as a URL.
fn link(path: &Path) -> String {
    let mut url = String::new();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' | b'.' | b'/' => {
                url.push(char::from(*byte));
            }
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{below, link};

    #[test]
    fn directories_stay_below() {
        assert_eq!(below(Path::new("/a//b/")), Some(PathBuf::from("a/b")));
        assert_eq!(below(Path::new("./a")), Some(PathBuf::from("a")));
        assert_eq!(below(Path::new("")), Some(PathBuf::new()));
        assert_eq!(below(Path::new("a/../../b")), None);
    }

    #[test]
    fn links_are_urls() {
        assert_eq!(link(Path::new("a b/c#1.html")), "a%20b/c%231.html");
        assert_eq!(link(Path::new("x:y.html")), "x%3Ay.html");
    }
}
