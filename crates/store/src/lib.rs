//! Where round robin databases rest: the Store trait and its backends.
