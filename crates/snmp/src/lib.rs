//! SNMP messages and a session that is a state machine, pure.
