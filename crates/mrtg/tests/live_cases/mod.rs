//! Further cases that are compared with Debian's MRTG.

mod mibs;
