//! `gyre doctor`: what could be improved on this machine, and what that would gain.

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use doctor::checks::{CHECKS, Check};
use doctor::{Facts, Finding, Given, GivenError, Report, Root, State};
use options::{CommandLine, Misuse, checked, switch};

use crate::command_line::{say_error, understood};
use crate::run::Disk;

const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre doctor [OPTIONS] [MRTG.CFG|STORE|DIRECTORY]",
    summary: "Check this machine and its load: the targets of an mrtg.cfg, a ring store (another \
              process may have it open), MRTG's WorkDir with the store of `gyre run` in it, or a \
              directory of .rrd files. Tells what could be improved, how to change it, and what \
              that would gain. Changes nothing.",
    options: &[
        checked("--only", "NAME,...", "run only these checks", |it, value| {
            it.checks.extend(checks(value.text()?)?);
            Ok(())
        }),
        switch("--list", "list the checks and what they look for", |it| it.list = true),
        switch(
            "--measure",
            "measure the disk of the data: write, read and remove a file of 64 MiB, in at most 10 \
             s",
            |it| it.measure = true,
        ),
        switch("--strict", "exit with code 1 for advice, too, not only for warnings", |it| {
            it.strict = true;
        }),
        switch("-q --quiet", "leave out checks without a finding", |it| it.quiet = true),
        switch("-j --json", "print a JSON document", |it| it.json = true),
    ],
    notes: "exit codes: 0 no warning (there may be advice, and unknown facts); 1 a warning, with \
            --strict\nalso advice, or the operand cannot be read; 2 misuse\n",
};

#[derive(Default)]
struct Wanted {
    checks: Vec<&'static Check>,
    measure: bool,
    quiet: bool,
    json: bool,
    list: bool,
    strict: bool,
    path: Option<PathBuf>,
}

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described()]
}

/// `gyre doctor …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let wanted = match understood(&LINE, parse(words)) {
        Ok(wanted) => wanted,
        Err(code) => return code,
    };
    let told = if wanted.list { Ok((list(&wanted.checks), false)) } else { examine(&wanted) };
    let (text, is_to_change) = match told {
        Ok(told) => told,
        Err(error) => {
            rrdtool::complain!("gyre doctor: {error}");
            return ExitCode::FAILURE;
        }
    };
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            say_error(&LINE, &error);
            ExitCode::FAILURE
        }
        // A reader that closed the pipe changes nothing about the findings.
        _ => ExitCode::from(u8::from(is_to_change)),
    }
}

fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Wanted>, Misuse> {
    let Some((mut wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    match &operands[..] {
        [] => {}
        [path] => wanted.path = Some(path.into()),
        [_, more, ..] => {
            return Err(Misuse::words("one place", format!("{} too", more.display())));
        }
    }
    // The checks run in their own order, not in the order of the arguments, so that groups stay
    // together.
    let asked: Vec<&str> = wanted.checks.iter().map(|check| check.name).collect();
    let is_asked = |check: &&Check| asked.is_empty() || asked.contains(&check.name);
    wanted.checks = CHECKS.iter().filter(is_asked).collect();
    if wanted.measure && wanted.path.is_none() {
        let expected = "an mrtg.cfg, a store or a directory, whose disk is meant";
        return Err(Misuse::lacks("--measure", expected));
    }
    Ok(Some(wanted))
}

fn checks(names: &str) -> Result<Vec<&'static Check>, Misuse> {
    let found = names.split(',').map(|name| {
        let check = CHECKS.iter().find(|check| check.name == name);
        check.ok_or_else(|| Misuse::value("only", "names that --list shows", OsStr::new(name)))
    });
    found.collect()
}

fn list(checks: &[&Check]) -> String {
    checks.iter().map(|check| format!("{:<20}{}\n", check.name, check.about)).collect()
}

/// The report, and whether a finding makes the verb fail.
fn examine(wanted: &Wanted) -> Result<(String, bool), GivenError> {
    let given = match &wanted.path {
        Some(path) => Given::at(path)?,
        None => Given::Nothing,
    };
    let mut facts = Facts::gather(&Root::here(), &given, &Disk)?;
    if wanted.measure {
        facts.measure();
    }
    let decided = wanted.checks.iter().filter_map(|check| Some((*check, check.decide(&facts)?)));
    let findings: Vec<(&Check, Finding)> = decided.collect();
    let least = if wanted.strict { State::Advice } else { State::Warning };
    let is_to_change = findings.iter().any(|(_, finding)| finding.state >= least);
    let report =
        Report { findings: &findings, quiet: wanted.quiet, measured: facts.measured.as_ref() };
    let text = match wanted.json {
        true => format!("{:#}\n", report.json()),
        false => report.text(std::io::stdout().is_terminal()),
    };
    Ok((text, is_to_change))
}
