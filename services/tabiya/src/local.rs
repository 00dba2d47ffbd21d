//! `tabiya uci` and `tabiya bench`: the search inside this process, without a service.

use std::{ffi::OsString, io, sync::Arc};

use clap::Args;
use tabiya_evaluator::{AnyKernel, Network, NetworkSource};

use crate::{
    bench,
    failure::{Failure, Outcome},
    syzygy::Endgames,
    uci,
};

const UCI_EXAMPLE: &str = "\
Example:
  tabiya uci --kernel scalar";

const BENCH_EXAMPLE: &str = "\
Example:
  tabiya bench --depth 10";

/// Play and analyse by the Universal Chess Interface on standard input and output.
#[derive(Args, Debug)]
#[command(after_help = UCI_EXAMPLE)]
pub(crate) struct Uci {
    #[command(flatten)]
    with: LocalArgs,
}

/// Search a fixed set of positions: prints `nodes: N`, a checksum of the search, and `nps: N`, its speed.
#[derive(Args, Debug)]
#[command(after_help = BENCH_EXAMPLE)]
pub(crate) struct Bench {
    /// Depth of each search in plies; the checksum is of the depth that is the default
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: Option<u32>,
    #[command(flatten)]
    with: LocalArgs,
}

/// What a search inside this process evaluates with.
#[derive(Args, Debug)]
struct LocalArgs {
    /// Network to use: the name of one in the program, or a file [default: standard]
    #[arg(long, value_name = "NAME|FILE")]
    network: Option<NetworkSource>,
    /// Kernel to use instead of the processor's best: scalar, avx2, avx512 and so on, where it has them
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Folders of Syzygy endgame tables to ask, separated as in PATH
    #[arg(long, value_name = "FOLDERS")]
    syzygy_path: Option<OsString>,
}

/// What the arguments stand for.
struct Local {
    network: Arc<Network>,
    kernel: AnyKernel,
    endgames: Endgames,
}

impl Uci {
    pub(crate) fn run(self) -> Result<Outcome, Failure> {
        let Local {
            network,
            kernel,
            endgames,
        } = self.with.load()?;
        uci::run(io::stdin().lock(), io::stdout(), network, kernel, endgames).map_err(Failure::stdout)?;
        Ok(Outcome::Done)
    }
}

impl Bench {
    pub(crate) fn run(self) -> Result<Outcome, Failure> {
        let Local {
            network,
            kernel,
            endgames,
        } = self.with.load()?;
        eprint!("network {}, kernel {}", network.name(), kernel.name());
        match &endgames.tables {
            None => eprintln!(),
            Some(tables) => eprintln!(", {} endgame tables", tables.len()),
        }
        let tables = endgames.tables;
        bench::run(&mut io::stdout(), network, kernel, self.depth, tables).map_err(Failure::stdout)?;
        Ok(Outcome::Done)
    }
}

impl LocalArgs {
    fn load(&self) -> Result<Local, Failure> {
        let source = self.network.clone().unwrap_or_default();
        let network = source
            .load()
            .map_err(|error| Failure::input(&source.to_string(), error))?;
        let kernel = match self.kernel.as_deref() {
            None => AnyKernel::best(),
            Some(name) => AnyKernel::named(name).ok_or_else(|| {
                let known: Vec<_> = AnyKernel::all().into_iter().map(AnyKernel::name).collect();
                Failure::Usage(format!(
                    "--kernel {name:?}: this processor has {}",
                    known.join(", ")
                ))
            })?,
        };
        let endgames = match &self.syzygy_path {
            None => Endgames::default(),
            Some(text) => {
                Endgames::open(text).map_err(|error| Failure::Usage(format!("--syzygy-path: {error}")))?
            }
        };
        Ok(Local {
            network,
            kernel,
            endgames,
        })
    }
}
