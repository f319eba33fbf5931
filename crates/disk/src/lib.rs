//! Files and page-cache calls: one system call a file, no policy.
