//! Further cases of `gyre run` judged by Debian's programs.

mod configurations;
mod own_keys;
mod programs;
mod through_daemon;
