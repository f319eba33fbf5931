//! Man pages and completions, where packages take them from.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::Verb;
use crate::arguments::Arguments;
use crate::{Outcome, cargo};

pub(super) const VERB: Verb = Verb {
    name: "manual",
    usage: "[--out DIR]",
    summary: "man pages and completions, for packages (target/package)",
    run,
};

/// Each shell, and the file that it looks for.
const COMPLETIONS: [(&str, &str); 3] =
    [("bash", "gyre.bash"), ("zsh", "_gyre"), ("fish", "gyre.fish")];

fn run(words: Vec<String>) -> Outcome {
    let mut words = Arguments::new(words);
    let out = words.value("--out")?.unwrap_or_else(|| "target/package".to_owned());
    words.finish()?;
    let mut command = cargo::command();
    cargo::run(command.args(["build", "--quiet", "--locked", "--package", "gyre"]))?;
    let gyre = cargo::target_directory().join("debug/gyre");
    write_all(&gyre, &cargo::root().join(out))
}

fn write_all(gyre: &Path, out: &Path) -> Outcome {
    let man = out.join("man");
    cargo::run(Command::new(gyre).args(["manual", "--out"]).arg(&man))?;
    // Packages sort pages by their sections themselves.
    for section in ["man1", "man3", "man5", "man7"] {
        flatten(&man.join(section), &man).map_err(|error| format!("{section}: {error}"))?;
    }
    let completions = out.join("completions");
    fs::create_dir_all(&completions).map_err(|error| error.to_string())?;
    for (shell, name) in COMPLETIONS {
        let script = printed(Command::new(gyre).args(["completions", shell]))?;
        fs::write(completions.join(name), script).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

/// Moves the files of a directory to another one, and removes it.
fn flatten(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::rename(entry.path(), to.join(entry.file_name()))?;
    }
    fs::remove_dir(from)
}

fn printed(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
