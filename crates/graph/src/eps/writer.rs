//! Layers as operators: each shape's path once, colours and clips where they change.

use std::fmt::Write as _;

use super::layers::{Fade, Layer};
use super::numbers::Number;
use super::shapes::{Shape, style};
use crate::color::Color;

/// What is set, so that it is not set again.
#[derive(Clone, Debug, Default)]
struct State {
    color: Option<Color>,
    style: String,
}

/// The operators in the making.
pub(super) struct Writer<'a> {
    pub(super) out: String,
    shapes: &'a [Shape],
    /// How often each shape is used.
    uses: Vec<usize>,
    /// Whether its path has a name in the file already.
    named: Vec<bool>,
    fades: Vec<[Color; 2]>,
    /// The clips that are open, each with what was set outside.
    clips: Vec<(usize, State)>,
    state: State,
}

impl<'a> Writer<'a> {
    /// A writer of these shapes, each of which is used so often.
    pub(super) fn new(shapes: &'a [Shape], uses: Vec<usize>) -> Self {
        Self {
            out: String::new(),
            shapes,
            named: vec![false; uses.len()],
            uses,
            fades: Vec::new(),
            clips: Vec::new(),
            state: State::default(),
        }
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Opens and closes clips until these are open.
    pub(super) fn clip_to(&mut self, clips: &[usize]) {
        let open = self.clips.iter().zip(clips);
        let same = open.take_while(|((open, _), wanted)| open == *wanted).count();
        while self.clips.len() > same {
            let outside = self.clips.pop().map(|(_, outside)| outside);
            self.state = outside.unwrap_or_default();
            self.put("Q\n");
        }
        for clip in clips.iter().skip(same) {
            self.put("q ");
            self.clips.push((*clip, self.state.clone()));
            let is_line = self.style(*clip);
            self.path(*clip);
            self.put(if is_line { " strokepath W\n" } else { " W\n" });
        }
    }

    pub(super) fn color(&mut self, color: Color) {
        if self.state.color != Some(color) {
            // A String takes all.
            let _ = writeln!(self.out, "{} {} {} k", color.red, color.green, color.blue);
            self.state.color = Some(color);
        }
    }

    /// Sets how a shape is drawn if it is a line; says whether it is.
    fn style(&mut self, shape: usize) -> bool {
        let Some(stroke) = self.shapes.get(shape).and_then(Shape::stroke) else { return false };
        let style = style(stroke);
        if self.state.style != style {
            self.put(&style);
            self.put("\n");
            self.state.style = style;
        }
        true
    }

    /// Writes a path, or its name if it is used more than once.
    fn path(&mut self, nth: usize) {
        let Some(shape) = self.shapes.get(nth) else { return };
        if self.uses.get(nth).is_none_or(|uses| *uses < 2) {
            self.out.push_str(&shape.path());
            return;
        }
        if let Some(named) = self.named.get_mut(nth).filter(|named| !**named) {
            *named = true;
            let _ = write!(self.out, "/p{nth}{{{}}}def ", shape.path());
        }
        let _ = write!(self.out, "p{nth}");
    }

    pub(super) fn layer(&mut self, layer: &Layer) {
        self.clip_to(&layer.clips);
        if let Some(fade) = layer.paint.fade {
            self.fade(layer, fade);
            return;
        }
        self.color(layer.paint.color);
        let is_line = self.style(layer.shape);
        self.path(layer.shape);
        self.put(if is_line { " s\n" } else { " f\n" });
    }

    /// A gradient between two colours is one procedure, stretched to where it is.
    fn fade(&mut self, layer: &Layer, fade: Fade) {
        let ends = [layer.paint.color, fade.color];
        let known = self.fades.iter().position(|each| *each == ends);
        let nth = known.unwrap_or(self.fades.len());
        if known.is_none() {
            self.fades.push(ends);
            let [from, to] = ends.map(|it| {
                let share = |channel: u8| f64::from(channel) / 255.0;
                format!("{:.3} {:.3} {:.3}", share(it.red), share(it.green), share(it.blue))
            });
            let _ = writeln!(
                self.out,
                "/g{nth}{{<</ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 0 1]/Extend[true true]\n\
                 /Function<</FunctionType 2/Domain[0 1]/C0[{from}]/C1[{to}]/N 1>>>>shfill}}def"
            );
        }
        self.put("q ");
        self.path(layer.shape);
        let (start, height) = (Number(fade.from_y), Number(fade.to_y - fade.from_y));
        let _ = writeln!(self.out, " W 0 {start} translate 1 {height} scale g{nth} Q");
    }
}
