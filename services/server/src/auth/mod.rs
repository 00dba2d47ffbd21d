//! Who calls, and whether he may: bearer tokens and certificates, roles and quotas.
//!
//! Off unless the setting `tokens` names a file of callers.

mod access;
mod callers;
mod quota;
mod role;
mod token;

use std::{path::Path, sync::Arc};

use http::{HeaderMap, header::AUTHORIZATION};
use tabiya_api::error::ServiceError;

pub use role::Role;
pub use token::{Token, TokenHash};

pub(crate) use access::{Access, access, answers_items};
pub(crate) use callers::Caller;
pub(crate) use quota::Held;
#[cfg(test)]
pub(crate) use quota::RETRY_AFTER as QUOTA_RETRY_AFTER;

use crate::{
    ServerError,
    config::ReflectionAccess,
    metrics::Watched,
    reload::{Current, FromFiles},
};
use callers::{Callers, Quotas};

/// The check that every call passes.
#[derive(Clone, Debug)]
pub(crate) struct Auth {
    callers: Current<Callers>,
    reflection: ReflectionAccess,
}

/// Reads the file of callers.
///
/// # Errors
/// If it cannot be read or something in it is wrong.
pub(crate) fn open(path: &Path) -> Result<FromFiles<Callers>, ServerError> {
    let quotas = Quotas::default();
    let make =
        move |contents: &[Vec<u8>]| Callers::parse(contents.first().map_or(&[], Vec::as_slice), &quotas);
    FromFiles::open(
        Watched::Tokens,
        "the token file",
        vec![path.to_owned()],
        Box::new(make),
    )
}

impl Auth {
    pub(crate) fn new(callers: &FromFiles<Callers>, reflection: ReflectionAccess) -> Self {
        Self {
            callers: callers.current(),
            reflection,
        }
    }

    /// The callers of this file, for ever.
    #[cfg(test)]
    pub(crate) fn fixed(file: &str, reflection: ReflectionAccess) -> Self {
        Self {
            callers: Current::fixed(Callers::parse(file.as_bytes(), &Quotas::default()).unwrap()),
            reflection,
        }
    }

    /// Says who calls, if that is needed; `certified` are the names of his certificate.
    ///
    /// # Errors
    /// UNAUTHENTICATED if nobody known calls, PERMISSION_DENIED if he may not.
    pub(crate) fn check(
        &self,
        path: &str,
        headers: &HeaderMap,
        certified: &[String],
    ) -> Result<Option<Arc<Caller>>, ServiceError> {
        let role = match access(path) {
            Some(Access::Open) => return Ok(None),
            Some(Access::Reflection) => match self.reflection {
                ReflectionAccess::Open => return Ok(None),
                // Switched off means that nothing is there to ask.
                ReflectionAccess::Authenticated | ReflectionAccess::Off => None,
            },
            Some(Access::Role(role)) => Some(role),
            // No such method: whoever is known here may hear so.
            None => None,
        };
        let callers = self.callers.get();
        let caller = match bearer(headers)? {
            Some(token) => callers.with_token(token),
            None => callers.with_certificate(certified),
        };
        let caller = caller.ok_or(ServiceError::Unauthenticated(
            if headers.contains_key(AUTHORIZATION) {
                "the token is not known here"
            } else {
                "a token is needed: metadata `authorization: Bearer …`"
            },
        ))?;
        match role {
            Some(role) if !caller.roles.allow(role) => Err(ServiceError::PermissionDenied(role.name())),
            _ => Ok(Some(caller.clone())),
        }
    }
}

/// The token among the headers.
fn bearer(headers: &HeaderMap) -> Result<Option<&[u8]>, ServiceError> {
    const SCHEME: &[u8] = b"bearer ";
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let wrong = ServiceError::Unauthenticated("`authorization` is not one `Bearer` and a token");
    let Some((scheme, token)) = value.as_bytes().split_at_checked(SCHEME.len()) else {
        return Err(wrong);
    };
    if values.next().is_some() || !scheme.eq_ignore_ascii_case(SCHEME) || token.is_empty() {
        return Err(wrong);
    }
    Ok(Some(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auth(reflection: ReflectionAccess) -> Auth {
        let file = r#"
            [[token]]
            name = "site"
            sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
            roles = ["read"]
            [[token]]
            name = "worker"
            certificate = "worker.example"
            roles = ["bulk"]
        "#;
        Auth::fixed(file, reflection)
    }

    const READ: &str = "/tabiya.v1.RulesService/LegalMoves";
    const BULK: &str = "/tabiya.v1.RulesService/BatchLegalMoves";
    const REFLECTION: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

    fn headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn tokens_and_certificates_open_what_their_roles_allow() {
        let auth = auth(ReflectionAccess::Open);
        let who = |path, values: &[&str], certified: &[&str]| {
            let certified: Vec<_> = certified.iter().map(|name| (*name).to_owned()).collect();
            auth.check(path, &headers(values), &certified)
                .map(|caller| caller.map(|caller| caller.name.clone()))
        };
        let site = Ok(Some("site".to_owned()));
        assert_eq!(who(READ, &["Bearer abc"], &[]), site);
        assert_eq!(who(READ, &["bearer abc"], &[]), site);
        // The token decides where both are shown.
        assert_eq!(who(READ, &["Bearer abc"], &["worker.example"]), site);
        assert_eq!(who(BULK, &[], &["worker.example"]), Ok(Some("worker".to_owned())));
        assert_eq!(
            who(BULK, &["Bearer abc"], &[]),
            Err(ServiceError::PermissionDenied("bulk"))
        );
        assert_eq!(who("/grpc.health.v1.Health/Check", &[], &[]), Ok(None));
        assert_eq!(who(REFLECTION, &[], &[]), Ok(None));
        for (values, certified) in [
            (&[] as &[&str], &[] as &[&str]),
            (&[], &["other.example"]),
            (&["Bearer abd"], &["worker.example"]),
            (&["Bearer "], &[]),
            (&["Bearer"], &[]),
            (&["Basic abc"], &[]),
            (&["abc"], &[]),
            (&[""], &[]),
            (&["Bearer abc", "Bearer abc"], &[]),
        ] {
            for path in [READ, "/no.such/Method", "", "/"] {
                let error = who(path, values, certified).unwrap_err();
                assert!(
                    matches!(error, ServiceError::Unauthenticated(_)),
                    "{path} {values:?}: {error}"
                );
            }
        }
    }

    #[test]
    fn reflection_can_be_closed() {
        let auth = auth(ReflectionAccess::Authenticated);
        assert!(auth.check(REFLECTION, &headers(&[]), &[]).is_err());
        assert!(auth.check(REFLECTION, &headers(&["Bearer abc"]), &[]).is_ok());
    }
}
