#[cfg(unix)]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors that a server needs besides one for each connection: files, pipes, the connections of its other port and
/// those beyond the limit.
const OTHERS: u64 = 256;

/// Lets this process open as many descriptors as the system ever would, and tells how many that is; `None` if there is no
/// limit. The usual limit of 1,024 is there for programs that use `select`, and below what the usual number of connections
/// takes.
#[cfg(unix)]
pub fn allow_descriptors() -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let most = Rlimit {
        current: maximum,
        maximum,
    };
    // Where it is refused the limit stays as it is.
    setrlimit(Resource::Nofile, most).map_or(current, |()| maximum)
}

/// Does nothing where there is no such limit.
#[cfg(not(unix))]
pub fn allow_descriptors() -> Option<u64> {
    None
}

/// Warns if so many connections may run into the limit of descriptors.
pub(crate) fn check(connections: usize) {
    let wanted = connections as u64 + OTHERS;
    if let Some(limit) = limit().filter(|&limit| limit < wanted) {
        tracing::warn!(
            limit,
            wanted,
            "max_connections takes more descriptors than the process may open"
        );
    }
}

#[cfg(unix)]
fn limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

#[cfg(not(unix))]
fn limit() -> Option<u64> {
    None
}
