//! The gRPC services, their layers and their lifecycle.

#![forbid(unsafe_code)]
