//! gRPC-Web with a client that is not ours.

use tabiya_tests::{Serving, buf};

#[test]
fn buf_calls_over_grpc_web() {
    let server = Serving::start(&["--no-gpu", "--grpc-web"]);
    for protocol in ["grpcweb", "grpc"] {
        let Some(mut buf) = buf("gRPC-Web with buf") else {
            return;
        };
        let url = format!("{}/tabiya.v1.RulesService/LegalMoves", server.endpoint());
        buf.args(["curl", "--protocol", protocol, "--data", "{}"]);
        if protocol == "grpc" {
            buf.arg("--http2-prior-knowledge");
        }
        let output = buf.arg(url).output().expect("buf runs");
        let said = String::from_utf8_lossy(&output.stdout);
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{protocol}: {complained}");
        assert!(said.contains("\"uci\": \"e2e4\""), "{protocol}: {said}");
    }
}
