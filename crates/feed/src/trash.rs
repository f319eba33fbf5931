//! Deletes the rows of series that are gone.

use sqlclient::Value;
use sqlring::delete_series_of_block;

use crate::Error;
use crate::registry::Registry;

impl Registry<'_> {
    /// Deletes the rows of one piece of trash, in a transaction for each ring. Returns whether
    /// there was any.
    ///
    /// # Errors
    /// The connection cannot be used on.
    pub(crate) fn take_out_trash(&mut self) -> Result<bool, Error> {
        let Some(trash) = self.books.trash.last().copied() else { return Ok(false) };
        let layout = self.books.layout(trash.layout).clone();
        let (first, end) = (trash.first_series, trash.first_series + trash.series);
        let series = [first, end].map(|series| Value::Integer(i64::from(series)));
        for fed in &layout.rings {
            let sql = delete_series_of_block(fed.ring);
            self.connection.begin()?;
            self.lease.hold(self.connection)?;
            for block in 0..fed.ring.blocks() {
                let [first, end] = series.clone();
                self.connection.execute(&sql, &[Value::Integer(block as i64), first, end])?;
            }
            self.connection.commit()?;
        }
        let [first, _] = series;
        self.connection.execute("DELETE FROM gyre_trash WHERE first_series = ?", &[first])?;
        self.books.trash.pop();
        Ok(true)
    }
}
