//! Reads names and dates of a certificate. The library that verifies connections reads to whom it belongs.

use crate::role::Role;
use time::OffsetDateTime;
use tokio_rustls::rustls::pki_types::{CertificateDer, pem::PemObject};
use webpki::EndEntityCert;
use yasna::{ASN1Result, BERReader, tags::TAG_UTCTIME};

/// First byte of a certificate's version, which those of the first version lack.
const VERSION: u8 = 0xa0;
/// Place of the first and the last second: behind the serial number, the algorithm of the signature and the issuer.
const VALIDITY: usize = 3;
/// Place of the public key: behind the subject, too.
const PUBLIC_KEY: usize = 5;

/// Reads the first certificate of a PEM file.
pub fn read_pem(text: &str) -> Option<CertificateDer<'static>> {
    CertificateDer::from_pem_slice(text.as_bytes()).ok()
}

/// Returns the role that a certificate names, and its serial number; `None` if it cannot be read.
pub fn role_and_serial(certificate: &CertificateDer<'_>) -> Option<(Role, Vec<u8>)> {
    let certificate = EndEntityCert::try_from(certificate).ok()?;
    let role = certificate.valid_dns_names().find_map(Role::of_name);
    Some((role.unwrap_or(Role::Member), certificate.serial().to_vec()))
}

/// Returns the public key of a certificate in DER; `None` if it cannot be read.
pub fn public_key(certificate: &CertificateDer<'_>) -> Option<Vec<u8>> {
    field(certificate, PUBLIC_KEY)
}

/// Returns the first and the last second of a certificate; `None` if it cannot be read.
pub fn validity(certificate: &CertificateDer<'_>) -> Option<[OffsetDateTime; 2]> {
    let times = yasna::parse_der(&field(certificate, VALIDITY)?, |reader| {
        reader.read_sequence(|reader| Ok([time(reader.next())?, time(reader.next())?]))
    });
    times.ok()
}

/// Writes a second for people.
pub fn shown(time: OffsetDateTime) -> String {
    let (month, day, year) = (time.month().to_string(), time.day(), time.year());
    let (hour, minute, second) = time.to_hms();
    format!("{month:.3} {day:>2} {hour:02}:{minute:02}:{second:02} {year} +00:00")
}

/// Returns a field of a certificate, in DER, by its place behind the version.
fn field(certificate: &CertificateDer<'_>, place: usize) -> Option<Vec<u8>> {
    // A certificate is its fields, the algorithm of the signature, and the signature.
    let fields = parts(&parts(certificate)?.swap_remove(0))?;
    let has_version = fields.first()?.first() == Some(&VERSION);
    fields.into_iter().nth(usize::from(has_version) + place)
}

/// Takes a sequence apart, of which at least one part is there.
fn parts(sequence: &[u8]) -> Option<Vec<Vec<u8>>> {
    let parts = yasna::parse_der(sequence, |reader| {
        reader.collect_sequence_of(|part| part.read_der())
    });
    parts.ok().filter(|parts| !parts.is_empty())
}

/// Reads a time; years before 2050 have two digits.
fn time(reader: BERReader<'_, '_>) -> ASN1Result<OffsetDateTime> {
    match reader.lookahead_tag()? {
        TAG_UTCTIME => Ok(*reader.read_utctime()?.datetime()),
        _ => Ok(*reader.read_generalized_time()?.datetime()),
    }
}
