//! The table of `xport`, printed.

use graph::{Export, TableForm};

use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn print(
    session: &mut Session,
    export: &Export,
    form: &TableForm,
) -> Result<(), Failure> {
    let zone = session.times.clock().zone().clone();
    let Session { out, outlet, databases, .. } = session;
    export.write(form, &zone, out, &mut |out| outlet.relieve(out, databases))
}
