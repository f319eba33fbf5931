//! The bytes of .rrd files and of their XML dumps, both ways, pure.
