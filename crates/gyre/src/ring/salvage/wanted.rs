//! The words of `gyre store salvage`.

use std::path::{Path, PathBuf};

use options::{CommandLine, option, switch};
use rrdtool::Failure;

pub(in crate::ring) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre store salvage [OPTIONS] STORE|JOURNAL",
    summary: "Say what a damaged store or journal would lose to open again; with --yes, do it.",
    options: &[
        switch("--yes", "write: give up what is named, and leave what opens", |it| it.yes = true),
        option(
            "--aside",
            "DIRECTORY",
            "a new directory for copies of the damaged files (STORE.salvaged-1, -2, ...)",
            |it, value| it.aside = Some(value.path()),
        ),
        switch("--json", "what was found, as JSON", |it| it.as_json = true),
    ],
    notes: "",
};

/// The values of the options.
#[derive(Default)]
pub(in crate::ring) struct Wanted {
    pub(super) yes: bool,
    pub(super) as_json: bool,
    pub(super) aside: Option<PathBuf>,
    pub(super) root: String,
}

impl Wanted {
    /// The directory for copies of the damaged files.
    pub(super) fn place_of(&self, root: &Path) -> PathBuf {
        self.aside.clone().unwrap_or_else(|| free_place(root))
    }
}

pub(super) fn nothing_written(root: &str) -> Failure {
    Failure::misuse(format!("{root}: nothing was written; --yes does it"))
}

/// The first unused directory name beside the store.
fn free_place(root: &Path) -> PathBuf {
    let beside = |nth: u32| {
        let mut name = root.file_name().unwrap_or_default().to_owned();
        name.push(format!(".salvaged-{nth}"));
        root.with_file_name(name)
    };
    (1..).map(beside).find(|place| !place.exists()).expect("numbers do not end")
}
