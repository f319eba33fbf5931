//! The commands that only the pipe mode has: ls, cd, mkdir, pwd.

use std::io::Write as _;
use std::path::Path;

use crate::failure::Failure;

/// Answers one of these commands; `None` if `words` is none of them.
pub(crate) fn answer(out: &mut Vec<u8>, words: &[&str]) -> Option<Result<(), Failure>> {
    let (&name, operands) = words.split_first()?;
    let expected = match name {
        "ls" | "pwd" => 0,
        "cd" | "mkdir" => 1,
        _ => return None,
    };
    if operands.len() != expected {
        return Some(Err(Failure::misuse(format!("invalid parameter count for {name}"))));
    }
    let operand = operands.first().copied().unwrap_or_default();
    Some(match name {
        "ls" => list(out),
        "pwd" => print_directory(out),
        "cd" => {
            std::env::set_current_dir(operand).map_err(Failure::system(format!("chdir {operand} ")))
        }
        _ => std::fs::create_dir(operand).map_err(Failure::system(format!("mkdir {operand}: "))),
    })
}

fn print_directory(out: &mut Vec<u8>) -> Result<(), Failure> {
    let directory = std::env::current_dir().map_err(Failure::system("getcwd "))?;
    let _ = writeln!(out, "{}", directory.display()); // a Vec takes everything
    Ok(())
}

/// Directories and round robin databases, in the order in which the system names them.
fn list(out: &mut Vec<u8>) -> Result<(), Failure> {
    let failed = |error: rustix::io::Errno| Failure::System("opendir . ".into(), error.into());
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::DIRECTORY;
    let here = rustix::fs::open(".", flags, rustix::fs::Mode::empty()).map_err(failed)?;
    for entry in rustix::fs::Dir::new(here).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = String::from_utf8_lossy(entry.file_name().to_bytes()).into_owned();
        let kind = match Path::new(&name).metadata() {
            Ok(found) if found.is_dir() => 'd',
            Ok(found) if found.is_file() && is_rrd(&name) => '-',
            _ => continue,
        };
        let _ = writeln!(out, "{kind} {name}"); // a Vec takes everything
    }
    Ok(())
}

/// By its name alone, as rrdtool goes by it.
fn is_rrd(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("rrd"))
}
