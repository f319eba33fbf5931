//! What STDEV and PERCENTILE keep of a row, in the packed state: room for all that a row can have.
//!
//! ```text
//!   STDEV        4   how many PDPs are known
//!                8   their mean
//!                8   their squared distances from it
//!   PERCENTILE   2   how many PDPs are known
//!                8   each of them, in the order in which they came, then zeros: room for all of a
//!                    row but the last, which ends it
//! ```

use rrd::{Archive, ConsolidationFunction, Moments, RowSoFar};

use crate::bits::{ValueReader, ValueWriter};

const DOUBLE_BYTES: usize = size_of::<f64>();

/// How the value of a cell is packed, by its archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellForm {
    /// A row is one PDP: nothing.
    Nothing,
    /// One number.
    Value,
    /// Of STDEV.
    Moments,
    /// Of PERCENTILE: so many PDPs at most.
    Values(usize),
}

impl CellForm {
    pub(super) fn of(archive: &Archive) -> Self {
        match archive.cf {
            ConsolidationFunction::Stdev => Self::Moments,
            ConsolidationFunction::Percentile(_) => {
                Self::Values(usize::try_from(archive.pdp_per_row - 1).unwrap_or(usize::MAX))
            }
            _ if archive.pdp_per_row == 1 => Self::Nothing,
            _ => Self::Value,
        }
    }

    pub(super) const fn bytes(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Value => DOUBLE_BYTES,
            Self::Moments => size_of::<u32>() + 2 * DOUBLE_BYTES,
            Self::Values(most) => size_of::<u16>() + most.saturating_mul(DOUBLE_BYTES),
        }
    }

    pub(super) const fn is_spread(self) -> bool {
        matches!(self, Self::Moments | Self::Values(_))
    }

    /// `None` if the row does not fit.
    pub(super) fn pack(self, row: &RowSoFar, body: &mut ValueWriter<'_>) -> Option<()> {
        match (self, row) {
            (Self::Moments, RowSoFar::Moments(Moments { count, mean, squares })) => {
                body.put(u32::try_from(*count).ok()?.to_le_bytes());
                body.double(*mean);
                body.double(*squares);
                Some(())
            }
            (Self::Values(most), RowSoFar::Values(values)) => {
                let unused = most.checked_sub(values.len())?;
                body.put(u16::try_from(values.len()).ok()?.to_le_bytes());
                values.iter().for_each(|value| body.double(*value));
                (0..unused).for_each(|_| body.put([0; DOUBLE_BYTES]));
                Some(())
            }
            _ => None,
        }
    }

    /// Whatever the bytes are, `row` is one of the form then.
    pub(super) fn unpack(self, row: &mut RowSoFar, body: &mut ValueReader<'_>) {
        match (self, row) {
            (Self::Moments, RowSoFar::Moments(moments)) => {
                moments.count = u32::from_le_bytes(body.take()).into();
                moments.mean = body.double();
                moments.squares = body.double();
            }
            (Self::Values(most), RowSoFar::Values(values)) => {
                let count = usize::from(u16::from_le_bytes(body.take()));
                values.clear();
                for nth in 0..most {
                    let value = body.double();
                    if nth < count {
                        values.push(value);
                    }
                }
            }
            _ => unreachable!("the state is of this layout"),
        }
    }

    /// Takes a known PDP into a row as it lies packed from `at` on.
    #[inline]
    pub(super) fn take(self, packed: &mut [u8], at: usize, pdp: f64) {
        let row = &mut packed[at..][..self.bytes()];
        match self {
            Self::Nothing | Self::Value => {}
            Self::Moments => {
                let mut taken = RowSoFar::Moments(Moments::default());
                self.unpack(&mut taken, &mut ValueReader(row));
                taken.take(pdp, 1);
                let fits = self.pack(&taken, &mut ValueWriter(row));
                fits.expect("it was asked whether there is room");
            }
            Self::Values(most) => {
                let (count, values) = row.split_at_mut(size_of::<u16>());
                let known = usize::from(u16::from_le_bytes([count[0], count[1]]));
                assert!(known < most);
                count.copy_from_slice(&(known as u16 + 1).to_le_bytes());
                let place = &mut values[known * DOUBLE_BYTES..][..DOUBLE_BYTES];
                place.copy_from_slice(&pdp.to_le_bytes());
            }
        }
    }

    /// Whether a row as it lies packed has room for one more PDP.
    #[inline]
    pub(super) fn has_room(self, packed: &[u8], at: usize) -> bool {
        match self {
            Self::Nothing | Self::Value => true,
            Self::Moments => packed[at..][..4] != u32::MAX.to_le_bytes(),
            Self::Values(most) => {
                usize::from(u16::from_le_bytes([packed[at], packed[at + 1]])) < most
            }
        }
    }
}
