internal import CBOR
internal import COSE
internal import ErrorMapping
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// A list of authorities with the signature of its provider: the common form of VICALs and RICALs.
///
/// The form is a COSE_Sign1 (RFC 9052 4.2) with the signer's certificates in the header x5chain.
struct SignedList<Failure: SignedListError>: Sendable {
    /// The maximum size of a list in bytes.
    static var maximumSize: Int { 1 << 23 }
    private static var limits: CBORLimits { CBORLimits(bytes: maximumSize) }

    /// The signed content, which is not verified yet.
    let payload: CBORItem
    private let signature: COSESign1
    private let chain = Once<Result<[Certificate], Failure>>()
    private let signatureCheck = Once<Result<Void, Failure>>()

    init(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        // Each parsing is counted, because tests limit how often a list is parsed.
        WorkCount.add(.listParsed)
        let item = try mapping(CBORItem.parse(bytes, limits: Self.limits), Failure.malformed)
        signature = try mapping(COSESign1(item, limits: Self.limits), Failure.cose)
        guard let signed = signature.payload else { throw .cose(.payloadMisplaced) }
        payload = try mapping(CBORItem.parse(signed, limits: Self.limits), Failure.malformed)
    }

    /// Whether x5chain is in the protected header.
    var isSignerProtected: Bool { signature.headers.hasProtectedX5Chain }

    /// Returns the certificates of x5chain, leaf first; at most four.
    func signerChain() throws(Failure) -> [Certificate] {
        try chain.value { Result { () throws(Failure) in try readSignerChain() } }.get()
    }

    /// Reads the chain that `signerChain` caches.
    private func readSignerChain() throws(Failure) -> [Certificate] {
        let chain = try mapping(signature.headers.x5chain(maximum: 4), Failure.cose)
        return try mapping(
            chain.map { der throws(PKIXError) in try Certificate(der: der) }, Failure.signerMalformed)
    }

    /// Verifies the signature with the key of the list's own signer certificate.
    ///
    /// `CertificatePath` decides separately whether that certificate is trusted.
    func verifySignature() throws(Failure) {
        try signatureCheck.value { Result { () throws(Failure) in try checkSignature() } }.get()
    }

    /// Verifies the signature anew. `verifySignature` caches the result.
    private func checkSignature() throws(Failure) {
        guard let signer = try? signerChain().first, let key = try? signer.publicKey() else {
            throw .cose(.keyNotUsable)
        }
        WorkCount.add(.listVerified)
        try mapping(signature.verify(with: key), Failure.cose)
    }

    /// Reads a date of the list.
    static func instant(_ item: CBORItem) throws(Failure) -> Timestamp {
        try mapping(DateText(item).instant, Failure.dateMalformed)
    }
}

/// The errors that VICALs and RICALs have in common.
protocol SignedListError: Error {
    static func malformed(_ error: CBORError) -> Self
    static func cose(_ error: COSEError) -> Self
    static func dateMalformed(_ error: MdocModelError) -> Self
    static func signerMalformed(_ error: PKIXError) -> Self
}
