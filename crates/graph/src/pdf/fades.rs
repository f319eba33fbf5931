//! Gradients: from one colour at height 0 to another at height 1. The page stretches them.

use pdf_writer::types::{FunctionShadingType, MaskType};
use pdf_writer::{Finish as _, Name, Rect, Ref};

use super::numbers::share;
use super::objects::Objects;
use crate::color::Color;

/// Far beyond every image, in heights of a gradient.
const FAR: f32 = 1e6;

/// The gradients of a page, each pair of colours once.
#[derive(Debug, Default)]
pub(super) struct Fades(Vec<[Color; 2]>);

/// A gradient in the file.
pub(super) struct WrittenFade {
    pub(super) name: String,
    pub(super) shading: Ref,
    pub(super) mask_name: String,
    /// How opaque it is from place to place, where that changes.
    pub(super) mask: Option<Ref>,
}

impl Fades {
    /// What the page calls the gradient between two colours, and the mask of its opacity.
    pub(super) fn name(&mut self, ends: [Color; 2]) -> (String, String) {
        let known = self.0.iter().position(|each| *each == ends);
        let nth = known.unwrap_or_else(|| {
            self.0.push(ends);
            self.0.len() - 1
        });
        names(nth)
    }

    pub(super) fn write(self, objects: &mut Objects) -> Vec<WrittenFade> {
        let mut written = Vec::new();
        for (nth, ends) in self.0.into_iter().enumerate() {
            let (name, mask_name) = names(nth);
            let channels = ends.map(|it| [it.red, it.green, it.blue].map(share).to_vec());
            let shading = shading(objects, channels);
            let alphas = ends.map(|it| it.alpha);
            let mask = (alphas[0] != alphas[1])
                .then(|| mask(objects, alphas.map(|alpha| vec![share(alpha)])));
            written.push(WrittenFade { name, shading, mask_name, mask });
        }
        written
    }
}

fn names(nth: usize) -> (String, String) {
    (format!("S{nth}"), format!("M{nth}"))
}

/// A gradient of three channels or of one.
fn shading(objects: &mut Objects, [from, to]: [Vec<f32>; 2]) -> Ref {
    let (function, id) = (objects.id(), objects.id());
    let is_gray = from.len() == 1;
    let mut formula = objects.pdf.exponential_function(function);
    formula.domain([0.0, 1.0]).c0(from).c1(to).n(1.0);
    formula.finish();
    let mut shading = objects.pdf.function_shading(id);
    shading.shading_type(FunctionShadingType::Axial);
    match is_gray {
        true => shading.color_space().device_gray(),
        false => shading.color_space().device_rgb(),
    }
    shading.coords([0.0, 0.0, 0.0, 1.0]).function(function).extend([true, true]);
    shading.finish();
    id
}

/// A state of the page in which the brightness of a gradient is the opacity of what is drawn.
fn mask(objects: &mut Objects, alphas: [Vec<f32>; 2]) -> Ref {
    let shading = shading(objects, alphas);
    let (form, id) = (objects.id(), objects.id());
    let mut group = objects.pdf.form_xobject(form, b"/S sh");
    group.bbox(Rect::new(-FAR, -FAR, FAR, FAR));
    group.resources().shadings().pair(Name(b"S"), shading);
    let mut transparency = group.group();
    transparency.transparency();
    transparency.color_space().device_gray();
    transparency.finish();
    group.finish();
    let mut state = objects.pdf.ext_graphics(id);
    state.soft_mask().subtype(MaskType::Luminosity).group(form);
    state.finish();
    id
}
