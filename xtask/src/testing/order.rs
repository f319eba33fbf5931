//! The order in which test programs begin.

use super::programs::Program;

/// Those that take longest, which begin first: one that began last would run alone in the end.
const LONGEST: &[&str] = &[
    "gyre/verbs",
    "ring/ring",
    "gyre/run",
    "gyre/as_rrdtool",
    "gyre/as_rrdcached",
    "backup/all",
    "daemon/daemon",
    "sqlclient/all",
    "ring/catalogue",
    "planner/predict",
    "simnet/all",
    "collector/virtual_time",
    "remote/remote",
];

/// Sorts the longest to the front; all others follow in the order of their names.
pub(super) fn sort(programs: &mut [Program]) {
    programs.sort_by_cached_key(|program| {
        let place = LONGEST.iter().position(|name| *name == program.name);
        (place.unwrap_or(LONGEST.len()), program.name.clone())
    });
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{LONGEST, Program, sort};
    use crate::cargo;

    #[test]
    fn the_longest_begin_first() {
        let program = |name: &str| Program {
            name: name.to_owned(),
            executable: PathBuf::new(),
            directory: PathBuf::new(),
            is_of_sources: false,
            skipped: Vec::new(),
        };
        let mut programs = ["rrd/rrd", LONGEST[1], "chance/chance", LONGEST[0]].map(program);
        sort(&mut programs);
        let names = programs.map(|program| program.name);
        assert_eq!(names, [LONGEST[0], LONGEST[1], "chance/chance", "rrd/rrd"]);
    }

    #[test]
    fn the_longest_are_there() {
        for name in LONGEST {
            let (owner, target) = name.split_once('/').expect("a crate and its target");
            let owner = cargo::root().join("crates").join(owner);
            let files = [format!("tests/{target}.rs"), format!("tests/{target}/main.rs")];
            let is_there = files.iter().any(|file| owner.join(file).is_file());
            let is_of_sources = owner.ends_with(target) && owner.join("src").is_dir();
            assert!(is_there || is_of_sources, "{name}");
        }
    }
}
