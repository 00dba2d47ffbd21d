use std::{io, net::SocketAddr, time::Duration};

use hyper_util::rt::TokioIo;
use tokio::net::{TcpStream, lookup_host};
use tonic::{
    service::interceptor::InterceptedService,
    transport::{Channel, Endpoint, Error, Uri},
};

use crate::{Access, access::Bearer, client::Transport};

/// How long one attempt to connect may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A place that was asked for: a name or an address, behind which there may be several servers.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    endpoint: Endpoint,
    bearer: Bearer,
    host: String,
    port: u16,
}

impl Place {
    /// Reads `http://HOST:PORT`, or `https`, or the same without the scheme.
    ///
    /// # Errors
    /// Why it is none.
    pub(crate) fn new(text: &str, access: &Access) -> Result<Self, String> {
        let uri = match text.contains("://") {
            true => text.to_owned(),
            false if access.needs_tls() => format!("https://{text}"),
            false => format!("http://{text}"),
        };
        let endpoint = Endpoint::from_shared(uri).map_err(|error| with_causes(&error))?;
        let uri = endpoint.uri();
        let (is_secure, default) = match uri.scheme_str() {
            Some("http") => (false, 80),
            Some("https") => (true, 443),
            _ => return Err("neither http nor https".to_owned()),
        };
        let host = uri.host().unwrap_or_default();
        // Brackets are how an address of IPv6 is written, not part of it.
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() {
            return Err("no host".to_owned());
        }
        let port = uri.port_u16().unwrap_or(default);
        let mut endpoint = endpoint
            .connect_timeout(CONNECT_TIMEOUT)
            // Answers to calls that were dropped meanwhile are no attack: without this the library ends the connection,
            // with all that others have on it, after 1,024 of them.
            .http2_max_local_error_reset_streams(None)
            .http2_keep_alive_interval(Duration::from_secs(30))
            .keep_alive_timeout(Duration::from_secs(10));
        if is_secure {
            endpoint = access.secure(endpoint).map_err(|error| with_causes(&error))?;
        }
        Ok(Self {
            endpoint,
            bearer: access.bearer(),
            host,
            port,
        })
    }

    /// The addresses that it has now.
    ///
    /// # Errors
    /// If nobody knows the name.
    pub(crate) async fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        let mut found: Vec<_> = lookup_host((self.host.as_str(), self.port)).await?.collect();
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Whether other addresses may stand behind it later.
    pub(crate) fn is_name(&self) -> bool {
        self.host.parse::<std::net::IpAddr>().is_err()
    }

    /// Connects to one of its addresses; what is said on the connection is still meant for the place.
    ///
    /// # Errors
    /// If nothing answers there.
    pub(crate) async fn connect(&self, address: SocketAddr) -> Result<Transport, Error> {
        let dial = tower::service_fn(move |_: Uri| dial(address));
        Ok(self.with_token(self.endpoint.connect_with_connector(dial).await?))
    }

    /// The same, once there is something to say.
    pub(crate) fn connect_later(&self, address: SocketAddr) -> Transport {
        let dial = tower::service_fn(move |_: Uri| dial(address));
        self.with_token(self.endpoint.connect_with_connector_lazy(dial))
    }

    fn with_token(&self, channel: Channel) -> Transport {
        InterceptedService::new(channel, self.bearer.clone())
    }
}

async fn dial(address: SocketAddr) -> io::Result<TokioIo<TcpStream>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(TokioIo::new(stream))
}

/// An error and what caused it, in one line.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn places_and_their_addresses() {
        for (text, address, is_name) in [
            ("127.0.0.1:5", "127.0.0.1:5", false),
            ("http://127.0.0.1:5", "127.0.0.1:5", false),
            ("http://127.0.0.1", "127.0.0.1:80", false),
            ("https://127.0.0.1", "127.0.0.1:443", false),
            ("[::1]:5", "[::1]:5", false),
            ("localhost:5", "127.0.0.1:5", true),
        ] {
            let place = Place::new(text, &Access::default()).unwrap();
            assert_eq!(place.is_name(), is_name, "{text}");
            let found = place.addresses().await.unwrap();
            assert!(found.contains(&address.parse().unwrap()), "{text}: {found:?}");
        }
        for text in ["", "ftp://127.0.0.1", "not an address", "http://"] {
            assert!(Place::new(text, &Access::default()).is_err(), "{text}");
        }
    }

    #[test]
    fn certificates_encrypt_a_place_without_a_scheme() {
        let token = Access::default().with_token("tby_secret").unwrap();
        let authority = Access::default().with_authority("none");
        for (text, access, scheme) in [
            ("127.0.0.1:5", &token, "http"),
            ("127.0.0.1:5", &authority, "https"),
            ("http://127.0.0.1:5", &authority, "http"),
        ] {
            let place = Place::new(text, access).unwrap();
            assert_eq!(place.endpoint.uri().scheme_str(), Some(scheme), "{text}");
            assert!(!format!("{place:?}").contains("secret"));
        }
    }
}
