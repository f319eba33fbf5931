//! The files of a trace, and the positions of their pages.

/// The pages of all files of a trace must be fewer than this.
pub const PAGES_MAX: u32 = 1 << 30;

/// Files of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileGroup {
    /// The number of files.
    pub files: u32,
    /// Pages of data in each file; they come first.
    pub data_pages: u32,
    /// Pages after the data in each file: its inode and indirect blocks.
    pub metadata_pages: u32,
}

/// Files by number, group by group, with consecutive pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    groups: Vec<FileGroup>,
    /// After each group: the number of files and pages up to there.
    ends: Vec<(u32, u32)>,
}

/// The position of a file's pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its group.
    pub group: usize,
    /// Its first page.
    pub first_page: u32,
    /// Its pages of data.
    pub data_pages: u32,
    /// All its pages.
    pub pages: u32,
}

impl Files {
    /// Adds files after the others. Returns `false` without adding them if they have no page, or if
    /// all files together would have [`PAGES_MAX`] pages or more.
    #[must_use]
    pub fn add(&mut self, group: FileGroup) -> bool {
        let pages = group.data_pages.checked_add(group.metadata_pages).filter(|pages| *pages > 0);
        let pages = pages.and_then(|pages| pages.checked_mul(group.files));
        let pages = pages.and_then(|pages| pages.checked_add(self.pages()));
        let Some(pages) = pages.filter(|pages| group.files > 0 && *pages < PAGES_MAX) else {
            return false;
        };
        self.ends.push((self.files() + group.files, pages));
        self.groups.push(group);
        true
    }

    /// The groups.
    #[must_use]
    pub fn groups(&self) -> &[FileGroup] {
        &self.groups
    }

    /// The number of files.
    #[must_use]
    pub fn files(&self) -> u32 {
        self.ends.last().map_or(0, |(files, _)| *files)
    }

    /// The pages of all files.
    #[must_use]
    pub fn pages(&self) -> u32 {
        self.ends.last().map_or(0, |(_, pages)| *pages)
    }

    /// The position of a file's pages; `None` if there is no such file.
    #[must_use]
    pub fn place(&self, file: u32) -> Option<Place> {
        let nth = self.ends.partition_point(|(files, _)| *files <= file);
        let group = self.groups.get(nth)?;
        let (files, first_page) = if nth == 0 { (0, 0) } else { self.ends[nth - 1] };
        let pages = group.data_pages + group.metadata_pages;
        let first_page = first_page + (file - files) * pages;
        Some(Place { group: nth, first_page, data_pages: group.data_pages, pages })
    }
}
