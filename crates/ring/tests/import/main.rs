//! Databases in and out of the ring store: `.rrd` files that come back byte for byte, layouts that
//! change.

#[path = "../../../files/tests/cases/mod.rs"]
mod cases;
mod world;
mod files;
mod forecasts;
mod odd_files;
mod reshape;
mod crowds;
mod singles;
