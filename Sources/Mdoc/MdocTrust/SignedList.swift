internal import CBOR
internal import COSE
internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// A list of authorities and its provider's signature, as VICALs and RICALs are sent: a COSE_Sign1 (RFC 9052 4.2) whose header
/// x5chain has the signer's certificates.
struct SignedList<Failure: SignedListError>: Sendable {
    /// The longest list that is read, in bytes.
    static var maximumSize: Int { 1 << 23 }
    private static var limits: CBORLimits { CBORLimits(bytes: maximumSize) }

    /// What is signed. Nobody has verified it yet.
    let payload: CBORItem
    private let signature: COSESign1

    init(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        let item = try Failure.mapping { () throws(CBORError) in
            try CBORItem.parse(bytes, limits: Self.limits)
        }
        signature = try Failure.mapping { () throws(COSEError) in try COSESign1(item, limits: Self.limits) }
        guard let signed = signature.payload else { throw .cose(.payloadMisplaced) }
        payload = try Failure.mapping { () throws(CBORError) in
            try CBORItem.parse(signed, limits: Self.limits)
        }
    }

    var isSignerProtected: Bool { signature.headers.hasProtectedX5Chain }

    /// The signer's certificates, leaf first.
    func signerChain() throws(Failure) -> [Certificate] {
        let chain = try Failure.mapping { () throws(COSEError) in try signature.headers.x5chain(maximum: 4) }
        do throws(PKIXError) {
            return try chain.map { der throws(PKIXError) in try Certificate(der: der) }
        } catch {
            throw .signerMalformed(error)
        }
    }

    func verifySignature(with signer: Certificate) throws(Failure) {
        try Failure.mapping { () throws(COSEError) in
            guard let key = try? signer.publicKey() else { throw .keyNotUsable }
            try signature.verify(with: key)
        }
    }

    static func instant(_ item: CBORItem) throws(Failure) -> Timestamp {
        do throws(MdocModelError) { return try DateText(item).instant } catch { throw .dateMalformed(error) }
    }
}

/// What is wrong with a signed list, whatever it lists.
protocol SignedListError: Error {
    static func malformed(_ error: CBORError) -> Self
    static func cose(_ error: COSEError) -> Self
    static func dateMalformed(_ error: MdocModelError) -> Self
    static func signerMalformed(_ error: PKIXError) -> Self
}

extension SignedListError {
    static func mapping<Value>(_ body: () throws(CBORError) -> Value) throws(Self) -> Value {
        do throws(CBORError) { return try body() } catch { throw .malformed(error) }
    }

    static func mapping<Value>(_ body: () throws(COSEError) -> Value) throws(Self) -> Value {
        do throws(COSEError) { return try body() } catch { throw .cose(error) }
    }
}
