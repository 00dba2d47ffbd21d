//! Generated gRPC code and, with the feature `domain`, conversions to domain types.

#![forbid(unsafe_code)]
