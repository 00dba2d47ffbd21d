//! `tabiya serve`: the gRPC service.

use std::{
    io::{self, Write},
    net::{SocketAddr, ToSocketAddrs},
    path::PathBuf,
    time::Duration,
};

use clap::{Args, builder::FalseyValueParser};
use tabiya_server::{Config, GpuPolicy, Server};

use crate::failure::{Failure, Outcome};

const EXAMPLE: &str = "\
Example:
  tabiya serve --listen 127.0.0.1:50051 --admin-listen 127.0.0.1:9090

Prints a line for each port on standard output, so port 0 can be used. SIGTERM and Ctrl-C end it after the calls in
flight; a second one ends it at once. TABIYA_LOG sets what is logged, such as `debug`.";

/// Serve gRPC: rules, arbiter and search, with reflection, and health on a port of its own.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Serve {
    /// Where to serve; port 0 picks a free one
    #[arg(
        long,
        value_name = "HOST:PORT",
        env = "TABIYA_LISTEN",
        default_value = "127.0.0.1:50051"
    )]
    listen: String,
    /// Where to serve health; port 0 picks a free one
    #[arg(
        long,
        value_name = "HOST:PORT",
        env = "TABIYA_ADMIN_LISTEN",
        default_value = "127.0.0.1:9090"
    )]
    admin_listen: String,
    /// Cores to plan for: how many threads of each kind there are follows from it [default: as many as there are]
    #[arg(long, value_name = "N", env = "TABIYA_CORES", value_parser = clap::value_parser!(u16).range(1..=1024))]
    cores: Option<u16>,
    /// Search threads for bulk work [default: one for each core]
    #[arg(long, value_name = "N", env = "TABIYA_THREADS")]
    threads: Option<usize>,
    /// Memory in MiB that searches of waiting callers may take at once [default: 132 for each core, at least 1056]
    #[arg(long, value_name = "MIB", env = "TABIYA_SEARCH_MEMORY", value_parser = clap::value_parser!(u32).range(66..=16_777_216))]
    search_memory: Option<u32>,
    /// Network file to use instead of the built-in one
    #[arg(long, value_name = "FILE", env = "TABIYA_NETWORK")]
    network: Option<PathBuf>,
    /// Ruleset file (TOML) to serve beside the built-in ones; can be given several times
    #[arg(long, value_name = "FILE", env = "TABIYA_RULESET")]
    ruleset: Vec<PathBuf>,
    /// Do not look for a GPU
    #[arg(long, env = "TABIYA_NO_GPU", value_parser = FalseyValueParser::new())]
    no_gpu: bool,
    /// Take a software renderer, such as lavapipe, for a GPU (for tests)
    #[arg(long, env = "TABIYA_ALLOW_SOFTWARE_GPU", value_parser = FalseyValueParser::new())]
    allow_software_gpu: bool,
    /// Seconds after SIGTERM in which connections are still accepted, for load balancers to notice
    #[arg(long, value_name = "S", env = "TABIYA_DRAIN_DELAY", default_value_t = 0)]
    drain_delay: u32,
    /// Seconds after that in which calls in flight may end
    #[arg(long, value_name = "S", env = "TABIYA_DRAIN_GRACE", default_value_t = 25)]
    drain_grace: u32,
}

impl Serve {
    /// By value, not by presence: either may come from the environment and say no.
    fn gpu(&self) -> Result<GpuPolicy, Failure> {
        match (self.no_gpu, self.allow_software_gpu) {
            (true, true) => Err(Failure::Usage(
                "--no-gpu and --allow-software-gpu do not go together".to_owned(),
            )),
            (true, false) => Ok(GpuPolicy::Off),
            (false, true) => Ok(GpuPolicy::AllowSoftware),
            (false, false) => Ok(GpuPolicy::Hardware),
        }
    }

    pub(crate) fn run(self) -> Result<Outcome, Failure> {
        let gpu = self.gpu()?;
        let defaults = self
            .cores
            .map_or_else(Config::default, |cores| Config::for_cores(cores.into()));
        let config = Config {
            listen: resolve("--listen", &self.listen)?,
            admin_listen: resolve("--admin-listen", &self.admin_listen)?,
            bulk_threads: self.threads.unwrap_or(defaults.bulk_threads),
            search_memory: self
                .search_memory
                .map_or(defaults.search_memory, |mib| (mib as usize) << 20),
            network: self.network,
            rulesets: self.ruleset,
            gpu,
            drain_delay: Duration::from_secs(self.drain_delay.into()),
            drain_grace: Duration::from_secs(self.drain_grace.into()),
            ..defaults
        };
        let server = Server::start(config).map_err(|error| Failure::NoServer(error.to_string()))?;
        let lines = format!(
            "listening on {}\nadmin on {}\n",
            server.addr(),
            server.admin_addr()
        );
        // A parent that reads these lines may close the pipe at any time: serving goes on.
        let mut stdout = io::stdout();
        let _ = stdout.write_all(lines.as_bytes()).and_then(|()| stdout.flush());
        server
            .run_until_signal()
            .map_err(|error| Failure::NoServer(error.to_string()))?;
        Ok(Outcome::Done)
    }
}

fn resolve(flag: &str, text: &str) -> Result<SocketAddr, Failure> {
    let wrong = |reason: String| Failure::Usage(format!("{flag} {text:?}: {reason}"));
    text.to_socket_addrs()
        .map_err(|error| wrong(error.to_string()))?
        .next()
        .ok_or_else(|| wrong("no address of this name".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked() {
        assert_eq!(
            resolve("--listen", "127.0.0.1:0").ok(),
            Some(([127, 0, 0, 1], 0).into())
        );
        let refusal = resolve("--listen", "127.0.0.1").unwrap_err().to_string();
        assert!(refusal.starts_with("--listen \"127.0.0.1\": "), "{refusal}");
    }
}
