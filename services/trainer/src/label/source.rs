//! Where labels come from.

use std::path::PathBuf;

use clap::Args;
use tabiya_evaluator::NetworkSource;

use super::{by_engine::ByEngine, by_search::BySearch};
use crate::{arena::parse_option, error::Error, record::Record, teacher::Teacher};

/// Nodes of a search by default: shallow, as there are millions of positions.
const NODES: u64 = 5_000;

/// What a position is asked for its value; exactly one of the three.
#[derive(Args, Clone, Debug)]
pub(crate) struct SourceArgs {
    #[command(flatten)]
    kind: Kind,
    /// UCI option of the engine, NAME=VALUE; may be repeated
    #[arg(long, value_parser = parse_option, requires = "engine")]
    engine_option: Vec<(String, String)>,
    /// Network that our own search uses: the name of one in the program, or a file [default: standard]
    #[arg(long, value_name = "NAME|FILE", requires = "search")]
    network: Option<NetworkSource>,
    /// Nodes of each search, of an engine or our own
    #[arg(long, default_value_t = NODES, conflicts_with = "teacher", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    nodes: u64,
}

#[derive(Args, Clone, Debug)]
#[group(required = true, multiple = false)]
struct Kind {
    /// Network file as `export_net` of the teacher's engine writes it: its static values
    #[arg(long)]
    teacher: Option<PathBuf>,
    /// Command of a UCI engine, with arguments: values of its searches
    #[arg(long)]
    engine: Option<String>,
    /// Values of our own search
    #[arg(long)]
    search: bool,
}

/// What labels positions.
pub(crate) enum Source {
    /// Static values of a network.
    Teacher(Box<Teacher>),
    /// Searches of a UCI engine.
    Engine(ByEngine),
    /// Our own searches.
    Search(BySearch),
}

impl Source {
    /// Opens what the flags name, and says on stderr what it is.
    ///
    /// # Errors
    /// A file that cannot be used, or an engine that does not start.
    pub(crate) fn open(args: &SourceArgs) -> Result<Self, Error> {
        if let Some(path) = &args.kind.teacher {
            let teacher = Teacher::from_file(path)?;
            eprintln!("teacher sha256 {}", teacher.sha256);
            return Ok(Self::Teacher(Box::new(teacher)));
        }
        if let Some(command) = &args.kind.engine {
            eprintln!("labels by {command}, {} nodes", args.nodes);
            return ByEngine::new(command, &args.engine_option, args.nodes).map(Self::Engine);
        }
        let network = args.network.clone().unwrap_or_default();
        let search = BySearch::new(&network, args.nodes)?;
        eprintln!(
            "labels by search, network {}, {} nodes",
            search.network_digest(),
            args.nodes
        );
        Ok(Self::Search(search))
    }

    /// Labels rows, one after the other and each for itself: what stood before a row never changes its label.
    ///
    /// # Errors
    /// An engine that fell silent or ended.
    pub(crate) fn label(&self, rows: &mut [Record]) -> Result<(), Error> {
        match self {
            Self::Teacher(teacher) => {
                rows.iter_mut().for_each(|row| row.set_label(teacher.label(row)));
                Ok(())
            }
            Self::Engine(engine) => engine.label(rows),
            Self::Search(search) => search.label(rows),
        }
    }
}
