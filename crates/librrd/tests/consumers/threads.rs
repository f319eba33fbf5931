//! Many threads at once, forks, closed descriptors: no surprise with our library. (Debian's
//! serialises nothing either; it is not what is tested here.)

use crate::c_programs::compiled;
use crate::library::{Library, place};

/// What a program of ours says, run with our library in a directory of its own.
fn said(name: &str) -> Option<String> {
    let directory = place();
    let compiled = compiled(name, directory.path())?;
    Some(Library::Ours.said(Library::Ours.command(&compiled).current_dir(directory.path())))
}

#[test]
fn threads_do_not_meet() {
    let Some(said) = said("threads") else { return };
    assert_eq!(said, "16 threads, 200 updates each\n");
}

#[test]
fn no_descriptor_is_kept() {
    let Some(said) = said("descriptors") else { return };
    let expected = "use: 0 ''\ndescriptors left open: 0\nchild: 0\nafter closing all: 0 ''\n";
    assert_eq!(said, expected);
}
