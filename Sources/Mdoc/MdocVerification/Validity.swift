internal import PKIX
internal import CBOR
internal import MdocModel
internal import MdocTrust
internal import OpenSSLCrypto

/// The proof that the MSO is of a known version and for this document, is valid now, and was signed while its
/// signer's certificate was valid (ISO/IEC 18013-5 9.1.2.4, 9.3.1).
struct ValidityProof: ~Copyable {
    fileprivate init() {}
}

func checkValidity(
    of info: ValidityInfo, signedBy signer: IssuerCertificate, in context: VerificationContext,
    noting deviations: inout [Deviation]
) throws(CheckFailure) -> ValidityProof {
    let (signed, validFrom) = (info.signed, info.validFrom)
    let validUntil = info.validUntil.instant
    let certificate = signer.certificate
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

/// The proof that the MSO is one of version 1 for this document type.
struct MobileSecurityObjectProof: ~Copyable {
    fileprivate init() {}
}

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
