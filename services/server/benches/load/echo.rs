//! The least that a call costs: plain tonic and a handler that does nothing.

use std::net::SocketAddr;

use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status, transport::Server};
use tonic_health::pb::{
    HealthCheckRequest, HealthCheckResponse,
    health_server::{Health, HealthServer},
};

struct Echo;

#[tonic::async_trait]
impl Health for Echo {
    async fn check(&self, _: Request<HealthCheckRequest>) -> Result<Response<HealthCheckResponse>, Status> {
        Ok(Response::new(HealthCheckResponse { status: 1 }))
    }

    type WatchStream = tokio_stream::Empty<Result<HealthCheckResponse, Status>>;

    async fn watch(&self, _: Request<HealthCheckRequest>) -> Result<Response<Self::WatchStream>, Status> {
        Ok(Response::new(tokio_stream::empty()))
    }
}

/// Serves on threads of its own, as the server does.
pub(crate) fn start() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a listener");
    let addr = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            Server::builder()
                .tcp_nodelay(true)
                .add_service(HealthServer::new(Echo))
                .serve_with_incoming(TcpListenerStream::new(listener))
                .await
                .expect("an echo");
        });
    });
    addr
}
