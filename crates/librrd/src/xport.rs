//! `rrd_xport`.
