//! A scene as PDF: one page, its fonts embedded as far as they are used. Equal scenes give equal
//! bytes: there are no dates.

mod objects;
mod numbers;
mod fades;
mod sfnt;
mod fonts;
mod page;

use std::collections::BTreeSet;

use pdf_writer::{Dict, Finish as _, Name, Rect};

use crate::scene::Scene;
use fades::WrittenFade;
use numbers::{share, short};
use objects::Objects;
use page::{Page, alpha_name};

/// Writes a scene, enlarged by `zoom`: a pixel is a point, as in rrdtool.
pub(crate) fn render(scene: &Scene, zoom: f64) -> Vec<u8> {
    let (width, height) = (f64::from(scene.width) * zoom, f64::from(scene.height) * zoom);
    let mut page = Page::new(height, zoom);
    for primitive in &scene.primitives {
        page.draw(primitive);
    }
    write(page, Rect::new(0.0, 0.0, short(width), short(height)))
}

fn write(page: Page, size: Rect) -> Vec<u8> {
    let mut objects = Objects::new();
    let (catalog, pages, leaf) = (objects.id(), objects.id(), objects.id());
    let Page { content, fonts, fades, alphas, .. } = page;
    let content = objects.stream(content.finish().as_slice());
    let fonts = fonts.write(&mut objects);
    let fades = fades.write(&mut objects);
    objects.pdf.catalog(catalog).pages(pages);
    objects.pdf.pages(pages).kids([leaf]).count(1);
    let mut page = objects.pdf.page(leaf);
    page.media_box(size).parent(pages).contents(content);
    let mut resources = page.resources();
    let mut named = resources.fonts();
    for (name, id) in &fonts {
        named.pair(Name(name.as_bytes()), *id);
    }
    named.finish();
    let mut named = resources.shadings();
    for fade in &fades {
        named.pair(Name(fade.name.as_bytes()), fade.shading);
    }
    named.finish();
    write_states(resources.ext_g_states(), &alphas, &fades);
    resources.finish();
    page.finish();
    objects.pdf.finish()
}

/// Writes what the page sets by name: opacities, alone or as masks of gradients.
fn write_states(mut states: Dict<'_>, alphas: &BTreeSet<u8>, fades: &[WrittenFade]) {
    for alpha in alphas {
        let opacity = share(*alpha);
        let mut state = states.insert(Name(alpha_name(*alpha).as_bytes())).dict();
        state.pair(Name(b"ca"), opacity).pair(Name(b"CA"), opacity);
    }
    for fade in fades {
        if let Some(mask) = fade.mask {
            states.pair(Name(fade.mask_name.as_bytes()), mask);
        }
    }
}
