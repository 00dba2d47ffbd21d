//! The program as it is used: commands, files, servers and signals. One program for all these tests, as each more would cost a minute
//! to build. What needs the machine for itself is a program of its own.

mod adjudicate;
mod adjudicate_oracle;
mod analyse;
mod arrows;
mod browser;
mod commands;
mod config;
mod evaluate;
mod gpu;
mod jobs;
mod resume;
mod secrets;
mod serve;
mod uci;
