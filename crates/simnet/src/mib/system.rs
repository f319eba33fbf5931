//! Scalars of the groups system, interfaces, ip, ifMIBObjects and snmpEngine.

use super::moment::Moment;
use super::object::Object;
use snmp::{Oid, Value};

/// sysObjectID: below net-snmp's subtree for unknown agents; it belongs to no real product.
const SIMULATED_SWITCH: Oid = Oid::constant(&[1, 3, 6, 1, 4, 1, 8072, 3, 2, 255]);
/// Layer 2 and layer 3.
const SERVICES: i32 = 6;
const FORWARDING: i32 = 1;
const TTL: i32 = 64;

/// The value of a scalar; `None` if it is none of these groups.
pub(super) fn value(moment: &Moment<'_>, object: Object) -> Option<Value> {
    let device = moment.device;
    let engine = || moment.life.engine_time(moment.now);
    Some(match object {
        Object::SysDescr => text("gyre simulated switch, software 1.0"),
        Object::SysObjectId => Value::Oid(SIMULATED_SWITCH),
        Object::SysUpTime => Value::TimeTicks(moment.ticks()),
        Object::SysContact => text("noc@sim.example"),
        Object::SysName => text(&device.name),
        Object::SysLocation => text(&device.location),
        Object::SysServices => Value::Integer(SERVICES),
        Object::IfNumber => Value::Integer(device.ports as i32),
        // The table is as it was when the device started.
        Object::IfTableLastChange => Value::TimeTicks(0),
        Object::IpForwarding => Value::Integer(FORWARDING),
        Object::IpTtl => Value::Integer(TTL),
        Object::EngineId => Value::OctetString(device.engine_id().to_vec()),
        Object::EngineBoots => Value::Integer(engine().boots as i32),
        Object::EngineSeconds => Value::Integer(engine().seconds as i32),
        Object::EngineBytesMax => Value::Integer(moment.bytes_max as i32),
        _ => return None,
    })
}

fn text(text: &str) -> Value {
    Value::OctetString(text.as_bytes().to_vec())
}
