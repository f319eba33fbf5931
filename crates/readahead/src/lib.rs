//! When and how far to read ahead of a reader: pure detectors and windows.
