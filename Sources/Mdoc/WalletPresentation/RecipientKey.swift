package import COSE
internal import ErrorMapping
internal import OpenSSLCrypto

/// The verifier's key for which wallets encrypt their answers, with the hash that identifies the key in an
/// envelope.
package final class RecipientKey: Sendable {
    package let pair: COSEKeyPair
    /// The SHA-256 of the public point as 04‖x‖y (pkRHash).
    package let hash: [UInt8]

    /// Creates the key of a recipient from the key pair `pair`.
    ///
    /// - Throws: `WalletPresentationError.recipientKeyUnusable` for a key that is not on P-256.
    package init(_ pair: COSEKeyPair) throws(WalletPresentationError) {
        guard pair.privateKey.curve == .p256 else { throw .recipientKeyUnusable }
        self.pair = pair
        hash = Digest(.sha256, of: pair.privateKey.encodedPoint[...]).bytes
    }

    /// Decrypts one HPKE message whose info is the transcript (RFC 9180, base mode).
    func open(
        _ ciphertext: ArraySlice<UInt8>, encapsulatedKey: ArraySlice<UInt8>, info: ArraySlice<UInt8>
    ) throws(WalletPresentationError) -> [UInt8] {
        try mapping(
            HPKE.open(ciphertext, encapsulatedKey: encapsulatedKey, with: pair.privateKey, info: info)
        ) { (error: OpenSSLCryptoError) in WalletPresentationError(opening: error) }
    }
}

extension WalletPresentationError {
    fileprivate init(opening error: OpenSSLCryptoError) {
        switch error {
        case .authenticationFailed: self = .notOpened
        case .keyMalformed, .pointNotOnCurve: self = .encapsulatedKeyInvalid
        default: self = .computationFailed
        }
    }
}
