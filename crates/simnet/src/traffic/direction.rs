/// The direction, seen from the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Into the device: ifInOctets.
    In,
    /// Out of the device: ifOutOctets.
    Out,
}

impl Direction {
    /// The same seen from the other end of a link.
    pub(super) fn other(self) -> Direction {
        match self {
            Direction::In => Direction::Out,
            Direction::Out => Direction::In,
        }
    }
}
