//! What a position is worth: network file, CPU kernels, GPU backend, batching.

#![forbid(unsafe_code)]
