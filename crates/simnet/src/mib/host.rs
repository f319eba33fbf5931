//! HOST-RESOURCES-MIB and UCD-SNMP-MIB: processors, memory, file systems.

use super::moment::Moment;
use super::object::Object;
use super::tables::PROCESSORS;
use snmp::{Oid, Value};
use std::time::Duration;

const MEMORY_KB: i32 = 8 << 20;
const SWAP_KB: i32 = 2 << 20;
/// Below this much free swap, a real agent would report an error.
const SWAP_LEAST_KB: i32 = 16_000;
const DISK_BLOCKS: i32 = 4 << 20;
const DISK_BLOCK_BYTES: i32 = 4096;
const LOAD_LIMIT: &str = "12.00";
const NO_NAME: Oid = Oid::constant(&[0, 0]);
const PROCESSOR_TYPE: Oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 25, 3, 1, 3]);
const STORAGE_TYPES: Oid = Oid::constant(&[1, 3, 6, 1, 2, 1, 25, 2, 1]);
const RUNNING: i32 = 2;

/// A row of hrStorageTable.
struct Storage {
    kind: u32,
    descr: &'static str,
    unit_bytes: i32,
    size: i32,
    used: i32,
}

/// The value of an object in the row with this number (0 for a scalar); `None` if it is none of
/// these MIBs.
pub(super) fn value(moment: &Moment<'_>, object: Object, row: u32) -> Option<Value> {
    Some(match object {
        Object::RowNumber => Value::Integer(row as i32),
        Object::NullName => Value::Oid(NO_NAME),
        Object::Zero => Value::Counter32(0),
        Object::HrUptime => Value::TimeTicks(moment.ticks()),
        Object::HrDate => Value::OctetString(date_and_time(moment.now).to_vec()),
        Object::HrLoadDevice => Value::Integer(1),
        Object::HrLoadParameters => text("quiet"),
        Object::HrUsers => Value::Gauge32(1),
        Object::HrProcesses => Value::Gauge32(120 + (load(moment) * 40.0) as u32),
        Object::HrProcessesMax => Value::Integer(0),
        Object::HrMemorySize => Value::Integer(MEMORY_KB),
        Object::DeviceType => Value::Oid(PROCESSOR_TYPE),
        Object::DeviceDescr => text("simulated processor"),
        Object::DeviceStatus => Value::Integer(RUNNING),
        Object::ProcessorLoad => Value::Integer((load(moment) * 100.0) as i32),
        Object::StorageType
        | Object::StorageDescr
        | Object::StorageUnit
        | Object::StorageSize
        | Object::StorageUsed => return storage_value(moment, object, row),
        _ => return ucd(moment, object, row),
    })
}

fn storage_value(moment: &Moment<'_>, object: Object, row: u32) -> Option<Value> {
    let storage = storage(moment, row);
    Some(match object {
        Object::StorageType => Value::Oid(STORAGE_TYPES.extended(&[storage.kind]).ok()?),
        Object::StorageDescr => text(storage.descr),
        Object::StorageUnit => Value::Integer(storage.unit_bytes),
        Object::StorageSize => Value::Integer(storage.size),
        Object::StorageUsed => Value::Integer(storage.used),
        _ => return None,
    })
}

fn storage(moment: &Moment<'_>, row: u32) -> Storage {
    /// The kinds of HOST-RESOURCES-TYPES.
    const RAM: u32 = 2;
    const VIRTUAL_MEMORY: u32 = 3;
    const FIXED_DISK: u32 = 4;
    let disk = |descr, share: f64| {
        let (size, used) = (DISK_BLOCKS, (f64::from(DISK_BLOCKS) * share) as i32);
        Storage { kind: FIXED_DISK, descr, unit_bytes: DISK_BLOCK_BYTES, size, used }
    };
    match row {
        1 => {
            let used = MEMORY_KB - free_kb(moment);
            let (descr, size) = ("Physical memory", MEMORY_KB);
            Storage { kind: RAM, descr, unit_bytes: 1024, size, used }
        }
        10 => {
            let (descr, size, used) = ("Swap space", SWAP_KB, 0);
            Storage { kind: VIRTUAL_MEMORY, descr, unit_bytes: 1024, size, used }
        }
        31 => disk("/", 0.3),
        // It fills up within ten weeks, and is emptied.
        _ => disk("/var", moment.up_seconds() as f64 / 6_048_000.0 % 1.0),
    }
}

fn ucd(moment: &Moment<'_>, object: Object, row: u32) -> Option<Value> {
    let free_kb = || free_kb(moment);
    Some(match object {
        Object::UcdIndex | Object::UcdError => Value::Integer(0),
        Object::UcdErrorText => text(""),
        Object::MemoryName => text("swap"),
        Object::SwapTotal | Object::SwapFree => Value::Integer(SWAP_KB),
        Object::SwapLeast => Value::Integer(SWAP_LEAST_KB),
        Object::MemoryTotal => Value::Integer(MEMORY_KB),
        Object::MemoryFree => Value::Integer(free_kb()),
        Object::MemoryAndSwapFree => Value::Integer(free_kb() + SWAP_KB),
        Object::MemoryShared => Value::Integer(0),
        Object::MemoryBuffers => Value::Integer(free_kb() / 16),
        Object::MemoryCached => Value::Integer(free_kb() / 4),
        Object::LoadName => text(["Load-1", "Load-5", "Load-15"].get(row as usize - 1)?),
        Object::LoadText => text(&format!("{:.2}", load_of_row(moment, row))),
        Object::LoadLimit => text(LOAD_LIMIT),
        Object::LoadHundredths => Value::Integer((load_of_row(moment, row) * 100.0) as i32),
        Object::LoadFloat => Value::Opaque(opaque_float(load_of_row(moment, row) as f32)),
        _ => return processor(moment, object),
    })
}

/// What the processors have done, in hundredths of a second of each.
fn processor(moment: &Moment<'_>, object: Object) -> Option<Value> {
    let ticks = |work| {
        let Moment { device, traffic, .. } = moment;
        let counted = moment.counted(|time| traffic.processor_ticks(device.number, work, time));
        counted as u32
    };
    let idle = || {
        let all = moment.up_seconds() as u32;
        let all = all.wrapping_mul(100 * PROCESSORS.len() as u32);
        all.wrapping_sub(ticks(USER)).wrapping_sub(ticks(SYSTEM))
    };
    let percent = (load(moment) * 100.0) as i32;
    Some(match object {
        Object::StatisticsName => text("systemStats"),
        Object::CpuUser => Value::Integer(percent * 3 / 4),
        Object::CpuSystem => Value::Integer(percent / 4),
        Object::CpuIdle => Value::Integer(100 - percent),
        Object::CpuRawUser => Value::Counter32(ticks(USER)),
        Object::CpuRawSystem => Value::Counter32(ticks(SYSTEM)),
        Object::CpuRawIdle => Value::Counter32(idle()),
        _ => return None,
    })
}

/// The kinds of work that processors do.
const USER: u32 = 0;
const SYSTEM: u32 = 1;

/// How busy the processors are, from 0 to 1.
fn load(moment: &Moment<'_>) -> f64 {
    moment.traffic.processor_load(moment.device.number, moment.now).clamp(0.0, 1.0)
}

/// The average of 1, 5 or 15 minutes, as the load in their middle.
fn load_of_row(moment: &Moment<'_>, row: u32) -> f64 {
    let back_seconds = match row {
        1 => 30,
        2 => 150,
        _ => 450,
    };
    let now = moment.now.saturating_sub(Duration::from_secs(back_seconds));
    load(&Moment { now, ..*moment }) * PROCESSORS.len() as f64
}

fn free_kb(moment: &Moment<'_>) -> i32 {
    MEMORY_KB - (f64::from(MEMORY_KB) * (0.2 + 0.5 * load(moment))) as i32
}

/// A float as net-snmp puts it into an Opaque.
fn opaque_float(number: f32) -> Vec<u8> {
    [&[0x9f, 0x78, 4][..], &number.to_be_bytes()].concat()
}

/// DateAndTime of SNMPv2-TC, in UTC.
fn date_and_time(time: Duration) -> [u8; 8] {
    let (days, second) = (time.as_secs() / 86_400, time.as_secs() % 86_400);
    // Years that begin with March have their leap day at the end.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = (era * 400 + year_of_era + u64::from(month <= 2)) as u16;
    let [year_high, year_low] = year.to_be_bytes();
    let (hour, minute) = (second / 3600, second / 60 % 60);
    let clock = [month, day, hour, minute, second % 60].map(|part| part as u8);
    let [month, day, hour, minute, second] = clock;
    let tenths = (time.subsec_millis() / 100) as u8;
    [year_high, year_low, month, day, hour, minute, second, tenths]
}

fn text(text: &str) -> Value {
    Value::OctetString(text.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let at = |seconds| date_and_time(Duration::from_secs(seconds));
        assert_eq!(at(0), [0x07, 0xb2, 1, 1, 0, 0, 0, 0]);
        // 29 February 2024, 23:59:58.
        assert_eq!(at(1_709_251_198), [0x07, 0xe8, 2, 29, 23, 59, 58, 0]);
        assert_eq!(at(1_794_787_200), [0x07, 0xea, 11, 16, 0, 0, 0, 0]);
    }
}
