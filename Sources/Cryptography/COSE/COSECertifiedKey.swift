internal import CBOR
package import OpenSSLCrypto
package import PKIX

/// A private key and its certificate chain, for signing COSE_Sign1 objects that carry the chain as x5chain
/// (RFC 9360 2).
package final class COSECertifiedKey: Sendable {
    package let chain: CertificateChain
    private let key: PrivateKey
    private let algorithm: SignatureAlgorithm
    private let signer: COSESigner

    /// Combines a key with its chain, which is sent without roots (Q171).
    ///
    /// - Throws: `keyNotOfLeaf` if the leaf certificate is for another key, `keyCannotSign` or
    ///   `leafSelfSigned`.
    package init(_ key: consuming PrivateKey, chain: CertificateChain) throws(CertificateChainError) {
        guard let coseAlgorithm = COSEAlgorithm(signingWith: key.curve),
            let algorithm = coseAlgorithm.signatureAlgorithm(on: key.curve)
        else { throw .keyCannotSign }
        guard let certified = try? chain.leaf.publicKey(), certified.curve == key.curve,
            certified.encodedPoint == key.encodedPoint
        else { throw .keyNotOfLeaf }
        let sent = chain.withoutRoots
        guard !sent.isEmpty else { throw .leafSelfSigned }
        self.algorithm = algorithm
        signer = COSESigner(algorithm: coseAlgorithm, x5chain: sent.map(\.der))
        self.chain = chain
        self.key = key
    }

    /// Returns an untagged COSE_Sign1 over a detached payload, given in parts.
    package func sign1(detachedPayload parts: [ArraySlice<UInt8>]) throws(COSEError) -> [UInt8] {
        do throws(OpenSSLCryptoError) {
            return try signer.sign1(detachedPayload: parts, with: key, algorithm: algorithm)
        } catch {
            throw .cryptography(error)
        }
    }
}
