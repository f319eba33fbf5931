//! The additional state of a database with forecasts.
//!
//! ```text
//!              for each archive and source
//!   48         the words 2 to 7 of its field in a file
//!              for each SEASONAL and DEVSEASONAL
//!   varint       the slot written last
//!   8            each value, in the order of slots
//! ```
//!
//! The encoding is empty if no archive forecasts.

use rrd::{ForecastState, ForecastWords, SeasonalRing};
use varint::RecordError;
use varint::{Cursor, put_varint};

use super::StateLayout;

impl StateLayout {
    /// Appends the bytes.
    ///
    /// # Panics
    /// If the state is of another layout.
    pub(super) fn encode_forecast(&self, forecast: &ForecastState, out: &mut Vec<u8>) {
        if !self.has_forecasts() {
            return;
        }
        assert!(forecast.words.len() == self.archives() * self.sources());
        assert!(forecast.rings.iter().map(|ring| ring.archive).eq(self.seasonal().map(|it| it.0)));
        for words in &forecast.words {
            words.0.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        }
        for ring in &forecast.rings {
            put_varint(ring.newest_slot, out);
            ring.values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
        }
    }

    /// Decodes them.
    ///
    /// # Errors
    ///
    /// The bytes are of another layout.
    pub(super) fn decode_forecast(
        &self,
        cursor: &mut Cursor<'_>,
    ) -> Result<ForecastState, RecordError> {
        if !self.has_forecasts() {
            return Ok(ForecastState::default());
        }
        let cells = self.archives() * self.sources();
        let words = (0..cells).map(|_| words(cursor)).collect::<Result<_, _>>()?;
        let rings = self.seasonal().map(|(archive, rows)| {
            let expected = "a slot of a season";
            let in_ring = |slot: &u64| *slot < rows;
            let newest_slot = cursor.checked(expected, |it| it.varint(expected), in_ring)?;
            let values = (0..rows * self.sources() as u64).map(|_| cursor.double("a season's row"));
            let values = values.collect::<Result<_, _>>()?;
            Ok(SeasonalRing { archive, newest_slot, values })
        });
        Ok(ForecastState { words, rings: rings.collect::<Result<_, RecordError>>()? })
    }
}

fn words(cursor: &mut Cursor<'_>) -> Result<ForecastWords, RecordError> {
    let bytes = cursor.take(size_of::<ForecastWords>(), "the words of a forecast")?;
    let mut words = ForecastWords::default();
    for (word, bytes) in words.0.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    Ok(words)
}
