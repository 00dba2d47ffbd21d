use rustls::pki_types::CertificateDer;
use webpki::EndEntityCert;

/// The names that a caller's certificate vouches for. The certificate has been verified.
pub(crate) fn names(chain: Option<&[CertificateDer<'_>]>) -> Vec<String> {
    let Some(certificate) = chain.and_then(|chain| chain.first()) else {
        return Vec::new();
    };
    let Ok(certificate) = EndEntityCert::try_from(certificate) else {
        return Vec::new();
    };
    certificate.valid_dns_names().map(str::to_owned).collect()
}
