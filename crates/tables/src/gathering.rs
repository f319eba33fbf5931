//! Text that gathers before it is written.

use std::io::{self, BufWriter, Write};

use crate::error::Error;

/// Bytes that gather.
const GATHERED_BYTES: usize = 64 << 10;

pub(crate) fn gathering<W: Write>(out: W) -> BufWriter<W> {
    BufWriter::with_capacity(GATHERED_BYTES, out)
}

/// Writes what gathered, and gives back what it was written to.
pub(crate) fn all_of<W: Write>(out: BufWriter<W>) -> Result<W, Error> {
    let mut out = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    out.flush()?;
    Ok(out)
}
