use std::{fmt, path::PathBuf, time::Duration};

use async_nats::ServerAddr;

/// How to reach a NATS server, and what to keep there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Where the servers are, and who we are.
    pub address: Address,
    /// File with a user's JWT and seed, as `nsc` writes it.
    pub credentials: Option<PathBuf>,
    /// File with the certificates (PEM) that a server's may be signed with, instead of the system's.
    pub root_certificates: Option<PathBuf>,
    /// Files with our certificate and its key (PEM), for servers that ask for one.
    pub client_certificate: Option<(PathBuf, PathBuf)>,
    /// Our name in the server's lists of connections.
    pub name: String,
    /// Copies of every stream: 1, or 3 on a cluster that shall survive the loss of a server.
    pub replicas: usize,
    /// Most tasks in the queue.
    pub max_tasks: i64,
    /// Most bytes in the queue.
    pub max_bytes: i64,
    /// How long a task is a worker's without a sign of progress.
    pub lease: Duration,
    /// How often the queue is compared with what is still to do.
    pub rounds: Duration,
    /// Longest silence of the server that is taken for granted: it says something at least this often.
    pub heartbeat: Duration,
}

impl Settings {
    /// The settings for this address, everything else as usual.
    pub fn new(address: Address) -> Self {
        Self {
            address,
            credentials: None,
            root_certificates: None,
            client_certificate: None,
            name: "tabiya".to_owned(),
            replicas: 1,
            max_tasks: 200_000,
            max_bytes: 256 << 20,
            lease: Duration::from_secs(30),
            rounds: Duration::from_secs(30),
            heartbeat: Duration::from_secs(5),
        }
    }
}

/// One or several URLs of NATS servers, such as `nats://jobs:secret@nats-0:4222,nats://nats-1:4222`. Who we are is kept
/// apart from where they are, so that no list of servers in a log tells a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    servers: Vec<ServerAddr>,
    login: Option<Login>,
}

/// How we log in, where the URL says so.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Login {
    Password { user: String, password: String },
    Token(String),
}

/// Why a text is no address; never tells a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("NATS server {number} of the list: {reason}")]
pub struct AddressError {
    /// Which URL of the list, from 1.
    pub number: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl Address {
    /// Reads URLs with commas between them. The scheme is `nats`, or `tls` for an encrypted connection; it and the port
    /// may be left out. `user:password@` or `token@` before the host says who we are; servers of one list agree in it.
    ///
    /// # Errors
    /// What is wrong with which URL.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let mut servers = Vec::new();
        let mut login = None;
        for (number, part) in (1..).zip(text.split(',')) {
            let wrong = |reason: String| AddressError { number, reason };
            let (server, own) = read_server(part.trim()).map_err(wrong)?;
            if login.is_some() && own.is_some() && login != own {
                return Err(wrong("another user, password or token than before".to_owned()));
            }
            servers.push(server);
            login = login.or(own);
        }
        Ok(Self { servers, login })
    }

    pub(super) fn servers(&self) -> &[ServerAddr] {
        &self.servers
    }

    pub(super) fn login(&self) -> Option<&Login> {
        self.login.as_ref()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, server) in self.servers.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            let host = server.host();
            // An IPv6 address needs its brackets back.
            let (open, close) = if host.contains(':') { ("[", "]") } else { ("", "") };
            let (scheme, port) = (server.scheme(), server.port());
            write!(f, "{comma}{scheme}://{open}{host}{close}:{port}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        f.write_str(if self.login.is_some() { " (with login)" } else { "" })
    }
}

/// A server without login, and the login.
fn read_server(text: &str) -> Result<(ServerAddr, Option<Login>), String> {
    // The library's own words may repeat the text, password and all.
    let not_a_url = || "not a URL such as nats://HOST:PORT".to_owned();
    let mut url = text.parse::<ServerAddr>().map_err(|_| not_a_url())?.into_inner();
    if !matches!(url.scheme(), "nats" | "tls") {
        return Err(format!("scheme {:?} instead of nats or tls", url.scheme()));
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err("no host".to_owned());
    }
    let plain = |text: &str| {
        percent_encoding::percent_decode_str(text)
            .decode_utf8()
            .map(|text| text.into_owned())
            .map_err(|_| "user, password or token is not UTF-8".to_owned())
    };
    let login = match (url.username(), url.password()) {
        ("", None) => None,
        (token, None) => Some(Login::Token(plain(token)?)),
        (user, Some(password)) => Some(Login::Password {
            user: plain(user)?,
            password: plain(password)?,
        }),
    };
    url.set_username("").map_err(|()| not_a_url())?;
    url.set_password(None).map_err(|()| not_a_url())?;
    let server = ServerAddr::from_url(url).map_err(|_| not_a_url())?;
    Ok((server, login))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn login_and_servers_are_told_apart() {
        let address = Address::parse("nats://jobs:s3%2Fcret@one:4223, tls://two").unwrap();
        assert_eq!(address.to_string(), "nats://one:4223,tls://two:4222");
        let password = |user: &str, password: &str| Login::Password {
            user: user.to_owned(),
            password: password.to_owned(),
        };
        assert!(address.login() == Some(&password("jobs", "s3/cret")));
        let address = Address::parse("t0ken@host").unwrap();
        assert!(address.login() == Some(&Login::Token("t0ken".to_owned())));
        assert_eq!(address.to_string(), "nats://host:4222");
        assert!(Address::parse("127.0.0.1:14222").unwrap().login().is_none());
        assert_eq!(
            Address::parse("[::1]:4222").unwrap().to_string(),
            "nats://[::1]:4222"
        );
    }

    #[test]
    fn no_words_about_an_address_tell_a_secret() {
        let address = Address::parse("nats://jobs:s3cret@one").unwrap();
        let settings = Settings::new(address.clone());
        for words in [
            address.to_string(),
            format!("{address:?}"),
            format!("{settings:?}"),
        ] {
            assert!(!words.contains("s3cret"), "{words}");
        }
        for wrong in [
            "nats://jobs:s3cret@one:port",
            "http://jobs:s3cret@one",
            "nats://jobs:s3cret@",
            "nats://jobs:s3cret@one,nats://jobs:0ther@two",
            "nats://jobs:s3cret@one:4222:4222",
            "",
        ] {
            let words = Address::parse(wrong).unwrap_err().to_string();
            assert!(!words.contains("s3cret") && !words.contains("0ther"), "{words}");
            assert!(words.starts_with("NATS server "), "{words}");
        }
    }
}
