//! The process: its number in a file, its user, and its life in the background.

pub(crate) mod pid_file;
pub(crate) mod group;
pub(crate) mod privileges;
pub(crate) mod confinement;
pub(crate) mod background;
