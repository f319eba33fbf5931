//! The language of mrtg.cfg: text to validated targets, pure.
