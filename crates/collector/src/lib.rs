//! Polls many SNMP devices over few sockets on a schedule; readings out.
