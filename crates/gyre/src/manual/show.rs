//! Shows a page as `man` does.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::{Command, Stdio};

use ::manual::Page;

use crate::command_line::{Unprinted, answer};

/// Shows a page: on a terminal by man(1), if that is there, which has the pager; elsewhere, and
/// where man(1) is not installed, its text as it is.
///
/// # Errors
///
/// Standard output cannot be written.
pub(super) fn show(page: &Page, roff: &str) -> Result<(), Unprinted> {
    match io::stdout().is_terminal() {
        true if by_man(roff).is_ok() => Ok(()),
        true => answer(&page.markdown()),
        false => answer(roff),
    }
}

/// Has man(1) show a page that it reads from standard input.
fn by_man(roff: &str) -> io::Result<()> {
    let mut man = Command::new("man").args(["-l", "-"]).stdin(Stdio::piped()).spawn()?;
    if let Some(mut input) = man.stdin.take() {
        // The reader may have left before the end of the page: that is no failure.
        let _ = input.write_all(roff.as_bytes());
    }
    // Another man than Debian's may not know these words.
    if man.wait()?.success() { Ok(()) } else { Err(io::Error::other("man failed")) }
}
