//! Jobs over a real NATS server, started by the test: what is stored, what is handed out, and what happens when the
//! server dies, freezes, or cannot be reached.

mod faults;
mod login;
mod queue;
mod sample;
mod store;
mod worker;
