//! Numbers as a PDF file has them: short.

/// At most two decimals, as in SVG.
pub(super) fn short(value: f64) -> f32 {
    let hundredths = (value * 100.0).round() / 100.0;
    if hundredths.is_finite() { hundredths as f32 } else { 0.0 }
}

/// A channel of a colour, from 0 to 1.
pub(super) fn share(channel: u8) -> f32 {
    (f32::from(channel) / 255.0 * 1e4).round() / 1e4
}
