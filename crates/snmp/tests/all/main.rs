//! Most tests of this crate. They are one program, as each program takes its time to link.
#![allow(clippy::duplicate_mod)] // several files have modules in common, each for itself

#[path = "../agent.rs"]
mod agent;
#[path = "../codec.rs"]
mod codec;
#[path = "../codec_v3.rs"]
mod codec_v3;
#[path = "../golden.rs"]
mod golden;
#[path = "../golden_v3.rs"]
mod golden_v3;
#[path = "../live.rs"]
mod live;
#[path = "../live_v3.rs"]
mod live_v3;
#[path = "../oid.rs"]
mod oid;
#[path = "../session.rs"]
mod session;
#[path = "../session_v3.rs"]
mod session_v3;
