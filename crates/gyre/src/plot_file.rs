//! Writes a plot to a file.

use std::io;
use std::path::Path;

use disk::Durability;
use graph::Plot;
use rrdtool::system_words;

/// Writes a plot: as PNG if the file's name ends in `.png`, else as SVG.
///
/// # Errors
///
/// The plot cannot be drawn or written; the error names the file.
pub(crate) fn write(path: &Path, plot: &Plot) -> io::Result<()> {
    let as_png = path.extension().is_some_and(|extension| extension == "png");
    let image = if as_png { plot.png().map_err(io::Error::other)? } else { plot.svg() };
    disk::replace(path, [&image[..]], Durability::Cached).map_err(|error| {
        io::Error::new(
            error.kind(),
            format!("writing {}: {}", path.display(), system_words(&error)),
        )
    })
}
