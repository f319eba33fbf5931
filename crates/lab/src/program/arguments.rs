//! The command line of `gyre-lab`.

use std::ffi::OsString;
use std::path::PathBuf;

use lab::{EXPERIMENTS, Experiment};
use options::{CommandLine, Misuse, option, switch};

pub(crate) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre-lab [OPTIONS] [EXPERIMENT...]",
    summary: "Repeat the reference's experiments on .rrd files and the page cache on this machine. \
              Each experiment sets up a private disk and a limit of memory, updates real files, \
              and compares its figures with those of the reference, of the model and of the \
              simulation. `all` is every experiment; without an operand they are listed. Needs \
              root, for control groups and loop devices.",
    options: &[
        option(
            "-o --output",
            "DIR",
            "the directory for figures (CSV), plots (SVG) and verdicts (gyre-lab)",
            |it, value| it.output = Some(value.path()),
        ),
        option(
            "--scratch",
            "DIR",
            "the directory for the disks, which take at most 3 GB at a time, 8 GB with fig15-18 \
             (the output directory)",
            |it, value| it.scratch = Some(value.path()),
        ),
        switch(
            "--quick",
            "make everything tiny: shows within a minute that it works here, but its figures mean \
             little",
            |it| it.quick = true,
        ),
        switch("-j --json", "print a JSON document for each experiment", |it| it.json = true),
    ],
    notes: "exit codes: 0 done, with any verdicts; 1 an experiment failed; 2 misuse\n",
};

/// The values of the options.
#[derive(Default)]
pub(crate) struct Wanted {
    pub(crate) experiments: Vec<&'static Experiment>,
    pub(crate) output: Option<PathBuf>,
    pub(crate) scratch: Option<PathBuf>,
    pub(crate) quick: bool,
    pub(crate) json: bool,
}

pub(crate) fn parse(words: Vec<OsString>) -> Result<Option<Wanted>, Misuse> {
    let Some((mut wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    for word in operands {
        if word == "all" {
            wanted.experiments.extend(EXPERIMENTS);
            continue;
        }
        let found = EXPERIMENTS.iter().find(|it| *it.name == *word);
        let unknown = || Misuse::unfit(format!("there is no experiment {}", word.display()));
        wanted.experiments.push(found.ok_or_else(unknown)?);
    }
    Ok(Some(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Option<Wanted>, String> {
        let words = line.split_whitespace().map(OsString::from).collect();
        parse(words).map_err(|misuse| misuse.to_string())
    }

    #[test]
    fn experiments_are_named() {
        let wanted = parsed("fig13 --quick -o x").unwrap().unwrap();
        assert_eq!(wanted.experiments[0].name, "fig13");
        assert!(wanted.quick && !wanted.json);
        assert_eq!(parsed("all").unwrap().unwrap().experiments.len(), EXPERIMENTS.len());
        assert_eq!(parsed("fig99").map(drop).unwrap_err(), "there is no experiment fig99");
    }
}
