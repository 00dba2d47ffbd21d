//! `tabiya serve`: the gRPC service.

use std::io::{self, Write};

use clap::Args;
use tabiya_server::Server;

use crate::{
    failure::{Failure, Outcome},
    settings::SettingArgs,
};

const EXAMPLE: &str = "\
Example:
  tabiya serve --listen 127.0.0.1:50051 --admin-listen 127.0.0.1:9090

A setting is taken from its flag, else from the environment, else from the file that --config names, else it has its
default. Prints a line for each port on standard output, so port 0 can be used. SIGTERM and Ctrl-C end it after the
calls in flight; a second one ends it at once. TABIYA_LOG sets what is logged, such as `debug`.";

/// Serve gRPC: rules, arbiter and search, with reflection, and health on a port of its own.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Serve {
    #[command(flatten)]
    settings: SettingArgs,
}

impl Serve {
    pub(crate) fn run(self) -> Result<Outcome, Failure> {
        let effective = self.settings.load(None)?;
        for variable in &effective.ignored {
            tracing::warn!(variable, "no setting has this variable");
        }
        tabiya_server::allow_descriptors();
        let server = Server::start(effective.config).map_err(|error| Failure::NoServer(error.to_string()))?;
        let lines = format!(
            "listening on {}\nadmin on {}\n",
            server.addr(),
            server.admin_addr()
        );
        announce(&lines);
        server
            .run_until_signal()
            .map_err(|error| Failure::NoServer(error.to_string()))?;
        Ok(Outcome::Done)
    }
}

/// Says where a server listens. A parent that reads it may close the pipe at any time: serving goes on.
pub(crate) fn announce(lines: &str) {
    let mut stdout = io::stdout();
    let _ = stdout.write_all(lines.as_bytes()).and_then(|()| stdout.flush());
}
