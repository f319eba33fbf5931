//! Random stores, fed into real databases: tables must be the archives, bit for bit.
#![allow(clippy::disallowed_methods)] // tests meet the clock and files

mod servers;
mod proxy;
mod site;
mod tables;
mod equal;
mod faults;
mod full_disk;
mod grants;
mod lease;
mod recipes;
