internal import PKIX
internal import CBOR
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto

/// The proof that the MSO is valid now, and was signed while its signer's certificate was valid (ISO/IEC
/// 18013-5 9.1.2.4, 9.3.1).
struct ValidityProof: ~Copyable {
    fileprivate init() {}
}

/// Checks the dates of the MSO against one another, the signer's certificate and the time of verification.
func checkValidity(
    of info: ValidityInfo, signedBy signer: IssuerCertificate, in context: VerificationContext,
    noting deviations: inout [Deviation]
) throws(CheckFailure) -> ValidityProof {
    // A date without a time means a day in an unknown time zone. For `signed` and `validFrom`, the bound that
    // favours the document is used. For `validUntil`, the first instant of the day in UTC is used, which is
    // stricter than the end of the day.
    let (signed, validFrom) = (info.signed, info.validFrom)
    let validUntil = info.validUntil.instant
    let certificate = signer.certificate
    // No clock skew here, because both dates come from the issuer. The skew is only for the clock of this
    // reader (Q186, Q220).
    guard certificate.notBefore <= signed.latest.secondsSince1970,
        signed.earliest.secondsSince1970 <= certificate.notAfter
    else {
        throw .signedOutsideCertificateValidity(
            signed: signed.instant, from: Timestamp(secondsSince1970: certificate.notBefore),
            until: Timestamp(secondsSince1970: certificate.notAfter))
    }
    guard signed.earliest <= validFrom.latest, validFrom.earliest < validUntil else {
        throw .validityContradictory
    }
    let clockSkew = context.policy.clockSkew
    guard validFrom.earliest <= context.now.advanced(bySeconds: clockSkew) else { throw .notYetValid }
    guard context.now <= validUntil.advanced(bySeconds: clockSkew) else { throw .expired }
    if !info.form.isEmpty { deviations.append(.dateFormInMSO) }
    return ValidityProof()
}

/// The proof that the MSO has version 1.x and is for the document type that the document states.
struct MobileSecurityObjectProof: ~Copyable {
    fileprivate init() {}
}

/// Checks the version and document type of the MSO.
func checkMobileSecurityObject(
    _ mobileSecurityObject: MobileSecurityObject, of document: UnverifiedDocument,
    noting deviations: inout [Deviation]
) throws(CheckFailure) -> MobileSecurityObjectProof {
    guard mobileSecurityObject.version.hasPrefix("1.") else { throw .mobileSecurityObjectVersion }
    guard mobileSecurityObject.docType == document.docType else { throw .docTypeMismatch }
    if mobileSecurityObject.form.contains(.indefiniteLength) { deviations.append(.indefiniteMSO) }
    if mobileSecurityObject.form.contains(.longerHead) { deviations.append(.longerHeadInMSO) }
    if mobileSecurityObject.isChunked { deviations.append(.chunkedItem) }
    return MobileSecurityObjectProof()
}
