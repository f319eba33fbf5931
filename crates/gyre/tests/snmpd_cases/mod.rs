//! Further cases of `gyre run` judged by Debian's programs.

mod configurations;
mod programs;
mod through_daemon;
