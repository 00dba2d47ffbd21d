//! Best move: one search, generic over the evaluator.

#![forbid(unsafe_code)]
