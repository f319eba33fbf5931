//! A scene as Encapsulated PostScript, without what depends on the time.
//!
//! PostScript knows no transparency: [`layers`] mixes a translucent colour with what lies below.

mod numbers;
mod shapes;
mod layers;
mod writer;
mod fonts;
mod page;

use std::fmt::Write as _;

use crate::scene::Scene;
use numbers::Number;
use page::Page;

/// Short names of operators, since they make up most of the file.
const PROLOG: &str = "\
/q{gsave}bind def/Q{grestore}bind def/m{moveto}bind def/l{lineto}bind def
/r{rlineto}bind def/x{0 rlineto}bind def/y{0 exch rlineto}bind def
/c{curveto}bind def/h{closepath}bind def/f{fill}bind def/s{stroke}bind def
/W{clip newpath}bind def/w{setlinewidth}bind def/d{setdash}bind def
/k{3{255 div 3 1 roll}repeat setrgbcolor}bind def
/b{/h_ exch def/w_ exch def moveto w_ 0 rlineto 0 h_ rlineto w_ neg 0 rlineto closepath}bind def
/T{selectfont moveto}bind def
";

/// Writes a scene, enlarged by `zoom`: a pixel is a point, as in rrdtool.
pub(crate) fn render(scene: &Scene, zoom: f64) -> Vec<u8> {
    let (width, height) = (f64::from(scene.width) * zoom, f64::from(scene.height) * zoom);
    let mut page = Page::default();
    for primitive in &scene.primitives {
        page.draw(primitive);
    }
    let level = if page.has_fades() { 3 } else { 2 };
    let (body, fonts) = page.finish();
    let mut out = String::with_capacity(body.len() + fonts.len() + 2048);
    // A String takes all.
    let _ = write!(
        out,
        "%!PS-Adobe-3.0 EPSF-3.0\n%%Creator: gyre\n%%BoundingBox: 0 0 {} {}\n\
         %%HiResBoundingBox: 0 0 {} {}\n%%LanguageLevel: {level}\n%%DocumentData: Clean7Bit\n\
         %%Pages: 1\n%%EndComments\n%%BeginProlog\n400 dict begin\n{PROLOG}{fonts}%%EndProlog\n\
         %%Page: 1 1\nsave 0 {3} translate {4} dup neg scale 4 setmiterlimit\n{body}\
         restore showpage\n%%Trailer\nend\n%%EOF\n",
        width.ceil(),
        height.ceil(),
        Number(width),
        Number(height),
        zoom,
    );
    out.into_bytes()
}
