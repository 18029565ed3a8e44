internal import COSE
internal import CBOR
internal import MdocModel
internal import MdocTrust

/// The parts of issuerAuth (ISO/IEC 18013-5 9.1.2.4) before verification: each part, or the reason that it is
/// missing.
struct UnverifiedIssuerAuth {
    let signature: Result<COSESign1, CheckFailure>
    /// The first certificate of x5chain. The other certificates of x5chain are never trusted (Q180).
    let signer: Result<IssuerCertificate, CheckFailure>
    let hasFurtherCertificates: Bool
    let mobileSecurityObject: Result<MobileSecurityObject, CheckFailure>

    init(_ issuerAuth: CBORItem?, trust: TrustStore) {
        signature = Self.signature(issuerAuth)
        let chain = signature.flatMap(Self.chain)
        signer = chain.flatMap { Self.signer($0, trust: trust) }
        // A chain that cannot be read has no further certificates to report.
        hasFurtherCertificates = ((try? chain.get().count) ?? 0) > 1
        mobileSecurityObject = signature.flatMap(Self.mobileSecurityObject)
    }

    /// Parses issuerAuth as a COSE_Sign1.
    private static func signature(_ item: CBORItem?) -> Result<COSESign1, CheckFailure> {
        guard let item else { return .failure(.issuerAuthMissing) }
        return Result { () throws(COSEError) in try COSESign1(item) }.mapError(CheckFailure.cose)
    }

    /// Reads x5chain from either header.
    private static func chain(_ signature: COSESign1) -> Result<[ArraySlice<UInt8>], CheckFailure> {
        Result { () throws(COSEError) in try signature.headers.x5chain() }.mapError(CheckFailure.cose)
    }

    /// Parses the first certificate of the chain, unless the store has it from an earlier verification.
    private static func signer(
        _ chain: [ArraySlice<UInt8>], trust: TrustStore
    ) -> Result<IssuerCertificate, CheckFailure> {
        // `x5chain` throws for an empty chain, so the chain has a first certificate.
        Result { () throws(IssuerCertificateError) in try trust.issuerCertificate(der: chain[0]) }
            .mapError(CheckFailure.issuerCertificate)
    }

    /// Parses the MSO in the payload, which must be embedded.
    private static func mobileSecurityObject(
        _ signature: COSESign1
    ) -> Result<MobileSecurityObject, CheckFailure> {
        guard let payload = signature.payload else { return .failure(.cose(.payloadMisplaced)) }
        return Result { () throws(MdocModelError) in try MobileSecurityObject(payload: payload) }
            .mapError(CheckFailure.mobileSecurityObject)
    }

    /// Verifies that a trusted root issued the signer's certificate (ISO/IEC 18013-5 9.3.3).
    func verifyCertificate(
        for docType: String, in context: VerificationContext, noting deviations: inout [Deviation]
    ) throws(CheckFailure) -> VerifiedIssuerCertificate {
        let signer = try signer.get()
        do throws(IssuerCertificateError) {
            let certificate = try context.trust.verify(
                signer, for: docType, at: context.now, profiles: context.policy.signers)
            deviations += certificate.deviations
            if hasFurtherCertificates { deviations.append(.x5chainWithOtherCertificates) }
            return certificate
        } catch {
            throw .issuerCertificate(error)
        }
    }
}
