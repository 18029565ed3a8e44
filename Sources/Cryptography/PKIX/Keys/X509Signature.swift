internal import OpenSSLCrypto

/// The outer structure of certificates, CRLs and certification requests: the signed part, the algorithm and
/// the signature (RFC 5280 4.1.1 and 5.1.1; RFC 2986 4.2).
struct X509Signature: Sendable {
    /// The complete encoding of the signed part.
    let signed: DERElement
    /// The element that names the algorithm. The signed part must repeat it.
    let identifier: DERElement
    /// The algorithm; `nil` if this module does not support it.
    let algorithm: X509SignatureAlgorithm?
    let value: ArraySlice<UInt8>

    /// Parses the three fields, which must fill `der`.
    init(_ der: ArraySlice<UInt8>) throws(PKIXError) {
        var outer = DERReader(der)
        var fields = try outer.enter(DERTag.sequence)
        try outer.finish()
        signed = try fields.readElement(DERTag.sequence)
        identifier = try fields.readElement(DERTag.sequence)
        value = try fields.readOctetAlignedBitString()
        try fields.finish()
        algorithm = try X509SignatureAlgorithm.parse(identifier)
    }

    /// Verifies the signature. The algorithm must be ECDSA or EdDSA, and fit the curve of `key`.
    func verify(with key: borrowing PublicKey) throws(OpenSSLCryptoError) {
        switch algorithm {
        case .curve(let algorithm, let curve):
            guard curve == nil || curve == key.curve else { throw .algorithmDoesNotFitKey }
            try key.verify(value, form: .der, algorithm: algorithm, over: [signed.encoding])
        case .rsa: throw .algorithmDoesNotFitKey
        case nil: throw .unsupportedSignatureAlgorithm
        }
    }

    /// Verifies the signature. The algorithm must fit the kind of `key`.
    func verify(with key: borrowing AuthorityKey) throws(OpenSSLCryptoError) {
        switch key {
        case .curve(let key): try verify(with: key)
        case .rsa(let key):
            switch algorithm {
            case .rsa(let algorithm): try key.verify(value, algorithm: algorithm, over: signed.encoding)
            case .curve: throw .algorithmDoesNotFitKey
            case nil: throw .unsupportedSignatureAlgorithm
            }
        }
    }
}
