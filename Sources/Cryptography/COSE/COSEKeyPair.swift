package import CBOR
package import OpenSSLCrypto

/// A private key together with its public COSE_Key as it is sent: encoded once, then the same bytes everywhere (Q45).
package final class COSEKeyPair: Sendable {
    package let privateKey: PrivateKey
    package let publicKeyBytes: EncodedCBOR<COSEKey>

    package init(_ privateKey: consuming PrivateKey) {
        publicKeyBytes = EncodedCBOR(
            embedding: COSEKey.encode(curve: privateKey.curve, x: privateKey.x, y: privateKey.y))
        self.privateKey = privateKey
    }
}
