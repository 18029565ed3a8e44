/// A secret that both sides of an HPKE context hold beforehand, under a name (RFC 9180, 5.1.2).
package final class HPKEPreSharedKey: Sendable {
    let key: SecretBytes
    let identifier: [UInt8]

    /// Throws `keySizeWrong` for a key below 32 bytes, which cannot have the entropy that RFC 9180, 9.5 requires,
    /// and for an empty identifier, which means no key.
    package init(key: consuming SecretBytes, identifier: [UInt8]) throws(OpenSSLCryptoError) {
        guard key.count >= 32, !identifier.isEmpty else { throw .keySizeWrong }
        self.key = key
        self.identifier = identifier
    }
}
