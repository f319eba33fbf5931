//! Curves on top of one another. Targets of several steps have rows that end at different times:
//! they are put on times that they have in common, and added there.

use super::curve::{Curve, Point, VALUES_MAX, Window};

/// A layer of a stack at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layer {
    pub(super) at_seconds: f64,
    /// The sum of the layers below.
    pub(super) below: f64,
    /// What this one adds; NaN is unknown.
    pub(super) value: f64,
}

/// A layer for each curve, the first one at the bottom.
pub(super) fn stacked(curves: &[Curve], window: Window) -> Vec<Vec<Layer>> {
    let mut sums: Vec<f64> = Vec::new();
    let mut layer = |points: &[Point]| -> Vec<Layer> {
        sums.resize(points.len().max(sums.len()), 0.0);
        let layers = points.iter().zip(&mut sums);
        layers.map(|(point, sum)| on_top(point, sum)).collect()
    };
    match Slots::of(curves, window) {
        Some(slots) => curves.iter().map(|curve| layer(&slots.points(&curve.points))).collect(),
        None => curves.iter().map(|curve| layer(&curve.points)).collect(),
    }
}

fn on_top(point: &Point, sum: &mut f64) -> Layer {
    let layer = Layer { at_seconds: point.at_seconds, below: *sum, value: point.value };
    if point.value.is_finite() {
        *sum += point.value;
    }
    layer
}

/// Stretches of time of equal length.
struct Slots {
    /// The end of the first one.
    first_seconds: f64,
    step_seconds: f64,
    count: usize,
}

/// What is known of a slot.
#[derive(Clone, Copy, Default)]
struct Slot {
    sum: f64,
    known: u32,
    /// Whether a point is in it, known or not.
    is_met: bool,
}

impl Slots {
    /// The slots of these curves, as long as the longest step; `None` if all have the same times.
    fn of(curves: &[Curve], window: Window) -> Option<Self> {
        let times = |curve: &Curve| -> Vec<u64> {
            curve.points.iter().map(|point| point.at_seconds.to_bits()).collect()
        };
        let first = times(curves.first()?);
        if curves.iter().all(|curve| times(curve) == first) {
            return None;
        }
        let filled = curves.iter().filter(|curve| !curve.points.is_empty());
        let longest =
            filled.max_by(|one, other| one.step_seconds.total_cmp(&other.step_seconds))?;
        let least = window.step_seconds() as f64;
        let (step_seconds, phase) = match longest.points.first() {
            Some(point) if longest.step_seconds >= least => {
                (longest.step_seconds, point.at_seconds)
            }
            _ => (least, 0.0),
        };
        let all = || curves.iter().flat_map(|curve| &curve.points).map(|point| point.at_seconds);
        let (earliest, latest) = (all().reduce(f64::min)?, all().reduce(f64::max)?);
        let first_seconds = phase + steps(earliest - phase, step_seconds) * step_seconds;
        let count = steps(latest - first_seconds, step_seconds).max(0.0) as usize + 1;
        Some(Self { first_seconds, step_seconds, count: count.min(2 * VALUES_MAX) })
    }

    /// The average of the points in each slot.
    fn points(&self, points: &[Point]) -> Vec<Point> {
        let mut slots = vec![Slot::default(); self.count];
        let mut newest = 0;
        for point in points {
            let nth = steps(point.at_seconds - self.first_seconds, self.step_seconds).max(0.0);
            let Some(slot) = slots.get_mut(nth as usize) else { continue };
            newest = nth as usize;
            slot.add(point.value);
        }
        // Where others have a newer row already, the last one holds until its successor is there.
        if let [.., last, next] = &mut slots[..(newest + 2).min(self.count)]
            && !next.is_met
        {
            *next = *last;
        }
        let point = |(nth, slot): (usize, &Slot)| Point {
            at_seconds: self.first_seconds + nth as f64 * self.step_seconds,
            value: slot.value(),
        };
        slots.iter().enumerate().map(point).collect()
    }
}

impl Slot {
    fn add(&mut self, value: f64) {
        self.is_met = true;
        if value.is_finite() {
            self.sum += value;
            self.known += 1;
        }
    }

    fn value(&self) -> f64 {
        if self.known == 0 { f64::NAN } else { self.sum / f64::from(self.known) }
    }
}

/// How many steps lead to the end of the slot that holds a time.
fn steps(seconds: f64, step_seconds: f64) -> f64 {
    const ROUNDING: f64 = 1e-6;
    (seconds / step_seconds - ROUNDING).ceil()
}

#[cfg(test)]
mod tests {
    use super::super::curve::{Curve, Numbers, Point, Unit, Window};
    use super::stacked;

    const WINDOW: Window = Window { start_seconds: 0, end_seconds: 1200 };

    fn curve(step: u32, first: u32, values: &[f64]) -> Curve {
        let at = |nth: u32| f64::from(first + nth * step);
        Curve {
            label: String::new(),
            page: None,
            unit: Unit { name: String::new(), kilo: 1000.0 },
            points: (0..)
                .zip(values)
                .map(|(nth, value)| Point { at_seconds: at(nth), value: *value })
                .collect(),
            step_seconds: f64::from(step),
            numbers: Numbers::default(),
        }
    }

    /// The times, and the upper edges of the last curve.
    fn edges(curves: &[Curve]) -> Vec<(f64, f64)> {
        let layers = stacked(curves, WINDOW).pop().unwrap();
        layers.iter().map(|layer| (layer.at_seconds, layer.below + layer.value)).collect()
    }

    #[test]
    fn rows_of_other_lengths_are_added() {
        let long = curve(300, 300, &[1.0, 2.0, 3.0]);
        let short = curve(100, 100, &[10.0, 20.0, 30.0, 40.0, 40.0, 40.0, 50.0, 50.0, 50.0]);
        let expected = [(300.0, 21.0), (600.0, 42.0), (900.0, 53.0)];
        assert_eq!(edges(&[long.clone(), short.clone()]), expected);
        assert_eq!(edges(&[short, long]), expected);
    }

    #[test]
    fn rows_of_another_phase_are_added() {
        let (even, odd) = (curve(300, 300, &[1.0, 2.0]), curve(300, 420, &[10.0, 20.0]));
        assert_eq!(edges(&[even.clone(), odd.clone()]), [(420.0, 11.0), (720.0, 22.0)]);
        // The next row of the even one is not there yet: the one before holds.
        assert_eq!(edges(&[odd, even])[1..], [(600.0, 12.0), (900.0, 22.0)]);
    }

    #[test]
    fn a_curve_that_ended_is_a_gap_and_nothing_below() {
        let (ended, other) = (curve(300, 300, &[5.0]), curve(300, 300, &[1.0; 4]));
        assert_eq!(edges(&[ended, other])[2..], [(900.0, 1.0), (1200.0, 1.0)]);
        let far = [curve(1, 0, &[1.0]), curve(1, 1_000_000_000, &[1.0])];
        assert!(stacked(&far, WINDOW)[0].len() <= 800);
        assert!(stacked(&[curve(300, 0, &[]), curve(300, 0, &[])], WINDOW)[1].is_empty());
    }
}
