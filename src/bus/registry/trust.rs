//! Certificates and keys, from files.

use ureq::tls::{
    Certificate, ClientCert, PemItem, PrivateKey, RootCerts, TlsConfig, TlsProvider, parse_pem,
};

use super::settings::{Pem, RegistrySettings};

/// How TLS is spoken with a registry: its certificate is always checked.
///
/// # Errors
/// A file cannot be read, or does not hold what it should, as a sentence.
pub(super) fn tls(settings: &RegistrySettings) -> Result<TlsConfig, String> {
    let roots = match &settings.authority {
        None => RootCerts::PlatformVerifier,
        Some(pem) => RootCerts::from(certificates(pem, "schema.registry.ssl.ca.location")?),
    };
    let client = settings
        .client
        .as_ref()
        .map(|(certificate, private)| {
            let chain = certificates(certificate, "schema.registry.ssl.certificate.location")?;
            Ok::<_, String>(ClientCert::new_with_certs(&chain, key(private)?))
        })
        .transpose()?;
    Ok(TlsConfig::builder()
        .provider(TlsProvider::NativeTls)
        .root_certs(roots)
        .client_cert(client)
        .build())
}

fn certificates(pem: &Pem, setting: &str) -> Result<Vec<Certificate<'static>>, String> {
    let bytes = bytes(pem, setting)?;
    let found: Vec<Certificate<'static>> = parse_pem(&bytes)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if found.is_empty() {
        return Err(format!("{setting}: there is no certificate in PEM form"));
    }
    Ok(found)
}

fn key(pem: &Pem) -> Result<PrivateKey<'static>, String> {
    let setting = "schema.registry.ssl.key.location";
    let bytes = bytes(pem, setting)?;
    let key = parse_pem(&bytes).find_map(|item| match item {
        Ok(PemItem::PrivateKey(key)) => Some(key),
        _ => None,
    });
    let key = key.ok_or_else(|| {
        format!("{setting}: there is no key in PEM form, or it is one that needs a password")
    })?;
    // The only form that OpenSSL is handed.
    if String::from_utf8_lossy(&bytes).contains("-----BEGIN PRIVATE KEY-----") {
        Ok(key)
    } else {
        Err(format!(
            "{setting}: the key is not in PKCS #8 form: convert it with openssl pkcs8 -topk8 -nocrypt"
        ))
    }
}

fn bytes(pem: &Pem, setting: &str) -> Result<Vec<u8>, String> {
    match pem {
        Pem::Text(text) => Ok(text.clone().into_bytes()),
        Pem::File(file) => std::fs::read(file)
            .map_err(|error| format!("{setting}: {file} cannot be read: {error}")),
    }
}
