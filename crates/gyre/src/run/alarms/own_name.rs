//! What others call this machine.

/// The name of this machine, by which other machines know it.
pub(in super::super) fn own_name() -> String {
    let system = rustix::system::uname();
    match system.nodename().to_str().unwrap_or_default().trim() {
        "" | "(none)" => "localhost".to_owned(),
        name => name.to_owned(),
    }
}
