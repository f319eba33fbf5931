//! Man pages and completions, which the program itself makes.

use std::path::Path;
use std::process::Command;

use crate::PackError;
use crate::building::run;

/// The shells, and what the file of each is called.
const SHELLS: [(&str, &str); 3] = [("bash", "gyre.bash"), ("zsh", "_gyre"), ("fish", "gyre.fish")];

/// Has a program of this machine write them below a directory: `man/man1/…` and `completions/…`.
pub(crate) fn generate(program: &Path, directory: &Path) -> Result<(), PackError> {
    let man = directory.join("man");
    let completions = directory.join("completions");
    for place in [&man, &completions] {
        // What an earlier commit's program wrote is no part of this one's packages.
        if place.exists() {
            std::fs::remove_dir_all(place).map_err(|cause| PackError::file(place, cause))?;
        }
        std::fs::create_dir_all(place).map_err(|cause| PackError::file(place, cause))?;
    }
    run(Command::new(program).args(["manual", "--out"]).arg(&man))?;
    for (shell, name) in SHELLS {
        let path = completions.join(name);
        let file = std::fs::File::create(&path).map_err(|cause| PackError::file(&path, cause))?;
        run(Command::new(program).args(["completions", shell]).stdout(file))?;
    }
    Ok(())
}
