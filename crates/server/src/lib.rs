//! The HTTP edge: pages and graphs.
