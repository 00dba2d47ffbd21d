//! Callers with tokens.

use tabiya_server::auth::Token;
use tonic::Request;

/// The entry of a token in the file of callers.
pub fn entry(name: &str, token: &Token, roles: &str, quotas: &str) -> String {
    format!(
        "[[token]]\nname = \"{name}\"\nsha256 = \"{}\"\nroles = [{roles}]\n{quotas}\n",
        token.hash()
    )
}

/// A request by whoever has this token.
pub fn with_token<T>(message: T, token: &str) -> Request<T> {
    let mut request = Request::new(message);
    let value = format!("Bearer {token}").parse().unwrap();
    request.metadata_mut().insert("authorization", value);
    request
}
