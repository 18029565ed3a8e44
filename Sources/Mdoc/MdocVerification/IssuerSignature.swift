internal import COSE
internal import MdocModel
internal import MdocTrust

/// The proof that `signer` signed the MSO (ISO/IEC 18013-5 9.1.2.4).
struct IssuerSignatureProof: ~Copyable {
    let mobileSecurityObject: MobileSecurityObject
    let signer: IssuerCertificate

    fileprivate init(_ mobileSecurityObject: MobileSecurityObject, signedBy signer: IssuerCertificate) {
        self.mobileSecurityObject = mobileSecurityObject
        self.signer = signer
    }
}

/// Verifies the signature over the MSO with the key of the document signer's certificate, whether that
/// certificate is trusted or not.
func checkIssuerSignature(
    _ issuerAuth: UnverifiedIssuerAuth, noting deviations: inout [Deviation]
) throws(CheckFailure) -> IssuerSignatureProof {
    let signature = try issuerAuth.signature.get()
    let signer = try issuerAuth.signer.get()
    do throws(COSEError) {
        try signature.verify(with: signer.publicKey)
        if try signature.headers.algorithm().isFullySpecified {
            deviations.append(.issuerAlgorithmFullySpecified)
        }
    } catch {
        throw .cose(error)
    }
    if signature.isTagged { deviations.append(.issuerAuthTagged) }
    if signature.headers.hasProtectedX5Chain { deviations.append(.x5chainProtected) }
    return IssuerSignatureProof(try issuerAuth.mobileSecurityObject.get(), signedBy: signer)
}
