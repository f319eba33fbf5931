//! The page that shows all comparisons.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::compared::Compared;

/// Writes `index.html`.
pub(crate) fn write(to: &Path, found: &[Compared]) -> Result<(), String> {
    let mut html = String::from(
        "<!doctype html><meta charset=utf-8><title>gyre beside rrdtool</title>\
         <style>body{font:14px sans-serif;margin:2em}img{max-width:100%}</style>\
         <h1>rrdtool, gyre, and where they differ</h1>\n",
    );
    for one in found {
        let _ = match &one.refusals[..] {
            [] => writeln!(
                html,
                "<h2>{0}</h2><p>{1:.1}% of the pixels differ<br><img src='{0}.png' alt='{0}'>",
                one.name,
                one.differing * 100.0
            ),
            refusals => writeln!(html, "<h2>{}</h2><p>{}", one.name, escaped(&refusals.join("; "))),
        };
    }
    let path = to.join("index.html");
    fs::write(&path, html).map_err(|error| format!("{}: {error}", path.display()))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
