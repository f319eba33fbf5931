//! A simulated network that answers real SNMP on loopback.
