//! Which devices are meant.

use super::error::FaultError;
use super::kind::share;
use crate::topology::Device;
use std::net::Ipv4Addr;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A choice of devices. Devices are numbered from 1, as their addresses are.
#[derive(Debug, Clone, PartialEq)]
pub enum Choice {
    /// All devices.
    All,
    /// This part of the devices, spread evenly.
    Share(f64),
    /// These.
    These(Vec<Item>),
}

/// Some devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// By their numbers, from 1.
    Numbers(RangeInclusive<u32>),
    /// By its address.
    Address(Ipv4Addr),
}

impl Choice {
    /// Whether a device is meant. Shares that begin elsewhere (`from`) choose other devices.
    pub(crate) fn has(&self, device: &Device, from: u32) -> bool {
        match self {
            Choice::All => true,
            Choice::Share(share) => {
                // Whole devices up to this one are one more than those before it.
                let place = f64::from((device.number + from) % device.devices.max(1));
                ((place + 1.0) * share + 1e-9).floor() > (place * share + 1e-9).floor()
            }
            Choice::These(items) => items.iter().any(|item| match item {
                Item::Numbers(numbers) => numbers.contains(&(device.number + 1)),
                Item::Address(address) => address == device.address.ip(),
            }),
        }
    }
}

impl FromStr for Choice {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Choice, FaultError> {
        if text == "all" {
            return Ok(Choice::All);
        }
        if let Some(share) = share(text) {
            return Ok(Choice::Share(share));
        }
        let items: Option<Vec<Item>> = text.split(',').map(item).collect();
        items.map(Choice::These).ok_or_else(|| FaultError::Devices(text.to_owned()))
    }
}

fn item(text: &str) -> Option<Item> {
    if let Ok(address) = text.parse() {
        return Some(Item::Address(address));
    }
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| *number > 0);
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (number(first)?, number(last)?);
    (first <= last).then_some(Item::Numbers(first..=last))
}
