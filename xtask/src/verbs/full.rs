//! Longer searches than in the test command, and tests with several servers.

use std::time::Instant;

use super::{fuzz, torment};
use crate::terminal::heading;
use crate::{Outcome, cargo, commit};

/// A part of the full tests: at most five minutes on two idle cores.
struct Part {
    name: &'static str,
    summary: &'static str,
    work: &'static [Work],
}

/// One command of a part.
enum Work {
    /// `cargo test --workspace` with these words, and with environment variables for a longer
    /// search. The names choose among the programs that the test command made; for `--package`
    /// cargo would compile them again, with the features that one crate alone needs.
    Tests(&'static [&'static str], &'static [(&'static str, &'static str)]),
    /// `cargo xtask torment` with these words.
    Torment(&'static [&'static str]),
    /// `cargo xtask fuzz` with these words.
    Fuzz(&'static [&'static str]),
}

use Work::{Fuzz, Tests, Torment};

const PARTS: &[Part] = &[
    Part {
        name: "arithmetic",
        summary: "numbers, expressions and changes of structure beside rrdtool and printf",
        work: &[
            Tests(&["--test", "cformat_printf"], &[("GYRE_CASES", "200000")]),
            Tests(&["--test", "all", "rpn_oracle::"], &[("GYRE_CASES", "200000")]),
            Tests(&["--test", "structure"], &[("GYRE_CASES", "2000")]),
        ],
    },
    Part {
        name: "graphs",
        summary: "what random graphs tell of their pictures beside rrdtool",
        work: &[Tests(
            &["--test", "as_rrdtool", "rrdtool_graph_random::facts"],
            &[("GYRE_CASES", "300")],
        )],
    },
    Part {
        name: "files",
        summary: "random files, in place and behind a journal, beside rrdtool's",
        work: &[
            Tests(
                &["--test", "all", "--", "against_rrdtool::", "forecasts::", "xml::"],
                &[("GYRE_CASES", "1000")],
            ),
            Tests(&["--test", "cache"], &[("GYRE_CASES", "200")]),
        ],
    },
    Part {
        name: "journal",
        summary: "lives of the log on a machine that fails at every call",
        work: &[
            Tests(&["--test", "journal"], &[("GYRE_SEEDS", "100000")]),
            Tests(&["--test", "cache_kill"], &[("GYRE_CASES", "400")]),
        ],
    },
    Part {
        name: "ring",
        summary: "lives of ring stores on a machine that fails at every call",
        work: &[Tests(
            &["--test", "ring", "--", "--skip=any_call", "--skip=rot::", "--skip=salvage::"],
            &[("GYRE_TIMES", "4")],
        )],
    },
    Part {
        name: "rot",
        summary: "ring stores of which something rots, and what salvage makes of them",
        work: &[Tests(
            &["--test", "ring", "--test", "catalogue", "--", "rot::", "salvage::"],
            &[("GYRE_TIMES", "12")],
        )],
    },
    Part {
        name: "calls",
        summary: "the same machine, which fails at each of a life's calls in turn",
        work: &[Tests(
            &[
                "--test",
                "ring",
                "--test",
                "catalogue",
                "--",
                "any_call",
                "--skip",
                "lone_updates::",
            ],
            &[("GYRE_TIMES", "11")],
        )],
    },
    Part {
        name: "lone-calls",
        summary: "the same between updates that come one by one",
        work: &[Tests(&["--test", "ring", "lone_updates::a_crash"], &[("GYRE_TIMES", "11")])],
    },
    Part {
        name: "sql",
        summary: "510 faults while rows are fed to SQLite, MariaDB and PostgreSQL",
        work: &[Tests(&["--test", "feed", "faults"], &[("GYRE_CASES", "170")])],
    },
    Part {
        name: "stores",
        summary: "all stores beside each other and rrdtool, through files and servers",
        work: &[
            Tests(&["--test", "every_store"], &[("GYRE_CASES", "400")]),
            Tests(&["--test", "verbs", "all_stores::"], &[("GYRE_SEEDS", "6")]),
        ],
    },
    Part {
        name: "daemon",
        summary: "rrdcached's protocol beside Debian's, clients at random, kills",
        work: &[
            Tests(&["--test", "daemon", "random"], &[("GYRE_CASES", "12")]),
            Tests(&["--test", "as_rrdcached", "rrdcached_random::"], &[("GYRE_CASES", "12")]),
            Tests(&["--test", "as_rrdcached", "rrdcached_kill::"], &[("GYRE_CASES", "150")]),
        ],
    },
    Part {
        name: "backup",
        summary: "backups that are killed, and of stores at work",
        work: &[
            Tests(&["--test", "killed"], &[("GYRE_CASES", "200")]),
            Tests(&["--test", "all", "ring_live::"], &[("GYRE_CASES", "6")]),
        ],
    },
    Part {
        name: "browser",
        summary: "the pages in Chromium: searched, zoomed, on a phone, by who cannot see them",
        work: &[Tests(&["--test", "all", "used::"], &[])],
    },
    Part {
        name: "databases",
        summary: "feeds into SQLite, MariaDB and PostgreSQL, and series of their rows",
        work: &[Tests(&["--test", "feed", "--test", "sql_series"], &[])],
    },
    Part {
        name: "consumers",
        summary: "librrd under the programs that Debian made for its own",
        work: &[Tests(&["--test", "consumers"], &[])],
    },
    Part {
        name: "lab",
        summary: "every experiment of the laboratory in its tiny form",
        work: &[Tests(&["--test", "program"], &[])],
    },
    Part {
        name: "torment",
        summary: "the real program killed in its work",
        work: &[Torment(&["--dev", "--minutes", "3"])],
    },
    Part {
        name: "fuzz",
        summary: "hostile bytes against each reader",
        work: &[Fuzz(&["--seconds", "30"])],
    },
];

/// Runs a part by its name, `of-commit` for the part that the last commit's hash selects, or all
/// parts.
pub(super) fn run(wanted: Option<&str>) -> Outcome {
    let chosen: Vec<&Part> = match wanted {
        None => PARTS.iter().collect(),
        Some("of-commit") => vec![of_commit()?],
        Some(name) => {
            let found = PARTS.iter().find(|part| part.name == name);
            vec![found.ok_or_else(|| format!("no part is called {name}\n\n{}", list()))?]
        }
    };
    let failed: Vec<&str> =
        chosen.into_iter().filter(|part| !passes(part)).map(|part| part.name).collect();
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

/// The names of the parts, a line each.
pub(super) fn list() -> String {
    let line = |part: &Part| format!("  {:<12}{}\n", part.name, part.summary);
    format!("parts of --full:\n{}", PARTS.iter().map(line).collect::<String>())
}

/// Runs all commands of a part, including those after a failed one.
fn passes(part: &Part) -> bool {
    heading(&format!("{}: {}", part.name, part.summary));
    let start = Instant::now();
    let mut passes = true;
    for work in part.work {
        if let Err(reason) = work.run() {
            eprintln!("{reason}");
            passes = false;
        }
    }
    let verdict = if passes { "ok" } else { "FAILED" };
    eprintln!("{:7.1} s  {}  {verdict}", start.elapsed().as_secs_f64(), part.name);
    passes
}

impl Work {
    fn run(&self) -> Outcome {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match self {
            Tests(words, variables) => {
                let mut command = cargo::command();
                command.args(["test", "--locked", "--workspace", "--no-fail-fast"]).args(*words);
                cargo::run(command.envs(variables.iter().copied()))
            }
            Torment(words) => (torment::VERB.run)(owned(words)),
            Fuzz(words) => (fuzz::VERB.run)(owned(words)),
        }
    }
}

/// One of the parts, fuzzing excepted: CI does that for each commit.
fn of_commit() -> Result<&'static Part, String> {
    let is_fuzz = |part: &&Part| part.work.iter().any(|work| matches!(work, Fuzz(_)));
    let parts: Vec<&Part> = PARTS.iter().filter(|part| !is_fuzz(part)).collect();
    Ok(parts[commit::number()? % parts.len()])
}

#[cfg(test)]
mod tests {
    use super::PARTS;
    use crate::testing::APART;

    #[test]
    fn what_runs_apart_has_a_part() {
        for apart in APART {
            assert!(PARTS.iter().any(|part| part.name == apart.part), "{}", apart.part);
        }
    }
}
