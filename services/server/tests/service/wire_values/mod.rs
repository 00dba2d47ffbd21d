//! Whatever stands in the fields of requests: every method, every field that could hold it.

mod choices;
mod requests;
mod texts;
mod values;
