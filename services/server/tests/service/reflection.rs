//! Both versions of reflection list the services and describe them.

use crate::common;

use prost::Message;
use tonic::transport::Channel;

const SERVICES: &[&str] = &[
    "tabiya.v1.RulesService",
    "tabiya.v1.ArbiterService",
    "tabiya.v1.SearchService",
    "tabiya.v1.JobService",
    "grpc.health.v1.Health",
];

macro_rules! reflection_test {
    ($name:ident, $version:ident) => {
        #[tokio::test]
        async fn $name() {
            use tonic_reflection::pb::$version::{
                ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
                server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
            };

            async fn ask(channel: &Channel, request: MessageRequest) -> MessageResponse {
                let request = ServerReflectionRequest {
                    host: String::new(),
                    message_request: Some(request),
                };
                ServerReflectionClient::new(channel.clone())
                    .server_reflection_info(tokio_stream::once(request))
                    .await
                    .unwrap()
                    .into_inner()
                    .message()
                    .await
                    .unwrap()
                    .unwrap()
                    .message_response
                    .unwrap()
            }

            let server = common::start();
            let channel = common::channel(server.addr()).await;
            let MessageResponse::ListServicesResponse(list) =
                ask(&channel, MessageRequest::ListServices(String::new())).await
            else {
                panic!("not a list");
            };
            for name in SERVICES {
                assert!(
                    list.service.iter().any(|service| service.name == *name),
                    "{name} in {list:?}"
                );
            }
            let symbol = MessageRequest::FileContainingSymbol("tabiya.v1.LegalMovesRequest".into());
            let MessageResponse::FileDescriptorResponse(files) = ask(&channel, symbol).await else {
                panic!("not a file");
            };
            let file =
                prost_types::FileDescriptorProto::decode(files.file_descriptor_proto[0].as_slice()).unwrap();
            assert_eq!(file.package(), "tabiya.v1");
            common::shutdown(server).await;
        }
    };
}

reflection_test!(version_1, v1);
reflection_test!(version_1alpha, v1alpha);
