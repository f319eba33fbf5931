//! Reading a checkpoint, whatever its bytes are.

use super::CheckpointFault;

/// A place in the bytes of a checkpoint.
pub(super) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn fault(&self, expected: &'static str) -> CheckpointFault {
        CheckpointFault { offset_bytes: self.at, expected }
    }

    pub(super) fn take(
        &mut self,
        count: usize,
        expected: &'static str,
    ) -> Result<&'a [u8], CheckpointFault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.get(..count).ok_or_else(|| self.fault(expected))?;
        self.at += count;
        Ok(taken)
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Bytes after their length.
    pub(super) fn counted(&mut self, expected: &'static str) -> Result<&'a [u8], CheckpointFault> {
        let count = self.u32(expected)? as usize;
        self.take(count, expected)
    }

    pub(super) fn array<const N: usize>(
        &mut self,
        expected: &'static str,
    ) -> Result<[u8; N], CheckpointFault> {
        let start = self.at;
        let fault = CheckpointFault { offset_bytes: start, expected };
        self.take(N, expected)?.try_into().map_err(|_| fault)
    }

    pub(super) fn u16(&mut self, expected: &'static str) -> Result<u16, CheckpointFault> {
        self.array(expected).map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self, expected: &'static str) -> Result<u32, CheckpointFault> {
        self.array(expected).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, expected: &'static str) -> Result<u64, CheckpointFault> {
        self.array(expected).map(u64::from_le_bytes)
    }

    pub(super) fn i64(&mut self, expected: &'static str) -> Result<i64, CheckpointFault> {
        self.array(expected).map(i64::from_le_bytes)
    }

    pub(super) fn expect_u32(
        &mut self,
        value: u32,
        expected: &'static str,
    ) -> Result<(), CheckpointFault> {
        let start = self.at;
        match self.u32(expected)? {
            found if found == value => Ok(()),
            _ => Err(CheckpointFault { offset_bytes: start, expected }),
        }
    }
}
