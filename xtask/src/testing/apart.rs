//! Tests with browsers and several servers, which the test command leaves to `--full`.

use super::programs::Program;

/// Tests that a part of `--full` runs instead.
pub(crate) struct Apart {
    /// The names of crate and target.
    program: &'static str,
    /// The first words of the tests' names; all of the program without any.
    tests: Option<&'static str>,
    /// The part's name.
    #[cfg_attr(not(test), allow(dead_code, reason = "a test holds that it is there"))]
    pub(crate) part: &'static str,
}

/// All of them.
pub(crate) const APART: &[Apart] = &[
    Apart { program: "server/all", tests: Some("used::"), part: "browser" },
    Apart { program: "feed/feed", tests: None, part: "databases" },
    Apart { program: "sqlseries/sql_series", tests: None, part: "databases" },
    Apart { program: "librrd/consumers", tests: None, part: "consumers" },
    Apart { program: "lab/program", tests: None, part: "lab" },
];

/// Leaves out what runs apart.
pub(super) fn leave_out(programs: &mut Vec<Program>) {
    let runs_apart = |program: &Program| {
        APART.iter().any(|apart| apart.tests.is_none() && apart.program == program.name)
    };
    // The sources' own tests have the same name where a target is called as its crate is.
    programs.retain(|program| program.is_of_sources || !runs_apart(program));
    for program in programs {
        let tests = APART.iter().filter(|apart| apart.program == program.name);
        program.skipped.extend(tests.filter_map(|apart| apart.tests));
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{APART, Program, leave_out};
    use crate::cargo;

    fn program(name: &str, is_of_sources: bool) -> Program {
        Program {
            name: name.to_owned(),
            executable: PathBuf::new(),
            directory: PathBuf::new(),
            is_of_sources,
            skipped: Vec::new(),
        }
    }

    #[test]
    fn the_others_stay() {
        let mut programs = vec![
            program("feed/feed", false),
            program("feed/feed", true),
            program("rrd/all", false),
        ];
        leave_out(&mut programs);
        let names: Vec<&str> = programs.iter().map(|program| &program.name[..]).collect();
        assert_eq!(names, ["feed/feed", "rrd/all"]);
        assert!(programs[0].is_of_sources);
    }

    #[test]
    fn some_tests_of_a_program_are_skipped() {
        let mut programs = vec![program("server/all", false)];
        leave_out(&mut programs);
        assert_eq!(programs[0].skipped, ["used::"]);
    }

    #[test]
    fn they_are_there() {
        for apart in APART {
            let (owner, target) = apart.program.split_once('/').expect("a crate and its target");
            let tests = cargo::root().join("crates").join(owner).join("tests");
            let files = [format!("{target}.rs"), format!("{target}/main.rs")];
            assert!(files.iter().any(|file| tests.join(file).is_file()), "{}", apart.program);
        }
    }
}
