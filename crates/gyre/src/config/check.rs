//! `gyre config check`: whether a configuration can be run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mrtg::{Configuration, Note};
use options::{CommandLine, Misuse, OwnRow, checked, option};
use serde_json::json;

use super::{
    AS_JSON, Failure, SECRETS, Told, answer_json, check_boards, check_intake, check_series,
};
use crate::command_line::answer;
use crate::run::{Disk, Survey};

pub(super) const LINE: CommandLine<Told> = CommandLine {
    synopsis: "gyre config check [--json] [--secrets WHERE] FILE\n       \
               gyre config check [--json] --series FILE [--name DATABASE]\n       \
               gyre config check [--json] --intake FILE [--name SERIES]\n       \
               gyre config check [--json] --boards DIRECTORY",
    summary: "Read an mrtg.cfg and all files that it includes. The first error is told with its \
              file and line. Otherwise a line for each target that is not measured says why, one \
              for each key that changes nothing says so, and the last line counts targets, devices \
              and programs. Nothing is asked, run or written.\n\nWith --series, the rules by which \
              series are named are read instead of an mrtg.cfg; with --intake, the file that says how samples of \
              agents are taken; with --boards, all boards of a directory.",
    options: CHECKED,
    notes: "exit codes: 0 every target is measured; 1 the configuration is wrong, or a target is \
            not\n            measured; 2 misuse\n",
};

const CHECKED: &[OwnRow<Told>] = &[
    AS_JSON,
    SECRETS,
    option("--series", "FILE", "check rules that name series, in TOML", |it: &mut Told, value| {
        it.series = Some(value.path());
    }),
    option(
        "--intake",
        "FILE",
        "check how samples of agents are taken, in TOML",
        |it: &mut Told, value| {
            it.intake = Some(value.path());
        },
    ),
    option(
        "--boards",
        "DIRECTORY",
        "check the boards of a directory, each NAME.toml",
        |it: &mut Told, value| {
            it.boards = Some(value.path());
        },
    ),
    checked(
        "--name",
        "NAME",
        "say what the series of a DATABASE are called, or what becomes of a \
            SERIES: a.b.c, name;tag=value, name{label=\"value\"}, host/plugin/type",
        |it: &mut Told, value| {
            it.name = Some(value.text()?.to_owned());
            Ok(())
        },
    ),
];

pub(super) fn run(told: &Told, operands: Vec<OsString>) -> Result<(), Failure> {
    let (name, as_json) = (told.name.as_deref(), told.as_json);
    let is_mrtgs = told.boards.is_none() && told.series.is_none() && told.intake.is_none();
    if !is_mrtgs && !told.secrets.is_empty() {
        return Err(Misuse::operands("--secrets with an mrtg.cfg alone").into());
    }
    if let Some(directory) = &told.boards {
        let is_alone = told.series.is_none() && told.intake.is_none() && name.is_none();
        return match is_alone && operands.is_empty() {
            true => check_boards::run(directory, as_json),
            false => Err(Misuse::operands("nothing but --json beside --boards").into()),
        };
    }
    match (&told.series, &told.intake) {
        (None, None) if name.is_some() => Err(Misuse::goes_with("--name", "--series").into()),
        (None, None) => configuration(told, operands),
        _ if !operands.is_empty() => {
            Err(Misuse::operands("none beside --series or --intake, whose FILE is checked").into())
        }
        (Some(_), Some(_)) => Err(Misuse::operands("either --series or --intake").into()),
        (Some(rules), None) => check_series::run(rules, name, as_json),
        (None, Some(file)) => check_intake::run(file, name, as_json),
    }
}

fn configuration(told: &Told, operands: Vec<OsString>) -> Result<(), Failure> {
    let [file] = <[OsString; 1]>::try_from(operands)
        .map_err(|_| Misuse::operands("one FILE, an mrtg.cfg"))?;
    let file = PathBuf::from(file);
    let read = match read(&file) {
        Ok(read) => read,
        Err(error) if told.as_json => {
            let (file, error) = (file.display().to_string(), error.to_string());
            answer_json(&json!({ "file": file, "valid": false, "error": error }))?;
            return Err(Failure::Told);
        }
        Err(error) => return Err(error),
    };
    let found = Found::of(&file, &read, Survey::of(&read, &told.secrets)?);
    if told.as_json {
        answer_json(&found.json())?;
    } else {
        answer(&found.text())?;
    }
    if found.not_measured.is_empty() { Ok(()) } else { Err(Failure::Told) }
}

fn read(file: &Path) -> Result<Configuration, Failure> {
    let read = Configuration::read(file, &Disk)?;
    Survey::may_run(&read)?;
    Ok(read)
}

struct Found<'a> {
    file: &'a Path,
    read: &'a Configuration,
    survey: Survey,
    notes: Vec<String>,
    not_measured: Vec<NotMeasured>,
}

struct NotMeasured {
    target: String,
    place: String,
    why: String,
}

impl<'a> Found<'a> {
    fn of(file: &'a Path, read: &'a Configuration, survey: Survey) -> Self {
        let about_targets =
            |note: &&Note| matches!(note, Note::NotPolled { .. } | Note::Ipv6Off { .. });
        let notes = read.notes.iter().filter(|note| !about_targets(note));
        let notes = notes.map(ToString::to_string).collect();
        let targets = read.targets.iter().zip(&survey.not_measured);
        let not_measured = targets.filter_map(|(target, why)| {
            let (target, place) = (target.name.to_string(), target.position.to_string());
            Some(NotMeasured { target, place, why: why.as_ref()?.to_string() })
        });
        Self { file, read, notes, not_measured: not_measured.collect(), survey }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for note in &self.notes {
            text += &format!("{note}\n");
        }
        for NotMeasured { target, place, why } in &self.not_measured {
            text += &format!("{place}: target {target} is not measured: {why}\n");
        }
        let intervals = self.survey.intervals.iter();
        let intervals: Vec<_> = intervals.map(|it| figures::duration(it.as_secs_f64())).collect();
        let (targets, devices) = (self.read.targets.len(), self.survey.devices);
        text += &format!(
            "{}: valid: {targets} targets on {devices} devices and {} programs, every {}; {} not \
             measured\n",
            self.file.display(),
            self.survey.programs,
            intervals.join(" or "),
            self.not_measured.len()
        );
        text
    }

    fn json(&self) -> serde_json::Value {
        let not_measured = self
            .not_measured
            .iter()
            .map(|each| json!({ "target": each.target, "place": each.place, "why": each.why }));
        let files = self.read.files.iter().map(|file| file.display().to_string());
        json!({
            "file": self.file.display().to_string(),
            "valid": true,
            "files": files.collect::<Vec<_>>(),
            "targets": self.read.targets.len(),
            "devices": self.survey.devices,
            "programs": self.survey.programs,
            "interval_seconds": self.read.globals.interval.step_seconds(),
            "intervals_seconds": self.survey.intervals.iter().map(Duration::as_secs).collect::<Vec<_>>(),
            "notes": self.notes,
            "not_measured": not_measured.collect::<Vec<_>>(),
        })
    }
}
