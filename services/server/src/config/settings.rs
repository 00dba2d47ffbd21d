//! The list of all settings.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use secrecy::SecretString;
use tabiya_api::{MAX_MESSAGE_BYTES, MAX_POSITIONS_PER_MESSAGE, MAX_READ_BYTES, convert::MAX_PROOF_NODES};
use tabiya_evaluator::NetworkSource;

use super::{
    form::{
        Address, Bytes, Choice, Count, File, Files, Folders, Form, Named, Networks, Ratio, Secret, Switch,
        Text, Texts, Time,
    },
    table::{Setting, settings},
};
use crate::engine::proof_bytes;

/// What a search takes at the greatest limits: a table of 64 MiB and the rest.
pub(crate) const GREATEST_SEARCH: usize = 66 << 20;
/// What a proof takes at the greatest limit.
const GREATEST_PROOF: usize = proof_bytes(MAX_PROOF_NODES);
/// Room for proofs and adjudications, for each core.
const PROOFS_PER_CORE: usize = 64 << 20;

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

settings! {
    |cores|

    "Ports" {
        /// Where the services listen. Port 0 picks a free one.
        listen: SocketAddr as Address = (Ipv4Addr::LOCALHOST, 50051).into();
        /// Where health is served, on a thread of its own. Port 0 picks a free one.
        admin_listen: SocketAddr as Address = (Ipv4Addr::LOCALHOST, 9090).into();
    }

    "Engine" {
        /// Networks that can be asked for, the first where none is named: names of those in the program, or files. Each has its
        /// own evaluator, which is measured and proved before readiness.
        network: Vec<NetworkSource> as Networks = vec![NetworkSource::default()];
        /// Ruleset files (TOML) to serve beside the built-in ones. Each may build on those before it.
        rulesets: Vec<PathBuf> as Files = Vec::new();
        /// Folders of Syzygy endgame tables, which every search then asks; separated as in PATH.
        syzygy_path: Vec<PathBuf> as Folders = Vec::new();
        /// Whether and which graphics processors may be used; software renderers are for tests.
        gpu: GpuPolicy as Choice = GpuPolicy::Hardware;
        /// How long the backends are measured before readiness, for each network; zero leaves them unmeasured and AUTO with
        /// the CPU.
        calibration: Duration as Time = Duration::from_millis(300), Duration::ZERO..=60 * SECOND;
    }

    "Threads and memory" {
        /// Cores to plan for: how many threads of each kind there are follows from it.
        cores: usize as Count = cores, 1..=1024;
        /// Threads that move bytes. They never compute anything long.
        io_threads: usize as Count = 2, 1..=64;
        /// Searches for waiting callers that may run at once. The operating system shares the cores among them, so
        /// that one long search does not make the others miss their deadlines.
        interactive_threads: usize as Count = cores.saturating_mul(8).clamp(16, 128), 1..=1024;
        /// Greatest number of threads of one search. They come out of `interactive_threads`: as many as have nothing
        /// to do when it begins, and back to other callers as soon as these need them.
        threads_per_search: usize as Count = cores.clamp(1, 256), 1..=256;
        /// Searches of bulk streams that run at once.
        bulk_threads: usize as Count = cores.clamp(1, 1024), 1..=1024;
        /// Threads for counting, long games and bulk work of the rules.
        rules_threads: usize as Count = cores.clamp(1, 1024), 1..=1024;
        /// Threads that evaluate batches of positions on the CPU, for each network.
        evaluate_threads: usize as Count = cores.clamp(1, 1024), 1..=1024;
        /// Memory that searches of waiting callers may take at once, mostly for tables; further ones wait. An eighth
        /// of it rests between searches.
        search_memory: usize as Bytes = cores.clamp(8, 1024) * 2 * GREATEST_SEARCH, GREATEST_SEARCH..=1 << 44;
        /// Memory that proofs and adjudications may take at once; further ones wait.
        proof_memory: usize as Bytes = cores.clamp(8, 1024) * PROOFS_PER_CORE, GREATEST_PROOF..=1 << 44;
    }

    "Work" {
        /// Positions of waiting callers that are in the server at once, waiting or computed; what would be more is
        /// refused.
        interactive_positions: usize as Count = 16_384, 1..=1 << 24;
        /// Positions of bulk streams that are in the server at once; further ones wait.
        bulk_positions: usize as Count = 65_536, 1..=1 << 24;
        /// Positions of waiting callers that may queue for a search thread.
        interactive_queue: usize as Count = 256, 1..=1 << 20;
        /// How long a search without a deadline may wait for a thread, in rounds of the work before it: with 1, for as
        /// long as the searches take that run now. What would wait longer is refused, with a time to come back. A
        /// call with a deadline waits until then, and is answered.
        interactive_rounds: usize as Count = 1, 0..=1 << 20;
        /// Positions of bulk streams that may queue for a search thread.
        bulk_queue: usize as Count = 4096, 64..=1 << 20;
        /// Positions that may queue for an evaluation by one network; there is room for the greatest message.
        evaluate_queue: usize as Count = 65_536, MAX_POSITIONS_PER_MESSAGE..=1 << 24;
        /// Items of one bulk stream that are worked on at once; the server reads no further ahead.
        stream_in_flight: usize as Count = 256, 1..=1 << 16;
        /// The longest search for a waiting caller, and the longest count, whatever was asked for.
        longest_call: Duration as Time = Duration::from_secs(600), Duration::from_millis(1)..=DAY;
        /// The longest search of a bulk item, whatever was asked for.
        longest_item: Duration as Time = HOUR, Duration::from_millis(1)..=7 * DAY;
    }

    "Jobs" {
        /// Folder in which jobs are kept; made if it is missing. Without it there are none.
        jobs_dir: Option<PathBuf> as File = None;
        /// NATS servers with JetStream that jobs are kept at instead, such as nats://user:password@host:4222; several with
        /// commas between them.
        nats: Option<SecretString> as Secret = None;
        /// File with a user's credentials for NATS, as nsc writes it.
        nats_credentials: Option<PathBuf> as File = None;
        /// Certificates (PEM) that the NATS servers' may be signed with, instead of the system's.
        nats_ca: Option<PathBuf> as File = None;
        /// Our certificate (PEM), for NATS servers that ask for one.
        nats_certificate: Option<PathBuf> as File = None;
        /// The key (PEM) to it.
        nats_key: Option<PathBuf> as File = None;
        /// Copies that a cluster of NATS servers keeps of everything: 1, 3 or 5.
        nats_replicas: usize as Count = 1, 1..=5;
        /// How long a chunk is a worker's without a sign of progress. The first process to meet the broker decides.
        nats_lease: Duration as Time = 30 * SECOND, SECOND..=HOUR;
        /// Most chunks that may wait at the broker. The first process to meet it decides.
        nats_max_tasks: usize as Count = 200_000, 1..=10_000_000;
        /// Work at the jobs of NATS here, too, as `tabiya worker` does. Jobs in a folder are always worked at here.
        jobs_work: bool as Switch = false;
        /// Chunks that are worked at side by side; 0: one more than there are threads for bulk work.
        jobs_slots: usize as Count = 0, 0..=1024;
        /// How long a job stays after its end.
        jobs_keep: Duration as Time = 7 * DAY, HOUR..=3650 * DAY;
        /// Memory for answers that are given again when a later job asks the same; 0 keeps none.
        jobs_cache: usize as Bytes = 0, 0..=1 << 44;
        /// Streams of results that are open at once; further ones are refused, with a time to come back. They compute nothing, so
        /// they take no place of waiting callers' work.
        result_streams: usize as Count = 256, 1..=1 << 16;
        /// Jobs of one caller that run at once. Where callers are not told apart they are one.
        jobs_running: usize as Count = 1000, 1..=1 << 20;
        /// Items of one job.
        job_items: u32 as Count = 1_000_000, 1..=100_000_000;
        /// Bytes of one job's items: positions, moves, names.
        job_bytes: usize as Bytes = 1 << 30, 1 << 10..=1 << 44;
        /// Memory for jobs that are being submitted, all together, and so for one.
        jobs_incoming: usize as Bytes = 256 << 20, 1 << 10..=1 << 44;
        /// Bytes of the manifests of one caller's running jobs, as they are stored.
        jobs_bytes: usize as Bytes = 4 << 30, 1 << 10..=1 << 44;
    }

    "Connections" {
        /// Connections served at once; calls on further ones are refused, with a time to come back.
        max_connections: usize as Count = 1000, 1..=1 << 20;
        /// Calls of one connection at once.
        streams_per_connection: u32 as Count = 256, 1..=1 << 16;
        /// Bytes of metadata that a call may have, each entry with 32 bytes more than it has.
        header_bytes: usize as Bytes = 16 << 10, 1 << 10..=1 << 20;
        /// How long a new connection may take to agree on encryption and to send its first bytes.
        handshake_patience: Duration as Time = Duration::from_secs(10), Duration::from_millis(1)..=HOUR;
        /// How long a connection may go without a call before it is told to go away; callers connect again by
        /// themselves.
        idle_connection: Duration as Time = Duration::from_secs(600), Duration::from_millis(1)..=30 * DAY;
        /// Age at which a connection is told to go away, give or take a tenth; its calls go on to their end. So that
        /// callers spread over new servers, and over new certificates.
        connection_age: Duration as Time = Duration::from_secs(1800), Duration::from_millis(1)..=30 * DAY;
        /// How long a stream may go without a message while none of its items waits for an answer.
        idle_stream: Duration as Time = Duration::from_secs(600), Duration::from_millis(1)..=30 * DAY;
        /// How long an answer may lie unread before its stream is cut.
        stalled_reader: Duration as Time = Duration::from_secs(60), Duration::from_millis(1)..=DAY;
        /// Bytes of requests that are held at once, as they come and once they are read; further ones are refused.
        request_bytes: usize as Bytes = 256 << 20, MAX_READ_BYTES + MAX_MESSAGE_BYTES..=1 << 40;
        /// How long the rest of a message is waited for, once it is wanted and has begun.
        message_patience: Duration as Time = Duration::from_secs(60), Duration::from_millis(1)..=DAY;
    }

    "Security" {
        /// Listen off loopback without encryption or without tokens. Calls can then be read, or made, by anybody on the
        /// way: only for networks that see to both themselves.
        insecure: bool as Switch = false;
        /// Certificate chain (PEM) of the server. It and the key are read again when they change.
        tls_cert: Option<PathBuf> as File = None;
        /// Private key (PEM) of the certificate.
        tls_key: Option<PathBuf> as File = None;
        /// Certificate authority (PEM) of callers. With it, only callers with a certificate of its connect.
        tls_client_ca: Option<PathBuf> as File = None;
        /// Encryption of the admin port, which has health and metrics alone: `off` suits probes that know no
        /// certificates, `server` encrypts, `mutual` asks for certificates of callers, too.
        admin_tls: AdminTls as Choice = AdminTls::Off;
        /// File of callers (TOML): hashes of their tokens, roles, quotas; `tabiya token new` makes entries. Without it
        /// everybody may do everything. It is read again when it changes.
        tokens: Option<PathBuf> as File = None;
        /// Who may ask which services and messages there are: everybody, callers that are known, or nobody.
        reflection: ReflectionAccess as Choice = ReflectionAccess::Open;
        /// How often certificates, keys and the file of callers are looked at for changes.
        reload_interval: Duration as Time = Duration::from_secs(5), Duration::from_millis(10)..=DAY;
        /// Answer gRPC-Web, also over HTTP/1.1, as browsers need it.
        grpc_web: bool as Switch = false;
        /// Origins of pages that may call, such as `https://chess.example`; naming one turns gRPC-Web on.
        cors_origins: Vec<String> as Texts = Vec::new();
    }

    "Tracing" {
        /// Where to send trace spans over OTLP (gRPC), as in `http://collector:4317`; without it none are kept.
        otlp_endpoint: Option<String> as Text = None;
        /// The share of calls that are traced, from 0 to 1, where the caller has not decided.
        trace_ratio: f64 as Ratio = 1.0, 0.0..=1.0;
    }

    "End" {
        /// How long a stopping server still accepts connections after readiness has gone, for load balancers to
        /// notice.
        drain_delay: Duration as Time = Duration::ZERO, Duration::ZERO..=HOUR;
        /// How long calls in flight may go on after that. Searches that are still running then answer with their best
        /// so far.
        drain_grace: Duration as Time = Duration::from_secs(25), Duration::ZERO..=DAY;
    }
}

/// Whether and which graphics processors may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GpuPolicy {
    /// None: do not even look.
    Off,
    /// Hardware only.
    Hardware,
    /// Also a software renderer such as lavapipe, which is for tests.
    AllowSoftware,
}

impl Named for GpuPolicy {
    const NAMES: &'static str = "off|hardware|software";
    const VALUES: &'static [Self] = &[Self::Off, Self::Hardware, Self::AllowSoftware];
}

/// Encryption of the admin port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AdminTls {
    /// None.
    Off,
    /// With the server's certificate.
    Server,
    /// The same, for callers with a certificate.
    Mutual,
}

impl Named for AdminTls {
    const NAMES: &'static str = "off|server|mutual";
    const VALUES: &'static [Self] = &[Self::Off, Self::Server, Self::Mutual];
}

/// Who may ask for descriptions of services.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReflectionAccess {
    /// Everybody.
    Open,
    /// Whoever has a token or a certificate that is known.
    Authenticated,
    /// Nobody.
    Off,
}

impl Named for ReflectionAccess {
    const NAMES: &'static str = "open|authenticated|off";
    const VALUES: &'static [Self] = &[Self::Open, Self::Authenticated, Self::Off];
}
