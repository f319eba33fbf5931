//! The files of a trace, and where their pages lie among all.

/// The pages of all files of a trace are fewer than this.
pub const PAGES_MAX: u32 = 1 << 30;

/// Files of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileGroup {
    /// How many.
    pub files: u32,
    /// Pages of each that hold its data; they come first.
    pub data_pages: u32,
    /// Pages of each behind them: its inode, its indirect blocks.
    pub metadata_pages: u32,
}

/// Files by number, group by group, their pages side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    groups: Vec<FileGroup>,
    /// Behind each group: the files and pages up to there.
    ends: Vec<(u32, u32)>,
}

/// Where a file lies among all pages.
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
    /// Adds files behind the others; `false`, and nothing is added, if they have no page or all
    /// together [`PAGES_MAX`] or more.
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

    /// How many files there are.
    #[must_use]
    pub fn files(&self) -> u32 {
        self.ends.last().map_or(0, |(files, _)| *files)
    }

    /// Pages of all files.
    #[must_use]
    pub fn pages(&self) -> u32 {
        self.ends.last().map_or(0, |(_, pages)| *pages)
    }

    /// Where a file lies; `None` if there is no such file.
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
