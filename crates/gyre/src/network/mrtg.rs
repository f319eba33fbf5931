//! The mrtg.cfg of a network.

use std::fs::OpenOptions;
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use simnet::{MrtgSettings, MrtgVersion, SimulatedNetwork};

use super::arguments::Arguments;
use super::users::Account;

/// Only its owner may read a file with secrets.
const SECRET_MODE: u32 = 0o600;
const USUAL_MODE: u32 = 0o666;

pub(super) fn write(
    network: &SimulatedNetwork,
    arguments: &Arguments,
    accounts: &[Account],
    path: &Path,
) -> io::Result<()> {
    let directory = match &arguments.work_directory {
        Some(directory) => std::path::absolute(directory)?,
        None => std::path::absolute(path)?.parent().unwrap_or(Path::new("/")).to_owned(),
    };
    let version = arguments.mrtg_version;
    let user = accounts.first().filter(|_| version == MrtgVersion::V3);
    let settings = MrtgSettings {
        work_directory: directory.to_string_lossy().into_owned(),
        interval: arguments.interval,
        more: String::new(),
        with_sites: false,
    };
    let mode = if user.is_some() { SECRET_MODE } else { USUAL_MODE };
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(path)?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    if let Some(Account { snmp_options, .. }) = user {
        writeln!(out, "EnableSnmpV3: yes\nSnmpOptions: {snmp_options}\n")?;
    }
    network.write_mrtg_config(&mut out, &settings, version)?;
    out.flush()
}
