//! Debian's rrdtool, whose updates are measured as well if it is installed.

/// Whether Debian's rrdtool is installed.
pub(crate) fn is_here() -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join("rrdtool").is_file())
}

/// What is not measured if it is missing.
pub(crate) fn missing() -> Vec<String> {
    match is_here() {
        true => Vec::new(),
        false => vec!["rrdtool's own updates: there is no rrdtool here".into()],
    }
}

#[cfg(test)]
mod tests {
    use super::is_here;
    use crate::files::{Clocks, Files};
    use crate::layouts::Layout;
    use crate::updating::{Readings, Updater};
    use crate::ways::RRDTOOL;

    const MIDNIGHT_SECONDS: u64 = 1_767_225_600;

    #[test]
    fn files_are_updated_below_a_name_with_blanks() {
        if !is_here() {
            assert!(std::env::var_os("CI").is_none(), "there is no rrdtool here");
            eprintln!("NOT TESTED, updates by rrdtool: there is none here");
            return;
        }
        let directory = tempfile::Builder::new().prefix("blanks in \"it ").tempdir().unwrap();
        std::fs::create_dir(directory.path().join(Layout::Mrtg.name())).unwrap();
        let mut files = Files {
            directory: directory.path().join(Layout::Mrtg.name()),
            layout: Layout::Mrtg,
            count: 1,
            last_seconds: MIDNIGHT_SECONDS,
            clocks: Clocks::Together,
        };
        let start = rrd::Timestamp::from_seconds(MIDNIGHT_SECONDS as i64);
        files::create(&files.path(0), &Layout::Mrtg.definition(), start, store::Existing::Keep)
            .unwrap();
        files.last_seconds += 300;
        let mut updater = Updater::new(RRDTOOL, &files).unwrap();
        updater.update(&files.path(0), &[Readings::at(&files)]).unwrap();
        let again = updater.update(&files.path(0), &[Readings::at(&files)]).unwrap_err();
        assert!(again.contains("minimum one second step"), "{again}");
    }
}
