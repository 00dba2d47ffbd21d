//! A network that a test can cut: a TCP proxy on the loopback.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// How often a silent direction looks whether the network is there.
const TICK: Duration = Duration::from_millis(10);

/// Forwards connections to one address until it is dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    network: Arc<Network>,
}

#[derive(Debug)]
struct Network {
    target: String,
    is_cut: AtomicBool,
    is_over: AtomicBool,
    /// Both ends of what is open; ended ones go when a new one comes.
    open: Mutex<Vec<(TcpStream, TcpStream)>>,
}

impl Proxy {
    /// Listens on a free port and forwards to `target` (HOST:PORT).
    ///
    /// # Panics
    /// If there is no free port.
    pub fn to(target: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let network = Arc::new(Network {
            target: target.to_owned(),
            is_cut: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            open: Mutex::default(),
        });
        let accepting = Arc::clone(&network);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if accepting.is_over.load(Ordering::Relaxed) {
                    return;
                }
                let network = Arc::clone(&accepting);
                thread::spawn(move || network.serve(client));
            }
        });
        Self { address, network }
    }

    /// Where it listens.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Cuts the cable: nothing passes and nobody is told. What is on its way waits.
    pub fn cut(&self) {
        self.network.is_cut.store(true, Ordering::Relaxed);
    }

    /// Ends every open connection, as a firewall that forgets its table does.
    pub fn sever(&self) {
        for (one, other) in self.network.open.lock().expect("no panic").drain(..) {
            // Fails only if it has ended.
            let _ = one.shutdown(Shutdown::Both);
            let _ = other.shutdown(Shutdown::Both);
        }
    }

    /// Mends the cable.
    pub fn heal(&self) {
        self.network.is_cut.store(false, Ordering::Relaxed);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.network.is_over.store(true, Ordering::Relaxed);
        self.sever();
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}

impl Network {
    fn serve(&self, client: TcpStream) {
        while self.is_cut.load(Ordering::Relaxed) {
            if self.is_over.load(Ordering::Relaxed) {
                return;
            }
            thread::sleep(TICK);
        }
        // A target that is away: the client sees its connection end.
        let Ok(server) = TcpStream::connect(&self.target) else {
            return;
        };
        let pair = || Some((client.try_clone().ok()?, server.try_clone().ok()?));
        let (Some(kept), Some(back)) = (pair(), pair()) else {
            return;
        };
        {
            let mut open = self.open.lock().expect("no panic");
            open.retain(|(client, _)| client.peer_addr().is_ok());
            open.push(kept);
        }
        thread::scope(|scope| {
            scope.spawn(|| self.forward(&client, &server));
            self.forward(&back.1, &back.0);
        });
    }

    /// One direction, until either end has gone.
    fn forward(&self, from: &TcpStream, to: &TcpStream) {
        let (mut reader, mut writer) = (from, to);
        let mut buffer = vec![0; 64 * 1024];
        let _ = from.set_read_timeout(Some(TICK));
        while !self.is_over.load(Ordering::Relaxed) {
            if self.is_cut.load(Ordering::Relaxed) {
                thread::sleep(TICK);
                continue;
            }
            match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    while self.is_cut.load(Ordering::Relaxed) && !self.is_over.load(Ordering::Relaxed) {
                        thread::sleep(TICK);
                    }
                    if writer.write_all(&buffer[..count]).is_err() {
                        break;
                    }
                }
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(_) => break,
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers each connection with what it says.
    fn echo() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        thread::spawn(move || {
            for mut client in listener.incoming().flatten() {
                thread::spawn(move || {
                    let mut reader = client.try_clone().unwrap();
                    std::io::copy(&mut reader, &mut client)
                });
            }
        });
        address
    }

    #[test]
    fn a_cut_network_is_silent_and_a_healed_one_delivers() {
        let proxy = Proxy::to(&echo());
        let mut client = TcpStream::connect(proxy.address()).unwrap();
        let mut answer = [0; 3];
        client.write_all(b"one").unwrap();
        client.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"one");

        proxy.cut();
        client.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        client.write_all(b"two").unwrap();
        let silence = client.read_exact(&mut answer).unwrap_err().kind();
        assert!(
            matches!(silence, ErrorKind::WouldBlock | ErrorKind::TimedOut),
            "{silence:?}"
        );

        proxy.heal();
        client.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        client.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"two");
    }

    #[test]
    fn severed_connections_end_and_new_ones_pass() {
        let proxy = Proxy::to(&echo());
        let mut client = TcpStream::connect(proxy.address()).unwrap();
        client.write_all(b"x").unwrap();
        let mut answer = [0; 1];
        client.read_exact(&mut answer).unwrap();
        proxy.sever();
        assert!(!matches!(client.read(&mut answer), Ok(1..)));

        let mut client = TcpStream::connect(proxy.address()).unwrap();
        client.write_all(b"y").unwrap();
        client.read_exact(&mut answer).unwrap();
        assert_eq!(&answer, b"y");
    }
}
